"""The reference: a page for each public header, with every public name, its declaration, what the header says of it and a program
that uses it. Names and access come from Doxygen; comments and declarations are read where Doxygen says that they stand, so that
they look as in the header. `reference.py --check` prints the names that lack a comment or an example, and fails if there are any."""

import glob
import itertools
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = os.path.join(ROOT, "include")
# Namespaces that Fulgurite's own headers use, and what a user never writes: how a staged value is held, and what is refused.
INNER = re.compile(r"detail|kernel::[a-z]|^std\b")
NOT_WRITTEN = re.compile(r"detail::Parts|detail::Value\b|FULGURITE_REFUSED|FULGURITE_ASSIGNS|= (default|delete)|detail::Variants|^  friend struct|^  friend class")
KINDS = ("function", "variable", "typedef", "enum", "define")
COMMENT = re.compile(r"^\s*//+ ?(.*)$")


class Name:
    def __init__(self, name, owner, header, line, kind):
        self.name, self.owner, self.header, self.line, self.kind = name, owner, header, line, kind

    def qualified(self):
        return f"{self.owner}::{self.name}" if self.owner else self.name


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")


def header_lines(header):
    """A header's lines; comments of C begin as those of C++, on each of their lines."""
    text, in_comment = text_of(os.path.join(INCLUDE, header)), False
    for at, line in enumerate(text):
        if in_comment or line.lstrip().startswith("/*"):
            in_comment = "*/" not in line
            text[at] = re.sub(r"^(\s*)(/?\*+ ?|)", r"\1// ", line).replace("*/", "").rstrip()
    return text


def names_of_doxygen():
    """Each public name of a namespace or of a public class, once for each place where it is declared."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(ROOT, "docs/site/Doxyfile"), encoding="utf-8") as file:
            configuration = file.read() + f"INPUT = {INCLUDE}\nOUTPUT_DIRECTORY = {folder}\n"
        subprocess.run(["doxygen", "-"], input=configuration, text=True, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        for path in glob.glob(os.path.join(folder, "xml", "*.xml")):
            for compound in xml.parse(path).getroot().iter("compounddef"):
                if compound.get("kind") not in ("namespace", "class", "struct", "file"):
                    continue
                owner = compound.findtext("compoundname") if compound.get("kind") != "file" else ""
                if INNER.search(owner.removeprefix("fulgurite::")) or compound.get("prot") == "private":
                    continue
                places = [(member.findtext("name"), member.find("location"), member.get("kind"))
                          for member in compound.iter("memberdef") if member.get("kind") in KINDS and member.get("prot") == "public"]
                if compound.get("kind") in ("class", "struct") and "<" not in owner:
                    outer, _, own = owner.rpartition("::")
                    places.append((own, compound.find("location"), "class"))
                for name, location, kind in places:
                    if name.startswith("@") or "Iterator" in owner or name.endswith("Iterator"):
                        continue
                    is_class = kind == "class"
                    header = os.path.relpath(location.get("file"), INCLUDE)
                    within = (outer if is_class else owner).removeprefix("fulgurite").removeprefix("::")
                    if kind == "define" and not name.startswith("FULGURITE_"):
                        continue
                    key = (header, int(location.get("line")), name)
                    if key not in found or not found[key].owner:
                        found[key] = Name(name, within, *key[:2], kind)
    return sorted(found.values(), key=lambda each: (each.header, each.line))


class Entry:
    """Names that one comment of a header describes, and their declarations."""

    def __init__(self, comment):
        self.comment, self.names, self.declarations = comment, [], []


def declaration_at(lines, first, line):
    """The text of the declaration whose name stands at `line`, from its template clause on, without its body."""
    start = line
    while start > first and not re.search(r"[;{}]\s*(//.*)?$", lines[start - 1]) and not COMMENT.match(lines[start - 1]):
        start -= 1
    text, depth = [], 0
    for at in range(start, min(start + 12, len(lines))):
        plain = re.sub(r"\s*//.*", "", lines[at])
        text.append(plain)
        depth += plain.count("(") - plain.count(")")
        if depth == 0 and at >= line and re.search(r"[;{}]|\)$", plain) and not (at + 1 < len(lines) and lines[at + 1].lstrip().startswith(("requires", ":"))):
            break
    joined = "\n".join(text)
    if NOT_WRITTEN.search(joined):
        return None
    indent = len(text[0]) - len(text[0].lstrip())
    joined = re.sub(r"(\[\[.*?\]\]|\binline |\bconstexpr |\bexplicit )", "", joined, flags=re.DOTALL)
    joined = re.sub(r",?\s*(fulgurite::)?(detail::)?Here \w*( = (fulgurite::)?(detail::)?Here::current\(\))?", "", joined)
    joined = re.sub(r"std::type_identity_t<(\w+(<[^<>]*>)?)>", r"\1", joined)
    if re.search(r"^\s*(class|struct) [\w<>:, ]+;$", joined, re.MULTILINE):
        return None  # declared before its definition
    if "enum" not in joined:
        joined = re.sub(r"\s*\{[^{}\n]*\}?$|(?<=\))\s*(:[^;{]*)?\{[^\n]*\}$|\s*\{$", ";", joined.rstrip())
    return "\n".join(each[indent:] if each[:indent].isspace() else each for each in joined.split("\n")).rstrip()


def comment_above(lines, line):
    """The last comment at or above a line within its paragraph, the lines that no empty one divides; where the paragraph has none,
    none. The first line behind it comes too."""
    at = line
    while at > 0 and lines[at - 1].strip() and not re.match(r"namespace|#[^d]", lines[at - 1]):
        at -= 1
        if COMMENT.match(lines[at]):
            end = at + 1
            while at > 0 and COMMENT.match(lines[at - 1]):
                at -= 1
            return [COMMENT.match(each).group(1) for each in lines[at:end]], end
    return [], at


def intro_of(lines):
    """The comment that a header begins with: what it is for."""
    end = next(at for at, line in enumerate(lines) if not COMMENT.match(line))
    return [COMMENT.match(line).group(1) for line in lines[:end]]


def entries_of(header, names):
    lines, entries, by_comment = header_lines(header), [], {}
    intro = intro_of(lines)
    for name in names:
        comment, first = comment_above(lines, name.line - 1)
        is_constructor = name.owner.rpartition("::")[2] == name.name
        if not comment and (is_constructor or name.kind == "typedef" and name.owner.rpartition("::")[2][:1].isupper()):
            continue  # what the class is says it
        if not comment:
            comment = [line for line in intro if re.search(rf"\\b{re.escape(name.name)}\\b", line)]
        declaration = declaration_at(lines, first, name.line - 1)
        if declaration is None or name.name.startswith(("~", "operator")) and not comment:
            continue
        key = (first, name.owner)
        if key not in by_comment:
            by_comment[key] = Entry(comment)
            entries.append(by_comment[key])
        beside = re.search(r"//+ ?(.*)$", lines[name.line - 1])
        if beside and beside.group(1) not in comment:
            by_comment[key].comment = by_comment[key].comment + [f"`{name.name}`: {beside.group(1)}"]
        by_comment[key].names.append(name)
        if declaration not in by_comment[key].declarations:
            by_comment[key].declarations.append(declaration)
    return entries


def programs():
    """What uses names: functions of tested pages and examples, the shortest first."""
    found = []
    pages = [os.path.join(ROOT, "README.md")] + sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))
    for page in pages:
        for block in re.findall(r"^```cpp\n(.*?)^```", "\n".join(text_of(page)) + "\n", re.MULTILINE | re.DOTALL):
            found += [(each, page) for each in re.split(r"\n(?=\S[^\n]*[({]\n?)(?<=\}\n)", block)]
    tests = [f"tests/{folder}/*.{ending}" for folder in ("public", "block", "standalone", "plan", "tool") for ending in ("cpp", "h")]
    sources = [path for pattern in ["examples/**/*.c*"] + tests
               for path in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))]
    for path in sources:
        found += [(each.strip("\n"), path) for each in re.split(r"(?<=\n\}\n)", "\n".join(text_of(path))) if len(each) < 2500]
    return sorted(found, key=lambda each: (not each[1].endswith(".md") or each[1].endswith("errors.md"), "/examples/" not in each[1], len(each[0])))


def example_of(name, all_programs):
    short = re.escape(name.name)
    owner = name.owner.rpartition("::")[2]
    if owner[:1].isupper():
        pattern = rf"\b{short}\(|[.{{]\s*{short}\b|\b{owner}::{short}\b" if not name.name.startswith("operator") else rf"\b{owner}\b"
    elif name.kind == "define" or name.header == "fulgurite_runtime.h":
        pattern = rf"\b{short}\b"
    else:
        pattern = rf"(fg|k|kernel|boundary|dlpack|fulgurite)::(\w+::)?{short}\b|\busing fg::[^;]*\b{short}\b"
    pattern = re.compile(pattern if owner[:1].isupper() else rf"{pattern}|(?<![\w.:>]){short}\((?=.*;)")
    return next(((text, path) for text, path in all_programs if name.name in text and pattern.search(text)), None)


def title(entry):
    names = dict.fromkeys(name.qualified() for name in entry.names if not name.name[:1].isupper() or len(entry.names) == 1 or name.kind == "class")
    if not names:
        return f"`{entry.names[0].owner}`: how one is made"
    return ", ".join(f"`{name}`" for name in list(names)[:12]) + (" ..." if len(names) > 12 else "")


def link_to(path, page_folder):
    """A page of the site, or the name of a file of the sources."""
    relative = os.path.relpath(path, ROOT)
    if relative.startswith("docs/"):
        return f"[{relative}]({os.path.relpath(relative.removeprefix('docs/'), page_folder)})"
    return f"`{relative}`"


def prose(comment):
    """A comment as Markdown: what is indented is code, as it was meant."""
    text, in_code = [], False
    for line in comment:
        is_code = line.startswith("  ")
        if is_code != in_code:
            text += ["```cpp"] if is_code else ["```", ""]
            in_code = is_code
        text.append(line[2:] if is_code else re.sub(r"([<*_])", r"\\\1", line))
    return "\n".join(text + (["```"] if in_code else []))


def is_needed(entry):
    """Whether an entry is something to call: it has an example. Members have theirs where there is one."""
    constants = all(name.kind == "define" for name in entry.names) and not any("(" in text for text in entry.declarations)
    return not constants and any(name.kind in ("function", "variable", "define") and not name.owner.rpartition("::")[2][:1].isupper() for name in entry.names)


def page_of(header, entries, all_programs):
    text = [f"# {header}", "", prose(intro_of(header_lines(header))), "", f"`#include <{header}>`", ""]
    shown = None
    for entry in entries:
        text += [f"## {title(entry)}", "", "```cpp", *entry.declarations, "```", "", prose(entry.comment), ""]
        example = next(filter(None, (example_of(name, all_programs) for name in entry.names)), None)
        if example and example != shown:
            shown = example
            program, path = example
            text += [f"Used in {link_to(path, 'reference')}:", "", "```cpp", *program.strip("\n").split("\n")[:30], "```", ""]
    return "\n".join(text)


def pages():
    """The text of the reference, by name of a page, and what is missing."""
    texts, missing, all_programs = {}, [], programs()
    for header, names in itertools.groupby(names_of_doxygen(), key=lambda each: each.header):
        entries = entries_of(header, list(names))
        for entry in entries:
            what = f"{header}:{entry.names[0].line}: {title(entry)}"
            if not entry.comment:
                missing.append(f"{what} has no comment")
            if is_needed(entry) and not any(example_of(name, all_programs) for name in entry.names):
                missing.append(f"{what} has no example in the guide, in examples/ or in tests/")
        if entries:
            texts[header.replace("/", "_").removesuffix(".h")] = page_of(header, entries, all_programs)
    return texts, missing


def main():
    texts, missing = pages()
    if sys.argv[1:] == ["--check"]:
        print("\n".join(missing + [f"reference: {len(texts)} headers, {len(missing)} findings"]))
        sys.exit(bool(missing))
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, text in texts.items():
        with open(os.path.join(folder, name + ".md"), "w", encoding="utf-8") as file:
            file.write(text)
    ordered = sorted(texts, key=lambda name: (name != "fulgurite_fulgurite", "kernel" in name, name))
    with open(os.path.join(folder, "index.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(["# Reference", "", "Every public name, by header.", "", "```{toctree}", ":maxdepth: 1", *ordered, "```", ""]))


if __name__ == "__main__":
    main()
