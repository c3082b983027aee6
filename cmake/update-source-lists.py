#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write the explicit file lists of the build files from what is on disk, and copy the version of
CMakeLists.txt into wscript.

    cmake/update-source-lists.py           rewrite the lists
    cmake/update-source-lists.py --check   change nothing; exit 1 if a list is out of date,
                                           or if an example is not in test/examples-to-run.py

The lists stand between marker comments in CMakeLists.txt, wscript, examples/CMakeLists.txt and
examples/wscript.
"""

import argparse
import pathlib
import re
import runpy
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN = "# source lists begin (written by cmake/update-source-lists.py)"
END = "# source lists end"


def files(*patterns):
    """Returns the sorted paths below the module's directory that match any of the patterns."""
    found = {path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()}
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def public_headers(headers):
    """Returns the headers of cmake/public-headers.txt and all headers that these include."""
    by_name = {path.rsplit("/", 1)[-1]: path for path in headers}
    lines = (ROOT / "cmake/public-headers.txt").read_text().splitlines()
    found = set()
    left = [line for line in lines if line and not line.startswith("#")]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            names = re.findall(r'^#include "(?:.*/)?([^/"]+)"', (ROOT / path).read_text(), re.MULTILINE)
            left += [by_name[name] for name in names if name in by_name]
    return sorted(found)


def source_lists():
    headers = files("model/**/*.h", "helper/**/*.h")
    public = public_headers(headers)
    tests = files("test/*.cc")
    gtests = [name for name in tests if name.endswith("-gtest.cc")]
    mains = [name for name in tests if name.startswith("test/standalone-main")]
    return {
        "sources": files("model/**/*.cc", "helper/**/*.cc"),
        "headers": public,
        "private_headers": [name for name in headers if name not in public],
        "tests": [name for name in tests if name not in gtests and name not in mains],
        "gtests": gtests,
        "studies": files("examples/hpcc-*/*.cc"),
    }


def study_of(example):
    """Returns the paths below examples/ of the files that an example shares with tests."""
    return [path.partition("/")[2] for path in files(f"examples/{example}/*.cc")]


def for_cmake(lists):
    lines = []
    for key, names in lists.items():
        lines += [f"set(hpcc_{key}", *(f"    {name}" for name in names), ")"]
    return lines


def for_waf(lists):
    cmake = (ROOT / "CMakeLists.txt").read_text()
    version = re.search(r"^set\(hpcc_version (\S+)\)$", cmake, re.MULTILINE).group(1)
    lines = [f"version = '{version}'"]
    # waf would export private headers under another name, so all are listed as public.
    lists = {**lists, "headers": sorted(lists["headers"] + lists["private_headers"])}
    for key in ("sources", "headers", "tests", "studies"):
        lines += [f"{key} = [", *(f"    '{name}'," for name in lists[key]), "]"]
    return lines


def examples_for_cmake(examples):
    lines = []
    for name in examples:
        lines += [
            "build_lib_example(",
            f"  NAME {name}",
            f"  SOURCE_FILES {' '.join([f'{name}.cc', *study_of(name)])}",
            "  LIBRARIES_TO_LINK",
            "    ${libhpcc}",
            "    ${libcore}",
            "    ${libnetwork}",
            "    ${libinternet}",
            ")",
        ]
    return lines


def examples_for_waf(examples):
    return ["examples = {", *(f"    '{name}': {study_of(name)}," for name in examples), "}"]


def updated(name, lines):
    """Returns the text of a build file, and the text that it should have."""
    text = (ROOT / name).read_text()
    head, begin, rest = text.partition(BEGIN + "\n")
    _, end, tail = rest.partition(END + "\n")
    if not begin or not end:
        sys.exit(f"{name}: lacks the lines '{BEGIN}' and '{END}'")
    return text, head + begin + "".join(line + "\n" for line in lines) + end + tail


def duplicate_headers(headers):
    """Returns the headers whose name occurs twice; ns-3 exports all headers into one directory."""
    seen = {}
    for header in headers:
        seen.setdefault(header.rsplit("/", 1)[-1], []).append(header)
    return [" and ".join(paths) for paths in seen.values() if len(paths) > 1]


def examples_not_run(examples):
    """Returns the examples that test/examples-to-run.py does not run."""
    runs = runpy.run_path(str(ROOT / "test/examples-to-run.py"))["cpp_examples"]
    return sorted(set(examples) - {run.split()[0] for run, _, _ in runs})


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if out of date")
    arguments = parser.parse_args()

    lists = source_lists()
    examples = [pathlib.PurePath(name).stem for name in files("examples/*.cc")]
    clashes = duplicate_headers(lists["headers"] + lists["private_headers"])
    for clash in clashes:
        print(f"one header name used twice: {clash}", file=sys.stderr)

    not_run = examples_not_run(examples)
    for name in not_run:
        print(f"test/examples-to-run.py lacks the example {name}", file=sys.stderr)

    outdated = []
    for name, lines in (
        ("CMakeLists.txt", for_cmake(lists)),
        ("wscript", for_waf(lists)),
        ("examples/CMakeLists.txt", examples_for_cmake(examples)),
        ("examples/wscript", examples_for_waf(examples)),
    ):
        text, wanted = updated(name, lines)
        if text != wanted:
            outdated.append(name)
            if not arguments.check:
                (ROOT / name).write_text(wanted)
                print(f"updated {name}")
    if arguments.check and outdated:
        print(
            f"out of date: {', '.join(outdated)}; run cmake/update-source-lists.py",
            file=sys.stderr,
        )
    return 1 if clashes or (arguments.check and (outdated or not_run)) else 0


if __name__ == "__main__":
    sys.exit(main())
