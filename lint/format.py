"""clang-format 19 leaves our C++ as it is. With --fix, formats it."""

import shutil
import subprocess
import sys

from files import ROOT, files, finish

tool = shutil.which("clang-format-19")
if not tool:
    print("lint format: not checked, clang-format-19 is not installed")
    sys.exit(0)
sources = [path for path in files(".h", ".cpp", under=("src", "include", "tests", "examples", "bench", "tools", "packaging"))
           if not path.startswith("src/emit/prelude/")]
if "--fix" in sys.argv[1:]:
    subprocess.run([tool, "-i", *sources], cwd=ROOT, check=True)
unformatted = subprocess.run([tool, "--dry-run", *sources], cwd=ROOT, capture_output=True, text=True, check=True).stderr
findings = {}
for line in unformatted.split("\n"):
    if "[-Wclang-format-violations]" in line:
        path, number = line.split(":")[:2]
        findings.setdefault(path, (path, number, "not as clang-format has it: ./dev lint --fix"))
finish("format", list(findings.values()))
