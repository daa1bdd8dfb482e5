"""Which tests reach a mutant, and whether one of them fails on it."""

import concurrent.futures
import os
import re
import resource
import shutil
import signal
import subprocess
import time

import fuzzing
from planting import BUILD, ROOT, read

REACHED = os.path.join(BUILD, "reached")
CACHES = os.path.join(BUILD, "caches")
UNTOLD = "-*Timing*:*Large*"  # tests that measure, and those that want the machine for themselves
# Executables that `./dev test` also runs as blocks of threads on the emulator (tests/CMakeLists.txt), and which of their tests.
ON_THE_EMULATOR = {"test_public": "-*Slow*:*Timing*:*Large*:*Property*",
                   "test_pipeline": "Compositions.*:*Semantics.*:-*Slow*:*Timing*:*Large*"}
SUFFIX = "_on_the_emulator"
CHEAP_MS = 1000  # of tests of an executable that run before the expensive ones of others
MEMORY = 16 << 30  # a mutant may ask for anything


def executables():
    folder = os.path.join(BUILD, "bin")
    names = [name for name in os.listdir(folder) if name.startswith("test_") and not name.endswith("_headers")]
    found = [name for name in names if os.access(os.path.join(folder, name), os.X_OK)]
    return sorted(found + [name + SUFFIX for name in found if name in ON_THE_EMULATOR])


def run(executable, cache, limit, environment, *arguments):
    """(exit status, or None after `limit` seconds; output)"""
    drawn = {"RC_PARAMS": "seed=1 max_success=40 shrink_seconds=0", "FULGURITE_KEEP": os.devnull}
    engine = {"FULGURITE_TEST_ENGINE": "emulator"} if executable.endswith(SUFFIX) else {}
    variables = {**os.environ, "XDG_CACHE_HOME": cache, **drawn, **engine, **environment}
    process = subprocess.Popen([os.path.join(BUILD, "bin", executable.removesuffix(SUFFIX)), *arguments], cwd=ROOT, env=variables, text=True,
                               errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    try:
        output, _ = process.communicate(timeout=limit)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return None, output


def built(executable):
    """What an executable and the library are, as far as the build knows."""
    parts = [os.path.join(BUILD, "bin", executable.removesuffix(SUFFIX)), os.path.join(BUILD, "lib", "libfulgurite.so")]
    return " ".join(str(os.stat(part).st_mtime_ns) for part in parts)


def record(jobs):
    """Runs every test without a mutant, and keeps which mutants each reaches; executables that stayed as they were do not run."""
    cache = os.path.join(CACHES, "none")
    os.makedirs(REACHED, exist_ok=True)
    os.makedirs(cache, exist_ok=True)

    def one(executable):
        began, now, path = time.time(), built(executable), os.path.join(REACHED, executable)
        of = path + ".of"
        if os.path.exists(of) and read(of) == now:
            return
        for old in (path, of):
            if os.path.exists(old):
                os.remove(old)
        told = ON_THE_EMULATOR[executable.removesuffix(SUFFIX)] if executable.endswith(SUFFIX) else UNTOLD
        status, output = run(executable, cache, 1800, {"FULGURITE_REACHED": path}, f"--gtest_filter={told}", "--gtest_brief=1")
        with open(of, "w", encoding="utf-8") as file:
            file.write(now)
        print(f"mutate: {executable} took {time.time() - began:.0f} s", flush=True)
        if status:
            failed = re.findall(r"\[  FAILED  \] (\S+?),? ", output)
            print(f"mutate: {executable} fails without a mutant, and those tests do not count: {' '.join(failed)}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, executables()))


def reaching():
    """mutant -> executable -> [(milliseconds, test)], cheapest first, of tests that pass without a mutant."""
    found = {}
    for executable in executables():
        with open(os.path.join(REACHED, executable), encoding="utf-8") as lines:
            for line in lines:
                test, outcome, milliseconds, *mutants = line.split()
                if outcome != "passed":
                    continue
                for mutant in map(int, mutants):
                    found.setdefault(mutant, {}).setdefault(executable, []).append((int(milliseconds), test))
    for tests in found.values():
        for many in tests.values():
            many.sort()
    return found


def batches(site, tests, seconds):
    """(executable, [test], seconds that they take): the nearest and cheapest first, until all take so many seconds."""
    folders = site["file"].split("/")[1:-1]
    folder = folders[0] if folders else "pipeline"
    order = sorted(tests, key=lambda e: (not e.startswith("test_" + folder), sum(t for t, _ in tests[e])))
    cheap, expensive = [], []
    for executable in order:
        total, first = 0, []
        for milliseconds, test in tests[executable]:
            total += milliseconds
            if total > CHEAP_MS and first:
                break
            first.append((milliseconds, test))
        cheap.append((executable, first))
        expensive += [(milliseconds, executable, test) for milliseconds, test in tests[executable][len(first):]]
    left = 1000 * seconds - sum(milliseconds for _, many in cheap for milliseconds, _ in many)
    late = {executable: [] for executable in order}
    # Golden texts first: they show what no result does.
    for milliseconds, executable, test in sorted(
            expensive, key=lambda e: ("Golden" not in e[2], not e[1].startswith("test_" + folder), e[0])):
        left -= milliseconds
        if left < 0:
            break
        late[executable].append((milliseconds, test))
    return [(executable, [test for _, test in many], sum(t for t, _ in many) / 1000)
            for executable, many in [*cheap, *late.items()] if many]


def whole_executables(site):
    """What a process computes once, only one of its tests reaches: all tests of the file's folder, at last."""
    folder = (site["file"].split("/")[1:-1] or ["pipeline"])[0]
    path = os.path.join(REACHED, "test_" + folder)
    if not os.path.exists(path):
        return []
    rows = [line.split() for line in read(path).splitlines()]
    passed = [(row[0], int(row[2]) / 1000) for row in rows if row[1] == "passed"]
    return [("test_" + folder, [test for test, _ in passed], sum(seconds for _, seconds in passed))]


def own_cache(number):
    """A cache with the kernels that tests compile without a mutant, but with no programs: those depend on the mutant."""
    cache, source = os.path.join(CACHES, str(number)), os.path.join(CACHES, "none")
    shutil.rmtree(cache, ignore_errors=True)
    os.makedirs(os.path.join(cache, "fulgurite"), mode=0o700)
    if os.path.isdir(os.path.join(source, "fulgurite")):
        for name in os.listdir(os.path.join(source, "fulgurite")):
            if name.endswith(".kernel"):
                os.link(os.path.join(source, "fulgurite", name), os.path.join(cache, "fulgurite", name))
    if os.path.isdir(os.path.join(source, "pocl")):
        os.symlink(os.path.join(source, "pocl"), os.path.join(cache, "pocl"))
    return cache


def judge(site, tests, campaigns, seconds):
    """What becomes of a mutant: {"outcome": killed, killed by random programs, survived or not reached, "by": what killed it}.
    Tests are run that take this many seconds together."""
    cache, began = own_cache(site["number"]), time.time()
    try:
        for executable, names, expected in batches(site, tests, seconds) + whole_executables(site):
            status, output = run(executable, cache, 20 + 8 * expected, {"FULGURITE_MUTANT": str(site["number"])},
                                 "--gtest_filter=" + ":".join(names), "--gtest_fail_fast")
            if status == 0:
                continue
            running = re.findall(r"\[ RUN      \] (\S+)", output)
            failed = re.search(r"\[  FAILED  \] (\S+?),? ", output)
            how = "" if failed else " (takes too long)" if status is None else " (ends the process)"
            test = failed[1] if failed else running[-1] if running else "its start"
            return {"outcome": "killed", "by": f"{executable} {test}{how}", "seconds": round(time.time() - began, 1)}
        by = fuzzing.killer(site, campaigns, cache)
        outcome = "killed by random programs" if by else "survived" if tests or campaigns else "not reached"
        return {"outcome": outcome, "by": by, "seconds": round(time.time() - began, 1)}
    finally:
        shutil.rmtree(cache, ignore_errors=True)
