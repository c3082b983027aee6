# SPDX-License-Identifier: GPL-2.0-only
"""Functions of the plot scripts: reading the CSV files of a run, numbers as text, styles.

A script passes to main() a function that returns the Page for a Results object:

    def draw(results):
        page = hpcc_page.Page("Title", "Set-up", "What happened, in one or two sentences.")
        page.add("queue", hpcc_figures.queue_over_time(results), "Heading", "What one sees.")
        return page

    hpcc_plot.main(__doc__, draw)

The script then reads a directory of results, and writes each picture there as PNG and SVG, and the
page as index.html. If the input cannot be used, it prints one line on stderr and exits with
status 2.
"""

import argparse
import csv
import functools
import json
import math
import pathlib
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as error:
    print(
        f"{pathlib.Path(sys.argv[0]).name}: {error} (Debian: python3-matplotlib)", file=sys.stderr
    )
    sys.exit(2)

MICRO = "\N{MICRO SIGN}"


class BadInput(Exception):
    """Input that cannot be used. The message names the file, and the line or column."""


# ---------------------------------------------------------------------------------------- input


# Columns of summary.csv that exclude the start and the end of a run.
SETTLED = {
    "queue_mean_bytes",
    "queue_p95_bytes",
    "queue_p99_bytes",
    "throughput_mean_gbps",
    "throughput_min_gbps",
}


class Results:
    """The directory that an example wrote, read on demand. For repeated runs (--runs), this object contains
    the figures of the first run, in the directory of that run. intervals has the mean of all runs and half
    the width of its 95 % interval: {policy: {column: (mean, half width)}}. intervals is empty for a single
    run."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        if not self.directory.is_dir():
            problem = "is not a directory" if self.directory.exists() else "no such directory"
            raise BadInput(f"{directory}: {problem}")
        self.source, self.intervals, self.runs = self.directory, {}, 1
        if (self.directory / "summary-ci.csv").exists():
            self._read_repeated()
        self.columns, rows = self._read("summary.csv", ["cc"])
        if not rows:
            raise BadInput(f"{self.source / 'summary.csv'}: no rows after the header")
        self.summary = {}
        for line, cells in rows:
            row = dict(zip(self.columns, cells))
            if row["cc"] in self.summary:
                raise BadInput(f"{self._at('summary.csv', line)}: cc {row['cc']!r} occurs twice")
            self.summary[row["cc"]] = row
        self.policies = list(self.summary)
        self.styles = policy_styles(self.policies)
        self.manifest = self._manifest()

    def _read_repeated(self):
        """Reads means and intervals of repeated runs, and the directory of the first run."""
        columns, rows = self._read("summary-ci.csv", ["cc", "runs"])
        for line, cells in rows:
            row = dict(zip(columns, cells))
            number = functools.partial(self._number, "summary-ci.csv", line, gaps=True)
            self.intervals[row["cc"]] = {
                column: (number(column, row[column]), number(column, row[f"{column}_ci95"]))
                for column in columns
                if f"{column}_ci95" in row
            }
            self.runs = int(number("runs", row["runs"]))
        first = min(
            (path for path in self.directory.glob("run-*") if path.name[4:].isdigit()),
            key=lambda path: int(path.name[4:]),
            default=None,
        )
        if first is None:
            raise BadInput(f"{self.directory}: no directory run-N of one of the repeated runs")
        self.source = first

    def _at(self, name, line):
        return f"{self.source / name}, line {line}"

    def _read(self, name, required):
        """Returns the column names of a file, and (line, cells) of each row."""
        path = self.source / name
        try:
            with open(path, newline="", encoding="utf-8") as file:
                reader = csv.reader(file, strict=True)
                columns = next(reader, [])
                if not columns:
                    raise BadInput(f"{path}: the file is empty, there is no header row")
                for column in required:
                    if column not in columns:
                        raise BadInput(f"{path}: column '{column}' is missing")
                rows = [(reader.line_num, cells) for cells in reader]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise BadInput(f"{path}: {getattr(error, 'strerror', None) or error}") from None
        for line, cells in rows:
            if len(cells) != len(columns):
                raise BadInput(
                    f"{self._at(name, line)}: {len(cells)} values for {len(columns)} columns"
                )
        return columns, rows

    def table(self, name, numbers, texts=(), gaps=False):
        """Returns the rows of a file as {policy: {column: list}}, in the order of the file. With
        gaps, cells may be empty or not finite (NaN in the list), and policies may be absent;
        without gaps, such a file is refused."""
        columns, rows = self._read(name, ["cc", *numbers, *texts])
        policy = columns.index("cc")
        numeric = [(column, columns.index(column)) for column in numbers]
        textual = [(column, columns.index(column)) for column in texts]
        tables = {cc: {column: [] for column in (*numbers, *texts)} for cc in self.policies}
        for line, cells in rows:
            table = tables.get(cells[policy])
            if table is None:
                raise BadInput(
                    f"{self._at(name, line)}: cc {cells[policy]!r} is not in summary.csv"
                )
            for column, index in textual:
                table[column].append(cells[index])
            for column, index in numeric:
                table[column].append(self._number(name, line, column, cells[index], gaps))
        for cc, table in tables.items():
            if not gaps and not table[numbers[0]]:
                raise BadInput(f"{self.source / name}: no rows for cc '{cc}'")
        return tables

    def _number(self, name, line, column, text, gaps):
        try:
            value = float(text) if text or not gaps else math.nan
        except ValueError:
            value = None
        if value is None or not (gaps or math.isfinite(value)):
            raise BadInput(f"{self._at(name, line)}: column '{column}': {text!r} is not a number")
        return value if math.isfinite(value) else math.nan

    def figures(self, column):
        """Returns a column of summary.csv as {policy: number}; NaN if the cell has no number."""
        table = self.table("summary.csv", [column], gaps=True)
        values = {cc: columns[column][0] for cc, columns in table.items()}
        if column in SETTLED:
            values.update(
                {cc: math.nan for cc, span in self.settled.items() if not span[0] < span[1]}
            )
        return values

    @functools.cached_property
    def settled(self):
        """Returns {policy: (start, end) in us} of the interval that the SETTLED columns cover. If
        an interval ends before it starts, these columns have no meaning. Returns an empty
        dictionary if summary.csv does not contain the interval."""
        columns = ["settle_us", "first_completion_us"]
        if not set(columns) <= set(self.columns):
            return {}
        table = self.table("summary.csv", columns, gaps=True)
        return {cc: tuple(values[column][0] for column in columns) for cc, values in table.items()}

    @functools.cached_property
    def flows(self):
        """Returns fct.csv as {policy: {column: list}}, including unfinished flows."""
        numbers = ["flow", "bytes", "fct_us", "slowdown"]
        return self.table("fct.csv", numbers, ["source", "destination"], gaps=True)

    def _manifest(self):
        path = self.directory / "manifest.json"
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise BadInput(f"{path}: {getattr(error, 'strerror', None) or error}") from None
        if not isinstance(manifest, dict):
            raise BadInput(f"{path}: is not a JSON object")
        return manifest


# ------------------------------------------------------------------------------ numbers and words


def scale(largest, units):
    """Returns the (divisor, unit) in which the largest value is most readable."""
    return next((unit for unit in units if largest >= unit[0]), units[-1])


def byte_scale(largest):
    return scale(largest, [(1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1, "B")])


def time_scale(largest_us):
    return scale(largest_us / 10, [(1e6, "s"), (1e3, "ms"), (1, f"{MICRO}s")])


def digits(value):
    """Returns three significant digits, without exponent or trailing zeros."""
    if not math.isfinite(value):
        return "\N{EN DASH}"
    decimals = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def bytes_text(value):
    """Returns bytes with three significant digits and a unit; 1 KB is 1000 bytes."""
    if not math.isfinite(value):
        return "\N{EN DASH}"
    divisor, unit = byte_scale(value)
    return f"{digits(value / divisor)} {unit}"


def time_text(us):
    divisor, unit = time_scale(us)
    return f"{digits(us / divisor)} {unit}"


def count_text(number, noun):
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def known(values):
    return [value for value in values if math.isfinite(value)]


def percentile(values, percent):
    """Returns the smallest value that at least `percent` % of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def bin_width(times):
    """Returns the width of equal bins from their times; some bins may be absent."""
    ordered = sorted(set(times))
    return min((b - a for a, b in zip(ordered, ordered[1:])), default=10.0)


# ---------------------------------------------------------------------------------------- styles

# Okabe and Ito's palette, then Tol's muted palette: both are distinguishable with any colour
# vision. Related policies share a colour and differ in the dash.
DASHED, DOTTED = (0, (4, 1.5)), (0, (1, 1.2))
STYLES = {
    "hpcc++": ("HPCC++", "#0072B2", "-"),
    "hpcc": ("HPCC", "#009E73", "-"),
    "hpcc-pint": ("HPCC-PINT", "#56B4E9", "-"),
    "dcqcn": ("DCQCN", "#D55E00", "-"),
    "dcqcn+win": ("DCQCN+win", "#D55E00", DASHED),
    "timely": ("TIMELY", "#CC79A7", "-"),
    "timely+win": ("TIMELY+win", "#CC79A7", DASHED),
    "patched-timely": ("Patched TIMELY", "#CC79A7", DOTTED),
    "dctcp": ("DCTCP", "#E69F00", "-"),
    "swift": ("Swift", "#000000", "-"),
    "powertcp": ("PowerTCP", "#882255", "-"),
    "theta-powertcp": ("\N{GREEK SMALL LETTER THETA}-PowerTCP", "#882255", DASHED),
    "rcp": ("RCP", "#999933", "-"),
    "xcp": ("XCP", "#999933", DASHED),
    "pcn": ("PCN", "#332288", "-"),
    "none": ("no control", "#777777", "-"),
    "tcp-hpcc++": ("TCP HPCC++", "#0072B2", DASHED),
    "tcp-dctcp": ("TCP DCTCP", "#E69F00", DASHED),
    "tcp-cubic": ("TCP CUBIC", "#44AA99", "-"),
    "tcp-bbr": ("TCP BBR", "#AA4499", "-"),
}
SPARE_COLOURS = ["#44AA99", "#AA4499", "#332288", "#999933", "#882255", "#56B4E9", "#000000"]

INK, QUIET, GRID = "#1f2933", "#52606d", "#e4e7eb"
plt.style.use(pathlib.Path(__file__).resolve().parent / "hpcc.mplstyle")


class Style:
    """Name, colour and dash of a policy, used in every picture of every example."""

    def __init__(self, label, colour, dash):
        self.label, self.colour, self.dash = label, colour, dash

    @property
    def line(self):
        return {"color": self.colour, "linestyle": self.dash}

    @property
    def bar(self):
        hatch = {"-": None, DASHED: "//", DOTTED: ".."}[self.dash]
        return {"color": self.colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0}


def policy_styles(policies):
    """Returns {policy: Style}. Policies of a user get the remaining colours, in order."""
    taken = {STYLES[cc][1] for cc in policies if cc in STYLES}
    spare = [colour for colour in SPARE_COLOURS if colour not in taken] or SPARE_COLOURS
    dashes = ["-", DASHED, DOTTED]
    styles = {}
    for cc in policies:
        if cc in STYLES:
            styles[cc] = Style(*STYLES[cc])
        else:
            turn, index = divmod(sum(other not in STYLES for other in styles), len(spare))
            styles[cc] = Style(cc, spare[index], dashes[turn % len(dashes)])
    return styles


# ------------------------------------------------------------------------------------------- main


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: {message} (see --help)\n")


def main(description, draw, **options):
    """Runs a plot script. Each option is a (default, help); draw() gets its value as a keyword
    argument."""
    parser = Parser(description=description.strip(), formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("results", help="directory of the example's results")
    parser.add_argument("--title", help="title of the page")
    for name, (default, text) in options.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=type(default),
            default=default,
            help=f"{text} (default: {default:g})",
        )
    arguments = parser.parse_args()
    for name in options:
        if not getattr(arguments, name) > 0:
            parser.error(f"--{name.replace('_', '-')} must be above 0")
    try:
        results = Results(arguments.results)
        page = draw(results, **{name: getattr(arguments, name) for name in options})
        page.title = arguments.title or page.title
        print(page.write(results))
    except BadInput as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    except OSError as error:
        parser.exit(2, f"{parser.prog}: {error.filename or arguments.results}: {error.strerror or error}\n")
