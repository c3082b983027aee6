# SPDX-License-Identifier: GPL-2.0-only
"""Runs simulations, each in a separate directory. A simulation that the same command and the same
build have finished is not repeated."""

import fcntl
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import sys

import hpcc_tasks
from hpcc_tasks import BadTasks, Estimate, Progress, Task

STAMP = "build.sha256"
LOG = "log.txt"


def is_whole(path):
    """Returns True if a file of a run exists and, if it is a table, ends with a whole line."""
    try:
        with open(path, "rb") as file:
            if path.suffix == ".csv":
                file.seek(-1, os.SEEK_END)
            return path.suffix != ".csv" or file.read() == b"\n"
    except OSError:
        return False


def claim(directory):
    """Creates a directory and locks it, as HpccOutputDirectory does. The lock ends with the program."""
    try:
        pathlib.Path(directory).mkdir(parents=True, exist_ok=True)
        lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        raise BadTasks(f"--out: cannot create the directory {directory}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadTasks(f"--out: {directory} is in use by another run; wait for it, or choose another"
                       " directory") from None
    except OSError as error:
        print(f"warning: --out: {directory} cannot be locked ({error.strerror}); no other run may write"
              " there at the same time", file=sys.stderr)


def recorded(words):
    """Returns a command line in the form of a manifest: quoted for a shell, and preceded by ns-3's
    environment variables."""
    given = [f"{name}={shlex.quote(os.environ[name])} "
             for name in ("NS_ATTRIBUTE_DEFAULT", "NS_GLOBAL_VALUE") if os.environ.get(name)]
    return "".join(given) + shlex.join(words)


class Runner:
    """Runs and their directories, DIRECTORY/NAME.

    A run has the fields name, program, cost, keeps (files that it must have written) and discard
    (files that are deleted). The method command() of a run returns the words of the command, beginning
    with the name of the program.
    """

    def __init__(self, binaries, directory, place, any_build=False, cwd=None):
        """binaries is the directory of the programs. cwd is their working directory; the default is the
        argument directory."""
        self.binaries = pathlib.Path(binaries).resolve()
        self.directory = pathlib.Path(directory)
        self.cwd = cwd or self.directory
        self.place, self.any_build = place, any_build
        self.digests = {}
        self.started = False  # whether run_all() has begun to execute runs

    def build_of(self, program):
        """Returns a digest of a program and the library next to it."""
        if program not in self.digests:
            path = self.binaries / program
            if not path.is_file():
                raise BadTasks(f"{path}: there is no such program")
            digest = hashlib.sha256(path.read_bytes())
            # A standalone build has bin/PROGRAM and lib; in an ns-3 tree, lib is some levels higher.
            places = (parent / "lib" for parent in path.parents[1:])
            found = (place.glob(name) for place in places for name in ("libhpcc.*", "libns3*hpcc*"))
            for library in sorted({library for each in found for library in each}):
                digest.update(library.read_bytes())
            self.digests[program] = digest.hexdigest()
        return self.digests[program]

    def is_finished(self, run):
        directory = self.directory / run.name
        try:
            manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
            stamp = (directory / STAMP).read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            return False
        if not isinstance(manifest, dict) or manifest.get("command") != recorded(run.command()):
            return False
        if not all(is_whole(directory / name) for name in run.keeps):
            return False
        return self.any_build or stamp == self.build_of(run.program)

    def task(self, run):
        """Clears the directory of a run and returns its task."""
        directory = self.directory / run.name
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        words = (str(self.binaries / run.program), *run.command()[1:])
        return Task(run.name, words, run.cost, str(self.cwd))

    def finish(self, run, ended):
        """Finishes a run and returns a description of its failure; None if it succeeded."""
        directory = self.directory / run.name
        if ended.code == 0 and (directory / "manifest.json").is_file():
            for name in run.discard:
                (directory / name).unlink(missing_ok=True)
            (directory / STAMP).write_text(self.build_of(run.program) + "\n", encoding="utf-8")
            return None
        (directory / LOG).write_text(ended.errors, encoding="utf-8")
        (directory / "manifest.json").unlink(missing_ok=True)
        if ended.code == 0:
            return f"{run.program} has written no manifest.json to {directory}"
        return ended.problem()

    def check(self, runs, jobs):
        """Checks commands without simulating; runs share the working directory of the Runner.

        Returns (run, reason) of a run that its program would refuse; None if there is none."""
        tasks = {}
        for run in runs:
            self.build_of(run.program)
            words = (str(self.binaries / run.program), *run.command()[1:], "--check")
            tasks[Task(run.name, words, run.cost, str(self.cwd))] = run
        pathlib.Path(self.cwd).mkdir(parents=True, exist_ok=True)
        for ended in hpcc_tasks.run(tasks, hpcc_tasks.Parallel(jobs, until_failure=True)):
            if ended.code != 0:
                return tasks[ended.task], ended.problem()
        return None

    def run_all(self, runs, work=None):
        """Executes the runs and returns {name: description of the failure} of those that failed."""
        for run in runs:
            self.build_of(run.program)
        self.directory.mkdir(parents=True, exist_ok=True)
        estimate = Estimate({run.name: run.cost for run in runs}, self.place.slots)
        progress = Progress(estimate, len(runs))
        waiting, failures = {}, {}
        for run in sorted(runs, key=lambda run: -run.cost):  # long runs first, to end together
            if self.is_finished(run):
                estimate.skipped.add(run.name)
            else:
                waiting[run.name] = run
        if estimate.skipped:
            progress.event(f"{len(estimate.skipped)} taken as they are, done before")
        tasks = [self.task(run) for run in waiting.values()]
        self.started = True
        for ended in hpcc_tasks.run(tasks, self.place, progress, work):
            name = ended.task.name
            problem = self.finish(waiting[name], ended)
            if problem:
                failures[name] = problem
            estimate.jobs = self.place.slots
            progress.event(f"{name} failed: {problem}" if problem else name, name, ended.seconds)
        return failures
