#!/usr/bin/python3
"""Draws the figures of docs/performance.md from the CSV files beside this script.

`./dev bench redomap --plot` calls it after it has written redomap.csv; call it by hand after other files change. The drawings are
committed, so that the page shows them wherever it is read; equal files give equal drawings, but for the version of matplotlib.
"""

import csv
import io
import math
import os
import re

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({
    "svg.fonttype": "none",  # text stays text, which is small
    "svg.hashsalt": "fulgurite",
    "font.size": 8,
    "font.family": "sans-serif",
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
})

import matplotlib.pyplot as plt  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))

# Lines of all figures: colour, marker.
WAYS = {
    "Thrust, natural": ("#d95f02", "v"),
    "Thrust, tuned": ("#e6ab02", "^"),
    "Fulgurite, no fusion": ("#7570b3", "s"),
    "Fulgurite": ("#1b9e77", "o"),
    "hand-written": ("#444444", "x"),
    "best library": ("#e6ab02", "^"),
    "streaming limit": ("#aaaaaa", "_"),
}
TOPICS = {
    "column_reductions": "reductions along axis 0",
    "column_scans": "scans along axis 0, transposes",
    "rows": "reductions of rows",
    "small_matrices": "small matrices",
    "windows": "stencils, convolutions",
    "computed_indices": "computed indices",
    "products": "products",
    "updates": "rows that loops change",
    "irregular": "irregular programs",
    "graphs": "graphs, quicksort, hulls",
    "applications": "applications",
}


def rows_of(name):
    with open(os.path.join(HERE, f"{name}.csv"), encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def smaller(svg):
    """A tenth of a point is enough, comments repeat texts, and styles are shared: a third of the size stays."""
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"(\d+\.\d)\d+", r"\1", svg)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r"\s*\n\s*(?=[^<])", " ", svg)
    svg = re.sub(r"\s*\n\s*", "\n", svg)
    classes = {}
    svg = re.sub(r'style="([^"]*)"', lambda found: f'class="s{classes.setdefault(found[1], len(classes))}"', svg)
    rules = "".join(f".s{k}{{{rule}}}\n" for rule, k in classes.items())
    svg = svg.replace("</style>", rules + "</style>", 1)
    ids = {}
    return re.sub(r'(?<=[#"])[mp][0-9a-f]{10}\b', lambda found: f"i{ids.setdefault(found[0], len(ids))}", svg)


def save(figure, name):
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    plt.close(figure)
    with open(os.path.join(HERE, f"{name}.svg"), "w", encoding="utf-8") as file:
        file.write(smaller(text.getvalue()))


def panels(lines_of_panel, name, unit):
    """A panel for each benchmark, a line for each way: {benchmark: {way: [(n, time)]}}."""
    columns = 3
    n_rows = math.ceil(len(lines_of_panel) / columns)
    figure, axes = plt.subplots(n_rows, columns, figsize=(9, 2.3 * n_rows + 0.4))
    for ax, (benchmark, lines) in zip(axes.flat, lines_of_panel.items()):
        for way, points in lines.items():
            colour, marker = WAYS[way]
            ax.plot(*zip(*sorted(points)), color=colour, marker=marker, markersize=4, linewidth=1.2, label=way)
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.minorticks_off()
        ax.set_title(benchmark)
        ax.set_xlabel("elements")
        ax.set_ylabel(f"time ({unit})")
    for ax in axes.flat[len(lines_of_panel):]:
        ax.set_axis_off()
    handles = {}
    for ax in axes.flat:
        handles.update({label: handle for handle, label in zip(*ax.get_legend_handles_labels())})
    figure.legend(handles.values(), handles.keys(), loc="upper center", ncol=len(handles), frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.3 / (2.3 * n_rows + 0.4)))
    save(figure, name)


def redomap():
    lines = {}
    for row in rows_of("redomap"):
        lines.setdefault(row["benchmark"], {}).setdefault(row["way"], []).append((int(row["n"]), float(row["median_ms"])))
    panels(lines, "redomap", "ms")


def way_of_peer(peer):
    if peer == "streaming limit":
        return peer
    if peer == "fulgurite":
        return "Fulgurite"
    return "hand-written" if peer.startswith("omp-expert") else "best library"


def peers():
    lines = {}
    for row in rows_of("peers"):
        line = lines.setdefault(row["benchmark"], {}).setdefault(way_of_peer(row["peer"]), {})
        n, us = int(row["n"]), float(row["median_us"])
        line[n] = min(us, line.get(n, us))
    panels({b: {w: list(line.items()) for w, line in ways.items()} for b, ways in lines.items()}, "peers", "us")


def nests():
    """One row for each topic, one marker for each of its programs, at the ratio to the peer."""
    figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
    for y, topic in enumerate(reversed(TOPICS)):
        ratios = sorted(float(row["ratio_to_peer"]) for row in rows_of(topic) if row["ratio_to_peer"])
        for ways, colour, marker in ((lambda r: r <= 1.1, "#1b9e77", "o"), (lambda r: r > 1.1, "#d95f02", "^")):
            chosen = [r for r in ratios if ways(r)]
            ax.plot(chosen, [y] * len(chosen), linestyle="none", marker=marker, markersize=5, color=colour, alpha=0.7)
    ax.axvline(1, color="#444444", linewidth=1)
    ax.axvline(1.1, color="#444444", linewidth=0.8, linestyle="--")
    ax.set_yticks(range(len(TOPICS)), list(reversed(TOPICS.values())))
    ax.set_xscale("log")
    ticks = [0.2, 0.5, 1, 2, 5, 10]
    ax.set_xticks(ticks, [f"{t:g}" for t in ticks])
    ax.minorticks_off()
    ax.set_xlabel("time of ours / time of the peer (dashed: the bar of 1.1)")
    save(figure, "nests")


redomap()
peers()
nests()
