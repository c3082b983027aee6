#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Trace sources of the module, from its code, for the user's guide.

    doc/trace_sources.py          compare traces.txt with the code
    doc/trace_sources.py --write  write traces.txt

The chapter usage.rst includes traces.txt, which has a table per class: each trace source, when it fires, and
the arguments of its callback. The texts are those of the registration (HpccTypeId::Trace() or
AddTraceSource()) and of the comment at the type of the callback.
"""

import pathlib
import re
import sys

DOC = pathlib.Path(__file__).resolve().parent
ROOT = DOC.parent
PATH = DOC / "traces.txt"
STRING = r'"((?:[^"]|"\s*")*)"'  # several literals that follow one another are one
CALL = re.compile(r"\.(?:AddTraceSource|Trace)\(\s*" + STRING + r",\s*" + STRING +
                  r',\s*(?:(?:trace|ofPackets)\()?&(\w+)::\w+\)?,\s*"ns3::(\w+)::(\w+)"\)')
ANY_CALL = re.compile(r'\.(?:AddTraceSource|Trace)\(\s*"')
CALLBACK = re.compile(r"^ *typedef void \(\*(\w+)\)\(([^;]*)\);", re.MULTILINE)
CLASS = re.compile(r"(?:^template <(.*)>\n)?^class (\w+)\b(?: final)?\s*(?::([^;{]*))?\{", re.MULTILINE)
NS3 = {("Packet", "TracedCallback"): ("Ptr<const Packet> packet", "")}  # types of callbacks of ns-3 itself


def remark(lines):
    """Returns what the comment above a type of callback says about the arguments. lines end with the comment."""
    comment = []
    for line in reversed(lines):
        match = re.fullmatch(r" *(?:///|/\*\*|\*/|\*) ?(.*)", line)
        if not match:
            break
        comment.insert(0, match[1])
    text = " ".join(" ".join(comment).split())
    parameters = re.findall(r"@param (\w+) (.*?)(?= @param|$)", text)
    if parameters:
        return "; ".join(f"{name}: {meaning}" for name, meaning in parameters)
    return text.partition(": ")[2].rstrip(".")


class Code:
    """The headers and sources of the module."""

    def __init__(self):
        paths = [path for folder in ("model", "helper") for path in (ROOT / folder).rglob("*.*")]
        self.texts = {path: path.read_text(encoding="utf-8")
                      for path in sorted(paths) if path.suffix in (".h", ".cc")}
        self.bases = {}  # {class: its direct bases}
        self.callbacks = dict(NS3)  # {(class, type of callback): (arguments, remark)}
        for text in self.texts.values():
            for parameters, name, bases in CLASS.findall(text):
                self.bases[name] = re.findall(r"\w+", parameters + " " + bases)
            for match in CALLBACK.finditer(text):
                above = text[:match.start()]
                kind = CLASS.findall(above)[-1][1]
                arguments = " ".join(match[2].split())
                self.callbacks[kind, match[1]] = arguments, remark(above.splitlines())

    def derives(self, name, base):
        return name == base or any(self.derives(other, base) for other in self.bases.get(name, ()))

    def callback(self, kind, name):
        """Returns (arguments, remark) of a type of callback that a class or one of its bases declares."""
        found = [key for key in self.callbacks if key[1] == name and self.derives(kind, key[0])]
        if len(found) != 1:
            raise ValueError(f"{len(found)} declarations of {kind}::{name}")
        return self.callbacks[found[0]]

    def sources(self):
        """Returns {class: [(name, when it fires, arguments, remark)]}."""
        found = {}
        for path, text in self.texts.items():
            calls = CALL.findall(text)
            if path.name != "hpcc-type-id.h" and len(calls) != len(ANY_CALL.findall(text)):
                raise ValueError(f"{path}: a trace source is registered in a form that {__file__} cannot read")
            for name, fires, owner, kind, callback in calls:
                shown = owner if (kind, callback) in NS3 else kind
                row = name, re.sub(r'"\s*"', "", fires), *self.callback(kind, callback)
                found.setdefault(shown, []).append(row)
        return dict(sorted(found.items()))

    def heirs(self, base):
        """Returns the classes that derive from a class and are registered in ns-3."""
        registered = {name for text in self.texts.values() for name in re.findall(r'"ns3::(\w+)"\)', text)}
        return sorted(name for name in self.bases if name != base and name in registered and self.derives(name, base))


def chapter():
    """Returns the tables of all classes as reStructuredText."""
    code = Code()
    lines = [".. doc/trace_sources.py generates this file from the code.", ""]
    for kind, rows in code.sources().items():
        heirs = code.heirs(kind)
        title = ", ".join(f"``{name}``" for name in heirs or [kind]) + (f" (``{kind}``)" if heirs else "")
        lines += [f".. rubric:: {title}", "", ".. list-table::", "   :header-rows: 1", "   :widths: 18 42 40", ""]
        lines += ["   * - trace source", "     - meaning", "     - arguments of the callback"]
        first = {}  # the first trace source with these arguments
        for name, fires, arguments, said in rows:
            lines += [f"   * - ``{name}``", "     - " + escaped(fires)]
            if (arguments, said) in first:
                lines.append(f"     - as ``{first[arguments, said]}``")
            else:
                first[arguments, said] = name
                lines.append(f"     - ``{arguments}``" + (": " + escaped(said) if said else ""))
        lines.append("")
    return "\n".join(lines)


def escaped(text):
    return re.sub(r"([*_`|])", r"\\\1", text)


def check():
    """Returns the faults."""
    if PATH.read_text(encoding="utf-8") != chapter():
        return ["doc/traces.txt is not what the code says; doc/trace_sources.py --write"]
    return []


def main():
    if "--write" in sys.argv:
        PATH.write_text(chapter(), encoding="utf-8")
    faults = check()
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
