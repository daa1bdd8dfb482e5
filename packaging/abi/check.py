"""check.py LIBRARY COMPILER: whether the library's binary interface is still the one whose dumps stand beside this file.

Two dumps of libabigail: symbols.abi, the functions and objects that the library exports (weak ones are left out: every program
that needs one has its own copy); and types.abi, the layouts of the types of include/ that these name. New symbols and types are no
change. With FULGURITE_UPDATE_GOLDEN=1 the dumps are written anew. Exit status: 0, nothing changed; 1, something did, which is
printed; 77, skipped, because the tools are missing or the compiler is not the one that the dumps are of."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COMPILER = "12"  # g++'s version: other compilers bring another standard library, whose types are laid out differently
TYPE = re.compile(r"\bfulgurite::(?:\w+::)*[A-Z]\w*(?![\w<:])")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def named_types(library):
    """The types of ours, other than templates, that exported functions name in their parameters."""
    symbols = [line.split(" ", 2) for line in output("nm", "-DC", "--defined-only", library).splitlines()]
    return sorted({name for _, kind, text in symbols if kind == "T" for name in TYPE.findall(text[text.find("("):])})


def write_types(library, compiler, folder):
    """Compiles a library with a pointer to each type, and gives its path."""
    source, made = os.path.join(folder, "types.cpp"), os.path.join(folder, "libtypes.so")
    headers = sorted(glob.glob(os.path.join(ROOT, "include/fulgurite/*.h")))
    lines = [f"#include <fulgurite/{os.path.basename(header)}>" for header in headers]
    lines += [f"extern const {name}* const {re.sub(':+', '_', name)}_ = nullptr;" for name in named_types(library)]
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    output(compiler, "-std=c++20", "-g", "-O0", "-fPIC", "-shared", f"-ffile-prefix-map={ROOT}/=", "-I", os.path.join(ROOT, "include"),
           source, "-o", made)
    return made


def dump(binary, to):
    output("abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-architecture", "--out-file", to, binary)
    with open(to, encoding="utf-8") as file:
        kept = [line for line in file if "binding='weak-binding'" not in line and "<dependency" not in line]
    with open(to, "w", encoding="utf-8") as file:
        file.writelines(kept)


def main():
    library, compiler = sys.argv[1:]
    for tool in ("abidw", "abidiff"):
        if not shutil.which(tool):
            skip(f"{tool} is not installed (package abigail-tools)")
    if output(compiler, "-dumpversion").strip().split(".")[0] != COMPILER or "clang" in output(compiler, "--version"):
        skip(f"the dumps are of g++ {COMPILER}, and {compiler} is another compiler")
    changed = False
    with tempfile.TemporaryDirectory() as folder:
        for name, binary in (("symbols", library), ("types", write_types(library, compiler, folder))):
            stored, now = os.path.join(HERE, f"{name}.abi"), os.path.join(folder, f"{name}.abi")
            dump(binary, now)
            if os.environ.get("FULGURITE_UPDATE_GOLDEN"):
                shutil.copy(now, stored)
                continue
            compared = subprocess.run(["abidiff", "--no-added-syms", "--suppressions", os.path.join(HERE, "suppressions.ini"), stored, now],
                                      capture_output=True, text=True)
            if compared.returncode:
                changed = True
                print(f"{name} that programs were compiled with have changed:\n{compared.stdout}{compared.stderr}")
    if changed:
        print("Programs that were linked before may not run with this library. Before the next release, raise FULGURITE_ABI in\n"
              "CMakeLists.txt (docs/install.md, \"Versions\"); within a development cycle, accept the change by `./dev golden`.")
        sys.exit(1)
    print("nothing has changed")


main()
