"""CONTRIBUTING.md is a map that is right: each kind of addition has a table of files, the head of a table says how many files it
names, and each of them exists. Names in capitals stand for what is added, so of their paths the folder has to exist."""

import os
import re

from files import ROOT, finish, lines

PAGE = "CONTRIBUTING.md"
SECTIONS = (
    "A scalar operation", "A combinator", "An edit of schedules", "A rewrite for a schedule", "A number of the policy", "A pass on kernels",
    "An engine", "A measured figure",
)
PLACEHOLDER = re.compile(r"\b(NAME|PASS|TOPIC)")
CELL = re.compile(r"(?<!\\)\|")


def paths_of(cell):
    """The paths that a cell names. A bare file name is in the folder of the path before it."""
    folder = ""
    for name in re.findall(r"`([^`]+)`", cell):
        path = name if "/" in name else os.path.join(folder, name)
        folder = path if path.endswith("/") else os.path.dirname(path)
        yield path


def exists(path):
    if PLACEHOLDER.search(path):
        path = path[: PLACEHOLDER.search(path).start()].rpartition("/")[0]
    return os.path.exists(os.path.join(ROOT, path))


def tables(text):
    """(section, number of its first line, its rows) of each table of files."""
    section, rows, first = "", [], 0
    for number, line in enumerate(text + [""], 1):
        if line.startswith("|"):
            first = first or number
            rows.append([cell.strip() for cell in CELL.split(line)[1:-1]])
            continue
        if rows and re.fullmatch(r"(\d+ )?files?", rows[0][0]):
            yield section, first, rows
        rows, first = [], 0
        if line.startswith("## "):
            section = line[3:]


def main():
    findings, found = [], set()
    for section, first, rows in tables(lines(PAGE)):
        found.add(section)
        n = 0
        for offset, row in enumerate(rows[2:], 2):
            for path in paths_of(row[0]):
                n += 1
                if not exists(path):
                    findings.append((PAGE, first + offset, f"there is no {path}"))
        if rows[0][0] != f"{n} files":
            findings.append((PAGE, first, f"the table of '{section}' names {n} files, and its head says '{rows[0][0]}'"))
    findings += [(PAGE, 1, f"'{section}' has no table of files") for section in SECTIONS if section not in found]
    finish("contributing", findings)


main()
