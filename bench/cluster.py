#!/usr/bin/env python3
"""Programs on several ranks beside the same ones written by hand with MPI: cluster.py BUILD [--mpi NAME] [--ranks R]
[--filter RE] [--rounds N] [--python PYTHON] [--csv FILE]. `./dev bench cluster` builds and runs it.

In each round run, one after the other and in an order that alternates: ours under mpirun -n R (FULGURITE_ENGINE=mpi, one
thread a rank), the hand-written program in the same way, and ours in one process with R threads (FULGURITE_ENGINE=cpu). With
--python (`./dev bench cluster --python` makes an environment with both), five of them run with mpi4py and NumPy, and with Dask, too. Each
prints lines `benchmark,implementation,ranks,n,median_us,checksum` (cluster_data.h); a time is the median of the rounds', a
ratio the median of the ratios of the rounds. Checksums have to agree.
"""
import argparse
import collections
import csv
import io
import os
import re
import statistics
import subprocess
import sys

SAMPLES = "7"  # that a program takes of each benchmark in a round
AGREE = 1e-3  # of checksums of floats, which are summed in different orders


def mpirun(build, mpi):
    """The launcher that the build was configured with; None if it lacks this MPI."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        found = re.search(rf"^FULGURITE_MPIRUN_{mpi}:FILEPATH=(.*)$", cache.read(), re.M)
    return found.group(1) if found and "NOTFOUND" not in found.group(1) else None


def environment(threads, **more):
    result = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads),
                  FULGURITE_THREADS=str(threads), OMPI_MCA_rmaps_base_oversubscribe="1", **more)
    if os.geteuid() == 0:  # Open MPI wants to be asked twice
        result.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return result


def rows_of(command, env):
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"cluster: {' '.join(command)} ended with {done.returncode}")
    start = done.stdout.index("benchmark,implementation,")
    return {row["benchmark"]: row for row in csv.DictReader(io.StringIO(done.stdout[start:]))}


def jobs(options):
    """Name -> (command, environment) of what there is to run."""
    job = [mpirun(options.build, options.mpi), "-n", str(options.ranks)]
    if options.ranks <= os.cpu_count():  # or two ranks that wait may share one core
        job += ["--bind-to", "core"]
    ours, peer = (os.path.join(options.build, "bin", name) for name in ("bench_cluster", f"cluster_mpi_{options.mpi}"))
    arguments = [options.filter, SAMPLES]
    found = {}
    if os.path.exists(ours):
        found["ours"] = (job + [ours] + arguments, environment(1, FULGURITE_ENGINE="mpi"))
    found["peer"] = (job + [peer] + arguments, environment(1))
    if os.path.exists(ours):
        found["alone"] = ([ours] + arguments, environment(options.ranks, FULGURITE_ENGINE="cpu"))
    if options.python:
        python = [options.python, os.path.join(os.path.dirname(__file__), "peers", "cluster_python.py")]
        found["mpi4py"] = (job + python + ["mpi4py"] + arguments, environment(1))
        found["Dask"] = (python + ["dask"] + arguments + [str(options.ranks)], environment(1))
    return found


def check(name, rows):
    sums = {job: float(row["checksum"]) for job, row in rows.items()}
    if max(sums.values()) - min(sums.values()) > AGREE * max(abs(s) for s in sums.values()):
        sys.exit(f"cluster: the results of {name} differ: {sums}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--mpi", default="openmpi", choices=("openmpi", "mpich"))
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--filter", default=".")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--python", help="that has mpi4py, NumPy and Dask")
    parser.add_argument("--csv")
    options = parser.parse_args()
    if mpirun(options.build, options.mpi) is None:
        sys.exit(f"cluster: {options.build} was configured without {options.mpi}")

    samples = collections.defaultdict(lambda: collections.defaultdict(list))
    sizes = {}
    todo = list(jobs(options).items())
    for number in range(options.rounds):
        rows = {name: rows_of(*job) for name, job in (todo if number % 2 == 0 else reversed(todo))}
        for benchmark, row in rows["peer"].items():
            there = {name: of[benchmark] for name, of in rows.items() if benchmark in of}
            check(benchmark, there)
            sizes[benchmark] = row["n"]
            for name, its in there.items():
                samples[benchmark][name].append(float(its["median_us"]))

    def ratio(benchmark, other):
        pairs = zip(samples[benchmark]["ours"], samples[benchmark][other])
        return statistics.median(mine / its for mine, its in pairs)

    titles = {"peer": "by hand", "alone": "alone", "mpi4py": "mpi4py and NumPy", "Dask": "Dask"}
    others = [name for name in titles if name in dict(todo)]
    print(f"{options.mpi}, {options.ranks} ranks of one thread; alone: one process of {options.ranks} threads\n")
    print("| program | n | ours, us | " + " | ".join(f"{titles[name]}, us | ours / {titles[name]}" for name in others) + " |")
    print("|---|" + "--:|" * (2 + 2 * len(others)))
    table = []
    for benchmark, of in samples.items():
        cells = [benchmark, sizes[benchmark], f"{statistics.median(of['ours']):.0f}" if "ours" in of else ""]
        for name in others:
            cells.append(f"{statistics.median(of[name]):.0f}" if name in of else "")
            cells.append(f"{ratio(benchmark, name):.2f}" if name in of and "ours" in of else "")
        print("| " + " | ".join(cells) + " |")
        table += [[benchmark, name, options.ranks, sizes[benchmark], time] for name, times in of.items() for time in times]
    if options.csv:
        with open(options.csv, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["benchmark", "what", "ranks", "n", "median_us"]] + table)


if __name__ == "__main__":
    main()
