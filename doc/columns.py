# SPDX-License-Identifier: GPL-2.0-only
"""Reads the dictionary of result files, columns.txt, and turns it into a chapter of the book."""

import dataclasses
import pathlib
import re

PATH = pathlib.Path(__file__).resolve().parent / "columns.txt"

# Units of columns by the end of their names.
UNITS = {"_us": "us", "_ms": "ms", "_ns": "ns", "_bytes": "bytes", "_gbps": "Gb/s", "_percent": "%"}


@dataclasses.dataclass
class Column:
    name: str
    optional: bool  # not present in all files of this name
    unit: str
    definition: str
    missing: str  # when a cell has no value, "" for never


@dataclasses.dataclass
class File:
    name: str
    about: str  # who writes it, its rows, its sampling
    columns: list


def read(path=PATH):
    """Returns the files of the dictionary by name; raises ValueError with the line if it cannot be read."""
    files = {}
    file = None
    lines = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            continue
        if line.startswith(" ") and lines and lines[-1][1]:
            lines[-1] = (lines[-1][0], lines[-1][1] + line)
        else:
            lines.append((number, line))
    for number, line in lines:
        name = re.fullmatch(r"\[(.+)\]", line)
        cells = line.split(" | ")
        if name:
            if name[1] in files:
                raise ValueError(f"{path}:{number}: {name[1]} is there twice")
            file = files[name[1]] = File(name[1], "", [])
        elif file is None:
            if line:
                raise ValueError(f"{path}:{number}: a line before the first [FILE]")
        elif len(cells) == 1:
            if line and file.columns:
                raise ValueError(f"{path}:{number}: neither a column nor a file: {line}")
            file.about += line + "\n"
        elif len(cells) != 4 or not all(cell.strip() for cell in cells):
            raise ValueError(f"{path}:{number}: not NAME | UNIT | DEFINITION | MISSING")
        else:
            text, unit, definition, missing = (" ".join(cell.split()) for cell in cells)
            column = Column(text.rstrip("?"), text.endswith("?"), unit, definition, missing.strip("-") and missing)
            check(f"{path}:{number}", column)
            if column.name in [other.name for other in file.columns]:
                raise ValueError(f"{path}:{number}: {column.name} is there twice")
            file.columns.append(column)
    return files


def check(place, column):
    """Raises ValueError if the unit contradicts the end of the name, or if the form of missing values is unclear."""
    for end, unit in UNITS.items():
        if column.name.endswith(end) and column.unit != unit:
            raise ValueError(f"{place}: {column.name} has the unit {column.unit}, not {unit}")
    if column.missing and not re.match(r"(empty|nan|inf|-1): ", column.missing):
        raise ValueError(f'{place}: "{column.missing}" does not begin with empty, nan, inf or -1')


def kinds(column):
    """Returns the forms of missing values of a column, such as {"nan"}."""
    return set(re.findall(r"(?:^|; )(empty|nan|inf|-1): ", column.missing))


def chapter(files):
    """Returns the tables of all files as lines of reStructuredText."""
    for file in files.values():
        title = file.name.replace("text/", "").replace("json/", "JSON of ")
        title = title.replace("*", "\\*")
        yield from (title, "~" * len(title), "", *file.about.strip().split("\n"), "")
        if not file.columns:
            continue
        yield from (".. list-table::", "   :header-rows: 1", "   :widths: 20 9 49 22", "")
        yield from ("   * - name", "     - unit", "     - definition", "     - missing value")
        for column in file.columns:
            yield f"   * - ``{column.name}``" + (" (not always)" if column.optional else "")
            unit = "" if column.unit == "-" else f" {column.unit}"
            yield from (f"     -{unit}", f"     - {column.definition}", f"     - {column.missing or 'never'}")
        yield ""
