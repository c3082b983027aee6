#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run an example with many combinations of options, and merge the results in one table.

FILE describes the runs in TOML, as the chapter "Sweeps" of the book explains. All combinations are
checked before the first run begins. OUT gets sweep.csv (a row per run: its options and its row of
summary.csv), sweep-ci.csv (means over the seeds and 95 % intervals), the picture of sweep-ci.csv as
sweep.png and sweep.svg, and the directories of the runs, runs/COMBINATION-run-SEED.
"""

import argparse
import csv
import dataclasses
import fcntl
import itertools
import math
import os
import pathlib
import re
import shutil
import sys

try:
    import tomllib
except ImportError:
    sys.exit("sweep: this needs Python 3.11")

import hpcc_tasks
from hpcc_runs import Runner
from hpcc_tables import estimate, finite, write_csv
from hpcc_tasks import BadTasks, Stopped, Task

KEYS = {"program", "seeds", "options", "product", "cases", "plot"}
RESERVED = {"out": "the sweep gives each run its own", "run": "the seeds are the run numbers",
            "runs": "give seeds", "only-run": "give seeds", "parallel": "give --jobs to ./hpcc sweep",
            "check": "all runs are checked",
            **dict.fromkeys(("save-trace", "config-outputs"), "all runs would write the same file"),
            "progress": "the sweep shows its own", "mpi": "each run is one process",
            **dict.fromkeys(("help", "describe", "version", "PrintHelp", "PrintVersion", "PrintGroups",
                             "PrintGroup", "PrintTypeIds", "PrintAttributes", "PrintGlobals"),
                            "nothing would run")}
TEXTS = ["cc", "telemetry", "feedback"]  # columns of summary.csv that name a row of a run
MOST_RUNS = 100000


# ------------------------------------------------------------------------------------- the file


@dataclasses.dataclass(frozen=True)
class Run:
    """A run of a sweep; see hpcc_runs.Runner."""

    name: str
    program: str
    options: dict  # options of this run, without the seed
    fixed: dict
    seed: int
    out: str
    cost: float = 1.0
    keeps: tuple = ("summary.csv",)
    discard: tuple = ()

    def words(self):
        """Returns the words of the command that do not depend on the seed."""
        options = {**self.fixed, **self.options}
        return [f"--{name}={value}" for name, value in options.items()]

    def command(self):
        name = pathlib.Path(self.program).name
        return [name, *self.words(), f"--run={self.seed}", "--progress=0", f"--out={self.out}"]


@dataclasses.dataclass
class Sweep:
    """The contents of a sweep file."""

    program: str
    fixed: dict
    names: list  # names of the options that vary
    combinations: list  # of {option: text}
    seeds: list
    x: str
    y: str

    def runs(self, out):
        return [Run(f"{number}-run-{seed}", self.program, options, self.fixed, seed,
                    f"{out}/runs/{number}-run-{seed}")
                for number, options in enumerate(self.combinations, 1) for seed in self.seeds]


def text_of(value, where):
    """Returns a value as text for the command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, str)):
        text = str(value)
        if "\n" not in text:
            return text
    raise BadTasks(f"{where}: {value!r} is not allowed; a number, a text of one line, true or false")


def table_of(value, where):
    """Returns a table of options as {option: text}."""
    if not isinstance(value, dict):
        raise BadTasks(f"{where}: this must be a table")
    for name in value:
        if name in RESERVED:
            raise BadTasks(f"{where}: {name} is not allowed: {RESERVED[name]}")
    return {name: text_of(one, f"{where}: {name}") for name, one in value.items()}


def program_of(value, where):
    """Returns the name of an example, or the path of another program."""
    examples = sorted(path.stem for path in pathlib.Path(__file__).resolve().parent.glob("*.cc"))
    if isinstance(value, str) and "/" in value:
        return str(pathlib.Path(value).resolve())
    if value not in examples:
        raise BadTasks(f"{where}: {value!r} is not allowed; the path of a program, or an example: "
                       + ", ".join(examples))
    return value


def seeds_of(value, where):
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_RUNS:
        return list(range(1, value + 1))
    if isinstance(value, list) and value and len(set(map(str, value))) == len(value) and all(
            isinstance(one, int) and not isinstance(one, bool) and 0 <= one < 2**64 for one in value):
        return value
    raise BadTasks(f"{where}: {value!r} is not allowed; a number of seeds, at most {MOST_RUNS}, or a"
                   " list of different ones")


def product_of(value, where):
    """Returns the values of each option of [product]."""
    if not isinstance(value, dict):
        raise BadTasks(f"{where}: this must be a table")
    axes = {}
    for name, values in value.items():
        if not isinstance(values, list) or not values:
            raise BadTasks(f"{where}: {name}: a list of values is needed")
        axes[name] = [table_of({name: one}, where)[name] for one in values]
        if len(set(axes[name])) < len(axes[name]):
            raise BadTasks(f"{where}: {name}: a value occurs twice")
    return axes


def read(path):
    """Reads a sweep file and returns its Sweep."""
    try:
        with open(path, "rb") as file:
            data = tomllib.load(file)
    except OSError as error:
        raise BadTasks(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadTasks(f"{path}: {error}") from None
    for key in data:
        if key not in KEYS:
            raise BadTasks(f"{path}: {key} is unknown; allowed are {', '.join(sorted(KEYS))}")
    program = program_of(data.get("program"), f"{path}: program")
    fixed = table_of(data.get("options", {}), f"{path}: options")
    axes = product_of(data.get("product", {}), f"{path}: product")
    cases = data.get("cases", [{}])
    if not isinstance(cases, list) or not cases:
        raise BadTasks(f"{path}: cases: [[cases]] is needed before each of them")
    cases = [table_of(case, f"{path}: case {number}") for number, case in enumerate(cases, 1)]
    in_cases = list(dict.fromkeys(name for case in cases for name in case))
    rows = {}  # number of each case, by the cells that identify the case in sweep.csv
    for number, case in enumerate(cases, 1):
        if "cases" in data and not case:
            raise BadTasks(f"{path}: case {number} has no option")
        other = rows.setdefault(tuple(case.get(name, "") for name in in_cases), number)
        if other < number:
            raise BadTasks(f"{path}: case {number} " + (
                "occurs twice" if case == cases[other - 1] else
                f"differs from case {other} only in options without a value, which are no different in"
                " sweep.csv from options that are not given"))
    names = [*axes, *in_cases]
    for name in names:
        if names.count(name) > 1 or name in fixed:
            raise BadTasks(f"{path}: {name} occurs in two of options, product and cases")
    seeds = seeds_of(data.get("seeds", 1), f"{path}: seeds")
    combinations = [{**dict(zip(axes, values)), **case}
                    for values in itertools.product(*axes.values()) for case in cases]
    if len(combinations) * len(seeds) > MOST_RUNS:
        raise BadTasks(f"{path}: {len(combinations)} combinations with {len(seeds)} seeds are more"
                       f" than {MOST_RUNS} runs")
    x, y = plot_of(data.get("plot", {}), names, combinations, f"{path}: plot")
    return Sweep(program, fixed, names, combinations, seeds, x, y)


def plot_of(plot, names, combinations, where):
    """Returns the option and the column of the picture."""
    plot = table_of(plot, where)
    for key in plot:
        if key not in ("x", "y"):
            raise BadTasks(f"{where}: {key} is unknown; allowed are x, y")
    if plot.get("x", "") not in ("", *names):
        raise BadTasks(f"{where}: x: {plot['x']} is not among the options that vary:"
                       f" {', '.join(names) or 'there are none'}")
    values = {name: {one.get(name, "") for one in combinations} for name in names}
    numeric = [name for name in names
               if len(values[name]) > 1 and None not in map(number, values[name])]
    y = plot.get("y", "fct_p99_us")
    if y not in columns_of_summary():
        raise BadTasks(f"{where}: y: {y} is not a numeric column of summary.csv; allowed are"
                       f" {', '.join(columns_of_summary())}")
    return plot.get("x") or next(iter(numeric), "") or next(iter(names), ""), y


def columns_of_summary():
    """Returns the names of the columns of summary.csv that contain numbers, read from doc/columns.txt."""
    text = (pathlib.Path(__file__).resolve().parent.parent / "doc" / "columns.txt").read_text(
        encoding="utf-8")
    section = text.split("\n[summary.csv]\n")[1].split("\n[")[0]
    return [name for name, unit in re.findall(r"^([a-z0-9_]+) \| ([^|]*) \|", section, re.MULTILINE)
            if unit != "text"]


def number(text):
    """Returns the number in a text such as 100Gbps or 0.5; None if the text is not a number, with or
    without a unit."""
    match = re.fullmatch(r"([-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)[a-zA-Z/%]*", text)
    return float(match[1]) if match else None


# ------------------------------------------------------------------------------------- the tables


def merge(sweep, runs, out):
    """Writes sweep.csv and sweep-ci.csv; returns the rows of sweep-ci.csv as dictionaries."""
    header, rows, groups = None, [], {}
    for run in runs:
        path = out / "runs" / run.name / "summary.csv"
        with open(path, newline="", encoding="utf-8") as file:
            table = list(csv.reader(file))
        header = header or table[0]
        if table[0] != header or not set(TEXTS) <= set(header):
            raise BadTasks(f"{path}: its columns differ from those of the other runs")
        left = [run.options.get(name, "") for name in sweep.names]
        for row in table[1:]:
            rows.append([*left, *row, run.seed])
            cells = dict(zip(header, row))
            groups.setdefault((*left, *(cells[name] for name in TEXTS)), []).append(cells)
    options = [f"--{name}" for name in sweep.names]
    write_csv(out / "sweep.csv", [*options, *header, "run"], rows)
    columns = [name for name in header if name not in TEXTS]
    means = []
    for key, group in groups.items():
        row = dict(zip([*options, *TEXTS], key), runs=len(group))
        for name in columns:
            values = [value for value in (finite(cells[name]) for cells in group) if value is not None]
            row[name], row[f"{name}_ci95"] = (f"{value:.10g}" for value in estimate(values))
        means.append(row)
    write_csv(out / "sweep-ci.csv", list(means[0]), [row.values() for row in means])
    return means


# ------------------------------------------------------------------------------------ the picture


def draw(sweep, means, out):
    """Draws a column over an option, with a line per combination of the others."""
    import hpcc_plot  # pylint: disable=import-outside-toplevel
    import hpcc_figures  # pylint: disable=import-outside-toplevel
    from matplotlib import pyplot as plt  # pylint: disable=import-outside-toplevel

    others = [f"--{name}" for name in sweep.names if name != sweep.x]
    lines = {}
    for row in means:
        # Leave out options that the label of the run already contains.
        told = [row["cc"], *(f"{name[2:]} {row[name]}" for name in others
                             if name != "--cc" and row[name])]
        lines.setdefault(", ".join(told), []).append(row)
    texts = list(dict.fromkeys(row.get(f"--{sweep.x}", "") for row in means))
    numbers = [number(text) for text in texts]
    units = {re.sub(r"[^a-zA-Z/%]|[eE](?=[-+0-9])", "", text) for text in texts}
    scaled = len(units) == 1 and None not in numbers and len(set(numbers)) == len(texts) > 1
    places = dict(zip(texts, numbers if scaled else range(len(texts))))
    figure, axes = plt.subplots(figsize=(10, 4.6))
    styles = {name: hpcc_plot.Style(name, *hpcc_plot.STYLES[name][1:])
              if name in hpcc_plot.STYLES else style
              for name, style in hpcc_plot.policy_styles(list(lines)).items()}
    for name, rows in lines.items():
        halves = [float(row[f"{sweep.y}_ci95"]) for row in rows]
        axes.errorbar([places[row.get(f"--{sweep.x}", "")] for row in rows],
                      [float(row[sweep.y]) for row in rows],
                      yerr=[0 if math.isnan(half) else half for half in halves],
                      marker="o", markersize=4, capsize=3, **styles[name].line)
    if not scaled:
        axes.set_xticks(range(len(texts)), texts)
    unit = f" ({units.pop()})" if scaled and any(units) else ""
    axes.set_xlabel(f"{sweep.x or 'all runs alike'}{unit}")
    axes.set_ylabel(sweep.y)
    # Start the axis at 0: an interval may extend below 0, but times and bytes are never negative.
    axes.set_ylim(bottom=min(0, *(float(row[sweep.y]) for row in means)))
    hpcc_figures.thousands(axes.yaxis)
    if scaled:
        hpcc_figures.thousands(axes.xaxis)
    handles = [plt.Line2D([], [], linewidth=2.5, **style.line) for style in styles.values()]
    hpcc_figures.legend_above(axes, handles, list(styles))
    figure.savefig(out / "sweep.png", metadata={"Software": None})
    figure.savefig(out / "sweep.svg", metadata={"Date": None})
    plt.close(figure)


# ---------------------------------------------------------------------------------------- running


def check(sweep, runner, jobs, path):
    """Checks the first run of every combination; raises BadTasks if one would be refused."""
    refused = runner.check([run for run in sweep.runs("") if run.seed == sweep.seeds[0]], jobs)
    if refused:
        run, reason = refused
        raise BadTasks(f"{path}: {' '.join(run.command()[:-3])}: {reason}")


def claim(out):
    """Locks the directory of the results. Returns the open lock."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        lock = open(out / ".sweep", "w", encoding="utf-8")  # pylint: disable=consider-using-with
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadTasks(f"{out}: another sweep is writing there") from None
    except OSError as error:
        raise BadTasks(f"{out}: {error.strerror}") from None
    return lock


def clear(out, runs, resume):
    """Removes earlier results that do not belong to the sweep."""
    for name in ("sweep.csv", "sweep-ci.csv", "sweep.png", "sweep.svg"):
        (out / name).unlink(missing_ok=True)
    wanted = {run.name for run in runs} if resume else set()
    for path in (out / "runs").glob("*-run-*"):
        if path.name not in wanted and re.fullmatch(r"[0-9]+-run-[0-9]+", path.name):
            shutil.rmtree(path)


def run_sweep(sweep, arguments):
    """Runs a sweep. Returns the exit code."""
    import hpcc_plot  # noqa: F401 pylint: disable=import-outside-toplevel,unused-import
    # If matplotlib is missing, this import ends the program with a message.
    out = pathlib.Path(arguments.out or f"results/sweep/{pathlib.Path(arguments.file).stem}")
    hosts = hpcc_tasks.parse_hosts(arguments.hosts, arguments.jobs) if arguments.hosts else []
    if arguments.slurm:
        place = hpcc_tasks.Slurm(arguments.jobs if arguments.limited else 0)
    else:
        place = hpcc_tasks.Parallel(arguments.jobs, hosts)
    runs = sweep.runs(out)
    runner = Runner(arguments.bin, out / "runs", place, cwd=pathlib.Path.cwd())
    runner.build_of(sweep.program)
    check(sweep, runner, arguments.jobs, arguments.file)
    with hpcc_tasks.naming(out), claim(out):
        hpcc_tasks.check_hosts(hosts, [runner.binaries / sweep.program], out.resolve())
        clear(out, runs, arguments.resume)
        try:
            with hpcc_tasks.naming(out):
                failures = runner.run_all(runs, out / "tasks" if arguments.slurm else None)
                if not failures:
                    draw(sweep, merge(sweep, runs, out), out)
        except OSError as error:
            print(f"sweep: {error.filename}: {error.strerror}", file=sys.stderr)
            return 1 if runner.started else 2
        if failures:
            for name, problem in failures.items():
                print(f"sweep: {out}/runs/{name}: {problem}", file=sys.stderr)
            print(f"sweep: {len(failures)} of {len(runs)} runs have failed; --resume repeats only"
                  " these", file=sys.stderr)
            return 1
    print(f"{len(runs)} runs: {out}/sweep.csv")
    print(f"means and 95 % intervals: {out}/sweep-ci.csv")
    print(f"picture: {out}/sweep.png")
    return 0


def arguments_of():
    parser = argparse.ArgumentParser(prog="sweep", description=__doc__.strip(), allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--hosts", metavar="LIST", help="run on these hosts, by ssh: HOST or SLOTS/HOST,"
                       " separated by commas; the host : is this machine")
    where.add_argument("--slurm", action="store_true", help="run as a job array of Slurm")
    parser.add_argument("--resume", action="store_true",
                        help="keep the finished runs of the same command and build")
    parser.add_argument("--jobs", type=int, help="concurrent runs, here or on each host without"
                        " SLOTS; with --slurm, of the whole array")
    parser.add_argument("--out", help="default: results/sweep/NAME for the file NAME.toml")
    parser.add_argument("--bin", default="build/standalone/bin", help=argparse.SUPPRESS)
    parser.add_argument("--program", action="store_true", help=argparse.SUPPRESS)
    parser.error = lambda message: parser.exit(2, f"sweep: {message} (see ./hpcc sweep --help)\n")
    arguments = parser.parse_args()
    arguments.limited = arguments.jobs is not None
    if arguments.jobs is None:
        jobs = os.environ.get("JOBS", "")
        arguments.jobs = int(jobs) if jobs.isdigit() else os.cpu_count() or 1
    if arguments.jobs < 1:
        parser.error(f"--jobs: {arguments.jobs} is not allowed; at least 1")
    return arguments


def main():
    hpcc_tasks.obey_signals()
    arguments = arguments_of()
    try:
        sweep = read(arguments.file)
        if arguments.program:
            print(sweep.program)
            return 0
        return run_sweep(sweep, arguments)
    except BadTasks as error:
        print(f"sweep: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"sweep: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except Stopped as stopped:
        print("\nsweep: interrupted; the same command with --resume goes on from here",
              file=sys.stderr)
        return stopped.code


if __name__ == "__main__":
    sys.exit(main())
