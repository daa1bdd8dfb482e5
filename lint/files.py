"""The files that lint reads, and how its checks report. Every check is a program of its own: exit status 1 on a finding."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIPPED_FOLDERS = {"build", "install", "__pycache__"}


def files(*suffixes, under=("",)):
    """Paths relative to the root, sorted, of files with one of the suffixes (all files if none is given)."""
    found = []
    for top in under:
        for folder, folders, names in os.walk(os.path.join(ROOT, top)):
            folders[:] = [f for f in folders if f not in SKIPPED_FOLDERS and f != ".git"]
            for name in names:
                if not suffixes or name.endswith(suffixes):
                    found.append(os.path.relpath(os.path.join(folder, name), ROOT))
    return sorted(set(found))


def lines(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as text:
        return text.read().split("\n")


def finish(check, findings):
    """Prints findings, each (path, line, message), and ends the program."""
    for path, line, message in findings:
        print(f"{path}:{line}: {message}")
    print(f"lint {check}: {len(findings)} findings" if findings else f"lint {check}: ok")
    sys.exit(1 if findings else 0)
