#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Options of the examples, from their --help, for the chapter on programs.

    doc/program_options.py BUILD          compare options.txt with the programs
    doc/program_options.py BUILD --write  write options.txt

BUILD is the directory of the standalone build. The chapter programs.rst includes the two parts of options.txt:
a table of the options that all examples have, and a table per example of its own options.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys

DOC = pathlib.Path(__file__).resolve().parent
PATH = DOC / "options.txt"
SPLIT = ".. Options of each example"  # the first part ends here
# Forms of an option and its default in --help of a program and of a script in Python.
EXPERIMENT = re.compile(r"^    --([\w-]+): +(.*)$", re.MULTILINE), re.compile(r" ?\[([^][]*)\]$")
SCRIPT = re.compile(r"^  --([\w-]+)(?: [A-Z]+)? {2,}(.*)$", re.MULTILINE), re.compile(r" \(default ([^()]*)\)")
HEAD = [".. list-table::", "   :header-rows: 1", "   :widths: 22 16 62", "",
        "   * - option", "     - default", "     - meaning"]


def programs():
    """Returns the names of the examples that the chapter lists."""
    first = (DOC / "programs.rst").read_text(encoding="utf-8").split("\nCommon options\n")[0]
    return re.findall(r"^   \* - ``(hpcc-[a-z-]+)``$", first, re.MULTILINE)


def read(build, program):
    """Returns {option: (meaning, default)} from the --help of a program."""
    said = subprocess.run([build / "bin" / program, "--help"], text=True, capture_output=True, check=True,
                          env=dict(os.environ, COLUMNS="2000")).stdout
    form, default = EXPERIMENT if "\nProgram Options:\n" in said else SCRIPT
    found = {}
    for name, text in form.findall(said.split("\nGeneral Arguments:")[0]):
        value = default.search(text)
        found[name] = default.sub("", text), value[1].replace(program, "NAME") if value else ""
    if not found:
        raise ValueError(f"{program} --help: no options")
    return found


def chapter(build):
    """Returns both parts of options.txt."""
    options = {program: read(build, program) for program in programs()}
    experiments = [rows for rows in options.values() if "cc" in rows]
    common = {}  # {option: (meaning, default)} of all experiments
    for name in experiments[0]:
        if all(name in rows for rows in experiments):
            meaning, times = collections.Counter(rows[name][0] for rows in experiments).most_common(1)[0]
            # Flows of hpcc-tcp have feedback modes of their own.
            if name != "feedback" and times < len(experiments):
                raise ValueError(f"--{name} has several meanings, one of them: {meaning}")
            default, times = collections.Counter(rows[name][1] for rows in experiments).most_common(1)[0]
            common[name] = meaning, default if 2 * times > len(experiments) else None
    lines = [".. doc/program_options.py generates this file from --help of the examples.", "", *HEAD]
    for name, (meaning, default) in common.items():
        lines += row(name, meaning, default)
    lines += ["", SPLIT, ""]
    for program, rows in options.items():
        lines += [f".. rubric:: ``{program}``", "", *HEAD]
        for name, (meaning, default) in rows.items():
            if program == "hpcc-soak" or name not in common or meaning != common[name][0]:
                lines += row(name, meaning, default)
            elif default != common[name][1]:
                lines += row(name, "(common option)", default)
        lines.append("")
    return "\n".join(lines)


def row(name, meaning, default):
    """Returns a row of a table; the default is None if each example has its own."""
    shown = "by example" if default is None else ""
    if default:
        shown = f"``{re.sub('0{9}bps$', 'Gbps', default.lstrip('+'))}``"
    return [f"   * - ``--{name}``", f"     - {shown}".rstrip(), "     - " + re.sub(r"([*_`|])", r"\\\1", meaning)]


def check(build):
    """Returns the faults."""
    if PATH.read_text(encoding="utf-8") != chapter(build):
        return ["doc/options.txt is not what --help of the examples says; doc/program_options.py BUILD --write"]
    return []


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if "--write" in sys.argv:
        PATH.write_text(chapter(build), encoding="utf-8")
    faults = check(build)
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
