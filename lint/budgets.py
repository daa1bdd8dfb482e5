"""A file is one idea: at most 500 lines."""

from files import files, finish, lines

BUDGET = 500

findings = []
for path in files(".h", ".cpp", ".def", ".c", ".cl", ".cu", ".py", under=("src", "include", "tests", "examples", "bench", "lint")):
    count = len(lines(path)) - 1
    if count > BUDGET:
        findings.append((path, count, f"{count} lines, {BUDGET} at most: split it by idea"))
finish("budgets", findings)
