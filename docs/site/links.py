"""links.py FOLDER: fails if a link of the site in FOLDER leads to a page, or a place on a page, that is not there."""

import glob
import os
import re
import sys


def main():
    folder, texts, bad = sys.argv[1], {}, []
    for path in glob.glob(os.path.join(folder, "**", "*.html"), recursive=True):
        with open(path, encoding="utf-8") as file:
            texts[os.path.normpath(path)] = file.read()
    places = {path: set(re.findall(r'id="([^"]+)"', text)) for path, text in texts.items()}
    for path, text in texts.items():
        for page, place in re.findall(r'href="([^"#:]*)(?:#([^"]*))?"', text):
            target = os.path.normpath(os.path.join(os.path.dirname(path), page)) if page else path
            if target.endswith(".html") and (target not in places or place and place not in places[target]):
                bad.append(f"{path}: {page}#{place}")
    print("\n".join(bad) if bad else f"docs: the links of {len(texts)} pages lead somewhere")
    sys.exit(bool(bad))


main()
