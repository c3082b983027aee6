# SPDX-License-Identifier: GPL-2.0-only
"""Runs simulations side by side; what is done is not done again."""

import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import time

from .figure import BadFigure

STAMP = "build.sha256"
LOG = "log.txt"


def duration(seconds):
    seconds = int(seconds + 0.5)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"


class Estimate:
    """Computes the share done and the time left from the costs of runs and the time that finished
    ones took."""

    def __init__(self, costs, jobs):
        self.costs, self.jobs = dict(costs), jobs
        self.finished = {}  # name: seconds
        self.skipped = set()

    def speed(self):
        """Returns the cost per second of a job."""
        seconds = sum(self.finished.values())
        return sum(self.costs[name] for name in self.finished) / seconds if seconds else 1.0

    def remaining(self, running):
        """Returns the remaining cost of each run that is not finished; running is {name: seconds so
        far}."""
        left = {}
        for name, cost in self.costs.items():
            if name not in self.finished and name not in self.skipped:
                done = running.get(name, 0) * self.speed()
                left[name] = max(cost - done, 0.05 * cost)  # it may take longer than thought
        return left

    def share(self, running):
        total = sum(cost for name, cost in self.costs.items() if name not in self.skipped)
        return 1 - sum(self.remaining(running).values()) / total if total else 1.0

    def seconds_left(self, running):
        left = self.remaining(running).values()
        return max(sum(left) / self.jobs, max(left, default=0)) / self.speed()


class Progress:
    """Prints progress on standard error: lines, or on a terminal one line that is renewed."""

    def __init__(self, estimate, total):
        self.estimate, self.total = estimate, total
        self.terminal = sys.stderr.isatty()
        self.shown = 0.0

    def text(self, running):
        done = len(self.estimate.finished) + len(self.estimate.skipped)
        left = duration(self.estimate.seconds_left(running))
        share = self.estimate.share(running)
        return f"[{share:4.0%}] {done}/{self.total} runs, {left} left"

    def tick(self, running):
        now = time.monotonic()
        if self.terminal and now - self.shown >= 1:
            self.shown = now
            names = ", ".join(running)
            text = f"{self.text(running)}: {names}"[:110]
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def event(self, running, text):
        clear = "\r\033[K" if self.terminal else ""
        print(f"{clear}{self.text(running)}: {text}", file=sys.stderr, flush=True)


class Runner:
    """Runs and their directories, OUT/runs/SCALE/NAME."""

    def __init__(self, binaries, directory, jobs, any_build=False):
        self.binaries = pathlib.Path(binaries)
        self.directory = pathlib.Path(directory)
        self.jobs, self.any_build = jobs, any_build
        self.digests = {}

    def build_of(self, program):
        """Returns a digest of a program and the library next to it."""
        if program not in self.digests:
            path = self.binaries / program
            if not path.is_file():
                raise BadFigure(f"{path}: there is no such program")
            digest = hashlib.sha256(path.read_bytes())
            for library in sorted((self.binaries.parent / "lib").glob("libhpcc.*")):
                digest.update(library.read_bytes())
            self.digests[program] = digest.hexdigest()
        return self.digests[program]

    def check_option(self, program, option):
        """Refuses an option that the program refuses."""
        self.build_of(program)
        # Without a policy it refuses any command, but options of its network before that.
        command = [self.binaries.resolve() / program, option, "--cc="]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
        if option.partition("=")[0] in said:
            raise BadFigure(said.strip())

    def is_finished(self, run):
        directory = self.directory / run.name
        try:
            manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
            stamp = (directory / STAMP).read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            return False
        if manifest.get("command") != " ".join(run.command()):
            return False
        if not all((directory / name).is_file() for name in run.keeps):
            return False
        return self.any_build or stamp == self.build_of(run.program)

    def start(self, run):
        directory = self.directory / run.name
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        with open(directory / LOG, "wb") as log:
            return subprocess.Popen(
                [self.binaries.resolve() / run.program, *run.command()[1:]],
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    def finish(self, run, code):
        """Finishes a run and returns a description of its failure; None if it succeeded."""
        directory = self.directory / run.name
        log = (directory / LOG).read_text(encoding="utf-8", errors="replace").splitlines()
        if code == 0 and (directory / "manifest.json").is_file():
            for name in (LOG, *run.discard):
                (directory / name).unlink(missing_ok=True)
            (directory / STAMP).write_text(self.build_of(run.program) + "\n", encoding="utf-8")
            return None
        (directory / "manifest.json").unlink(missing_ok=True)
        return log[-1] if log else f"exit code {code}"

    def run_all(self, runs):
        """Returns {name: description of the failure} of the runs that failed."""
        for run in runs:
            self.build_of(run.program)
        self.directory.mkdir(parents=True, exist_ok=True)
        estimate = Estimate({run.name: run.cost for run in runs}, self.jobs)
        progress = Progress(estimate, len(runs))
        waiting, running, failures = [], {}, {}
        for run in sorted(runs, key=lambda run: -run.cost):  # long ones first: none is left alone
            if self.is_finished(run):
                estimate.skipped.add(run.name)
            else:
                waiting.append(run)
        if estimate.skipped:
            progress.event({}, f"{len(estimate.skipped)} taken as they are, done before")

        def elapsed():
            return {name: time.monotonic() - start for name, (_, _, start) in running.items()}

        try:
            while waiting or running:
                while waiting and len(running) < self.jobs:
                    run = waiting.pop(0)
                    running[run.name] = (run, self.start(run), time.monotonic())
                for name, (run, process, start) in list(running.items()):
                    code = process.poll()
                    if code is None:
                        continue
                    del running[name]
                    estimate.finished[name] = time.monotonic() - start
                    problem = self.finish(run, code)
                    if problem:
                        failures[name] = problem
                    progress.event(elapsed(), f"{name} failed: {problem}" if problem else name)
                progress.tick(elapsed())
                time.sleep(0.05)
        finally:
            for _, process, _ in running.values():
                process.terminate()
            for _, process, _ in running.values():
                process.wait()
        return failures
