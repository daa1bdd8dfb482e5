"""Every environment variable that the library reads, and every macro of the public headers, stands in docs/environment.md; every
public name has a comment and an example (docs/site/reference.py, where Doxygen is installed); every page of docs/ is on the site."""

import os
import re
import shutil
import subprocess
import sys

from files import ROOT, files, finish, lines


def main():
    findings = []
    page = "\n".join(lines("docs/environment.md"))
    for path in files(".cpp", ".h", under=("src", "include")):
        for number, line in enumerate(lines(path), 1):
            for name in re.findall(r'"(FULGURITE_[A-Z_]+)"', line):
                if f"| `{name}` |" not in page:
                    findings.append((path, number, f"{name} is not in docs/environment.md"))
            defined = re.match(r"#define (FULGURITE_[A-Z_]+)\(", line)
            if defined and path.startswith("include/") and path != "include/fulgurite/mistakes.h" and f"`{defined.group(1)}(" not in page:
                findings.append((path, number, f"{defined.group(1)} is not in docs/environment.md"))
    site = "\n".join(lines("docs/site/index.md"))
    for path in files(".md", under=("docs",)):
        name = path.removeprefix("docs/").removesuffix(".md")
        if not name.startswith("site/") and not re.search(rf"^{name}$", site, re.MULTILINE):
            findings.append((path, 1, "is not in docs/site/index.md"))
    if shutil.which("doxygen"):
        told = subprocess.run([sys.executable, os.path.join(ROOT, "docs/site/reference.py"), "--check"], capture_output=True, text=True)
        for line in told.stdout.split("\n")[:-2]:
            header, number, what = line.split(":", 2)
            findings.append((f"include/{header}", int(number), what.strip()))
    finish("reference", findings)


main()
