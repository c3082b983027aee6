#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run the simulations behind published figures, and draw our results next to the published ones.

Called by ./hpcc reproduce, which builds the examples first. OUT/FIGURE gets index.html with the
pictures, values.csv (published value, ours, tolerance) and manifest.json; OUT/runs gets the runs;
OUT/values.csv and OUT/index.html have all figures drawn so far. Finished runs are not repeated as
long as the command and the build are the same; an interrupted run starts again.
"""

import argparse
import os
import pathlib
import sys

import hpcc_plot
import hpcc_tasks
import reproduce
from hpcc_runs import Runner
from reproduce import report
from reproduce.figure import BadFigure
from reproduce.published import Published
from reproduce.results import RunData

MAX_SEEDS = 1000


def arguments_of():
    parser = hpcc_plot.Parser(
        prog="reproduce",
        description=__doc__.strip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "figures", nargs="+", metavar="FIGURE", help="a name, all, or list, which prints the names"
    )
    parser.add_argument("--quick", action="store_true", help="smaller runs: minutes for all")
    parser.add_argument(
        "--seeds", type=int, default=1, help="number of seeds to take means over (default: 1)"
    )
    parser.add_argument("--nic", help="processing delays of the hosts (default: none)")
    parser.add_argument(
        "--swap", action="store_true", help="only judge with the results of two policies exchanged"
    )
    parser.add_argument(
        "--check", action="store_true", help="only check that no program refuses a run"
    )
    parser.add_argument(
        "--out", help="default: results/reproduce; with --nic=NAME results/reproduce-NAME"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="parallel runs (default: processors)"
    )
    parser.add_argument(
        "--any-build", action="store_true", help="also use finished runs of other builds"
    )
    parser.add_argument("--bin", default="build/standalone/bin", help=argparse.SUPPRESS)
    parser.add_argument("--programs", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.jobs < 1:
        parser.error(f"--jobs: {arguments.jobs} is not allowed; at least 1")
    if not 1 <= arguments.seeds <= MAX_SEEDS:
        parser.error(f"--seeds: {arguments.seeds} is not allowed; 1 to {MAX_SEEDS}")
    if not arguments.out:
        arguments.out = f"results/reproduce{f'-{arguments.nic}' if arguments.nic else ''}"
    return arguments


def chosen(names, nic):
    if "list" in names or "all" in names:
        names = reproduce.FIGURES
    figures = [reproduce.figure(name) for name in dict.fromkeys(names)]
    for figure in figures if nic else []:
        figure.delay_hosts(nic)
    return figures


def runs_of(figures, quick, seeds):
    """Returns the runs of all figures and seeds without duplicates."""
    runs = {}
    for figure in figures:
        for first in figure.runs(quick):
            for run in first.all_seeds(seeds):
                if runs.setdefault(run.name, run).command() != run.command():
                    raise BadFigure(f"two runs are called {run.name}")
    return list(runs.values())


def list_figures(figures):
    for figure in figures:
        print(f"{figure.name:12}{figure.title}. {figure.source}")


def check(runner, runs, jobs):
    """Raises BadFigure if a program would refuse one of the runs."""
    refused = runner.check(runs, jobs)
    if refused:
        run, reason = refused
        raise BadFigure(f"{run.name}: {reason}")


def judge_swaps(figure, published, results, quick, seeds):
    """Checks that the figure can distinguish the policies that it compares: exchanges the results of each
    pair, and prints how many values agree then. Returns 1 if an exchange should reduce the number of
    agreeing values but does not, else 0."""
    if not figure.pairs():
        print(f"{figure.name}: it has no judged values that compare policies")
        return 0
    code = 0
    numbers = report.measured(figure, results, quick, seeds)
    for one, other, right, wrong in report.swaps(figure, published, *numbers):
        reason = figure.alike.get((one, other), "")
        change = f"not {right}" if wrong != right else "as before"
        print(f"{figure.name}: {one} and {other} exchanged: {wrong} values agree, {change}", end="")
        print(f" ({reason})" if reason else "")
        code = code if wrong < right or reason else 1
    return code


def reproduce_figures(figures, arguments):
    """Reproduces figures and returns the exit code."""
    quick, seeds, out = arguments.quick, arguments.seeds, pathlib.Path(arguments.out)
    published = {figure.name: Published(figure.name) for figure in figures}
    scale = "quick" if quick else "full"
    place = hpcc_tasks.Parallel(arguments.jobs)
    runner = Runner(arguments.bin, out / "runs" / scale, place, arguments.any_build)
    runs = runs_of(figures, quick, seeds)
    for run in runs:
        run.write_inputs(runner.directory)
    # Check one seed only, because whether a run is refused does not depend on the seed.
    firsts = {run.name: run for figure in figures for run in figure.runs(quick)}.values()
    check(runner, [run for run in firsts if not runner.is_finished(run)], arguments.jobs)
    if arguments.check:
        print(f"{len(firsts)} runs: no program refuses one")
        return 0
    failures = runner.run_all(runs)
    results = {run.name: RunData(runner.directory / run.name) for run in runs}
    code = 0
    for figure in figures:
        names = [run.name for run in runs_of([figure], quick, seeds)]
        failed = [name for name in names if name in failures]
        if failed:
            print(f"{figure.name}: not drawn, because {', '.join(failed)} failed", file=sys.stderr)
            code = 1
            continue
        directory = out / figure.name
        values = published[figure.name]
        if arguments.swap:
            code = max(code, judge_swaps(figure, values, results, quick, seeds))
            continue
        verdict = report.write_figure(figure, values, results, directory, quick, seeds)
        print(f"{figure.name}: {report.verdict_text(*verdict)} {directory / 'index.html'}")
    if arguments.swap:
        return code
    print(f"all values: {report.write_values(out, reproduce.FIGURES)}")
    print(f"all figures drawn so far: {report.write_overview(out, reproduce.FIGURES)}")
    return code


def main():
    hpcc_tasks.obey_signals()
    arguments = arguments_of()
    try:
        figures = chosen(arguments.figures, arguments.nic)
        if arguments.programs:
            runs = [] if "list" in arguments.figures else runs_of(figures, arguments.quick, 1)
            print("\n".join(sorted({run.program for run in runs})))
        elif "list" in arguments.figures:
            list_figures(figures)
        else:
            with hpcc_tasks.naming(arguments.out):
                return reproduce_figures(figures, arguments)
    except hpcc_tasks.BadTasks as error:
        print(f"reproduce: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"reproduce: {error.filename}: {error.strerror or error}", file=sys.stderr)
        return 2
    except hpcc_tasks.Stopped as stopped:
        print("\nreproduce: interrupted; the same command goes on from here", file=sys.stderr)
        return stopped.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
