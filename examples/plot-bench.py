#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw the results of ./hpcc bench in bench.jsonl: tables, and the cost by number of hosts.

Writes the picture (PNG and SVG) and the page index.html into the directory of the results.
"""

import argparse
import html
import json
import pathlib
import sys

from hpcc_page import STYLE_SHEET
from hpcc_plot import BadInput, Parser, digits, plt

# Heading and divisor by key of an object, for keys that are shown in another unit.
HEADINGS = {
    "packet_hops": ("packet-hops (million)", 1e6),
    "events": ("events (million)", 1e6),
    "packet_hops_per_second": ("packet-hops per s (million)", 1e6),
}

# Keys that the picture needs for each number of hosts.
OF_SIZES = ("packet_hops_per_second", "peak_rss_mb")


def read(path):
    """Returns the objects of a file, one per line."""
    objects = []
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: {error}") from None
    for number, line in enumerate(text.splitlines(), 1):
        try:
            benchmark = json.loads(line)
            whole = isinstance(benchmark["benchmark"], str) and all(
                isinstance(value, (str, int, float)) for value in benchmark.values()
            )
            if "hosts" in benchmark:
                whole = whole and all(benchmark[key] > 0 for key in ("hosts", *OF_SIZES))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadInput(f"{path}:{number}: not a JSON object of a benchmark") from error
        if not whole:
            raise BadInput(f"{path}:{number}: not a JSON object of a benchmark")
        objects.append(benchmark)
    if not objects:
        raise BadInput(f"{path}: no benchmarks")
    return objects


def cell(key, value):
    if isinstance(value, str):
        return f'<td class="text">{html.escape(value)}</td>'
    return f"<td>{digits(value / HEADINGS.get(key, ('', 1))[1])}</td>"


def table(objects):
    """Returns a table of objects that have the same keys."""
    keys = list(objects[0])
    head = "".join(f"<th>{HEADINGS.get(key, (key.replace('_', ' '),))[0]}</th>" for key in keys)
    rows = "".join(f"<tr>{''.join(cell(key, one[key]) for key in keys)}</tr>\n" for one in objects)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>{rows}</table></div>\n'


def groups(objects):
    """Returns the objects in groups of consecutive objects with the same keys."""
    runs = []
    for one in objects:
        if not runs or list(runs[-1][0]) != list(one):
            runs.append([])
        runs[-1].append(one)
    return runs


def cost_of_size(sizes):
    """Draws CPU time per packet-hop, and memory, against the number of hosts."""
    figure, (cost, memory) = plt.subplots(1, 2, figsize=(10, 3.8))
    hosts = [one["hosts"] for one in sizes]
    cost.plot(hosts, [1e9 / one["packet_hops_per_second"] for one in sizes], marker="o")
    cost.set_title("CPU time of a packet-hop")
    cost.set_ylabel("ns")
    memory.plot(hosts, [one["peak_rss_mb"] for one in sizes], marker="o")
    memory.set_title("Peak memory")
    memory.set_ylabel("MB")
    for axes in (cost, memory):
        axes.set_xscale("log")
        axes.set_xticks(hosts, [f"{count:,}" for count in hosts], rotation=40)
        axes.minorticks_off()
        axes.set_xlabel("hosts of a fat-tree")
        axes.set_ylim(bottom=0)
        axes.grid(True, alpha=0.4)
    figure.tight_layout()
    return figure


def write(directory):
    objects = read(directory / "bench.jsonl")
    picture = ""
    sizes = [one for one in objects if "hosts" in one]
    if len(sizes) > 1:
        figure = cost_of_size(sizes)
        figure.savefig(directory / "sizes.png", metadata={"Software": None}, dpi=150)
        figure.savefig(directory / "sizes.svg", metadata={"Date": None})
        picture = (
            "<section><h2>Cost against the number of hosts</h2><p>Each host sends to one half the"
            " network away, at 100 Gb/s.</p>\n"
            '<a href="sizes.svg"><img src="sizes.png" alt="Cost against the number of hosts"></a>'
            "</section>\n"
        )
    path = directory / "index.html"
    path.write_text(
        f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Speed of the simulator</title>
<style>{STYLE_SHEET}</style>
</head>
<body>
<main>
<h1>Speed of the simulator</h1>
<p class="set-up">What <code>./hpcc bench</code> measured here: CPU time of one core; of the benchmarks
called ranks, time by a clock on the wall. Other work on the machine costs up to half of the speed;
ratios suffer less.</p>
{picture}<section><h2>All benchmarks</h2>
{"".join(table(run) for run in groups(objects))}
<p>Bare event loop ratio: CPU time of a packet-hop over that of an event which does nothing.
The figures: <a href="bench.jsonl">bench.jsonl</a>.</p></section>
</main>
</body>
</html>
""",
        encoding="utf-8",
    )
    return path


def main():
    parser = Parser(description=__doc__.strip(), formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("results", help="directory with bench.jsonl")
    results = pathlib.Path(parser.parse_args().results)
    try:
        print(write(results))
    except BadInput as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    except OSError as error:
        parser.exit(2, f"{parser.prog}: {error.filename or results}: {error.strerror or error}\n")


if __name__ == "__main__":
    sys.exit(main())
