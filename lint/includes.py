"""Who may include whom: a folder of src/ is a stage, and stages form a directed acyclic graph. Also keeps LLVM inside the
plug-in, and the public headers down to the standard library."""

import re

from files import files, finish, lines

# Folder -> folders of src/ that it may include, besides itself. None: everything.
STAGES = {
    "base": set(),
    "scalar": {"base"},
    "soac": {"base", "scalar"},
    "trace": {"base", "scalar", "soac"},
    "simplify": {"base", "scalar", "soac"},
    "fuse": {"base", "scalar", "soac", "simplify"},
    "kernel": {"base", "scalar"},
    "tidy": {"base", "scalar", "kernel"},
    "emit": {"base", "scalar", "kernel"},
    "runtime": {"base"},
    "plan": {"base", "scalar", "runtime"},
    "lower": {"base", "scalar", "soac", "kernel", "plan"},
    "pipeline": None,
    "tool": None,
}
# Stages that know the public types; the others know <fulgurite/error.h> only.
PUBLIC = {"trace", "runtime", "plan", "pipeline", "tool"}
# Third-party headers that belong to some places only.
OWNERS = {
    r"(clang|clang-c|llvm|llvm-c|lld)/": ("src/runtime/cpu/clang_plugin/",),
    r"CLI/": ("src/tool/", "bench/", "examples/"),
    r"png\.h": ("src/tool/", "examples/"),
    r"(gtest|rapidcheck)[./]": ("tests/",),
}
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def stage_of(path):
    parts = path.split("/")
    return "pipeline" if len(parts) == 2 else parts[1]


def included_stage(header):
    return header.split("/")[0] if "/" in header else "pipeline"


def src_finding(path, bracket, header):
    stage = stage_of(path)
    if stage not in STAGES:
        return f"lint/includes.py has no row for src/{stage}"
    if header.startswith("fulgurite/"):
        if stage not in PUBLIC and header != "fulgurite/error.h":
            return f"{stage} does not include public headers other than <fulgurite/error.h>"
    elif bracket == '"':
        other, allowed = included_stage(header), STAGES[stage]
        if other not in STAGES:
            return f'"{header}" is not written from src/'
        if allowed is not None and other != stage and other not in allowed:
            return f"{stage} may not include {other}"
    return None


def public_finding(path, bracket, header):
    if bracket == '"':
        return "public headers include each other as <fulgurite/name.h>"
    if not header.startswith("fulgurite/") and not re.fullmatch(r"[a-z_]+", header):
        return f"public headers include the standard library only, not <{header}>"
    return None


def main():
    findings = []
    for path in files(".h", ".cpp", ".def", under=("src", "include", "tests", "examples", "bench")):
        if path.startswith("src/emit/prelude/"):
            continue
        for number, line in enumerate(lines(path), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            bracket, header = match.groups()
            message = None
            if path.startswith("src/"):
                message = src_finding(path, bracket, header)
            elif path.startswith("include/"):
                message = public_finding(path, bracket, header)
            for pattern, owners in OWNERS.items():
                if re.match(pattern, header) and not path.startswith(owners):
                    message = message or f"<{header}> belongs to {' and '.join(owners)} only"
            if message:
                findings.append((path, number, message))
    finish("includes", findings)


main()
