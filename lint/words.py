"""Words and names that have no place here."""

import re

from files import files, finish, lines

# Pattern -> what is wrong with it, in every text file but lint's own.
EVERYWHERE = {
    r"\b(TODO|FIXME|XXX|HACK)\b": "finish it, or write an issue",
    r"(?<![\w.])/(work|root|home|tmp)/(?!perf-)": "a path of one machine",
}
# The memory of a kernel is global, shared or thread: "local" means private in CUDA and shared in OpenCL.
IN_COMPILER = {r"(?<!thread_)(?<!\")\blocal\b": "say thread or shared memory (or reword): local means opposite things in CUDA and OpenCL"}
COMPILER = ("src/kernel/", "src/lower/", "src/tidy/", "src/emit/")
OPENCL = re.compile(r"opencl|\.cl$")

FORBIDDEN_NAMES = re.compile(r"(^|_)(utils?|helpers?|misc|manager|common)(_|$)")
TEXT = (".h", ".cpp", ".def", ".c", ".cl", ".cu", ".py", ".md", ".txt", ".cmake", ".soac", ".kernel", ".json")


def main():
    findings = []
    for path in files(*TEXT):
        if path.startswith("lint/"):
            continue
        folders, _, name = path.rpartition("/")
        if folders.startswith(("src", "include", "tests", "examples", "bench")) and name != "CMakeLists.txt":
            if not re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_]+)*", name) and not name.endswith("Config.cmake"):
                findings.append((path, 1, "file names are snake_case"))
            if FORBIDDEN_NAMES.search(name.split(".")[0]):
                findings.append((path, 1, "a file is named after its one idea"))
        patterns = dict(EVERYWHERE)
        if path.startswith(COMPILER) and not OPENCL.search(path):
            patterns.update(IN_COMPILER)
        text = lines(path)
        if path.endswith(".h") and not path.startswith("src/emit/prelude/") and "#pragma once" not in text:
            findings.append((path, 1, "a header begins with #pragma once"))
        for number, line in enumerate(text, 1):
            for pattern, message in patterns.items():
                if pattern in IN_COMPILER and line.lstrip().startswith('"'):  # tables of keywords
                    continue
                if re.search(pattern, line):
                    findings.append((path, number, message))
    finish("words", findings)


main()
