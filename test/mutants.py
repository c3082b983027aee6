#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measures how many small errors in the model the tests notice.

Applies the mutants of test/mutants.txt to a copy of the sources. The copy is built once and contains all
mutants; the environment variable HPCC_MUTANT enables one mutant at run time. For each mutant, tests run
until one fails. The exit status is 1 if the place of a mutant is not found, if the tests fail without a
mutant, or if fewer than 95 % of the mutants are killed.

test/mutants.txt describes its format.
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))
import hpcc_tasks  # noqa: E402 # pylint: disable=wrong-import-position

LAYERS = ("congestion", "fabric", "ip", "rdma", "switch", "telemetry")
LEAST_MUTANTS = 80
LEAST_PER_LAYER = 8
LEAST_KILLED = 0.95
KEYS = ("id", "file", "in", "from", "to", "wrong", "killers", "survives")
TARGETS = ("hpcc", "hpcc-gtest", "hpcc-test-runner")
COPIED = ("CMakeLists.txt", "cmake", "model", "helper", "examples", "test", "doc")

# This text is inserted at the top of each file with a mutant. Mutants may compare or mix types in ways
# that the model does not, so these warnings are ignored. The guard is needed because a file with mutants
# may include a header with mutants.
HEAD = """#ifndef HPCC_MUTANT
#define HPCC_MUTANT
#include <cstdlib>
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
namespace
{
[[maybe_unused]] const int g_hpccMutant =
    std::getenv("HPCC_MUTANT") ? std::atoi(std::getenv("HPCC_MUTANT")) : 0;
}
#endif
#line 1
"""


class Failure(Exception):
    """Ends the command with exit status 1."""


Mutant = collections.namedtuple(
    "Mutant", "number line id file within original replacement wrong killers survives"
)


def parse(text):
    """Returns the mutants of a list file."""
    mutants = []
    fields = {}
    start = 0
    key = None

    def finish():
        if not fields:
            return
        for needed in ("id", "file", "from", "to", "wrong", "killers"):
            if needed not in fields:
                raise Failure(f"mutants.txt:{start}: no \"{needed}:\"")
        if "," in fields["killers"]:
            raise Failure(f"mutants.txt:{start}: a comma in \"killers:\"; spaces separate them")
        values = [fields.get(name, "") for name in KEYS]
        mutants.append(Mutant(len(mutants) + 1, start, *values))
        fields.clear()

    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            finish()
            key = None
            continue
        if line.startswith("  ") and key:
            fields[key] = (fields[key] + "\n" + line.strip()).strip()
            continue
        key, colon, value = line.partition(":")
        if not colon or key not in KEYS or key in fields:
            raise Failure(f"mutants.txt:{number}: \"{line}\" does not begin with a new key of "
                          + ", ".join(KEYS))
        if not fields:
            start = number
        fields[key] = value.strip()
    finish()
    seen = set()
    for mutant in mutants:
        if mutant.id in seen:
            raise Failure(f"mutants.txt:{mutant.line}: \"{mutant.id}\" was there before")
        seen.add(mutant.id)
    return mutants


def pattern(text):
    """Returns a regular expression for a text. White space in the text matches any white space."""
    return re.compile(r"\s+".join(re.escape(word) for word in text.split()))


def only_match(mutant, text, wanted, where):
    found = list(pattern(wanted).finditer(text))
    if len(found) != 1:
        times = f"{len(found)} times" if found else "not"
        raise Failure(f"mutants.txt:{mutant.line}: {mutant.id}: \"{wanted}\" occurs {times} in "
                      f"{where}")
    return found[0]


def find(mutant, text):
    """Returns the start and end of a mutant's place in the text of its file."""
    begin, end = 0, len(text)
    where = mutant.file
    if mutant.within:
        match = only_match(mutant, text, mutant.within, where)
        begin = match.start()
        close = re.compile(r"^\}", re.MULTILINE).search(text, match.end())
        end = close.end() if close else len(text)
        where = f"{mutant.within} of {where}"
    match = only_match(mutant, text[begin:end], mutant.original, where)
    return begin + match.start(), begin + match.end()


def is_statement(text):
    return text.rstrip().endswith((";", "}"))


def choice(original, mutants):
    """Returns C++ code that selects one of several mutants, or the original, at run time."""
    if is_statement(original):
        code = "{ " + original + " }"
        for mutant in mutants:
            code = f"if (g_hpccMutant == {mutant.number}) {{ {mutant.replacement} }} else {code}"
        return "{ " + code + " }"
    code = f"({original})"
    for mutant in mutants:
        code = f"(g_hpccMutant == {mutant.number} ? ({mutant.replacement}) : {code})"
    return code


def mutate(name, text, mutants):
    """Returns the text of a file with all its mutants inserted."""
    places = collections.defaultdict(list)
    for mutant in mutants:
        places[find(mutant, text)].append(mutant)
    last = None
    for place in sorted(places):
        if last and place[0] < last[1]:
            ids = ", ".join(m.id for p in (last, place) for m in places[p])
            raise Failure(f"{name}: these overlap: {ids}")
        last = place
    for begin, end in sorted(places, reverse=True):
        text = text[:begin] + choice(text[begin:end], places[begin, end]) + text[end:]
    return HEAD + text


def mutated_files(mutants, root):
    """Returns the new text of each file that has mutants. All errors are reported together."""
    errors = []
    texts = {}
    for name in sorted({mutant.file for mutant in mutants}):
        mine = [mutant for mutant in mutants if mutant.file == name]
        try:
            texts[name] = (root / name).read_text()
        except OSError:
            errors.append(f"mutants.txt:{mine[0].line}: {mine[0].id}: there is no {name}")
            continue
        for mutant in mine:
            try:
                find(mutant, texts[name])
            except Failure as failure:
                errors.append(str(failure))
    if errors:
        raise Failure("\n".join(errors))
    return {
        name: mutate(name, text, [mutant for mutant in mutants if mutant.file == name])
        for name, text in texts.items()
    }


def check_counts(mutants):
    """Fails if there are too few mutants."""
    layers = collections.Counter(mutant.file.split("/")[1] for mutant in mutants)
    for layer in LAYERS:
        if layers[layer] < LEAST_PER_LAYER:
            raise Failure(f"model/{layer} has {layers[layer]} mutants; {LEAST_PER_LAYER} are needed")
    if len(mutants) < LEAST_MUTANTS:
        raise Failure(f"there are {len(mutants)} mutants; {LEAST_MUTANTS} are needed")
    return layers


def write_if_changed(path, data):
    """Writes a file unless its content is unchanged, so that it is not compiled again."""
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def make_copy(root, copy, changed):
    """Copies the sources and inserts the mutants. Returns a hash of the copy."""
    digest = hashlib.sha256()
    kept = set()
    for top in COPIED:
        start = root / top
        paths = [start] if start.is_file() else sorted(start.rglob("*"))
        for path in paths:
            name = str(path.relative_to(root))
            if not path.is_file() or "__pycache__" in name:
                continue
            kept.add(name)
            data = changed[name].encode() if name in changed else path.read_bytes()
            write_if_changed(copy / name, data)
            shutil.copymode(path, copy / name)
            if not name.startswith("test/mutants"):
                digest.update(f"{name} {len(data)}\n".encode() + data)
    for top in COPIED[1:]:
        for path in (copy / top).rglob("*"):
            if path.is_file() and str(path.relative_to(copy)) not in kept:
                path.unlink()
    return digest.hexdigest()


def build(copy, jobs):
    """Builds the copy, with the flags of build/standalone."""
    directory = copy / "build" / "standalone"
    for command in (
        ["cmake", "-S", str(copy), "-B", str(directory), "-G", "Ninja", "-DHPCC_TESTS=ON",
         "-DHPCC_WERROR=ON", f"-DPython3_EXECUTABLE={sys.executable}"],
        ["ninja", "-C", str(directory), "-j", str(jobs), *TARGETS],
    ):
        say(" ".join(command))
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode != 0:
            raise Failure("the copy with the mutants cannot be built")
    return directory / "bin"


def say(text):
    print("==> " + text, file=sys.stderr, flush=True)


class Tests:
    """Runs tests of the copy."""

    def __init__(self, binaries, times):
        self.binaries = binaries
        self.times = times
        listed = subprocess.run([binaries / "hpcc-test-runner", "--list"], capture_output=True,
                                text=True, check=True).stdout
        self.suites = listed.split()

    def all(self):
        """Returns all tests, the quickest first."""
        names = ["gtest", *self.suites]
        return sorted(names, key=lambda name: self.times.get(name, 0))

    def command(self, name):
        """Returns the command that runs a suite, or the GoogleTests that match gtest:FILTER."""
        if name.startswith("gtest"):
            selected = name.partition(":")[2] or "*"
            return [self.binaries / "hpcc-gtest", f"--gtest_filter={selected}", "--gtest_brief=1",
                    "--gtest_fail_fast"]
        if name not in self.suites:
            raise Failure(f"there is no suite {name}; there are: {' '.join(self.suites)}")
        return [self.binaries / "hpcc-test-runner", f"--suite={name}"]

    def limit(self, name):
        """Returns the time limit of a test, seconds: 60 plus ten times its time without a mutant."""
        usual = self.times.get(name, self.times.get(name.partition(":")[0], 60))
        return 60 + 10 * usual

    def task(self, name, number, directory):
        """Returns a task that runs a test with a mutant; 0 is none."""
        return hpcc_tasks.Task(name, tuple(self.command(name)), self.times.get(name, 60),
                               str(directory),
                               (("HPCC_MUTANT", str(number)), ("TMPDIR", str(directory))))

    def run(self, name, number, directory):
        """Runs a test with a mutant. Returns the reason for its failure, or None if it passes."""
        # A separate session, so that the test and its child processes can be killed on a time-out.
        with subprocess.Popen(["/bin/sh", "-c", self.task(name, number, directory).line()],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", start_new_session=True) as process:
            try:
                output, _ = process.communicate(timeout=self.limit(name))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return f"{name} (no end)"
        return self.verdict(name, process.returncode, output)

    @staticmethod
    def verdict(name, code, output):
        """Returns the reason for a test's failure, or None if it passed."""
        if code == 0:
            if name.startswith("gtest:") and re.search(r"\b0 tests from", output):
                raise Failure(f"no GoogleTest matches {name.partition(':')[2]}")
            return None
        failed = re.search(r"\[  FAILED  \] (\S+\.\S+)", output)
        detail = ""
        if code is None:
            detail = " (no end)"
        elif code < 0:
            detail = f" ({signal.Signals(-code).name})"
        elif failed:
            detail = " " + failed.group(1)
        return name.partition(":")[0] + detail


class Results:
    """Results of finished runs, in a file for one list of mutants and one source tree."""

    def __init__(self, path, key):
        self.path = path
        self.values = {}
        self.times = {}
        try:
            old = json.loads(path.read_text())
        except (OSError, ValueError):
            old = {}
        if old.get("key") == key:
            self.values, self.times = old["mutants"], old["times"]
        self.key = key

    def save(self):
        text = json.dumps({"key": self.key, "times": self.times, "mutants": self.values}, indent=1)
        partial = self.path.with_suffix(".part")
        partial.write_text(text)
        partial.replace(self.path)


def run_unmutated(tests, results, jobs, scratch):
    """Runs all tests without a mutant and records their times; each test must pass."""
    names = [name for name in ["gtest", *tests.suites] if name not in results.times]
    tasks = [tests.task(name, 0, scratch) for name in names]
    for ended in hpcc_tasks.run(tasks, hpcc_tasks.Parallel(jobs, timeout=1800)):
        name = ended.task.name
        failed = tests.verdict(name, ended.code, ended.output + ended.errors)
        if failed:
            raise Failure(f"{failed} fails without a mutant")
        results.times[name] = round(ended.seconds, 2)
        results.save()


def hunt(tests, mutant, scratch):
    """Runs tests with a mutant until one fails."""
    start = time.monotonic()
    likely = mutant.killers.split()
    for name in likely + [name for name in tests.all() if name not in likely]:
        failed = tests.run(name, mutant.number, scratch)
        if failed:
            return {"killer": failed, "seconds": round(time.monotonic() - start, 1)}
    return {"killer": None, "seconds": round(time.monotonic() - start, 1)}


def describe(mutant, result):
    """Returns the line of output for a mutant."""
    if result["killer"]:
        return f"{mutant.id}: killed by {result['killer']} in {result['seconds']} s"
    reason = mutant.survives or "no test notices: " + mutant.wrong
    return f"{mutant.id}: SURVIVED: {' '.join(reason.split())}"


def summarize(mutants, results):
    """Prints the surviving mutants and a summary line. Returns the exit status."""
    survivors = [mutant for mutant in mutants if not results[mutant.id]["killer"]]
    killed = len(mutants) - len(survivors)
    for mutant in survivors:
        print(describe(mutant, results[mutant.id]))
    print(f"{killed} killed, {len(survivors)} survived", flush=True)
    return 0 if killed >= LEAST_KILLED * len(mutants) else 1


def run(mutants, chosen, changed, options):
    """Builds the copy and runs the chosen mutants. Returns the exit status."""
    top = options.out
    scratch = top / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    tree = make_copy(ROOT, top / "src", changed)
    listed = hashlib.sha256(repr(mutants).encode()).hexdigest()
    binaries = build(top / "src", options.jobs)
    results = Results(top / "results.json", tree + listed)
    tests = Tests(binaries, results.times)
    for mutant in mutants:
        for name in mutant.killers.split():
            tests.command(name)
    say(f"running all tests without a mutant, {options.jobs} at a time")
    run_unmutated(tests, results, options.jobs, scratch)

    missing = {mutant.id: mutant for mutant in chosen if mutant.id not in results.values}
    say(f"running {len(missing)} of {len(chosen)} mutants; the others have results")
    results.save()
    command = (sys.executable, "-B", __file__, f"--out={top}", "--hunt")
    tasks = [hpcc_tasks.Task(name, (*command, name)) for name in missing]
    for ended in hpcc_tasks.run(tasks, hpcc_tasks.Parallel(options.jobs)):
        if ended.code != 0:
            raise Failure(f"{ended.task.name}: {ended.problem()}")
        results.values[ended.task.name] = json.loads(ended.output)
        results.save()
        print(describe(missing[ended.task.name], results.values[ended.task.name]), flush=True)
    return summarize(chosen, results.values)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the mutants and end")
    parser.add_argument("--check", action="store_true",
                        help="only check that each place is found")
    parser.add_argument("--only", metavar="ID[,ID]", help="only these mutants")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, metavar="N",
                        help="tests at a time (default: number of processors)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "mutants",
                        metavar="DIR", help="directory of the copy and the results")
    parser.add_argument("--hunt", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.jobs < 1:
        parser.error(f"--jobs={options.jobs}: at least 1 is needed")
    options.out = options.out.resolve()
    if not options.hunt:
        hpcc_tasks.obey_signals()
    try:
        mutants = parse((ROOT / "test" / "mutants.txt").read_text())
        if options.hunt:
            times = json.loads((options.out / "results.json").read_text())["times"]
            tests = Tests(options.out / "src" / "build" / "standalone" / "bin", times)
            [mutant] = [mutant for mutant in mutants if mutant.id == options.hunt]
            print(json.dumps(hunt(tests, mutant, options.out / "scratch")))
            return 0
        if options.list:
            for mutant in mutants:
                print(f"{mutant.id} ({mutant.file}): {mutant.wrong}")
            return 0
        chosen = mutants
        if options.only:
            wanted = options.only.split(",")
            chosen = [mutant for mutant in mutants if mutant.id in wanted]
            unknown = set(wanted) - {mutant.id for mutant in mutants}
            if unknown:
                parser.error(f"--only: no mutant is called {', '.join(sorted(unknown))}; "
                             "see --list")
        changed = mutated_files(mutants, ROOT)
        layers = check_counts(mutants)
        if options.check:
            counts = ", ".join(f"{layers[layer]} in {layer}" for layer in LAYERS)
            print(f"{len(mutants)} mutants, all places found: {counts}")
            return 0
        return run(mutants, chosen, changed, options)
    except (Failure, hpcc_tasks.BadTasks) as failure:
        print(f"mutants: {failure}", file=sys.stderr)
        return 1
    except hpcc_tasks.Stopped as stopped:
        print("mutants: interrupted; the same command goes on from here", file=sys.stderr)
        return stopped.code


if __name__ == "__main__":
    sys.exit(main())
