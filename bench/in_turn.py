#!/usr/bin/env python3
"""Compares two builds of Fulgurite: in_turn.py OLD NEW [FILTER] [N,..] [ROUNDS]

OLD and NEW are build folders that have bin/bench_peers. Each round runs our programs of one build and then of the
other, the order of the two alternates, and a line of the result is a benchmark's time with NEW divided by the time
with OLD: of the shortest samples and of the medians. At 10^7 elements only the medians of many rounds mean anything,
as the bandwidth of a shared machine changes from minute to minute.
"""
import collections
import csv
import math
import os
import statistics
import subprocess
import sys
import tempfile


def measure(build, pattern, sizes, times):
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "times.csv")
        subprocess.run([os.path.join(build, "bin", "bench_peers"), "--filter", pattern, "--peer", "^fulgurite$",
                        "--n", sizes, "--rounds", "1", "--csv", table], check=True, stdout=subprocess.DEVNULL)
        with open(table, encoding="utf-8") as rows:
            for row in csv.DictReader(rows):
                if row["peer"] == "fulgurite":
                    times[row["benchmark"], int(row["n"])].append(float(row["median_us"]))


def main(old, new, pattern="^[A-Za-z0-9]+$", sizes="1e6", rounds="5"):
    times = {old: collections.defaultdict(list), new: collections.defaultdict(list)}
    for k in range(int(rounds)):
        for build in (old, new) if k % 2 == 0 else (new, old):
            measure(build, pattern, sizes, times[build])
    ratios = []
    for key in sorted(times[old].keys() & times[new].keys()):
        before, after = times[old][key], times[new][key]
        ratios.append((min(after) / min(before), statistics.median(after) / statistics.median(before)))
        print(f"{key[0]:24} {key[1]:>9} {ratios[-1][0]:.3f} {ratios[-1][1]:.3f}")
    for column, name in enumerate(("shortest", "medians")):
        print(f"geometric mean, {name}: {math.exp(statistics.fmean(math.log(r[column]) for r in ratios)):.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
