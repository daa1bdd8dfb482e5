"""Every C++ block of docs/guide.md stands, word for word, in tests/public/guide_test.cpp, which runs it, or in
guide_programs.h; those of a page docs/guide/NAME.md in guide_NAME_test.cpp or guide_NAME_programs.h,
and those of docs/from_NAME.md and docs/host.md in from_NAME_test.cpp and host_page_test.cpp. README's first program is that of
tests/public/readme_program.cpp."""

import os
import re

from files import ROOT, files, finish, lines

BLOCK = re.compile(r"^```cpp\n(.*?)^```", re.MULTILINE | re.DOTALL)


def squeezed(text):
    return " ".join(text.split())


def without_comments(text):
    return squeezed(re.sub(r"//.*", "", text))


def check(page, tests, findings):
    programs = tests.replace("_test.cpp", "_programs.h")
    written = [path for path in (tests, programs) if os.path.exists(os.path.join(ROOT, path))]
    run = squeezed("\n".join(line for path in written for line in lines(path)))
    text = "\n".join(lines(page)) + "\n"
    for block in BLOCK.finditer(text):
        if squeezed(block.group(1)) not in run:
            number = text.count("\n", 0, block.start()) + 2
            findings.append((page, number, f"this code is not in {tests}"))


def main():
    findings = []
    check("docs/guide.md", "tests/public/guide_test.cpp", findings)
    for page in files(".md", under=("docs/guide",)):
        name = page.rpartition("/")[2].removesuffix(".md")
        check(page, f"tests/public/guide_{name}_test.cpp", findings)
    for page in files(".md", under=("docs",)):
        if page.startswith("docs/from_"):
            name = page.rpartition("/")[2].removesuffix(".md")
            check(page, f"tests/public/{name}_test.cpp", findings)
    check("docs/host.md", "tests/public/host_page_test.cpp", findings)
    first = BLOCK.search("\n".join(lines("README.md")) + "\n").group(1)
    if without_comments(first) != without_comments("\n".join(lines("tests/public/readme_program.cpp"))):
        findings.append(("README.md", 1, "its first program is not that of tests/public/readme_program.cpp"))
    finish("guide", findings)


main()
