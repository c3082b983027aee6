# SPDX-License-Identifier: GPL-2.0-only
"""The page that shows the results of a run: a table, pictures, and the command to repeat it."""

import html
import json
import math
import shlex

import matplotlib.pyplot as plt

from hpcc_plot import MICRO, digits

# Column of summary.csv: group, heading, divisor, format (None: three significant digits).
COLUMNS = {
    "flows_started": ("Flows", "all", 1, ",.0f"),
    "flows_finished": ("Flows", "done", 1, ",.0f"),
    "fct_p50_us": (f"FCT ({MICRO}s)", "p50", 1, ",.1f"),
    "fct_p99_us": (f"FCT ({MICRO}s)", "p99", 1, ",.1f"),
    "queue_peak_bytes": ("Queue (KB)", "peak", 1e3, None),
    "queue_mean_bytes": ("Queue (KB)", "mean", 1e3, None),
    "queue_p95_bytes": ("Queue (KB)", "p95", 1e3, None),
    "queue_p99_bytes": ("Queue (KB)", "p99", 1e3, None),
    "throughput_mean_gbps": ("Rate (Gbps)", "mean", 1, ",.1f"),
    "throughput_min_gbps": ("Rate (Gbps)", "min", 1, ",.1f"),
    "jain_index": ("Jain", "index", 1, ".3f"),
    "pfc_pauses": ("PFC", "pauses", 1, ",.0f"),
    "drops": ("Loss", "drops", 1, ",.0f"),
    "wire_overhead_percent": ("Overhead", "%", 1, ",.2f"),
}

STYLE_SHEET = """
:root { color-scheme: light; --ink: #1f2933; --quiet: #52606d; --line: #e4e7eb; --pale: #f5f7fa; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--pale); color: var(--ink);
       font: 16px/1.55 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1160px; margin: 0 auto; padding: 2.2rem 1.2rem 4rem; }
h1 { margin: 0 0 .2rem; font-size: 1.9rem; line-height: 1.2; }
h2 { margin: 0 0 .3rem; font-size: 1.15rem; }
p { margin: .3rem 0; }
.set-up { color: var(--quiet); }
.lead { margin: 1rem 0 1.4rem; font-size: 1.12rem; max-width: 62rem; }
.cards { display: grid; gap: .9rem; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); }
.card, section { background: #fff; border: 1px solid var(--line); border-radius: 10px; }
.card { padding: .8rem 1rem; border-top: 4px solid var(--policy); }
.card b { display: block; font-size: 1.7rem; line-height: 1.3; white-space: nowrap; }
.card span { color: var(--quiet); font-size: .88rem; }
section { margin-top: 1.2rem; padding: 1.1rem 1.3rem; }
section p { max-width: 62rem; color: var(--quiet); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin-top: .5rem; font-size: .82rem;
        font-variant-numeric: tabular-nums; }
th, td { padding: .38rem .34rem; text-align: right; white-space: nowrap; }
th { color: var(--quiet); font-weight: 600; }
thead tr:first-child th { text-align: center; border-bottom: 1px solid var(--line); }
tbody tr { border-top: 1px solid var(--line); }
th:first-child, .text { text-align: left; }
tbody th { color: var(--ink); }
table.prose th, table.prose .text { min-width: 5rem; white-space: normal; }
table.prose td.text { min-width: 12rem; }
td.wrong { color: #b00020; font-weight: 700; }
i.key { display: inline-block; width: .8em; height: .8em; margin-right: .5em;
        border-radius: 3px; background: var(--policy); }
img { display: block; max-width: 100%; height: auto; margin-top: .7rem; }
pre { margin: .5rem 0; padding: .7rem .9rem; background: var(--pale); border-radius: 8px;
      white-space: pre-wrap; overflow-wrap: anywhere; font-size: .88rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .5rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
a { color: #0b63a5; }
@media print { body { background: #fff; } section, .card { break-inside: avoid; } }
"""


# Settings that remove metadata such as dates, so that two pictures of the same results are equal.
UNDATED = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


class Page:
    """A title, a set-up line, the finding, key figures, and pictures with their captions."""

    def __init__(self, title, set_up, lead, name="index.html", kinds=("png", "svg")):
        self.name, self.kinds = name, kinds
        self.title, self.set_up, self.lead = title, set_up, lead
        self.cards = []
        self.pictures = []

    def card(self, style, value, text):
        self.cards.append((style, value, text))

    def add(self, name, figure, heading, caption):
        self.pictures.append((name, figure, heading, caption))

    def write(self, results):
        for name, figure, _, _ in self.pictures:
            for kind in self.kinds:
                figure.savefig(results.directory / f"{name}.{kind}", metadata=UNDATED[kind])
            plt.close(figure)
        path = results.directory / self.name
        path.write_text(self._html(results), encoding="utf-8")
        return path

    def _html(self, results):
        escape = html.escape
        cards = "".join(
            f'<div class="card" style="--policy: {style.colour}"><span>{escape(style.label)}</span>'
            f"<b>{escape(value)}</b><span>{escape(text)}</span></div>\n"
            for style, value, text in self.cards
        )
        pictures = "".join(
            f"<section><h2>{escape(heading)}</h2><p>{escape(caption)}</p>\n"
            f'<a href="{name}.{self.kinds[-1]}"><img src="{name}.png" alt="{escape(heading)}"></a></section>\n'
            for name, _, heading, caption in self.pictures
        )
        return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(self.title)}</title>
<style>{STYLE_SHEET}</style>
</head>
<body>
<main>
<h1>{escape(self.title)}</h1>
<p class="set-up">{escape(self.set_up)}</p>
<p class="lead">{escape(self.lead)}</p>
<div class="cards">
{cards}</div>
<section><h2>All policies</h2>
{summary_table(results)}
<p>{repeated(results)}FCT: flow completion time. Queue and rate: of the switch egress port with the highest peak; the
peak is of the whole run, the rest of the settled time, from a while after the last flow starts
until the first flow completes. Jain: fairness of the flows' mean rates while all are active.
Pauses: intervals. Overhead: bytes of telemetry and feedback on the wire, of the payload.</p>
</section>
{pictures}<section><h2>How to repeat it</h2>
{origin(results)}
<p>Each picture links to its {self.kinds[-1].upper()}. The figures behind them:
{", ".join(f'<a href="{path.name}">{path.name}</a>' for path in data_files(results))}.</p></section>
</main>
</body>
</html>
"""


def repeated(results):
    """Returns the note that explains the statistics of repeated runs."""
    if not results.intervals:
        return ""
    return (
        f"Means of {results.runs} runs and their 95 % intervals by Student's t distribution; the"
        f" pictures and cards are of {results.source.name}. "
    )


def data_files(results):
    names = [*results.directory.glob("*.csv"), *results.directory.glob("manifest.json")]
    return sorted(names, key=lambda path: (path.name != "summary.csv", path.name))


def summary_table(results):
    """Returns a table of the columns of summary.csv. Columns that are not in COLUMNS come last and
    unchanged, and are omitted if all their values are 0. For repeated runs, all numbers are means."""
    columns = [c for c in COLUMNS if c in results.columns]
    texts = [c for c in ("telemetry", "feedback") if c in results.columns]
    shown = {"cc", *columns, *texts}
    if results.settled:
        shown |= {"settle_us", "first_completion_us"}
    others = [c for c in results.columns if c not in shown
              and any(text not in ("", "0", "nan", "\N{EN DASH}") for text in other(results, c).values())]

    groups = []
    for column in columns:
        if not groups or groups[-1][0] != COLUMNS[column][0]:
            groups.append([COLUMNS[column][0], 0])
        groups[-1][1] += 1
    if results.settled:
        groups.append(["Settled", 1])
    if others:
        groups.append(["Other", len(others)])
    head = f'<th colspan="{1 + len(texts)}"></th>'
    head += "".join(f'<th colspan="{span}">{html.escape(group)}</th>' for group, span in groups)
    second = [COLUMNS[c][1] for c in columns]
    second += [*([f"{MICRO}s"] if results.settled else []), *others]
    second = "".join(f"<th>{html.escape(heading)}</th>" for heading in second)
    second = "".join(f'<th class="text">{c}</th>' for c in ["policy", *texts]) + second

    numbers = {column: figures(results, column) for column in columns}
    started, finished = numbers.get("flows_started"), numbers.get("flows_finished")
    body = ""
    for cc, row in results.summary.items():
        style = results.styles[cc]
        body += f'<tr style="--policy: {style.colour}"><th title="{html.escape(cc)}">'
        body += f'<i class="key"></i>{html.escape(style.label)}</th>'
        body += "".join(f'<td class="text">{html.escape(row[c])}</td>' for c in texts)
        for column in columns:
            value = numbers[column][cc]
            wrong = column == "drops" and value > 0
            wrong |= column == "flows_finished" and bool(started) and finished[cc] < started[cc]
            divisor, form = COLUMNS[column][2:]
            rounded = form and math.isfinite(value)
            text = format(value / divisor, form) if rounded else digits(value / divisor)
            if results.intervals:
                text = interval_text(results.intervals[cc][column], divisor, form)
            body += f"<td{' class=wrong' if wrong else ''}>{text}</td>"
        if results.settled:
            start, end = results.settled[cc]
            if results.intervals:
                start, end = (results.intervals[cc][c][0] for c in ("settle_us", "first_completion_us"))
            text = f"{digits(start)}\N{EN DASH}{digits(end)}" if start < end else "never"
            body += f"<td>{text}</td>"
        body += "".join(f"<td>{html.escape(other(results, c)[cc])}</td>" for c in others) + "</tr>\n"
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr><tr>{second}</tr></thead>\n'
        f"<tbody>\n{body}</tbody></table></div>"
    )


def figures(results, column):
    """Returns {policy: number} of a column of summary.csv: for repeated runs, the means."""
    if results.intervals:
        return {cc: results.intervals[cc][column][0] for cc in results.policies}
    return results.figures(column)


def other(results, column):
    """Returns {policy: text} of a column that is not in COLUMNS. Text has no mean over repeated runs."""
    if not results.intervals:
        return {cc: row[column] for cc, row in results.summary.items()}
    estimates = {cc: results.intervals[cc][column] for cc in results.policies}
    return {cc: interval_text(one, 1, None) if any(one) else "0" for cc, one in estimates.items()}


def interval_text(estimate, divisor, form):
    """Returns the mean and half the width of its 95 % confidence interval as text."""
    if not all(math.isfinite(value) for value in estimate):
        return digits(estimate[0] / divisor)
    form = ",.1f" if form == ",.0f" else form
    values = (value / divisor for value in estimate)
    return " \N{PLUS-MINUS SIGN} ".join(format(v, form) if form else digits(v) for v in values)


def origin(results):
    """Returns the command, seed, versions and attributes of the run that manifest.json contains."""
    manifest = dict(results.manifest)
    if not manifest:
        return "<p>There is no manifest.json with these results.</p>"
    command = manifest.pop("command", "")
    command = shlex.join(map(str, command)) if isinstance(command, list) else str(command)
    attributes = manifest.pop("attributes", None) or {}
    names = {"version": "hpcc", "ns3_version": "ns-3"}
    rows = [(names.get(key, key), value) for key, value in manifest.items()]
    if isinstance(attributes, dict):
        rows += attributes.items()
    else:
        rows.append(("attributes", attributes))
    return (
        f"<pre>{html.escape(command)}</pre>\n<dl>"
        + "".join(
            f"<dt>{html.escape(str(key))}</dt><dd>{html.escape(plain(value))}</dd>"
            for key, value in rows
        )
        + "</dl>"
    )


def plain(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
