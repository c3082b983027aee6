# SPDX-License-Identifier: GPL-2.0-only
"""Published figures: the runs behind each figure, the published values, and a comparison with ours.

A figure is a module of this package with a class derived from Figure (figure.py), named in
FIGURES, and a file of published values, published/NAME.csv.
"""

import importlib

from .figure import BadFigure

# Figures in the order of `./hpcc reproduce all`.
FIGURES = [
    "fig02",
    "fig03",
    "fig06",
    "fig09",
    "fig10",
    "fig11",
    "fig12",
    "fig13",
    "fig14",
    "residual",
    "duration",
    "incasts",
    "powertcp",
    "pint",
    "swift",
    "reclaim",
    "parameters",
    "victims",
    "feedback",
    "uec",
    "paths",
]


def figure(name):
    """Returns the figure with a name."""
    if name not in FIGURES:
        raise BadFigure(
            f"there is no figure {name!r}; choices: all, list, {', '.join(FIGURES)}"
        )
    return importlib.import_module(f".{name}", __name__).FIGURE
