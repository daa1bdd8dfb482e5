"""docs/performance.md has at most 200 lines. The CSV files and drawings beside it are those that it names. Each CSV file begins with its
command, machine and date, has one header row and rows as long as it, and the page's table of nests agrees with the files."""

import csv
import math
import os
import re

from files import ROOT, files, finish, lines

PAGE = "docs/performance.md"
FOLDER = "docs/performance/"
MOST_LINES = 200
HEAD = ("# command: ", "# machine: ", "# measured: ")
BAR = 1.1


def table_of(path, findings):
    """The rows of a CSV file as dictionaries."""
    text = lines(path)
    for number, begin in enumerate(HEAD, 1):
        if len(text) < number or not text[number - 1].startswith(begin):
            findings.append((path, number, f"line {number} begins with '{begin}'"))
    rows = list(csv.reader(line for line in text if line and not line.startswith("#")))
    if len(rows) < 2:
        findings.append((path, 1, "a header row and figures"))
        return []
    header = rows[0]
    if len(set(header)) != len(header) or not all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in header):
        findings.append((path, 1, "names of columns are different words in snake_case"))
    for row in rows[1:]:
        if len(row) != len(header):
            findings.append((path, 1, f"the row '{','.join(row)}' has {len(row)} fields, the header {len(header)}"))
        for name, value in zip(header, row):
            is_figure = re.search(r"_(us|ms|ns|bytes|s)(_|$)|ratio_|^n$", name)
            if is_figure and not re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?|", value):
                findings.append((path, 1, f"{name} is '{value}', which is no number"))
    return [dict(zip(header, row)) for row in rows[1:]]


def nests(page, tables, findings):
    """| [topic](performance/FILE.csv) | programs | within 1.1 | mean | worst |"""
    for number, line in enumerate(page, 1):
        found = re.match(r"\| \[[^]]*\]\(performance/(\w+)\.csv\)[^|]*\| (\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+)", line)
        if not found:
            continue
        ratios = [float(row["ratio_to_peer"]) for row in tables.get(f"{FOLDER}{found[1]}.csv", []) if row.get("ratio_to_peer")]
        if not ratios:
            findings.append((PAGE, number, f"{found[1]}.csv has no ratio_to_peer"))
            continue
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        told = f"{len(ratios)} | {sum(r <= BAR for r in ratios)} | {mean:.2f} | {max(ratios):.3g}"
        if (int(found[2]), int(found[3]), found[4]) != (len(ratios), sum(r <= BAR for r in ratios), f"{mean:.2f}") or \
                abs(float(found[5]) - max(ratios)) > 0.006:
            findings.append((PAGE, number, f"{found[1]}.csv says {told}"))


def main():
    findings = []
    page = lines(PAGE)
    if len(page) - 1 > MOST_LINES:
        findings.append((PAGE, len(page), f"{len(page) - 1} lines, of at most {MOST_LINES}"))
    named = {f"docs/{path}" for line in page for path in re.findall(r"\]\((performance/[^)#]+)\)", line)}
    for path in sorted(named):
        if not os.path.exists(os.path.join(ROOT, path)):
            findings.append((PAGE, 1, f"{path} is not there"))
    tables = {}
    for path in files(".csv", ".svg", under=(FOLDER,)):
        if path not in named:
            findings.append((path, 1, f"{PAGE} does not name it"))
        if path.endswith(".csv"):
            tables[path] = table_of(path, findings)
    nests(page, tables, findings)
    finish("performance", findings)


main()
