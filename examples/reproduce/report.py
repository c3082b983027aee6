# SPDX-License-Identifier: GPL-2.0-only
"""Pages and tables of the figures, and the overview page."""

import csv
import html
import io
import json
import math

import hpcc_page
import matplotlib.pyplot as plt
from hpcc_plot import digits

from .published import split_unit
from .tolerance import RULE, Sample, tolerance

NOTHING = "\N{EN DASH}"
escape = html.escape

PROVENANCE = {
    "P": "stated in the text of the publication",
    "D": "read from the vector figures of the publication",
    "X": "follows from formulas of the publication",
    "Q": "stated in words in the text of the publication",
    "A": "claimed in the abstract or introduction of the publication",
    "G": "a goal of this project, not published",
}

REASONS = {
    "B": "the base of the published share is not defined",
    "C": "the run collapses, and what is counted depends on its end",
    "F": "the size of the incast's flows is not published",
    "H": "the testbed's hosts and NICs add delays that are not published",
    "S": "the published curve has a point per 28 us, between which the peak may lie",
    "V": "it depends on the phases of the flows' starts",
}

COLUMNS = "figure,case,quantity,unit,published,ours,seeds,spread,tolerance,within,cause".split(",")


class Row:
    """A published value and our value side by side; either may be absent."""

    def __init__(self, key, value, samples, rule=tolerance):
        self.case, self.quantity = key
        self.value, self.sample = value, samples.get(key)
        self.tolerance = None
        if self.value and self.sample:
            self.tolerance = rule(self.value, self.sample)

    @property
    def ours(self):
        return self.sample.mean if self.sample else None

    def bounds(self, text, ranges):
        """Returns the published value as text. ranges has the formats of a range and of its
        ends."""
        if self.value is None:
            return ""
        if not math.isnan(self.value.value):
            return text(self.value.value)
        between, at_most, at_least = ranges
        if math.isnan(self.value.low):
            return at_most.format(text(self.value.high))
        if math.isnan(self.value.high):
            return at_least.format(text(self.value.low))
        return between.format(text(self.value.low), text(self.value.high))

    @property
    def published(self):
        return self.bounds(digits, ("{} to {}", "at most {}", "at least {}")) or NOTHING

    @property
    def measured(self):
        if self.sample is None:
            return NOTHING
        return "never" if self.sample.never else digits(self.ours)

    @property
    def seeds_text(self):
        """Returns text about the variation of the value between seeds. If the variation is not known, returns
        the reason."""
        if self.sample is None:
            return NOTHING
        if self.sample.deterministic:
            return "deterministic"
        if self.sample.seeds == "1":
            return "one seed"
        spread = NOTHING if self.sample.never else f"\N{PLUS-MINUS SIGN}{digits(self.sample.spread)}"
        return f"{spread}, {self.sample.seeds} seeds"

    @property
    def deviation(self):
        if self.value is None or self.ours is None:
            return None
        return self.value.deviation(self.ours)

    @property
    def agrees(self):
        """True if our value is within the tolerance; None if it is not judged."""
        if self.tolerance is None:
            return None
        if self.sample.never:
            return False
        return abs(self.ours - self.value.nearest(self.ours)) <= self.tolerance * (1 + 1e-9)

    def deviation_text(self):
        if self.deviation is None:
            return NOTHING
        amount, unit = self.deviation
        if amount == 0:
            return "none"
        amount = f"{amount:+.0f}" if unit == "%" and abs(amount) >= 10 else f"{amount:+.2g}"
        return f"{amount} {unit}".rstrip()

    def judgement(self, cause):
        """Returns two texts. The first says whether the value agrees. The second is the cause if
        the value does not agree, or the reason if it is not judged."""
        if self.value is None:
            return "", ""
        if self.agrees is None:
            return "not judged", REASONS.get(self.value.reason, "not part of this scale")
        return ("yes", "") if self.agrees else ("no", cause or "not known")


def rows(published, samples, rule=tolerance):
    """Returns rows for the published values in their order, then rows for our values without a published
    value. rule is Figure.tolerance()."""
    listed = [Row(key, value, samples, rule) for key, value in published.values.items()]
    others = [key for key in samples if key not in published.values]
    return listed + [Row(key, None, samples, rule) for key in others]


def values_csv(name, listed, causes):
    """Returns the text of values.csv of a figure. causes has the causes of deviations by (case,
    quantity)."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)

    def plain(value):
        return "" if value is None else f"{value:.6g}"

    for row in listed:
        sample = row.sample
        within, cause = row.judgement(causes.get((row.case, row.quantity), ""))
        writer.writerow(
            [
                name,
                row.case,
                *split_unit(row.quantity),
                row.bounds(plain, ("{}..{}", "..{}", "{}..")),
                "never" if sample and sample.never else plain(row.ours),
                sample.seeds if sample else "",
                plain(sample.spread) if sample else "",
                plain(row.tolerance),
                within,
                cause,
            ]
        )
    return text.getvalue()


def table_html(listed, causes):
    head = "case,quantity,published,ours,seeds,deviation,agrees,provenance,cause".split(",")
    text = '<div class="scroll"><table class="prose"><thead><tr>'
    words = ("case", "quantity", "cause")
    text += "".join(f'<th{" class=text" if h in words else ""}>{h}</th>' for h in head)
    text += "</tr></thead>\n<tbody>\n"
    for row in listed:
        within, cause = row.judgement(causes.get((row.case, row.quantity), ""))
        agrees = within or NOTHING
        if row.tolerance is not None:
            allowed = f"{digits(row.tolerance)} {split_unit(row.quantity)[1]}".rstrip()
            agrees = f"{'within' if row.agrees else 'not within'} {allowed}"
        text += f'<tr><th class="text">{escape(row.case)}</th>'
        text += f'<td class="text">{escape(row.quantity)}</td>'
        text += f"<td>{row.published}</td>"
        text += f"<td>{row.measured}</td>"
        text += f"<td>{row.seeds_text}</td>"
        text += f"<td>{row.deviation_text()}</td>"
        text += f'<td{" class=wrong" if row.agrees is False else ""}>{agrees}</td>'
        text += f"<td>{escape(row.value.provenance) if row.value else NOTHING}</td>"
        text += f'<td class="text">{escape(cause) or NOTHING}</td></tr>\n'
    return text + "</tbody></table></div>"


def verdict(listed):
    """Returns the numbers of (agreeing, judged, published) rows."""
    judged = [row.agrees for row in listed if row.agrees is not None]
    return sum(judged), len(judged), sum(row.value is not None for row in listed)


def scale_text(figure, quick):
    if not figure.quick:
        return "Scale: full, with or without --quick."
    return f"Scale: quick, that is, {figure.quick}" if quick else "Scale: full."


def page(title, lines, body):
    set_up = "".join(f'<p class="set-up">{escape(line)}</p>\n' for line in lines)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{hpcc_page.STYLE_SHEET}</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
{set_up}{body}</main>
</body>
</html>
"""


def verdict_text(agreeing, judged, published):
    if not judged:
        return f"None of {published} published values is judged."
    text = f"{agreeing} of {judged} judged values are within their tolerance; "
    return text + f"{judged} of {published} published values are judged."


def stopped_runs(results):
    """Returns a line for each policy whose run was stopped before all flows had finished."""
    lines = []
    for name, run in results.items():
        for cc, row in run.summary.items():
            if int(row["flows_abandoned"]) > 0:
                when = f"was stopped at {float(row['stopped_us']) / 1e3:g} ms"
                lines.append(f"{name}, {cc} {when}; {row['flows_abandoned']} of "
                             f"{row['flows_started']} flows were unfinished and are not counted.")
    return lines


def swap_policies(case, one, other, names):
    """Returns the case with the names of two policies exchanged. names are the names of all policies of the
    figure. The policy of a case is the longest of these names that occurs in the case between commas."""
    listed = f", {case}, "
    own = max((name for name in names if f", {name}, " in listed), key=len, default=None)
    new = {one: other, other: one}.get(own)
    return listed.replace(f", {own}, ", f", {new}, ")[2:-2] if new else case


def measured(figure, results, quick, seeds):
    """Returns ([{(case, quantity): number} of each seed], True if no run draws random numbers),
    without the values that derive() adds."""
    runs = {run.name: run.all_seeds(seeds) for run in figure.runs(quick)}
    deterministic = all(run.deterministic for all_seeds in runs.values() for run in all_seeds)
    most = 1 if deterministic else max(len(all_seeds) for all_seeds in runs.values())
    numbers = []
    for seed in range(most):
        of_seed = {name: all_seeds[seed] for name, all_seeds in runs.items() if seed < len(all_seeds)}
        of_seed = {name: results[run.name] for name, run in of_seed.items()}
        numbers.append(figure.measure(of_seed, quick))
    return numbers, deterministic


def samples_of(figure, numbers, deterministic, swapped=None):
    """Returns {(case, quantity): Sample} for the result of measured(). If swapped contains two policies,
    exchanges the results of these policies."""
    values, names = {}, (*figure.compares, *figure.against)
    for ours in numbers:
        ours = {
            (swap_policies(case, *swapped, names) if swapped else case, quantity): number
            for (case, quantity), number in ours.items()
        }
        figure.derive(ours)
        for key, number in ours.items():
            values.setdefault(key, []).append(number)

    def sample(key, of_seeds):
        alone = deterministic or figure.deterministic(key)
        return Sample(of_seeds[:1] if alone else of_seeds, alone)

    return {key: sample(key, of_seeds) for key, of_seeds in values.items()}


def swaps(figure, published, numbers, deterministic=False):
    """Yields a tuple for each pair of policies that a figure compares: (one policy, the other
    policy, number of agreeing values, number of agreeing values if the results of the two are
    exchanged). numbers and deterministic are the result of measured()."""

    def agreeing(swapped=None):
        samples = samples_of(figure, numbers, deterministic, swapped)
        return verdict(rows(published, samples, figure.tolerance))[0]

    for one, other in figure.pairs():
        yield one, other, agreeing(), agreeing((one, other))


def write_figure(figure, published, results, directory, quick, seeds):
    """Writes pictures, values.csv, manifest.json and index.html of a figure. Returns the numbers of
    (agreeing, judged, published) rows."""
    runs = figure.runs(quick)
    first = {run.name: results[run.name] for run in runs}
    everyone = [one.name for run in runs for one in run.all_seeds(seeds)]
    mine = {name: results[name] for name in everyone}
    listed = rows(published, samples_of(figure, *measured(figure, results, quick, seeds)), figure.tolerance)
    causes = {
        (row.case, row.quantity): figure.cause((row.case, row.quantity), quick)
        for row in listed
        if row.agrees is False
    }
    pictures = figure.draw(first, published, quick)
    directory.mkdir(parents=True, exist_ok=True)
    values = values_csv(figure.name, listed, causes)
    (directory / "values.csv").write_text(values, encoding="utf-8")
    for picture in pictures:
        picture.drawing.savefig(directory / f"{picture.name}.png", metadata={"Software": None})
        picture.drawing.savefig(directory / f"{picture.name}.svg", metadata={"Date": None})
        plt.close(picture.drawing)
    manifests = {name: run.manifest for name, run in mine.items()}
    manifest = {
        "figure": figure.name,
        "title": figure.title,
        "source": figure.source,
        "scale": "quick" if quick else "full",
        "seeds": seeds,
        **dict(zip(("agreeing", "judged", "published"), verdict(listed))),
        "picture": f"{pictures[0].name}.png",
        "runs": manifests,
    }
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (directory / "manifest.json").write_text(text, encoding="utf-8")
    body = figure_body(figure, listed, causes, pictures, mine, quick, seeds)
    lines = [figure.source, figure.setting, scale_text(figure, quick)]
    (directory / "index.html").write_text(page(figure.title, lines, body), encoding="utf-8")
    return verdict(listed)


def figure_body(figure, listed, causes, pictures, mine, quick, seeds):
    """Returns the page of a figure below its title."""
    scale = "quick" if quick else "full"
    tags = sorted({tag for row in listed if row.value for tag in row.value.provenance.split(",")})
    tags = "; ".join(f"{tag}: {PROVENANCE[tag]}" for tag in tags)
    body = f'<p class="lead">{escape(verdict_text(*verdict(listed)))}</p>\n'
    body += "".join(f"<p>{escape(line)}</p>\n" for line in stopped_runs(mine))
    body += "".join(
        f"<section><h2>{escape(picture.heading)}</h2><p>{escape(picture.caption)}"
        f"{' Of the first seed.' if seeds > 1 else ''}</p>\n"
        f'<a href="{picture.name}.svg"><img src="{picture.name}.png" '
        f'alt="{escape(picture.heading)}"></a></section>\n'
        for picture in pictures
    )
    body += f"<section><h2>Published, ours, deviation</h2>\n{table_html(listed, causes)}\n"
    body += "<p>Ours is the mean over the seeds, with their standard deviation beside it; one seed"
    body += " says nothing of how a value varies. A range or bound deviates by its nearest end.</p>"
    body += f"\n<p>{escape(figure.rule)}</p>\n<p>Provenance of published values: {escape(tags)}. The table"
    body += ' as a file: <a href="values.csv">values.csv</a>.</p></section>\n'
    options = f"{' --quick' if quick else ''}{f' --seeds={seeds}' if seeds > 1 else ''}"
    options += figure.options
    body += f"<section><h2>How to repeat it</h2>\n<pre>./hpcc reproduce {figure.name}{options}</pre>"
    body += "\n<p>Its runs, with all that they wrote (versions and seeds: "
    body += '<a href="manifest.json">manifest.json</a>):</p>\n<dl>'
    body += "".join(
        f'<dt><a href="../runs/{scale}/{name}/manifest.json">{name}</a></dt>'
        f"<dd>{escape(run.manifest['command'])}</dd>"
        for name, run in mine.items()
    )
    return body + "</dl></section>\n"


def write_values(directory, names):
    """Writes values.csv of the figures drawn so far."""
    texts = [directory / name / "values.csv" for name in names]
    tables = [path.read_text(encoding="utf-8") for path in texts if path.is_file()]
    merged = ",".join(COLUMNS) + "\n" + "".join(table.partition("\n")[2] for table in tables)
    path = directory / "values.csv"
    path.write_text(merged, encoding="utf-8")
    return path


def write_overview(directory, names):
    """Writes index.html of the figures drawn so far."""
    body = ""
    for name in names:
        path = directory / name / "manifest.json"
        if not path.is_file():
            continue
        manifest = json.loads(path.read_text(encoding="utf-8"))
        verdict = verdict_text(*(manifest[key] for key in ("agreeing", "judged", "published")))
        body += f'<section><h2><a href="{name}/index.html">{escape(manifest["title"])}</a></h2>\n'
        body += f"<p>{escape(manifest['source'])} Scale: {manifest['scale']}."
        body += f" Seeds: {manifest.get('seeds', 1)}. {verdict}</p>\n"
        picture = f"{name}/{manifest['picture']}"
        body += f'<a href="{name}/index.html"><img src="{picture}" alt=""></a></section>\n'
    lines = ["Each figure leads to its page: pictures, published and our values, runs.", RULE]
    body += '<p>All values: <a href="values.csv">values.csv</a>.</p>'
    path = directory / "index.html"
    path.write_text(page("Published figures, reproduced", lines, body), encoding="utf-8")
    return path
