"""`./dev test` leaves out what has Large in its name (tests/CMakeLists.txt): a test that has it by chance would never run. So it is the
first word of the test's own name, behind Slow at most."""

import re

from files import ROOT, files, finish

TEST = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)")
MARKED = re.compile(r"(Slow)?Large(?![a-z])")

findings = []
for path in files(".cpp", ".h", under=("tests",)):
    text = open(f"{ROOT}/{path}", encoding="utf-8").read()
    for m in TEST.finditer(text):
        if "Large" in m[1] + m[2] and not MARKED.match(m[2]):
            findings.append((path, text.count("\n", 0, m.start()) + 1, f"{m[1]}.{m[2]} has Large in its name, and does not run: name it otherwise"))
finish("test names", findings)
