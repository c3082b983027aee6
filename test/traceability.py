#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check doc/traceability.txt against the code. Each file, test and mutant that it names must exist, the
file for a line of the algorithm must mention that line, and all lines 1 to 34 must be covered. Prints
one line per fault; exits with 1 if there is one.

    test/traceability.py
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "doc"))
sys.dont_write_bytecode = True
import traceability  # noqa: E402 # pylint: disable=wrong-import-position

LINES = range(1, 35)


def gtests():
    """Returns the names of all GoogleTests."""
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "test").glob("*-gtest.cc"))
    return {f"{suite}.{name}" for suite, name in
            re.findall(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", text, re.MULTILINE)}


def suites():
    """Returns the text of each ns-3 TestSuite by its name, with adjacent strings joined."""
    found = {}
    for path in (ROOT / "test").glob("*-test-suite.cc"):
        text = re.sub(r'"\s*"', "", path.read_text(encoding="utf-8"))
        for name in re.findall(r'\bTestSuite\(\s*"([^"]+)"', text):
            found[name] = text
    return found


def lines_of(text):
    """Returns the numbers of the algorithm's lines that the comments of a file mention."""
    found = set()
    for words in re.findall(r"\b[Ll]ines? (\d+(?:(?:,| and| to) \d+)*)", text):
        ends = [int(number) for number in re.findall(r"\d+", words)]
        found |= set(range(ends[0], ends[-1] + 1)) if " to " in words else set(ends)
    return found


def faults(rows):
    tests, cases = gtests(), suites()
    mutants = set(re.findall(r"^id: (.+)$", (ROOT / "test/mutants.txt").read_text(), re.MULTILINE))
    for row in rows:
        path = ROOT / "model" / row.file
        number = re.fullmatch(r"line (\d+)", row.name)
        if not path.exists():
            yield f"{row.place}: there is no model/{row.file}"
        elif number:
            # The head of a file lists the lines of the algorithm that the file implements. So only
            # the rest of the file is searched.
            code = path.read_text(encoding="utf-8").split("namespace ns3", 1)[1]
            if int(number[1]) not in lines_of(code):
                yield f"{row.place}: {row.file} does not name line {number[1]}"
        for test in row.tests:
            suite, _, sentence = test.partition(": ")
            if sentence and sentence not in cases.get(suite, ""):
                yield f"{row.place}: the suite {suite} has no such case: {sentence}"
            if not sentence and test not in tests:
                yield f"{row.place}: there is no GoogleTest {test}"
        for mutant in row.mutants:
            if mutant not in mutants:
                yield f"{row.place}: test/mutants.txt has no {mutant}"
    names = [row.name for row in rows]
    for number in LINES:
        if names.count(f"line {number}") != 1:
            yield f"line {number} of the algorithm is there {names.count(f'line {number}')} times"


def main():
    rows = traceability.read()
    found = list(faults(rows))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    print(f"{len(rows)} rows, {len(found)} faults")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
