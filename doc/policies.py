#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Names and parameters of the policies, from the registry of the module, for the pages of the book.

    doc/policies.py BUILD          compare policies.txt with the registry, and the pages with both
    doc/policies.py BUILD --write  write policies.txt

BUILD is the directory of the standalone build. policies.txt contains the output of --PrintAttributes for each
class that a page describes. Each name that --cc accepts must be on a page.
"""

import pathlib
import re
import subprocess
import sys

DOC = pathlib.Path(__file__).resolve().parent
PATH = DOC / "policies.txt"


def pages():
    """Returns {class: page} of the pages with a policy directive."""
    found = {}
    for path in sorted(DOC.glob("policy-*.rst")):
        for name in re.findall(r"^\.\. policy:: (\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE):
            found[name] = path.name
    return found


def read(text=None):
    """Returns {class: ({name: settings}, [(parameter, default, help)])}."""
    classes = {}
    for part in (text or PATH.read_text(encoding="utf-8")).split("Attributes for TypeId ")[1:]:
        kind, rest = part.split("\n", 1)
        rows = re.findall(r"    --\S+?::(\w+(?:\.\S+)?)=\[(.*)\]\n        (.*)\n", rest)
        names = next(value for name, value, _ in rows if name == f"Presets.{kind}")
        presets = dict((item.split("=", 1) + [""])[:2] for item in names.split(";"))
        classes[kind] = presets, [row for row in rows if not row[0].startswith("Presets.")]
    return classes


def chapter(kind):
    """Returns the sections Names and Parameters of a class as lines of reStructuredText."""
    presets, parameters = read()[kind]
    yield from ("Names", "-----", "")
    yield from (".. list-table::", "   :header-rows: 1", "   :widths: 30 70", "", "   * - ``--cc``")
    yield "     - sets, besides the defaults below"
    for name, settings in presets.items():
        yield f"   * - ``{name.replace('*', 'NAME')}``"
        text = ", ".join("``" + item.replace(":", "=", 1) + "``" for item in settings.split(",") if item)
        yield f"     - {text or '(nothing)'}"
    yield from ("", "Parameters", "----------", "")
    if not parameters:
        yield from ("None.", "")
        return
    yield from (f"Attributes of ``{kind}``: ``--{kind}::NAME=VALUE`` sets one.", "")
    yield from (".. list-table::", "   :header-rows: 1", "   :widths: 20 18 62", "", "   * - attribute")
    yield from ("     - default", "     - meaning")
    for name, default, text in parameters:
        yield f"   * - ``{name}``"
        yield f"     - ``{default.lstrip('+')}``" if default else "     -"
        yield "     - " + re.sub(r"([*_`|])", r"\\\1", text)
    yield ""


def registry(build, kinds):
    """Returns the output of --PrintAttributes for classes."""
    program = build / "bin/hpcc-incast"
    return "".join(
        subprocess.run([program, f"--PrintAttributes={kind}"], text=True, capture_output=True, check=True).stdout
        for kind in kinds
    )


def names(build):
    """Returns the names that --cc accepts."""
    said = subprocess.run([build / "bin/hpcc-incast", "--cc=nosuch"], text=True, capture_output=True,
                          check=False).stderr
    return re.search(r"choices: ([^;\n]+)", said)[1].split(", ")


def check(build):
    """Returns the faults."""
    kinds = pages()
    now = registry(build, kinds)
    faults = []
    if now != PATH.read_text(encoding="utf-8"):
        faults.append("doc/policies.txt is not what the registry says; doc/policies.py BUILD --write")
    known = {name.replace("*", "NAME") for presets, _ in read(now).values() for name in presets}
    faults += [f"--cc={name}: no page doc/policy-*.rst has it" for name in names(build) if name not in known]
    for page in kinds.values():
        text = (DOC / page).read_text(encoding="utf-8")
        faults += [f"doc/{page}: no section {section}" for section in ("Control law", "Departures", "Run it")
                   if f"\n{section}\n---" not in text]
        if not re.search(r"^Sources?: |^There is no source", text, re.MULTILINE):
            faults.append(f"doc/{page}: no source")
        if "--cc=" not in text:
            faults.append(f"doc/{page}: no command")
    return faults


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if "--write" in sys.argv:
        PATH.write_text(registry(build, pages()), encoding="utf-8")
    faults = check(build)
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
