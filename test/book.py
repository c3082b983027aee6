#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run the commands of the book, and compare the output of the tutorials' commands with the output in the book.

    test/book.py BUILD [--all] [--no-output] [--only=CHAPTER]
    test/book.py --selftest    also checks that the classes and members that the book names exist, that the
                               API reference links each public class to an example, that the tables of trace
                               sources are those of the code, and that tables are well-formed

BUILD is the directory of the standalone build, with the library and the examples. The chapters run in
the order of doc/index.rst. All chapters share one directory that looks like a clone of the repository, so that a
reader can type the same commands. In a chapter,

    .. code-block:: sh       is a block of commands. A comment before it may restrict when it runs:
                             "slow: REASON": only with --all; "not run: REASON": never;
                             "needs: PROGRAM": only if this program exists
    .. code-block:: text     in a tutorial shows the standard output of the block before it; a line "..."
                             matches any number of lines. --no-output omits this comparison, because the
                             last digits may differ on processors and compilers that ./hpcc golden does
                             not use
    .. frame: PATH           before a block "Text::" states that it shows the bytes of a frame in this pcap file,
                             in hexadecimal digits; three spaces precede a comment, and "..." is any number of
                             zero bytes
    .. literalinclude::      is the only way to show a program

A command or program in any other form is an error. Before the blocks run, the script compares the names
in doc/programs.rst with those that the programs accept, doc/policies.py compares the pages of the policies
with the registry, and doc/program_options.py compares the tables of options with --help. Prints one line per
block; exits with 1 if one fails.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import textwrap
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "doc"))
import policies  # noqa: E402 # pylint: disable=wrong-import-position
import program_options  # noqa: E402 # pylint: disable=wrong-import-position
import trace_sources  # noqa: E402 # pylint: disable=wrong-import-position
TIME_LIMIT_S = 600
SLOW_TIME_LIMIT_S = 3600
COMMAND = r"^(\./hpcc|hpcc-[a-z]+ -|cmake |ctest |ninja |python3 )"
FOREIGN = {"RdmaHw", "RdmaEgressQueue", "SwitchMmu", "SwitchNode"}  # of the HPCC authors' simulator
MOST_NOT_RUN = 15  # most blocks of the book that may be marked "not run"

# Stand-in for ./hpcc that runs programs already built.
DRIVER = """#!/bin/sh
if [ "$1" = sweep ]; then
    shift
    exec PYTHON -B examples/hpcc-sweep.py "$@"
elif [ "$1" != run ]; then
    echo "only ./hpcc run and ./hpcc sweep are possible here" >&2
    exit 3
fi
name=$2
shift 2
[ "$1" != -- ] || shift
exec build/standalone/bin/"$name" "$@"
"""


@dataclasses.dataclass
class Block:
    place: str
    commands: str
    slow: str = ""
    not_run: str = ""
    needs: str = ""
    output: str = ""
    frame: str = ""


class Fault(Exception):
    pass


def indented(lines, start, depth):
    """Returns, without indentation, the lines from start on that are indented by more than depth."""
    body = []
    for line in lines[start:]:
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            break
        body.append(line.rstrip())
    return textwrap.dedent("\n".join(body)).strip("\n")


def blocks(name, text, tutorial):
    """Returns the blocks of a chapter."""
    found = []
    lines = text.splitlines()
    marks = {}
    for number, line in enumerate(lines):
        place = f"{name}:{number + 1}"
        depth = len(line) - len(line.lstrip())
        mark = re.fullmatch(r"\s*\.\. (slow|not run|needs|frame): (.+)", line)
        directive = re.fullmatch(r"\s*\.\. ([a-z-]+)::\s*(.*)", line)
        literal = line.endswith("::") and not directive
        if mark:
            marks[mark[1].replace(" ", "_")] = mark[2]
        elif directive and directive[1] == "code-block" or literal:
            body = indented(lines, number + 1, depth)
            kind = "" if literal else directive[2]
            if "frame" in marks:
                if not literal:
                    raise Fault(f"{place}: a frame is shown in a block \"Text::\"")
                found.append(Block(place, "", output=body, **marks))
            elif kind == "sh":
                found.append(Block(place, body, **marks))
            elif kind == "text" and tutorial and found:
                found[-1].output = body
            elif tutorial or kind not in ("", "text", "diff") or re.search(COMMAND, body, re.MULTILINE):
                raise Fault(f"{place}: show commands by code-block sh, programs by literalinclude")
            marks = {}
        elif line.strip() and marks:
            raise Fault(f"{place}: {next(iter(marks))} is not followed by a code-block")
    return found


def agrees(shown, printed):
    """Returns whether the printed text matches the text in the book; a line "..." matches any lines."""
    parts = [re.escape(line) if line != "..." else None for line in shown.splitlines()]
    pattern = "".join("(?:.*\n)*" if part is None else part + " *\n" for part in parts)
    return re.fullmatch(pattern, printed.rstrip("\n") + "\n") is not None


def chapters():
    """Returns all chapters in the order of the index."""
    found = []
    for name in listed("index"):
        found += [name, *listed(name)]
    return found


def listed(name):
    """Returns the chapters that the tables of contents in a chapter list."""
    text = (ROOT / f"doc/{name}.rst").read_text(encoding="utf-8")
    tables = re.findall(r"^\.\. toctree::\n((?: .*\n|\n)+)", text + "\n", re.MULTILINE)
    return re.findall(r"^   ([a-z][a-z0-9-]+)$", "".join(tables), re.MULTILINE)


def clone(build, work):
    """Fills a directory so that it looks like a clone of the repository after a build."""
    for name in ("CMakeLists.txt", "cmake", "doc", "examples", "helper", "model", "test"):
        (work / name).symlink_to(ROOT / name)
    (work / "build").mkdir()
    (work / "build/standalone").symlink_to(build)


def frames(capture):
    """Returns the frames in the contents of a pcap file, in hexadecimal digits."""
    found = []
    offset = 24
    while offset < len(capture):
        size = struct.unpack_from("<I", capture, offset + 8)[0]
        found.append(capture[offset + 16:offset + 16 + size].hex())
        offset += 16 + size
    return found


def shows(text, frame):
    """Returns whether a block shows the bytes of a frame; see above for its form."""
    digits = "".join(re.split(" {3,}", line.strip())[0] for line in text.splitlines()).replace(" ", "")
    return re.fullmatch(re.escape(digits).replace(re.escape("..."), "(?:00)*"), frame) is not None


def run(block, work, compare):
    """Runs a block; raises Fault if it fails or if its output differs from the book."""
    if block.frame:
        captured = frames((work / block.frame).read_bytes())
        if not any(shows(block.output, frame) for frame in captured):
            first = "\n".join(frame[:300] for frame in captured[:4])
            raise Fault(f"{block.place}: {block.frame} has no such frame; it begins with\n{first}")
        return
    limit = SLOW_TIME_LIMIT_S if block.slow else TIME_LIMIT_S
    try:
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", block.commands], cwd=work, text=True,
                              capture_output=True, check=False, timeout=limit,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as error:
        raise Fault(f"{block.place}: no end within {limit} s") from error
    if done.returncode:
        raise Fault(f"{block.place}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    if compare and block.output and not agrees(block.output, done.stdout):
        raise Fault(f"{block.place}: the book shows\n{block.output}\nbut it prints\n{done.stdout}")


def names(build):
    """Compares the names of doc/programs.rst with those that the programs accept."""
    text = (ROOT / "doc/programs.rst").read_text(encoding="utf-8").split("\nNames\n")[1]
    table = dict(re.findall(r"\* - ``--([a-z-]+)``\n     - ((?:.+\n)+?)     - ", text))
    for option, cell in table.items():
        words = [build / "bin/hpcc-incast", f"--{option}=nosuch"]
        said = subprocess.run(words + ["--cc=none"] * (option != "cc"), text=True, capture_output=True,
                              check=False).stderr
        choices = re.search(r'nosuch"; choices: ([^;\n]+)', said)
        if not choices:
            raise Fault(f"doc/programs.rst: --{option} has no names: {said}")
        difference = set(re.findall(r"``(.+?)``", cell)) ^ (set(choices[1].split(", ")) - {"NAME+win"})
        if difference:
            raise Fault(f"doc/programs.rst: --{option}: {', '.join(sorted(difference))}")
    if len(table) < 10:
        raise Fault(f"doc/programs.rst: names of {len(table)} options")


def members():
    """Checks that each Class::Member that the book names occurs in the code."""
    sources = [set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
               for folder in ("model", "helper", "examples", "test", "doc/tutorials")
               for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cc")]
    for path in [*(ROOT / "doc").glob("*.rst"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        for both in re.findall(r"`(?:ns3::)?([A-Z]\w+)::([A-Za-z]\w+)", path.read_text(encoding="utf-8")):
            if both[0] not in FOREIGN and not any(words.issuperset(both) for words in sources):
                raise Fault(f"{path.name}: the code has no {'::'.join(both)}")


def check_tables(name, text):
    """Checks that simple tables have no text between two columns, which Sphinx refuses."""
    gaps = []  # column gaps of the current table
    for number, line in enumerate(text.splitlines()):
        if re.fullmatch(r"\s*=+( +=+)+", line):
            gaps = [gap.span() for gap in re.finditer(r"(?<==) +(?==)", line)]
        elif not line.strip() and text.splitlines()[number - 1].lstrip().startswith("="):
            gaps = []
        elif any(line[begin:end].strip() for begin, end in gaps):
            raise Fault(f"{name}:{number + 1}: text between two columns of a table")


def api_examples():
    """Checks that each public class occurs in an example of doc/api.dox or has a link there."""
    text = (ROOT / "doc/api.dox").read_text(encoding="utf-8")
    words = set(re.findall(r"@class ns3::(\w+)\n \* @par Example\n \* @link \S+ @endlink", text))
    settings = (ROOT / "doc/Doxyfile").read_text(encoding="utf-8").replace("\\\n", " ")
    folders = re.search(r"^EXAMPLE_PATH\s*=(.*)$", settings, re.MULTILINE)[1].split()
    for name in re.findall(r"@example (\S+)", text):
        files = [ROOT / folder / name for folder in folders if (ROOT / folder / name).exists()]
        if len(files) != 1:
            raise Fault(f"doc/api.dox: {len(files)} files are called {name}")
        words |= set(re.findall(r"\w+", files[0].read_text(encoding="utf-8")))
    classes = 0
    cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    for header in re.search(r"^set\(hpcc_headers\n(.*?)^\)", cmake, re.MULTILINE | re.DOTALL)[1].split():
        found = re.findall(r"^class (\w+)\b[^;{]*\{", (ROOT / header).read_text(encoding="utf-8"), re.MULTILINE)
        classes += len(found)
        for name in set(found) - words:
            raise Fault(f"{header}: no example of doc/api.dox has {name}")
    if classes < 30:
        raise Fault(f"{classes} public classes")


def versions():
    """Checks that the files that describe how to cite the module contain its version."""
    version = re.search(r"set\(hpcc_version ([0-9.]+)\)", (ROOT / "CMakeLists.txt").read_text())[1]
    for name, text in (("README.md", f"Version {version}}}"), ("CITATION.cff", f"version: {version}\n")):
        if text not in (ROOT / name).read_text(encoding="utf-8"):
            raise Fault(f"{name}: the version is not {version}, as in CMakeLists.txt")


def selftest():
    """Checks that the checks above detect faults."""
    text = "\n".join([".. needs: cat", "", ".. code-block:: sh", "", "   echo a", "   echo b", "",
                      ".. code-block:: text", "", "   a", "   ...", "", "end"])
    [block] = blocks("x", text, True)
    assert (block.commands, block.output, block.needs) == ("echo a\necho b", "a\n...", "cat"), block
    assert agrees("a\n...", "a\nb\n") and agrees("a\n...", "a\n") and not agrees("a\n...", "b\n")
    assert agrees("a\n...\nd", "a\nb\nc\nd\n") and not agrees("a.", "ab\n")
    with tempfile.TemporaryDirectory() as work:
        run(block, work, True)
        for wrong in (Block("x", "false\ntrue"), Block("x", "false | true"), Block("x", "echo a", output="b")):
            try:
                run(wrong, work, True)
            except Fault:
                continue
            raise AssertionError(wrong)
    [block] = blocks("x", "* item\n\n  .. slow: x\n\n  .. code-block:: sh\n\n    a \\\n      b\n\n* item", False)
    assert (block.commands, block.slow) == ("a \\\n  b", "x"), block
    assert not blocks("x", "Like this::\n\n  x", False)
    assert shows("00 a1   one\n  b2 ... 00   two", "00a1b2000000") and not shows("00a1 b2", "00a1b200")
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        capture = bytes(24) + struct.pack("<4I", 0, 0, 2, 2) + b"ab" + struct.pack("<4I", 0, 0, 1, 1) + b"c"
        (work / "x.pcap").write_bytes(capture)
        [block] = blocks("x", ".. frame: x.pcap\n\nA frame::\n\n  61 62   ab", False)
        run(block, work, True)
        block.output = "61 63"
        try:
            run(block, work, True)
        except Fault:
            pass
        else:
            raise AssertionError(block)
    table = "=  ==\na  bc\n=  ==\nd  ef, wide\n\ne  fg\n=  ==\n\nText behind it."
    check_tables("x", table)
    try:
        check_tables("x", table.replace("d ", "dd"))
    except Fault:
        pass
    else:
        raise AssertionError(table)
    for wrong, tutorial in ((".. code-block:: cpp\n\n   int x;", False), ("Like this::\n\n  x", True),
                            ("Like this::\n\n  ./hpcc run x", False), (".. slow: x\n\nText", False),
                            (".. frame: x\n\n.. code-block:: sh\n\n   x", False)):
        try:
            blocks("x", wrong, tutorial)
        except Fault:
            continue
        raise AssertionError(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--no-output", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        selftest()
        versions()
        members()
        for path in (ROOT / "doc").glob("*.rst"):
            check_tables(f"doc/{path.name}", path.read_text(encoding="utf-8"))
        api_examples()
        faults = trace_sources.check()
        if faults:
            raise Fault("\n".join(faults))
        return
    if not options.build:
        parser.error("the directory of the build is missing")
    names(options.build.resolve())
    faults = policies.check(options.build.resolve()) + program_options.check(options.build.resolve())
    if faults:
        raise Fault("\n".join(faults))
    failed = skipped = ran = 0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        clone(options.build.resolve(), work)
        driver = work / "hpcc"
        if options.all:
            driver.symlink_to(ROOT / "hpcc")
        else:
            driver.write_text(DRIVER.replace("PYTHON", sys.executable))
            driver.chmod(0o755)
        not_run = 0
        for name in chapters():
            if options.only and name != options.only:
                continue
            path = ROOT / f"doc/{name}.rst"
            found = blocks(f"doc/{path.name}", path.read_text(encoding="utf-8"), name.startswith("tutorial-"))
            for block in found:
                why = block.not_run or ("" if options.all else block.slow)
                if block.needs and not shutil.which(block.needs):
                    why = f"there is no {block.needs}"
                not_run += bool(block.not_run)
                if why:
                    skipped += 1
                    print(f"skipped {block.place}: {why}")
                    continue
                start = time.monotonic()
                try:
                    run(block, work, not options.no_output)
                    ran += 1
                    print(f"ok      {block.place} ({time.monotonic() - start:.1f} s)", flush=True)
                except Fault as fault:
                    failed += 1
                    print(f"FAILED  {fault}", flush=True)
        if not_run > MOST_NOT_RUN:
            sys.exit(f"{not_run} blocks are never run, more than {MOST_NOT_RUN}")
    print(f"{ran} blocks ran, {skipped} skipped, {failed} failed")
    sys.exit(1 if failed or not ran else 0)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    try:
        main()
    except Fault as said:
        sys.exit(str(said))
