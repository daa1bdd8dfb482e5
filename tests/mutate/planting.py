"""Which mutants there are, and copies of src/ with some of them in it. A mutant's number is its place among all, which holds as
long as src/ and the rules stay as they are."""

import concurrent.futures
import functools
import hashlib
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build", "mutants")
COPIES = os.path.join(BUILD, "src_with_mutants")
SITES = os.path.join(BUILD, "sites.json")
REFUSED = os.path.join(BUILD, "refused.json")
# Another compiler's library, and texts of kernels.
SKIPPED = ("src/runtime/cpu/clang_plugin/", "src/runtime/mpi/plugin/", "src/emit/prelude/")


@functools.cache
def read_source(path):
    with open(os.path.join(ROOT, path), "rb") as source:
        return source.read()


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as text:
        return text.read()


def write_if_changed(path, text):
    """A file that stays as it is need not be compiled again."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path) or read(path) != text:
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)


def sources():
    found = []
    for folder, _, names in os.walk(os.path.join(ROOT, "src")):
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(".cpp")]
    return sorted(path for path in found if not path.startswith(SKIPPED))


def build(*targets, check=True):
    command = ["cmake", "--build", BUILD, "--target", *targets, "--", "-k", "0"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode and check:
        sys.exit(done.stdout[-5000:] + "\nmutate: the build failed")
    return done.returncode, done.stdout


def configure():
    subprocess.run(["cmake", "--preset", "mutants"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def all_sites():
    """Every mutant of src/, in the order of files and lines."""
    digest = hashlib.sha256()
    rules = [os.path.join("tests/mutate", name) for name in ("find_sites.cpp", "sites.cpp", "sites.h")]
    for path in [*sources(), *rules]:
        digest.update(path.encode() + b"\0" + read(path).encode())
    if os.path.exists(SITES):
        with open(SITES, encoding="utf-8") as file:
            known = json.load(file)
        if known["of"] == digest.hexdigest():
            return known["sites"]
    build("sites")
    # Files of one folder are parsed as one translation unit: most of the time is that of headers.
    units = {}
    for path in sources():
        unit = units.setdefault(os.path.dirname(path).split("/")[1:2][0] if "/" in path[4:] else "", [[]])
        if len(unit[-1]) == 16:
            unit.append([])
        unit[-1].append(path)

    def sites_of(paths):
        done = subprocess.run([os.path.join(BUILD, "bin", "sites"), ROOT, *paths], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr + f"\nmutate: cannot parse {' '.join(paths)}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = pool.map(sites_of, [unit for many in units.values() for unit in many])
        sites = [site for part in parts for site in part]
    sites.sort(key=lambda s: (s["file"], s["begin"], -s["end"], s["kind"], s["mutant"]))
    for number, site in enumerate(sites):
        site["number"] = number
    with open(SITES, "w", encoding="utf-8") as file:
        json.dump({"of": digest.hexdigest(), "sites": sites}, file)
    for path in (REFUSED,):
        if os.path.exists(path):
            os.remove(path)
    return sites


def name(site):
    return f"{site['file']}:{site['line']}:{site['column']}"


def original(site):
    return read(site["file"]).encode()[site["begin"]:site["end"]].decode()


def difference_of(site):
    """The lines of the mutant, before and after."""
    text = read_source(site["file"])
    first = text.rfind(b"\n", 0, site["begin"]) + 1
    last = text.find(b"\n", site["end"])
    after = text[first:site["begin"]] + site["mutant"].encode() + text[site["end"]:last]
    return text[first:last].decode(), after.decode()


def difference(site):
    before, after = difference_of(site)
    mark = lambda sign, lines: "".join(f"    {sign} {line}\n" for line in lines.split("\n") if line.strip())
    return f"{site['number']}  {name(site)}  {site['kind']}\n" + mark("-", before) + mark("+", after)


def guarded(site, text):
    """The text of a site, in which other mutants may be, with its mutant beside it."""
    chosen = f"::fulgurite::mutants::chosen({site['number']})"
    if site["form"] == "statement":
        return f"({chosen} ? void() : static_cast<void>({text}))"
    if site["form"] == "jump":
        return f"{{ if (!{chosen}) {text} }}"
    mutant = site["mutant"]
    if "//" not in mutant:
        mutant = mutant.replace("\n", " ")  # so that the compiler names lines of the original
    if "static_cast<bool>" in mutant and "static_cast<bool>" not in original(site):  # a pointer may be a condition
        text = f"static_cast<bool>({text})"
    return f"({chosen} ? ({mutant}) : ({text}))"


def with_mutants(text, sites):
    """The text of a file with these mutants in it. Sites lie within each other or beside each other."""
    sites = sorted(sites, key=lambda s: (s["begin"], -s["end"], s["form"] == "value"))

    def render(begin, end, inside):
        out, at, i = [], begin, 0
        while i < len(inside):
            site, i = inside[i], i + 1
            nested = []
            while i < len(inside) and inside[i]["end"] <= site["end"]:
                nested.append(inside[i])
                i += 1
            out += [text[at:site["begin"]], guarded(site, render(site["begin"], site["end"], nested).decode()).encode()]
            at = site["end"]
        return b"".join([*out, text[at:end]])

    return render(0, len(text), sites)


def refused():
    """The numbers of mutants that do not compile."""
    if not os.path.exists(REFUSED):
        return set()
    with open(REFUSED, encoding="utf-8") as file:
        return set(json.load(file))


def plant(sites):
    """Builds the library with these mutants in it. Returns the numbers of the mutants that do not compile, which are left out."""
    by_file = {}
    for site in sites:
        by_file.setdefault(site["file"], []).append(site)
    out = refused()
    while True:
        for path in sources():
            planted = [site for site in by_file.get(path, []) if site["number"] not in out]
            text = with_mutants(read(path).encode(), planted).decode()
            declared = "namespace fulgurite::mutants { bool chosen(int mutant); }\n#line 1\n" if planted else ""
            write_if_changed(os.path.join(COPIES, path[4:]), declared + text)
        configure()
        failed, output = build("fulgurite", check=False)
        if not failed:
            return out
        lines = {(match[1], int(match[2])) for match in re.finditer(r"src_with_mutants/(\S+?):(\d+):\d+: error:", output)}
        wrong = {site["number"] for site in sites
                 if (site["file"][4:], site["line"]) in lines or
                 any(file == site["file"][4:] and site["line"] <= line <= site["line"] + original(site).count("\n")
                     for file, line in lines)} - out
        if not wrong:
            sys.exit(output[-5000:] + "\nmutate: the library with mutants does not compile")
        print(f"mutate: {len(wrong)} mutants do not compile", flush=True)
        out |= wrong
        with open(REFUSED, "w", encoding="utf-8") as file:
            json.dump(sorted(out), file)
