#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run covering arrays over policy, telemetry, feedback, recovery, paths, flow control, buffer, marking,
scheduler, trimming, ports, entropy, nic, transport and fault, one array per transport, and write
pairs.csv.

The names come from the program hpcc-pairs, which reads them from the registries of the module, so
that a new name is included automatically. A row is an incast and a short flow that joins a long flow.
Each pair of names from two families occurs in a row that ran, or in a refusal that names both. A row
that ran has passed if it meets the bounds of its class, see doc/pairs.rst.

A refusal that names one member and the transport means that the transport lacks this member. A
refusal that names three or more members covers their pairs only if no other row can cover them.
"""

import argparse
import collections
import csv
import hashlib
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

import hpcc_tasks

COLUMNS = ["row", "policy", "telemetry", "feedback", "recovery", "paths", "flow_control",
           "transport", "fault", "verdict", "bound", "value", "buffer", "marking", "scheduler",
           "trimming", "ports", "entropy", "nic"]
FAMILIES = ["policy", "telemetry", "feedback", "recovery", "paths", "flow_control", "fault", "buffer",
            "marking", "scheduler", "trimming", "ports", "entropy", "nic"]
OPTIONS = {"policy": "cc", "telemetry": "telemetry", "feedback": "feedback",
           "recovery": "recovery", "paths": "paths", "flow_control": "flow-control",
           "transport": "transport", "fault": "fault", "buffer": "buffer", "marking": "marking",
           "scheduler": "scheduler", "trimming": "trimming", "ports": "ports",
           "entropy": "entropy", "nic": "nic"}
# Names by which refusals call members, if they differ from the names in rows.
ALIASES = {("transport", "tcp"): "ns-3's TCP", ("transport", "iwarp"): "ns-3's TCP",
           ("transport", "udp"): "ns-3's (TCP and )?UDP", ("fault", "outage"): "--fail"}
# Words that precede a name in a refusal.
WORDS = {"policy": "policy|--cc", "telemetry": "format|telemetry|--telemetry",
         "feedback": "feedback|--feedback", "recovery": "recovery|--recovery",
         "paths": "--paths|paths", "flow_control": "--flow-control|flow control",
         "transport": "transport|--transport", "fault": "fault|--fault", "buffer": "--buffer|buffer",
         "marking": "--marking|marking", "scheduler": "--scheduler|scheduler",
         "trimming": "--trimming", "ports": "--ports", "entropy": "--entropy", "nic": "--nic"}
TRIES = 12  # give a pair up after this number of refusals that exclude no combination
BOLD_TRIES = 4  # in this number of first tries, prefer other members with many uncovered pairs
SECONDS = 120  # time limit of a row, much more than any row takes


def named(line, row):
    """Returns the members of a row that a refusal names, as a set of (family, name). A name is
    recognised only after a word for its family, because "packet" or "none" may occur elsewhere."""
    found = set()
    for family in FAMILIES + ["transport"]:
        name = re.escape(row[family])
        if family == "ports":
            # A refusal may omit +move, which has no effect without a failure.
            name = name.replace(r"\+move", r"(?:\+move)?")
        pattern = rf'(?<![\w-])(?:{WORDS[family]})[ :="]+{name}(?![\w+-]|:\w)'
        alias = ALIASES.get((family, row[family]))
        if re.search(pattern, line) or (alias and re.search(alias, line)):
            found.add((family, row[family]))
    return found


class Array:
    """The covering array of one transport. When a row ends, new rows may be added. They contain no
    combination that a refusal has excluded."""

    def __init__(self, transport, families, quick, seed):
        self.transport = transport
        self.families = {family: families[family] for family in FAMILIES}
        self.random = random.Random(seed)
        members = {family: [(family, name) for name in names]
                   for family, names in self.families.items()}
        if quick:
            items = [(member,) for names in members.values() for member in names]
        else:
            items = [pair for a, b in itertools.combinations(FAMILIES, 2)
                     for pair in itertools.product(members[a], members[b])]
        self.todo = dict.fromkeys(items)  # items that neither ran nor were refused, in order
        self.quick = quick
        self.tries = collections.Counter()
        self.suspects = collections.Counter()  # pairs in rows whose refusal excludes no combination
        self.excluded = set()  # members and pairs that no row may have
        self.excluded_sets = set()  # larger combinations that no row may have
        self.ran = set()  # pairs of members in rows that ran
        self.seen = set()  # rows as tuples of names
        self.forced = set()  # items with a third member, see force()
        self.uncovered = []  # items that were given up

    def items_of(self, members):
        if self.quick:
            return [(member,) for member in members]
        ordered = sorted(members, key=lambda member: FAMILIES.index(member[0]))
        return list(itertools.combinations(ordered, 2))

    def allowed(self, member, chosen):
        if member in self.excluded:
            return False
        if any(frozenset((member, other)) in self.excluded for other in chosen):
            return False
        whole = set(chosen) | {member}
        return not any(combination <= whole for combination in self.excluded_sets
                       if member in combination)

    def fill(self, start, planned, force=False):
        """Returns a row with the members of an item; None if there is none. With force, accepts an item
        whose members a refusal has excluded together."""
        chosen = []
        for member in start:
            if not force and not self.allowed(member, chosen):
                return None
            chosen.append(member)
        # After some refusals, prefer members that ran together with the other members in earlier rows.
        bold = self.tries[start] < BOLD_TRIES
        rest = [family for family in FAMILIES if family not in {m[0] for m in chosen}]
        # Families with many names come first, because they have the most pairs.
        rest.sort(key=lambda family: -len(self.families[family]))
        for family in rest:
            best, most = None, -sys.maxsize
            names = list(self.families[family])
            self.random.shuffle(names)
            for name in names:
                member = (family, name)
                if not self.allowed(member, chosen):
                    continue
                if not bold:
                    gain = sum(frozenset((member, other)) in self.ran for other in chosen)
                elif self.quick:
                    gain = (member,) in self.todo and (member,) not in planned
                else:
                    gain = 0
                    for other in chosen:
                        first, second = sorted((member, other),
                                               key=lambda m: FAMILIES.index(m[0]))
                        pair = (first, second)
                        if self.suspects[pair]:
                            gain -= self.suspects[pair]
                        else:
                            gain += pair in self.todo and pair not in planned
                if gain > most:
                    best, most = member, gain
            if best is None:
                return None
            chosen.append(best)
        return dict(chosen)

    def force(self, item):
        """Returns a row for a pair if some other family has no member that is allowed together with
        the pair. The row contains an untried member of this family that ran with one member of the
        pair; None if there is no such row. The refusal of the row may name all three members."""
        for family, names in self.families.items():
            beside = [(family, name) for name in names]
            if family in dict(item) or any(self.allowed(member, item) for member in beside):
                continue
            for member in beside:
                ran = any(frozenset((member, other)) in self.ran for other in item)
                if ran and (item, member) not in self.forced:
                    self.forced.add((item, member))
                    return self.fill((*item, member), set(), force=True)
        return None

    def batch(self):
        """Returns rows that would cover all remaining items if no row were refused."""
        rows, planned = [], set()
        for item in list(self.todo):
            if item in planned:
                continue
            row = None
            for _ in range(5):
                row = self.fill(item, planned)
                if row and tuple(row[f] for f in FAMILIES) not in self.seen:
                    break
                row = None
            if row is None and len(item) == 2 and not self.is_excluded(item):
                row = self.force(item)
            if row is None:
                self.tries[item] += 1
                if self.tries[item] >= TRIES or any(m in self.excluded for m in item):
                    self.give_up(item)
                continue
            if self.tries[item] >= TRIES:
                self.give_up(item)
                continue
            self.seen.add(tuple(row[f] for f in FAMILIES))
            planned.update(self.items_of(row.items()))
            row["transport"] = self.transport
            rows.append(row)
        return rows

    def give_up(self, item):
        del self.todo[item]
        gone = any(member in self.excluded for member in item)
        gone = gone or (len(item) == 2 and frozenset(item) in self.excluded)
        if not gone and not self.is_excluded(item):
            self.uncovered.append(item)

    def is_excluded(self, item):
        """Returns true if a refusal names all members of an item together with further members."""
        return any(set(item) <= names for names in self.excluded_sets)

    def learn(self, row, verdict, line):
        members = [(family, row[family]) for family in FAMILIES]
        if verdict != "refused":
            self.ran.update(map(frozenset, itertools.combinations(members, 2)))
            for item in self.items_of(members):
                self.todo.pop(item, None)
            return
        names = named(line, row)
        transport = ("transport", self.transport)
        others = names - {transport}
        if transport in names and len(others) == 1:
            self.excluded |= others
        elif len(others) == 2:
            self.excluded.add(frozenset(others))
        elif len(others) > 2:
            self.excluded_sets.add(frozenset(others))
        else:
            # This refusal excludes no combination, so a similar row can be tried again.
            self.suspects.update(self.items_of(members))
            self.tries.update(self.items_of(members))
        for item in list(self.todo):
            if (len(item) == 2 and frozenset(item) in self.excluded) or any(
                    member in self.excluded for member in item):
                del self.todo[item]


class Runner:
    """Runs rows as processes and maintains pairs.csv."""

    def __init__(self, arguments):
        self.program = pathlib.Path(arguments.bin).resolve() / "hpcc-pairs"
        self.out = pathlib.Path(arguments.out)
        self.jobs = arguments.jobs
        self.place = None
        self.out.mkdir(parents=True, exist_ok=True)
        self.path = self.out / "pairs.csv"
        self.known = {}
        self.results = []
        self.begin = self.said = time.monotonic()
        if arguments.fresh:
            self.path.unlink(missing_ok=True)
        self.resume()

    def build(self):
        digest = hashlib.sha256()
        library = self.program.parent.parent / "lib" / "libhpcc.so"
        for path in [self.program, library]:
            if path.exists():
                digest.update(path.read_bytes())
        return digest.hexdigest()

    def resume(self):
        """Reads the rows that an earlier command with the same build has finished."""
        stamp, build = self.out / "build.txt", self.build()
        if self.path.exists() and stamp.exists() and stamp.read_text() == build:
            with self.path.open(newline="") as file:
                for row in csv.DictReader(file):
                    # A row that is incomplete because the command was interrupted is run again.
                    if row.get("value") and row["verdict"] in ("passed", "failed", "refused"):
                        self.known[self.key(row)] = row
        stamp.write_text(build)
        self.write(list(self.known.values()))
        self.file = self.path.open("a", newline="")
        self.writer = csv.DictWriter(self.file, COLUMNS, lineterminator="\n")

    def write(self, rows):
        part = self.path.with_suffix(".csv.part")
        with part.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        part.replace(self.path)

    @staticmethod
    def key(row):
        return tuple(row[family] for family in FAMILIES + ["transport"])

    def command(self, row):
        return [f"--{OPTIONS[family]}={row[family]}" for family in FAMILIES + ["transport"]]

    def task(self, row):
        directory = self.out / "rows" / str(row["row"])
        command = (str(self.program), *self.command(row), f"--out={directory}")
        return hpcc_tasks.Task(str(row["row"]), command)

    def judge(self, row, ended):
        """Returns the result of a row, and records it in pairs.csv."""
        code = ended.code
        last = (ended.output.strip().splitlines() or [""])[-1].split(",")
        said = (ended.errors.strip().splitlines() or [""])[-1].replace(",", ";")
        if code == 2 and said:
            members = "+".join(sorted(name for _, name in named(said, row)))
            verdict, bound, value = "refused", said, members or "nobody"
        elif code in (0, 1) and len(last) == 3:
            verdict, bound, value = last
        else:
            verdict = "failed"
            bound = f"the program ends by itself: {said}"
            value = f"no end within {SECONDS} s" if code is None else f"exit code {code}"
        if verdict != "failed":
            shutil.rmtree(self.out / "rows" / str(row["row"]), ignore_errors=True)
        result = {**row, "verdict": verdict, "bound": bound, "value": value}
        self.known[self.key(row)] = result
        self.writer.writerow(result)
        self.file.flush()
        return result

    def run(self, rows, left):
        """Runs the rows whose results are not known, and returns all results in the order of the
        rows."""
        begin, missing = len(self.results), {}
        for row in rows:
            row["row"] = len(self.results) + 1
            known = self.known.get(self.key(row))
            if not known:
                missing[str(row["row"])] = row
            self.results.append({**known, "row": row["row"]} if known else row)
        tasks = [self.task(row) for row in missing.values()]
        if not self.place:
            self.place = hpcc_tasks.Parallel(self.jobs, timeout=SECONDS)
        for ended in hpcc_tasks.run(tasks, self.place):
            result = self.judge(missing[ended.task.name], ended)
            self.results[result["row"] - 1] = result
            if time.monotonic() > self.said + 5:
                self.said = time.monotonic()
                print(f"hpcc-pairs: row {result['row']} of about {left} in "
                      f"{self.said - self.begin:.0f} s", file=sys.stderr, flush=True)
        for result in self.results[begin:]:
            if result["verdict"] == "failed":
                print(f"FAILED row {result['row']}: {result['bound']}, is "
                      f"{result['value']}\n  hpcc-pairs {' '.join(self.command(result))}",
                      file=sys.stderr, flush=True)
        return self.results[begin:]

    def finish(self):
        self.file.close()
        self.write(self.results)


def uncovered_row(transport, item):
    """Returns the row of pairs.csv for a pair that no row could run and no refusal explains."""
    row = dict.fromkeys(COLUMNS, "-")
    row.update(item)
    row.update({"transport": transport, "verdict": "failed", "value": "none",
                "bound": "a row with these members runs; or a refusal names "
                         + ("both" if len(item) > 1 else "it and the transport")})
    return row


def parse():
    parser = argparse.ArgumentParser(prog="./hpcc pairs", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true",
                        help="a subset of the rows in which each name of each family runs at least "
                             "once; it takes about a minute")
    parser.add_argument("--fresh", action="store_true",
                        help="discard the rows of earlier commands")
    parser.add_argument("--out", default=None,
                        help="directory for pairs.csv (default: results/pairs, with --quick "
                             "results/pairs-quick); finished rows of the same build are not repeated")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1,
                        help="number of concurrent rows (default: number of processors)")
    parser.add_argument("--transport", action="append",
                        help="run only this transport; may be repeated")
    parser.add_argument("--bin", default="build/standalone/bin", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.out = arguments.out or ("results/pairs-quick" if arguments.quick else "results/pairs")
    if arguments.jobs < 1:
        parser.error(f"--jobs: {arguments.jobs} is not allowed; at least 1")
    return parser, arguments


def main():
    hpcc_tasks.obey_signals()
    parser, arguments = parse()
    try:
        runner = Runner(arguments)
    except OSError as error:
        print(f"hpcc-pairs: {error.filename or arguments.out}: {error.strerror}", file=sys.stderr)
        return 2
    listed = subprocess.run([runner.program, "--list"], capture_output=True, text=True, check=True)
    transports = json.loads(listed.stdout)
    for name in arguments.transport or []:
        if name not in transports:
            parser.error(f"--transport: unknown \"{name}\"; choices: {', '.join(transports)}")
    arrays = [Array(transport, families, arguments.quick, transport)
              for transport, families in transports.items()
              if not arguments.transport or transport in arguments.transport]
    try:
        while True:
            batches = [(array, array.batch()) for array in arrays]
            rows = [row for _, batch in batches for row in batch]
            if not rows and not any(array.todo for array in arrays):
                break
            results = iter(runner.run(rows, len(runner.results) + len(rows)))
            for array, batch in batches:
                for row in batch:
                    result = next(results)
                    array.learn(row, result["verdict"], result["bound"])
    except hpcc_tasks.Stopped as stopped:
        print(f"hpcc-pairs: interrupted; the same command goes on from {runner.path}",
              file=sys.stderr)
        return stopped.code
    except hpcc_tasks.BadTasks as error:
        print(f"hpcc-pairs: {error}", file=sys.stderr)
        return 2
    for array in arrays:
        for item in array.uncovered:
            row = uncovered_row(array.transport, item)
            row["row"] = len(runner.results) + 1
            runner.results.append(row)
            print(f"FAILED {array.transport}: not covered: "
                  + ", ".join(f"{family} {name}" for family, name in item), file=sys.stderr)
    runner.finish()
    verdicts = collections.Counter(row["verdict"] for row in runner.results)
    print(f"{runner.path}: {len(runner.results)} rows in {time.monotonic() - runner.begin:.0f} s",
          file=sys.stderr)
    print(f"{verdicts['passed']} passed, {verdicts['failed']} failed, "
          f"{verdicts['refused']} refused")
    return 1 if verdicts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
