# SPDX-License-Identifier: GPL-2.0-only
"""The page of a figure, its table, and the page that leads to all of them."""

import csv
import html
import io
import json
import math

import hpcc_page
import matplotlib.pyplot as plt
from hpcc_plot import digits

NOTHING = "\N{EN DASH}"
escape = html.escape

PROVENANCE = {
    "P": "stated in the text of the publication",
    "D": "read from the vector figures of the publication, good to 1 %",
    "X": "follows from formulas of the publication",
    "A": "claimed in the abstract or introduction of the publication",
}

REASONS = {
    "B": "the base of the published share is not defined",
    "C": "the run collapses, and what is counted depends on its end",
    "F": "the size of the incast's flows is not published",
    "H": "the testbed's hosts and NICs add delays that are not published",
    "S": "the testbed sampled queues every 28 us",
    "V": "it depends on the phases of the flows' starts",
}


class Row:
    """A published value and ours side by side; either may be absent."""

    def __init__(self, key, value, ours):
        self.case, self.quantity = key
        self.value, self.ours = value, ours.get(key)
        self.never = key in ours and self.ours is None

    @property
    def published(self):
        if self.value is None:
            return NOTHING
        if not math.isnan(self.value.value):
            return digits(self.value.value)
        if math.isnan(self.value.low):
            return f"at most {digits(self.value.high)}"
        if math.isnan(self.value.high):
            return f"at least {digits(self.value.low)}"
        return f"{digits(self.value.low)} to {digits(self.value.high)}"

    @property
    def measured(self):
        if self.ours is None:
            return "never" if self.never else NOTHING
        return digits(self.ours)

    @property
    def deviation(self):
        if self.value is None or self.ours is None:
            return None
        return self.value.deviation(self.ours)

    @property
    def agrees(self):
        if self.value is None or self.ours is None:
            return None
        return self.value.agrees(self.ours)

    def deviation_text(self):
        if self.deviation is None:
            return NOTHING
        amount, unit = self.deviation
        if amount == 0:
            return "none"
        amount = f"{amount:+.0f}" if unit == "%" and abs(amount) >= 10 else f"{amount:+.2g}"
        return f"{amount} {unit}"


def rows(published, ours):
    """Returns the published values in their order, then values without a published one."""
    listed = [Row(key, value, ours) for key, value in published.values.items()]
    return listed + [Row(key, None, ours) for key in ours if key not in published.values]


def table_csv(listed):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        "case,quantity,published,published_low,published_high,ours,deviation,deviation_unit,"
        "tolerance,agrees,provenance,reason".split(",")
    )

    def plain(value):
        return "" if value is None or math.isnan(value) else f"{value:.6g}"

    for row in listed:
        value, deviation = row.value, row.deviation
        numbers = (value.value, value.low, value.high) if value else (None, None, None)
        agrees = {True: "yes", False: "no", None: ""}[row.agrees]
        writer.writerow(
            [
                row.case,
                row.quantity,
                *map(plain, numbers),
                "never" if row.never else plain(row.ours),
                plain(deviation[0]) if deviation else "",
                deviation[1] if deviation else "",
                value.tolerance if value else "",
                agrees,
                value.provenance if value else "",
                value.reason if value else "",
            ]
        )
    return text.getvalue()


def table_html(listed):
    head = "case,quantity,published,ours,deviation,agrees,provenance".split(",")
    text = '<div class="scroll"><table><thead><tr>'
    text += "".join(
        f'<th{" class=text" if i < 2 else ""}>{heading}</th>' for i, heading in enumerate(head)
    )
    text += "</tr></thead>\n<tbody>\n"
    for row in listed:
        agrees = NOTHING
        if row.value and row.value.reason:
            agrees = f"not judged: {row.value.reason}"
        elif row.agrees is not None:
            tolerance = row.value.tolerance.replace("%", " %")
            agrees = f"{'within' if row.agrees else 'not within'} {tolerance}"
        text += f'<tr><th class="text">{escape(row.case)}</th>'
        text += f'<td class="text">{escape(row.quantity)}</td>'
        text += f"<td>{row.published}</td>"
        text += f"<td>{row.measured}</td>"
        text += f"<td>{row.deviation_text()}</td>"
        text += f'<td{" class=wrong" if row.agrees is False else ""}>{agrees}</td>'
        text += f"<td>{escape(row.value.provenance) if row.value else NOTHING}</td></tr>\n"
    return text + "</tbody></table></div>"


def verdict(listed):
    """Returns the numbers of (agreeing, judged, published) rows."""
    judged = [row.agrees for row in listed if row.agrees is not None]
    return sum(judged), len(judged), sum(row.value is not None for row in listed)


def scale_text(figure, quick):
    if not figure.quick:
        return "Full scale, with or without --quick."
    return f"Quick scale: {figure.quick}" if quick else "Full scale."


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
    """Returns a line for each policy of a run that was stopped with flows unfinished."""
    lines = []
    for name, run in results.items():
        for cc, row in run.summary.items():
            if int(row["flows_abandoned"]) > 0:
                when = f"was stopped at {float(row['stopped_us']) / 1e3:g} ms"
                lines.append(f"{name}, {cc} {when}; {row['flows_abandoned']} of "
                             f"{row['flows_started']} flows were unfinished and are not counted.")
    return lines


def reasons_text(listed):
    """Returns a sentence about the values without a tolerance; empty if there are none."""
    tags = sorted({row.value.reason for row in listed if row.value and row.value.reason})
    if not tags:
        return ""
    return " Not judged: " + "; ".join(f"{tag}: {REASONS[tag]}" for tag in tags) + "."


def write_figure(figure, published, results, directory, quick):
    """Writes pictures, table.csv, manifest.json and index.html of a figure, and returns the numbers
    of (agreeing, judged, published) rows."""
    runs = figure.runs(quick)
    mine = {run.name: results[run.name] for run in runs}
    ours = figure.measure(mine, quick)
    figure.derive(ours)
    listed = rows(published, ours)
    pictures = figure.draw(mine, published, quick)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "table.csv").write_text(table_csv(listed), encoding="utf-8")
    for picture in pictures:
        picture.drawing.savefig(directory / f"{picture.name}.png", metadata={"Software": None})
        picture.drawing.savefig(directory / f"{picture.name}.svg", metadata={"Date": None})
        plt.close(picture.drawing)
    agreeing, judged, values = verdict(listed)
    manifests = {run.name: mine[run.name].manifest for run in runs}
    manifest = {
        "figure": figure.name,
        "title": figure.title,
        "source": figure.source,
        "scale": "quick" if quick else "full",
        "agreeing": agreeing,
        "judged": judged,
        "published": values,
        "picture": f"{pictures[0].name}.png",
        "runs": manifests,
    }
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (directory / "manifest.json").write_text(text, encoding="utf-8")
    scale = "quick" if quick else "full"
    tags = sorted({tag for row in listed if row.value for tag in row.value.provenance.split(",")})
    tags = "; ".join(f"{tag}: {PROVENANCE[tag]}" for tag in tags)
    body = f'<p class="lead">{escape(verdict_text(agreeing, judged, values))}</p>\n'
    body += "".join(f"<p>{escape(line)}</p>\n" for line in stopped_runs(mine))
    body += "".join(
        f"<section><h2>{escape(picture.heading)}</h2><p>{escape(picture.caption)}</p>\n"
        f'<a href="{picture.name}.svg"><img src="{picture.name}.png" '
        f'alt="{escape(picture.heading)}"></a></section>\n'
        for picture in pictures
    )
    body += f"<section><h2>Published, ours, deviation</h2>\n{table_html(listed)}\n"
    body += f"<p>Provenance of published values: {escape(tags)}. A range or bound deviates by its"
    body += f" nearest end.{reasons_text(listed)} The table as a file: "
    body += '<a href="table.csv">table.csv</a>.</p></section>\n'
    body += "<section><h2>How to repeat it</h2>\n<pre>./hpcc reproduce "
    body += f"{figure.name}{' --quick' if quick else ''}</pre>\n<p>Its runs, with all that they"
    body += f' wrote (versions and seeds: <a href="manifest.json">manifest.json</a>):</p>\n<dl>'
    body += "".join(
        f'<dt><a href="../runs/{scale}/{name}/manifest.json">{name}</a></dt>'
        f"<dd>{escape(manifest['command'])}</dd>"
        for name, manifest in manifests.items()
    )
    body += "</dl></section>\n"
    lines = [figure.source, figure.setting, scale_text(figure, quick)]
    (directory / "index.html").write_text(page(figure.title, lines, body), encoding="utf-8")
    return agreeing, judged, values


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
        body += f"<p>{escape(manifest['source'])} Scale: {manifest['scale']}. {verdict}</p>\n"
        picture = f"{name}/{manifest['picture']}"
        body += f'<a href="{name}/index.html"><img src="{picture}" alt=""></a></section>\n'
    lines = ["Each figure leads to its page: pictures, published and our values, runs."]
    path = directory / "index.html"
    path.write_text(page("Published figures, reproduced", lines, body), encoding="utf-8")
    return path
