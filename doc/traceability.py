# SPDX-License-Identifier: GPL-2.0-only
"""Reads traceability.txt, which lists the drafts' requirements with code and tests, and makes a chapter of it."""

import dataclasses
import pathlib
import re

PATH = pathlib.Path(__file__).resolve().parent / "traceability.txt"


@dataclasses.dataclass
class Row:
    place: str
    source: str  # section of a draft
    name: str  # line of the algorithm, or a name
    requirement: str
    file: str  # below model/
    tests: list
    mutants: list


def read(path=PATH):
    """Returns the rows; raises ValueError with the line if the file cannot be read."""
    rows, lines, source = [], [], ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith(" ") and lines:
            lines[-1] = (lines[-1][0], lines[-1][1] + line)
        elif line and not line.startswith("#"):
            lines.append((number, line))
    for number, line in lines:
        place = f"{path.name}:{number}"
        if line.startswith("["):
            source = line.strip("[]")
            continue
        cells = [" ".join(cell.split()) for cell in line.split(" | ")]
        if len(cells) != 5 or not all(cells) or not source:
            raise ValueError(f"{place}: not ID | REQUIREMENT | FILE | TESTS | MUTANTS")
        tests = [test.strip() for test in cells[3].split(";")]
        mutants = [] if cells[4] == "-" else re.split(r",\s*", cells[4])
        rows.append(Row(place, source, *cells[:3], tests, mutants))
    return rows


def chapter(rows):
    """Returns the tables of all sources as lines of reStructuredText."""
    for source in dict.fromkeys(row.source for row in rows):
        yield from (source, "~" * len(source), "")
        yield from (".. list-table::", "   :header-rows: 1", "   :widths: 12 30 22 36", "")
        yield from ("   * - line", "     - requirement", "     - file below ``model/``", "     - tests, mutants")
        for row in [row for row in rows if row.source == source]:
            yield f"   * - {row.name}"
            yield from (f"     - {row.requirement}", f"     - ``{row.file}``")
            tests = [re.sub(r"^(hpcc-[a-z-]+): (.*)", r"suite ``\1``: \2", test) for test in row.tests]
            tests = [test if test.startswith("suite") else f"``{test}``" for test in tests]
            yield "     - " + "; ".join(tests + [f"mutant ``{name}``" for name in row.mutants])
        yield ""
