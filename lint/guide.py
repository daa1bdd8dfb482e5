"""Every C++ block of docs/guide.md stands, word for word, in tests/public/guide_test.cpp, which runs it."""

import re

from files import finish, lines

BLOCK = re.compile(r"^```cpp\n(.*?)^```", re.MULTILINE | re.DOTALL)


def squeezed(text):
    return " ".join(text.split())


def main():
    guide, tests = "docs/guide.md", "tests/public/guide_test.cpp"
    run = squeezed("\n".join(lines(tests)))
    text = "\n".join(lines(guide)) + "\n"
    findings = []
    for block in BLOCK.finditer(text):
        if squeezed(block.group(1)) not in run:
            number = text.count("\n", 0, block.start()) + 2
            findings.append((guide, number, f"this code is not in {tests}"))
    finish("guide", findings)


main()
