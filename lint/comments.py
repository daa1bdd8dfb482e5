"""A comment stands above its code, or ends its line: none begins at the end of a line of code and goes on below it."""

import re

from files import files, finish, lines

FOLDERS = ("src", "include", "tests", "examples", "bench", "tools", "packaging")
# A line of code with a comment at its end; quotes are taken whole, as "//" may stand within them.
CODE_AND_COMMENT = re.compile(r"""\s*(?=[^\s/])(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+'|(?!//)[^"'])+?(?=//)""")
COMMENT_ALONE = re.compile(r"\s*(?=//)")


def column_of_comment(pattern, line):
    found = pattern.match(line)
    return found.end() if found and "//" in line else None


def broken_comments(text):
    """Numbers of lines, from 0, whose comment goes on in the next line."""
    for number, (line, following) in enumerate(zip(text, text[1:])):
        column = column_of_comment(COMMENT_ALONE, following)
        if column and column == column_of_comment(CODE_AND_COMMENT, line):
            yield number


def main():
    findings = []
    for path in files(".h", ".cpp", ".def", ".c", ".cl", ".cu", under=FOLDERS):
        if path.startswith("src/emit/prelude/"):
            continue
        for number in broken_comments(lines(path)):
            findings.append((path, number + 1, "put the whole comment above the line of code"))
    finish("comments", findings)


if __name__ == "__main__":
    main()
