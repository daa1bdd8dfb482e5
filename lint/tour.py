"""References in TOUR.md are true. There, a place is written as two code spans, the place and a piece of that line:
`src/pipeline.cpp:42` `Program optimise(`. With --fix, line numbers follow text that has moved and is still the only one.
Relative links in all Markdown files lead to files that exist."""

import os
import re
import sys

from files import ROOT, files, finish, lines

PLACE = re.compile(r"`([\w./-]+\.\w+):(\d+)`(?:\s+`([^`]+)`)?")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def exists(path):
    return os.path.exists(os.path.join(ROOT, path))


def check_place(path, number, anchor):
    """The line where the anchor stands (None: nowhere, or in several places) and what is wrong with `number`, if anything."""
    if not exists(path):
        return None, f"there is no {path}"
    if anchor is None:
        return None, f"`{path}:{number}` wants a piece of that line after it, as in `{path}:{number}` `text`"
    text = lines(path)
    if number <= len(text) and anchor in text[number - 1]:
        return number, None
    found = [n for n, line in enumerate(text, 1) if anchor in line]
    where = ", ".join(map(str, found)) or "nowhere"
    return found[0] if len(found) == 1 else None, f"`{anchor}` is not on line {number} of {path} (it is on {where})"


def main():
    fix = "--fix" in sys.argv[1:]
    findings = []
    if exists("TOUR.md"):
        text = lines("TOUR.md")
        for row, line in enumerate(text):
            for path, number, anchor in PLACE.findall(line):
                found, wrong = check_place(path, int(number), anchor or None)
                if wrong and fix and found:
                    text[row] = text[row].replace(f"`{path}:{number}` `{anchor}`", f"`{path}:{found}` `{anchor}`")
                elif wrong:
                    findings.append(("TOUR.md", row + 1, wrong))
        if fix:
            with open(os.path.join(ROOT, "TOUR.md"), "w", encoding="utf-8") as out:
                out.write("\n".join(text))
    for page in files(".md"):
        in_code = False
        for number, line in enumerate(lines(page), 1):
            in_code ^= line.startswith("```")
            for target in LINK.findall(line):
                if in_code:  # a lambda
                    continue
                if "://" not in target and not exists(os.path.join(os.path.dirname(page), target)):
                    findings.append((page, number, f"the link to {target} leads nowhere"))
    finish("tour", findings)


main()
