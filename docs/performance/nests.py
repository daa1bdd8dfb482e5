#!/usr/bin/env python3
"""Writes the CSV files of nests from what several runs of `./dev bench nests` printed: nests.py RUN..

A figure is the median of the runs, and the most of them stands beside it. A file stays as it is if the runs have none of
its programs (`--filter`).
"""

import csv
import datetime
import os
import re
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = "./dev bench nests"
FIGURES = ["ours_us", "ratio_to_peer", "ratio_to_limit"]
# File: its programs, and what the limit is.
FILES = {
    "column_reductions": (r"(sum|mean|max|matvec|argmax) \w+ [0-9]+ x", "reading the matrix once"),
    "column_scans": (r"(scan|transpose|axes) ", "a copy of the matrix"),
    "rows": (r".*of rows [0-9]", "reading the matrix and writing the results"),
    "small_matrices": (r"[0-9]+ (products|factors|solutions)", "reading one operand and writing the result"),
    "windows": (r"jacobi |7 points|convolution", "a copy"),
    "computed_indices": (r"FFT|flat|conjugate|logistic|perceptron", "a copy"),
    "interleaved": (r"interleaved |apart ", "a copy"),
    "applications": (r"softmax|layer|attention|covariance|distances|nearest|k means|[0-9]+ bodies|LU|shortest|100 steps"
                     r"|27 points|edges|conjugate|logistic|perceptron", "a copy"),
}


FORMS = {
    "cond": "generate with cond",
    "select": "generate with select of clamped indices",
    "stencil": "stencil, boundary::clamp",
    "padded": "arrays padded by concat",
}


def figures_of(path):
    """{program: [us, ratio to the peer, ratio to the limit]} of a printed table."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) == 6 and re.fullmatch(r"[0-9.]+", cells[1]):
                found[cells[0]] = [float(cells[k]) for k in (1, 3, 5)]
    return found


def text_of(value):
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def head(runs, about):
    """The first lines of a file."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        told = file.read()
    cores = re.findall(r"model name\s*: (.*?)(?: Processor)?\n", told)
    family = re.search(r"cpu family\s*: ([0-9]+)", told)
    kind = f" (family {family[1]})" if family else ""
    size = 64 if "avx512f" in told else 32
    return (f"# command: {COMMAND}; docs/performance/nests.py {' '.join('RUN' for _ in runs)}\n"
            f"# machine: {len(cores)} virtual CPUs of an {cores[0]}{kind}, vectors of {size} bytes, quiet\n"
            f"# measured: {datetime.date.today()}: medians of {len(runs)} runs of 9 rounds, x_most: the most of them\n"
            f"# {about}\n")


def write(name, about, header, rows):
    with open(os.path.join(HERE, f"{name}.csv"), "w", encoding="utf-8") as file:
        file.write(about)
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)


def both(values):
    """The median and the most."""
    return [text_of(statistics.median(values)), text_of(max(values))]


def main(paths):
    runs = [figures_of(path) for path in paths]
    for name, (pattern, limit) in FILES.items():
        programs = [p for p in runs[0] if re.match(pattern, p) and all(p in run for run in runs)]
        if not programs:
            continue
        rows = [[p] + [text for values in zip(*(run[p] for run in runs)) for text in both(values)] for p in programs]
        write(name, head(runs, f"peer: by hand with OpenMP, or Halide 14 where the name says so; limit: {limit}"),
              ["program"] + [column for f in FIGURES for column in (f, f + "_most")], rows)
    if "jacobi cond 512 x 512" not in runs[0]:
        return
    forms = [[told, size] + both([run[f"jacobi {form} {size}"][0] / run[f"jacobi slices {size}"][0] for run in runs])
             for form, told in FORMS.items() for size in ("512 x 512", "1414 x 1414", "4096 x 4096")]
    write("jacobi_forms", head(runs, "slices: the interior alone, without a condition"),
          ["written_as", "size", "ratio_to_slices", "ratio_to_slices_most"], forms)


if __name__ == "__main__":
    main(sys.argv[1:])
