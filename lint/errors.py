"""docs/errors.md has every error that a user can meet. Its first part is what programs throw (tests/public/error_catalogue_test.cpp
writes it). The second has what compilers say: every program of tests/rejected, and every other static_assert, refused declaration
and #error of include/; --fix writes it. The third lists the errors that no program of the first part causes, with the reason.

A message of the sources is looked for by its words, with anything in place of what is filled in. InternalErrors are bugs of
Fulgurite, and the parsers of its IRs read what Fulgurite's own tests and tools write: neither is in the page."""

import re
import sys

from files import ROOT, files, finish, lines

PAGE = "docs/errors.md"
TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|R\"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)\"|\"(?P<text>(?:[^\"\\\n]|\\.)*)\"|'(?:[^'\\\n]|\\.)'"
    r"|[A-Za-z_]\w*|\d[\w.']*|\s+|.",
    re.DOTALL)
NOT_FOR_USERS = ("InternalError", "std")
KINDS = ("ShapeError", "IndexError", "ArithmeticError", "TraceError", "KernelError", "FormatError", "UsageError", "DeviceError",
         "CompileError", "OutOfMemory")
PARSERS = ("src/scalar/lex.cpp", "src/scalar/parse.cpp", "src/soac/parse.cpp", "src/kernel/parse.cpp")
# Functions, with their folders, that throw or record the message that they are given.
MESSENGERS = (
    ("src/trace/", ("check", "site", "index_site")),
    ("src/block/network", ("refuse",)),
    ("src/tool/npy", ("broken",)),
    ("src/runtime/cpu/plugin_file", ("refuse",)),
    ("include/fulgurite/kernel/", ("refuse",)),
    ("src/block/", ("TileError",)),
)
# Where the message of a `throw` that has no words of its own comes from.
WORDLESS = {
    "src/bundle_calls.cpp": "the message of another error: why a program that has no code for this machine cannot be compiled",
    "src/plan/words.cpp": "caught by who calls read_steps()",
    "src/simplify/unrolled.cpp": "caught by unrolled()",
    "src/callable.cpp": "the message of another error, and left_none()",
    "src/trace/tracer.cpp": "the message given to check()",
    "src/trace/shapes.cpp": "no_such_axis(): every axis in the first part",
    "src/plan/run_arrays.cpp": "the message of another error",
    "src/plan/raise.cpp": "the message of a site",
    "src/soac/raise.cpp": "the message of a site",
    "src/kernel/emulator/findings.cpp": "races and other faults of kernels: docs/guide/kernels.md",
    "src/block/staged.cpp": "the message given to refuse()",
    "src/block/recorder.cpp": "makes_an_array",
    "src/emit/prelude/host/fulgurite_cuda.h": "CUDA's own words, in programs that were emitted",
    "src/tool/npy_ranks.cpp": "the message of a rank's error, or MPI's own words",
}
COMPILE_TIME = ("<!-- compile time -->\n", "<!-- end of compile time -->\n")
NOT_PRODUCED = "## Errors that need a device, a full machine or a damaged file"


class Token:
    def __init__(self, match, line):
        self.is_text = match["text"] is not None or match["raw"] is not None
        self.spelling = match["raw"] if match["raw"] is not None else match["text"] if self.is_text else match[0]
        self.line = line


def tokens(path):
    found, line = [], 1
    text = "\n".join(lines(path))
    for match in TOKEN.finditer(text):
        if not match[0].isspace() and not match[0].startswith(("//", "/*")):
            found.append(Token(match, line))
        line += match[0].count("\n")
    return found


def unescaped(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text)


def argument_texts(all_tokens, at):
    """The string literals in the brackets that open at `at`, adjacent ones joined; of `c ? "a" : "b"` one list each."""
    depth, texts, others, was_text, before, is_format = 0, [], [], False, "", False
    for token in all_tokens[at:]:
        if not token.is_text:
            depth += (token.spelling in "([{") - (token.spelling in ")]}") if len(token.spelling) == 1 else 0
            if depth == 0:
                break
            is_format = is_format or token.spelling == "format"
            was_choice = was_text and token.spelling == ":"
            was_text = False
        elif was_text:
            (others if others and before == ":" else texts)[-1] += unescaped(token.spelling)
            continue
        else:
            if before == ":" and was_choice and len(texts) == 1:
                others.append(unescaped(token.spelling))
            else:
                texts.append(unescaped(token.spelling))
                before = token.spelling
            was_text = True
            continue
        before = token.spelling
    return [texts[:k] for k in (len(texts),)] + [[other] for other in others], is_format


def templates(choices, is_format):
    """The messages with {} for what is filled in; none for one without words of its own."""
    found = []
    for texts in choices:
        if not texts:
            continue
        text = texts[0] if is_format else "{}".join(texts)
        if is_format:
            text = re.sub(r"\{\{(\w*)\}\}", r"{\1}", text).replace("{{", "{").replace("}}", "}")
        text = re.sub(r"\{[\w:#. ]*\}", "{}", text)
        if len(re.sub(r"\{\}|[^A-Za-z]", "", text)) >= 5:
            found.append(text)
    return found


def messengers(path):
    return {name for folder, names in MESSENGERS if path.startswith(folder) for name in names}


def thrown():
    """(path, line, template) of each error, findings for those that have no words."""
    found, findings = [], []
    for path in files(".h", ".cpp", under=("include", "src")):
        if path in PARSERS:
            continue
        all_tokens, names = tokens(path), messengers(path)
        for at, token in enumerate(all_tokens[:-2]):
            after = all_tokens[at + 1].spelling
            opening = at + 2 if token.spelling == "throw" else at + 1
            if token.is_text or all_tokens[opening].spelling not in ("(", "{"):
                continue
            if token.spelling == "throw" and after not in NOT_FOR_USERS:
                texts = templates(*argument_texts(all_tokens, opening))
                if not texts and path not in WORDLESS:
                    findings.append((path, token.line, "this error has no words of its own: say in lint/errors.py where they are"))
            elif token.spelling in names or token.spelling in KINDS and all_tokens[at - 1].spelling != "throw":
                texts = templates(*argument_texts(all_tokens, opening))
            else:
                continue
            found += [(path, token.line, text) for text in texts]
    return found, findings


def refused():
    """Messages for compilers in include/."""
    found = []
    for path in files(".h", under=("include",)):
        all_tokens = tokens(path)
        for at, token in enumerate(all_tokens):
            if token.is_text or token.spelling not in ("static_assert", "FULGURITE_REFUSED", "unavailable", "error"):
                continue
            if token.spelling == "error":
                if all_tokens[at - 1].spelling == "#":
                    following = [t for t in all_tokens[at + 1:at + 3] if t.is_text]
                    found.append((path, unescaped(following[0].spelling)))
            else:
                texts = argument_texts(all_tokens, at + 1)[0][0]
                if texts:
                    found.append((path, texts[-1] if token.spelling == "static_assert" else "".join(texts)))
    return found


def head_of(path):
    """What a program of tests/rejected expects, what to write instead if compilers do not say it, and the program."""
    expected, written, text = [], [], lines(path)
    while text[0].startswith("// "):
        line = text.pop(0)[3:]
        kind, colon, rest = line.partition(": ")
        if colon and kind in ("error", "or", "says"):
            expected.append(rest)
        elif colon and kind == "write":
            written.append(rest)
        elif written:
            written[-1] += " " + line
        else:
            expected[-1] += " " + line
    return expected, written, "\n".join(text).strip("\n")


def compile_time():
    page, said, messages = [], "", [text for _, text in refused()]
    for path in files(".cpp", under=("tests/rejected",)):
        expected, written, program = head_of(path)
        if '#include "base/' in program:  # of Fulgurite's own code
            continue
        program = re.sub(r"#include <fulgurite/fulgurite.h>\n+|namespace fg = fulgurite;\n+", "", program)
        expected = [next((text for text in messages if part in text), part) for part in expected]
        said += "\n".join(expected) + "\n"
        page.append(f"```cpp\n{program}\n```\n\n```text\n" + "\nor: ".join(expected) + "\n```\n")
        page += [f"Write {text}.\n" for text in written]
    page.append("### Further messages\n")
    others = [text for text in dict.fromkeys(messages) if text not in said]
    page.append("\n".join(f"- {text.strip()}" for text in others) + "\n")
    return "\n".join(page)


def main():
    found, findings = thrown()
    text = "\n".join(lines(PAGE))
    begin, end = COMPILE_TIME
    fresh = text[:text.index(begin) + len(begin)] + "\n" + compile_time() + "\n" + text[text.index(end):]
    if fresh != text:
        if "--fix" in sys.argv:
            with open(f"{ROOT}/{PAGE}", "w", encoding="utf-8") as page:
                page.write(fresh)
        else:
            findings.append((PAGE, 1, "the messages at compile time are not those of include/ and tests/rejected: ./dev lint --fix"))
    produced, listed = fresh[:fresh.index(begin)], fresh[fresh.index(NOT_PRODUCED):]
    items = set(re.findall(r"^- `(.*)`$", listed, re.MULTILINE))
    texts = re.findall(r"^```text\n(.*?)^```", produced, re.MULTILINE | re.DOTALL)
    sources = set()
    for path, line, message in found:
        item = message.replace("\n", " ").replace("`", "'")
        sources.add(item)
        pattern = ".*?".join(re.escape(part) for part in message.split("{}"))
        is_produced = any(re.search(pattern, produced_text, re.DOTALL) for produced_text in texts)
        if is_produced == (item in items):
            findings.append((path, line, f"'{item}' is produced and listed in {PAGE}: take it from the list" if is_produced else
                             f"'{item}' is not in {PAGE}: write a program of tests/public/error_programs.h that causes it"))
    for item in sorted(items - sources):
        findings.append((PAGE, 1, f"no error says '{item}': take it from the list"))
    if "--missing" in sys.argv:
        print("\n".join(sorted({f"{path}\t- `{m}`" for path, _, m in found if m.replace(chr(10), ' ') not in items})))
    print(f"lint errors: {len(found)} messages, {len(texts)} produced, {len(items)} listed") if "--count" in sys.argv else None
    finish("errors", findings)


main()
