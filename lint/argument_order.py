"""C++ leaves open which argument of a call is evaluated first. Expressions are numbered in the order in which they are made, and
operands are sorted by number: a call of which two arguments make expressions, names or statements would make the text of kernels
depend on the compiler that built the library. Such arguments get names first, in the order that is meant; braces are ordered."""

import os
import re

from files import ROOT, files, finish

FOLDERS = ["trace", "soac", "simplify", "fuse", "kernel", "parts", "schedule", "walk", "lower", "block", "tidy", "plan"]

# Of an arena, an emitter or a tracer, and what calls them. Constants are not among them: operands are never sorted by their numbers.
OF_ARENA = r"\barena_?(?:\(\))?\s*(?:\.|->)\s*(?:fresh\w*|apply|cast|bitcast|index|splat|any|all|add|sub|mul|div|rem|min|max|lt|le|eq|logical_\w+)\s*\("
HELPERS = r"\b(?:substitute|bind|lower|load|load_plain|snapshot|declare|narrow|ceil_div|product|element|elements|element_of|called|exprs|known|numbers|is_below|fresh\w*)\s*\("
MAKES = re.compile(f"{OF_ARENA}|{HELPERS}")
CONSTANT = re.compile(r"\barena_?(?:\(\))?\s*(?:\.|->)\s*(?:cast|apply)\(\s*(?:\w+(?:\.|->))?i64\(")
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "static_assert", "FULGURITE_CHECK", "decltype", "catch"}
CALL = re.compile(r"([\w>\]])\(")


def without_comments(text):
    return re.sub(r"//[^\n]*", lambda m: " " * len(m.group()), text)


def arguments(text, opening):
    """The arguments of the call whose parenthesis stands at `opening`."""
    depth, start, found = 0, opening + 1, []
    at = opening
    while at < len(text):
        c = text[at]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                return found + [text[start:at]]
        elif c == "," and depth == 1:
            found.append(text[start:at])
            start = at + 1
        elif c == '"':
            at += 1
            while text[at] != '"':
                at += 2 if text[at] == "\\" else 1
        elif c == "'" and text[at + 2 : at + 3] == "'":
            at += 2
        at += 1
    return []


def without_functions(text):
    """Lambdas in an argument run when they are called."""
    head = re.search(r"\[[&=\w, ]*\]\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*(?:mutable\s*)?(?:->\s*[\w:<>]+\s*)?\{", text)
    if not head:
        return text
    depth, at = 1, head.end()
    while at < len(text) and depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return text[: head.start()] + without_functions(text[at:])


def faults(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = without_comments(file.read())
    for match in CALL.finditer(text):
        opening = match.end() - 1
        name = re.search(r"(\w+)$", text[:opening])
        if name and name.group() in KEYWORDS:
            continue
        made = [a for a in map(without_functions, arguments(text, opening)) if MAKES.search(CONSTANT.sub("", a))]
        if len(made) > 1:
            what = " , ".join(" ".join(a.split()) for a in made)
            yield path, text.count("\n", 0, opening) + 1, f"several arguments make expressions, name them first: {what[:120]}"


finish("argument order", [fault for path in files(".cpp", ".h", under=[f"src/{f}" for f in FOLDERS]) for fault in faults(path)])
