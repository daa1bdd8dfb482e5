"""The version, the number of the binary interface and the licences are the same wherever they are written. CMakeLists.txt says the
first two; REUSE.toml and LICENSES say the licences, as the REUSE specification has it."""

import os
import re

from files import ROOT, files, finish, lines

# What a file must say, with the version and the number of the binary interface filled in.
SAYS = {
    "include/fulgurite/version.h": ['#define FULGURITE_VERSION_STRING "{version}"', "#define FULGURITE_ABI {abi}"],
    "src/exports.map": ["FULGURITE_{abi} {{"],
    "tools/fulgurite.1": ['"Fulgurite {version}"'],
    "packaging/vcpkg/vcpkg.json": ['"version-semver": "{version}"'],
    "packaging/debian/changelog": ["fulgurite ({version}-1) "],
    "packaging/debian/try_packages": [" libfulgurite{abi} "],
    "packaging/abi/symbols.abi": ["soname='libfulgurite.so.{abi}'", "version='FULGURITE_{abi}'"],
}
HOLDER = "   Copyright 2026 the Fulgurite authors"
TAG = "SPDX-License-Identifier"
SOURCES = (".h", ".cpp", ".def", ".c", ".cl", ".cu", ".py", ".cmake")


def text(path):
    return "\n".join(lines(path))


def check_versions(findings):
    build = text("CMakeLists.txt")
    version = re.search(r"project\(fulgurite VERSION (\d+\.\d+\.\d+)", build)
    abi = re.search(r"set\(FULGURITE_ABI (\d+)\)", build)
    for path, parts in SAYS.items():
        for part in parts:
            expected = part.format(version=version.group(1), abi=abi.group(1))
            if expected not in text(path):
                findings.append((path, 1, f"it does not say `{expected.strip()}`, which is what CMakeLists.txt says"))


def check_licences(findings):
    described = text("REUSE.toml")
    if 'path = "**"' not in described:
        findings.append(("REUSE.toml", 1, "it has to say under which licence all files are: path = \"**\""))
    named = set(re.findall(rf'{TAG} = "([^"]+)"', described))
    for path in files(*SOURCES):
        for number, line in enumerate(lines(path), 1):
            tag = re.search(rf"{TAG}: ([\w.-]+)", line)
            if tag and not path.startswith("lint/"):
                named.add(tag.group(1))
                if not os.path.exists(os.path.join(ROOT, "LICENSES", tag.group(1) + ".txt")):
                    findings.append((path, number, f"LICENSES/{tag.group(1)}.txt is missing"))
    for path in files(under=("LICENSES",)):
        if os.path.splitext(os.path.basename(path))[0] not in named:
            findings.append((path, 1, "no file is under this licence"))
    for name in sorted(named):
        if not os.path.exists(os.path.join(ROOT, "LICENSES", name + ".txt")):
            findings.append(("REUSE.toml", 1, f"LICENSES/{name}.txt is missing"))
    general = [HOLDER if line == "   Copyright [yyyy] [name of copyright owner]" else line for line in lines("LICENSES/Apache-2.0.txt")]
    if lines("LICENSE") != general:
        findings.append(("LICENSE", 1, f"it is LICENSES/Apache-2.0.txt with the line `{HOLDER.strip()}`"))


findings = []
check_versions(findings)
check_licences(findings)
finish("packaging", findings)
