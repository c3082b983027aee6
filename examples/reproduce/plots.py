# SPDX-License-Identifier: GPL-2.0-only
"""Draws our lines and bars next to the published lines and bars."""

import matplotlib.pyplot as plt
from hpcc_figures import legend_above, thousands
from hpcc_plot import DOTTED, INK, MICRO  # noqa: F401 (figures take MICRO from here)
from matplotlib import ticker


def published_line(axes, published, curve, style, scale=1.0, shift=0.0):
    """Draws a published curve, pale and dotted, behind ours. Adds shift to each x, then multiplies it by scale."""
    if curve in published.curves:
        xs, ys = published.curves[curve]
        xs = [(x + shift) * scale for x in xs]
        look = {"alpha": 0.55, "linewidth": 2.8, "linestyle": DOTTED, "zorder": 1.5}
        axes.plot(xs, ys, color=style.colour, **look)


def step(axes, series, style, **look):
    axes.step(series.times, series.values, where="post", **style.line, **look)


def time_axes(axes, start, end, label, unit=f"{MICRO}s"):
    axes.set_xlim(start, end)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"time ({unit})")
    axes.set_ylabel(label)
    thousands(axes.xaxis)
    thousands(axes.yaxis)


def keys(styles, published):
    """Returns the (handles, labels) of a legend: one of each style and, if published is true, one of the
    published curve."""
    styles = list(styles)
    handles = [plt.Line2D([], [], linewidth=2.5, **style.line) for style in styles]
    labels = [style.label for style in styles]
    if published:
        look = {"color": "#888888", "alpha": 0.6, "linewidth": 2.8, "linestyle": DOTTED}
        handles.append(plt.Line2D([], [], **look))
        labels.append("published")
    return handles, labels


def legend(axes, styles):
    """Draws a legend of the styles and of dotted lines above the panel on the right."""
    legend_above(axes, *keys(styles, published=True))


def panels_below_legend(rows, columns, size):
    """Returns (figure, axes for the legend across the top, rows of panels)."""
    figure = plt.figure(figsize=size)
    grid = figure.add_gridspec(rows + 1, columns, height_ratios=[0.16, *([1] * rows)])
    top = figure.add_subplot(grid[0, :])
    top.axis("off")
    panels = [[figure.add_subplot(grid[r + 1, c]) for c in range(columns)] for r in range(rows)]
    return figure, top, panels


def legend_across(top, styles, columns, published=False):
    """Draws a legend of the styles in the axes above all panels."""
    handles, labels = keys(styles, published)
    top.legend(handles, labels, loc="center", ncol=columns).set_in_layout(False)


def paired_bars(axes, labels, published, ours, label):
    """Draws groups of two bars: published values pale, ours dark. A bar is omitted if its value is
    None."""
    for i, (theirs, mine) in enumerate(zip(published, ours)):
        for place, value, colour in ((-0.2, theirs, "#9aa5b1"), (0.2, mine, "#0072B2")):
            if value is not None:
                axes.bar(i + place, value, width=0.38, color=colour)
    axes.set_xticks(range(len(labels)), labels)
    axes.set_ylabel(label)
    axes.set_ylim(bottom=0)
    axes.grid(axis="x", visible=False)
    axes.tick_params(axis="x", length=0, labelcolor=INK)


def paired_legend(axes):
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in ("#9aa5b1", "#0072B2")]
    legend_above(axes, handles, ["published", "ours"])


def log_axis(axis):
    """Makes an axis logarithmic, with labels without exponents."""
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(ticker.NullFormatter())
