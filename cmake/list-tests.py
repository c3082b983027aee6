#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""List what is to be run in an ns-3 tree, one per line.

    cmake/list-tests.py suites     names of the TestSuites in test/
    cmake/list-tests.py examples   programs of test/examples-to-run.py, with their arguments
"""

import pathlib
import re
import runpy
import sys

TEST = pathlib.Path(__file__).resolve().parent.parent / "test"


def suites():
    for path in sorted(TEST.glob("*-test-suite.cc")):
        names = re.findall(r'\bTestSuite\(\s*"([^"]+)"', path.read_text())
        if not names:
            sys.exit(f'{path}: no TestSuite("NAME", ...) found')
        yield from names


def examples():
    for run, condition, _ in runpy.run_path(str(TEST / "examples-to-run.py"))["cpp_examples"]:
        if condition == "True":
            yield run


if __name__ == "__main__":
    if sys.argv[1:] not in (["suites"], ["examples"]):
        sys.exit(__doc__)
    print("\n".join(suites() if sys.argv[1] == "suites" else examples()))
