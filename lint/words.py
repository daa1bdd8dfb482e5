"""Words and names that have no place here, and others that become fewer.

How we write stands in CONTRIBUTING.md. A pattern's space also matches the end of a line of a comment. Words that may mean two things,
such as "behind", which is right in space and wrong in time, are counted in word_counts.txt: a count only falls. --fix lowers it."""

import re
import sys

from files import ROOT, files, finish, lines

# Pattern -> what is wrong with it, in every text file but lint's own.
EVERYWHERE = {
    r"\b(TODO|FIXME|XXX|HACK)\b": "finish it, or write an issue",
    r"(?<![\w.])/(work|root|home|tmp)/(?!perf-)": "a path of one machine",
}
# Pattern -> what to write instead, in comments, documents, texts and names of tests.
PLAIN = {
    r"\b[Dd]ear(er|est|ly)?\b": "say expensive",
    r"\b[Ff]oret(ell\w*|old)\b": "say predict",
    r"\b[Oo]f so many\b": "name the number: `n` points, this many points",
    r"\b[Ww]hat (it|he|she) has\b": "name it: its values, its total, its partial results",
    r"\b[Oo]f those\b": "say the noun: of the points",
    r"\b[Ss]ince then\b": "say how things are; history belongs to commits and the change log",
    r"\b[Tt]he same (of|for)\b": "say the noun, or the verb: prints the values of a row",
    r"\bThe same( (where|with|without|as|in|from|along|by|over|when|within|part|once|one|if|less|so)\b|[,;:.])": "say the noun, or the verb: compile() without types",
}
# "is the same for all points" compares, and is plain.
COMPARES = re.compile(r"\b(am|is|are|be|was|were|stays?|means|remains?|always|or|not) ((//[/!]?|#) )?$")
PLAIN_UNDER = ("src/", "include/", "docs/", "tests/", "examples/", "bench/", "README.md", "CONTRIBUTING.md", "TOUR.md")
COUNTED = {
    "behind": (r"\b[Bb]ehind\b", "after, where time or order is meant"),
    "in_front_of": (r"\b[Ii]n front( of)?\b", "before, where time or order is meant"),
    "so_many": (r"\b[Ss]o many\b(?! that)", "this many, or the name of the number"),
    "comment_that_begins_with_of": (r"(?:^|\n)(?!\s*(?://|#))[^\n]*\n\s*(?://[/!]?|#)\x20Of\x20", "the noun first: The bytes of ..."),
}
COUNTS = "lint/word_counts.txt"
# The memory of a kernel is global, shared or thread: "local" means private in CUDA and shared in OpenCL.
IN_COMPILER = {r"(?<!thread_)(?<!\")\blocal\b": "say thread or shared memory (or reword): local means opposite things in CUDA and OpenCL"}
COMPILER = ("src/kernel/", "src/lower/", "src/tidy/", "src/emit/")
OPENCL = re.compile(r"opencl|\.cl$")

FORBIDDEN_NAMES = re.compile(r"(^|_)(utils?|helpers?|misc|manager|common)(_|$)")
TEXT = (".h", ".cpp", ".def", ".c", ".cl", ".cu", ".py", ".md", ".txt", ".cmake", ".soac", ".kernel", ".json")

BREAK = r"(?:\s*\n\s*(?:(?://[/!]?|#)\s*)?| )"


def compiled(pattern):
    return re.compile(pattern.replace(" ", BREAK))


def names_of(path, text):
    folders, _, name = path.rpartition("/")
    if folders.startswith(("src", "include", "tests", "examples", "bench")) and name != "CMakeLists.txt":
        if not re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_]+)*", name) and not name.endswith("Config.cmake"):
            yield path, 1, "file names are snake_case"
        if FORBIDDEN_NAMES.search(name.split(".")[0]):
            yield path, 1, "a file is named after its one idea"
    if path.endswith(".h") and not path.startswith("src/emit/prelude/") and "#pragma once" not in text:
        yield path, 1, "a header begins with #pragma once"


def words_of_lines(path, text):
    patterns = dict(EVERYWHERE)
    if path.startswith(COMPILER) and not OPENCL.search(path):
        patterns.update(IN_COMPILER)
    for number, line in enumerate(text, 1):
        for pattern, message in patterns.items():
            if pattern in IN_COMPILER and line.lstrip().startswith('"'):  # tables of keywords
                continue
            if re.search(pattern, line):
                yield path, number, message


def written_text(path, text):
    """The text without lines that are no text of ours to change: emitted code, and examples of how not to write."""
    kept, is_shown = [], False
    for line in text:
        if line.startswith("## "):
            is_shown = path == "CONTRIBUTING.md" and line == "## How we write"
        is_emitted = path.startswith("src/emit/prelude/") and not path.endswith(".py") and not line.lstrip().startswith("//!")
        kept.append("" if is_shown or is_emitted else line)
    return "\n".join(kept)


def plain_words(path, text):
    for pattern, message in PLAIN.items():
        for match in compiled(pattern).finditer(text):
            before = " ".join(text[max(0, match.start() - 60) : match.start()].split()) + " "
            if pattern.startswith(r"\b[Tt]he same") and COMPARES.search(before):
                continue
            yield path, text.count("\n", 0, match.start()) + 1, message


def known_counts():
    return {(word, folder): int(n) for word, folder, n in (line.split() for line in lines(COUNTS) if line and not line.startswith("#"))}


def write_counts(counts):
    head = [line for line in lines(COUNTS) if line.startswith("#")]
    rows = [f"{word} {folder} {n}" for (word, folder), n in sorted(counts.items())]
    with open(f"{ROOT}/{COUNTS}", "w", encoding="utf-8") as out:
        out.write("\n".join(head + rows) + "\n")


def fewer_words(counts):
    """Findings where a counted word has become more frequent, or its count may fall. With --fix, counts fall."""
    known = known_counts()
    if "--fix" in sys.argv[1:]:
        known = {key: min(n, counts.get(key, 0)) for key, n in known.items() if counts.get(key, 0)}
        write_counts(known)
    for key in sorted(set(known) | set(counts)):
        word, folder = key
        n, most = counts.get(key, 0), known.get(key, 0)
        if n > most:
            yield COUNTS, 1, f"{folder} has '{word.replace('_', ' ')}' {n} times, {most} at most: say {COUNTED[word][1]}"
        elif n < most:
            yield COUNTS, 1, f"{folder} has '{word.replace('_', ' ')}' {n} times: lower the count from {most} (--fix does)"


def main():
    findings, counts = [], {}
    for path in files(*TEXT):
        if path.startswith("lint/"):
            continue
        text = lines(path)
        findings += names_of(path, text)
        findings += words_of_lines(path, text)
        if not path.startswith(PLAIN_UNDER):
            continue
        written = written_text(path, text)
        findings += plain_words(path, written)
        folder = "/".join(path.split("/")[: 2 if path.startswith(("src/", "tests/")) and path.count("/") > 1 else 1])
        for word, (pattern, _) in COUNTED.items():
            n = len(compiled(pattern).findall(written))
            if n:
                counts[word, folder] = counts.get((word, folder), 0) + n
    findings += fewer_words(counts)
    finish("words", findings)


main()
