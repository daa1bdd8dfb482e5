"""How large the compiler's back end may be: lines of its classes, functions and files, and of all of it together.

A class is a struct or class at the scope of a namespace or of another class. It has the lines from its head to its closing brace,
and those of its member functions that the folder's files define outside of it. A function has the lines from its head, template
parameters included, to its closing brace; lambdas are part of the function that they stand in, as are classes of its own. A file
has the lines that it has. All of it together has its lines that are not blank.

What is larger today stands in size_exceptions.txt with its size, and may not grow. With --fix, sizes that have shrunk are lowered
there, and lines that are not needed any more removed."""

import os
import re
import sys

from files import ROOT, files, finish, lines

FOLDERS = ("lower", "schedule", "parts", "walk", "tidy", "block")  # of src/, as far as they exist
MOST = {"class": 250, "function": 60, "file": 400, "total": 15800}
EXCEPTIONS = "lint/size_exceptions.txt"

COMMENT_OR_LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'', re.S)
CLASS = re.compile(r"\b(?:class|struct|union)\s+(?:\[\[.*?\]\]\s*|[A-Z_]+\s+)?(\w+)(?:<[^{}]*>)?\s*(?:final\s*)?(?::[^:].*)?$", re.S)
FUNCTION = re.compile(r"((?:\w+::)*(?:operator\s*(?:\(\)|\[\]|[^\s(]+|\s\w+)|~?\w+))\s*\($")


def without_text(text):
    """The program without comments, literals and preprocessor lines; every line stays where it is."""
    def blank(match):
        return "".join(c if c == "\n" else " " for c in match.group())
    text = COMMENT_OR_LITERAL.sub(blank, text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def closing(text, opening):
    """The place of the brace that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text) - 1


def function_name(head):
    """Of a head such as `static int Walk::next(int a) const`; None if it is the head of something else."""
    depth = 0
    for at, c in enumerate(head):
        if c == "(" and depth == 0:
            found = FUNCTION.search(head[: at + 1])
            name = found and found.group(1)
            if name and name not in ("alignas", "decltype", "requires", "noexcept", "static_assert", "FULGURITE_CHECK"):
                return name
        depth += {"(": 1, ")": -1}.get(c, 0)
    return None


def is_data(head):
    """Whether what follows is an initial value."""
    depth = 0
    for at, c in enumerate(head):
        depth += {"(": 1, ")": -1, "<": 1, ">": -1}.get(c, 0)
        is_comparison = head[at - 1 : at] in list("=!<>+-*/|&^%") or head[at + 1 : at + 2] == "="
        if c == "=" and depth <= 0 and not is_comparison and "operator" not in head[:at]:
            return True
    return "(" not in head


class Scanner:
    """Finds the classes and functions of one file: [(name, first line, last line)], functions with their qualified names."""

    def __init__(self, text):
        self.text = without_text(text)
        self.classes, self.functions = [], []
        self.scope(0, len(self.text), "")

    def line(self, at):
        return self.text.count("\n", 0, at) + 1

    def scope(self, at, end, owner):
        """What a namespace or the class `owner` declares."""
        start = at
        while at < end:
            c = self.text[at]
            if c == "{":
                at = self.block(start, at, owner)
                if at < 0:  # braces within a head: the initial value of a member
                    at = -at
                    continue
                start = at
            elif c in ";}" or (c == ":" and re.search(r"\b(public|private|protected)\s*$", self.text[start:at])):
                start = at + 1
            at += 1

    def block(self, start, opening, owner):
        """Where to go on behind the braces; negative if the head goes on there."""
        head, close = self.text[start:opening], closing(self.text, opening)
        first = self.line(start + len(head) - len(head.lstrip()))
        stripped = " ".join(head.split())
        if re.search(r'\b(namespace\b[\w: ]*|extern\s*)$', stripped):
            self.scope(opening + 1, close, owner)
        elif re.search(r"\benum\b", stripped) and "(" not in stripped:
            pass
        elif (found := CLASS.search(stripped)) and function_name(stripped[: found.start()]) is None:
            self.classes.append((found.group(1), first, self.line(close)))
            self.scope(opening + 1, close, found.group(1))
        elif not is_data(stripped) and (name := function_name(stripped)):
            following = self.text[close + 1 :].lstrip()[:1]
            if following in (",", "{"):
                return -(close + 1)
            self.functions.append((f"{owner}::{name}" if owner else name, first, self.line(close)))
        return close + 1


def measured():
    """(kind, name) -> (size, path, line); names are paths of src/, with the class's or function's name behind them."""
    sizes = {}
    total = 0
    scanned = {}
    for path in files(".h", ".cpp", ".def", under=[f"src/{f}" for f in FOLDERS if os.path.isdir(os.path.join(ROOT, "src", f))]):
        text = lines(path)
        count = len(text) - 1
        total += sum(1 for line in text if line.strip())
        sizes["file", path] = (count, path, 1)
        scanned[path] = Scanner("\n".join(text))
    classes = {}  # (folder, name) -> [path]
    for path, found in scanned.items():
        for name, first, last in found.classes:
            classes.setdefault((os.path.dirname(path), name), []).append(path)
            sizes["class", f"{path}:{name}"] = (last - first + 1, path, first)
    for path, found in scanned.items():
        stem = os.path.splitext(path)[0]
        for name, first, last in found.functions:
            key, size = ("function", f"{path}:{name}"), last - first + 1
            sizes[key] = max(sizes.get(key, (0, path, first)), (size, path, first))
            own = {n for n, begin, end in found.classes if begin <= first and last <= end}
            for part in name.split("::")[:-1]:
                holders = classes.get((os.path.dirname(path), part), [])
                near = [p for p in holders if os.path.splitext(p)[0] == stem] or holders
                if part in own or not near:
                    continue
                whole, at, line = sizes["class", f"{near[0]}:{part}"]
                sizes["class", f"{near[0]}:{part}"] = (whole + size, at, line)
    sizes["total", "src"] = (total, "lint/size.py", 1)
    return sizes


def known_exceptions():
    known = {}
    for line in lines(EXCEPTIONS):
        if line and not line.startswith("#"):
            kind, name, size = line.split()
            known[kind, name] = int(size)
    return known


def write_exceptions(known):
    head = [line for line in lines(EXCEPTIONS) if line.startswith("#")]
    rows = [f"{kind} {name} {size}" for (kind, name), size in sorted(known.items())]
    with open(os.path.join(ROOT, EXCEPTIONS), "w", encoding="utf-8") as out:
        out.write("\n".join(head + rows) + "\n")


def main():
    sizes, known = measured(), known_exceptions()
    if "--fix" in sys.argv[1:]:
        lowered = {key: min(limit, sizes[key][0]) for key, limit in known.items() if key in sizes}
        known = {key: size for key, size in lowered.items() if size > MOST[key[0]]}
        write_exceptions(known)
    findings = []
    for key, (size, path, line) in sorted(sizes.items()):
        kind, name = key
        most = known.get(key, MOST[kind])
        if size > most:
            findings.append((path, line, f"{kind} {name} has {size} lines, {most} at most: split it by idea"))
    for key, most in sorted(known.items()):
        if sizes.get(key, (0,))[0] <= MOST[key[0]]:
            findings.append((EXCEPTIONS, 1, f"{key[0]} {key[1]} is no exception any more: remove it (--fix does)"))
    print(f"size: {sizes['total', 'src'][0]} lines that are not blank in src/{{{','.join(FOLDERS)}}}; {MOST['total']} is the aim")
    finish("size", findings)


main()
