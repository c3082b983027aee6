# SPDX-License-Identifier: GPL-2.0-only
"""Runs a list of commands with GNU parallel, on this machine or several hosts, or as a Slurm array.

    for ended in hpcc_tasks.run(tasks, hpcc_tasks.Parallel(jobs=4)):
        print(ended.task.name, ended.code)

Tasks start in the order of the list. When run() is left, even by an exception or a signal, no
process remains: GNU parallel ends its jobs; if it dies first, the jobs are killed.
"""

import contextlib
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

POLL_S = 0.05
PATIENCE_S = 8  # from SIGTERM to SIGKILL
ARRAY_SIZE = 1000  # most elements of a Slurm array, which a cluster's MaxArraySize limits (default 1001)


class BadTasks(Exception):
    """Tasks cannot be run. The message is one line."""


@dataclasses.dataclass(frozen=True)
class Task:
    """A command. A task runs in the caller's directory unless it names another directory."""

    name: str
    command: tuple  # words of the command
    cost: float = 1.0  # relative cost, used to estimate the time left
    directory: str = ""
    environment: tuple = ()  # (name, value)

    def line(self):
        """Returns the task as a command of /bin/sh."""
        words = [str(word) for word in self.command]
        words = [*(f"{name}={value}" for name, value in self.environment), *words]
        if self.environment:
            words.insert(0, "env")
        if shutil.which("setpriv"):
            words = ["setpriv", "--pdeathsig", "KILL", *words]  # the kernel kills the task if its parent dies
        directory = os.path.abspath(self.directory or ".")
        return f"cd {shlex.quote(directory)} && exec {shlex.join(words)}"


@dataclasses.dataclass(frozen=True)
class Ended:
    """A task that has ended."""

    task: Task
    code: object  # exit code; negative: number of a signal; None: no exit code is known
    output: str
    errors: str
    seconds: float

    def problem(self):
        """Returns one line that describes the failure of a task."""
        lines = [line for line in self.errors.splitlines() if line.strip()]
        if lines:
            return lines[-1]
        if self.code is None:
            return f"no end within {self.seconds:.0f} s"
        return f"signal {-self.code}" if self.code < 0 else f"exit code {self.code}"


def checked_parallel():
    """Returns the path of GNU parallel."""
    path = shutil.which("parallel")
    said = path and subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    if not said or not said.stdout.startswith("GNU parallel"):
        raise BadTasks("there is no GNU parallel here (Debian: parallel)")
    return path


@contextlib.contextmanager
def naming(path):
    """Adds a path to an OSError without a path, such as the error of a write to a full disk."""
    try:
        yield
    except OSError as error:
        error.filename = path if error.filename is None else error.filename
        raise


def fail_at_limit():
    """Makes a write beyond the file size limit fail as on a full disk, instead of ending the
    process by a signal."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


class Parallel:
    """GNU parallel, on this machine or on hosts that share the directories."""

    def __init__(self, jobs, hosts=(), timeout=None, until_failure=False):
        """hosts is a list of (slots, name); a name is a host name for ssh, or ":" for this machine.
        A task is ended after timeout seconds. With until_failure, no task starts after one has
        failed."""
        self.program = checked_parallel()
        self.hosts, self.timeout, self.until_failure = hosts, timeout, until_failure
        self.slots = sum(slots for slots, _ in hosts) or jobs
        self.process = self.log = None
        self.place = 0  # position in the job log

    def start(self, lines, work):
        """Starts tasks, given as shell commands. work is an empty directory."""
        (work / "commands").write_text("\0".join(lines), encoding="utf-8")
        self.log, self.place = work / "joblog", 0
        self.log.touch()
        command = [self.program, "--will-cite", "--null", "--joblog", self.log,
                   "--results", f"{work}/{{#}}", "--termseq", "TERM,5000,KILL,25"]
        if self.hosts:
            command += ["-S", ",".join(f"{slots}/{name}" if name != ":" else f"{slots}/:"
                                       for slots, name in self.hosts)]
        else:
            command += ["--jobs", str(self.slots)]
        if self.timeout:
            command += ["--timeout", str(self.timeout)]
        if self.until_failure:
            command += ["--halt", "soon,fail=1"]
        if shutil.which("setpriv"):
            command = ["setpriv", "--pdeathsig", "TERM", *command]
        # The variable PARALLEL would add options to the command.
        environment = {name: text for name, text in os.environ.items() if name != "PARALLEL"}
        with open(work / "commands", "rb") as commands, open(work / "said", "wb") as said:
            # The process starts in a new session, so that Ctrl-C in the terminal reaches only the
            # caller.
            self.process = subprocess.Popen(
                command, stdin=commands, stdout=subprocess.DEVNULL, stderr=said,
                start_new_session=True, env={**environment, "PARALLEL_SHELL": "/bin/sh"},
                preexec_fn=fail_at_limit)

    def poll(self, work):
        """Returns whether all tasks have ended, and (index, code, seconds) of those that have ended
        since the last call."""
        over = self.process.poll() is not None
        with open(self.log, "rb") as log:
            log.seek(self.place)
            text = log.read()
        text = text[: text.rfind(b"\n") + 1]
        self.place += len(text)
        found = []
        for line in text.decode(errors="replace").splitlines():
            cells = line.split("\t", 8)
            if len(cells) == 9 and cells[0].isdigit():
                number, code, killed = int(cells[0]), int(cells[6]), int(cells[7])
                code, seconds = -killed if killed else code, float(cells[3])
                late = code != 0 and self.timeout and seconds >= self.timeout
                found.append((number - 1, None if late else code, seconds))
        return over, found

    @staticmethod
    def files(work, index):
        """Returns the files of a task's output and errors."""
        return work / str(index + 1), work / f"{index + 1}.err"

    def why(self, work):
        """Returns the reason why the end of some tasks is not recorded."""
        text = (work / "said").read_text(encoding="utf-8", errors="replace")
        full = re.search(r"Cannot append to buffer file in (.*)\.\n", text)
        if full:
            return f"cannot write to {full[1]}: is the disk full?"
        said = text.strip().splitlines()
        return said[-1] if said else f"GNU parallel has ended with exit code {self.process.poll()}"

    def stop(self):
        """Stops the running tasks."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Slurm:
    """A Slurm array. Environment variables such as SBATCH_PARTITION set options of sbatch."""

    ASK_S = 2  # seconds between two queries to Slurm
    PATIENT = 3  # number of queries for which the files of a job that has ended may still be missing

    def __init__(self, jobs=0):
        """jobs limits the number of tasks that run at a time; with 0, Slurm decides."""
        for program in ("sbatch", "squeue", "scancel"):
            if not shutil.which(program):
                raise BadTasks(f"there is no {program} here: is this a machine of a Slurm cluster?")
        self.jobs, self.slots = jobs, jobs or 1
        self.job = None
        self.left = set()
        self.asked, self.gone = 0.0, 0

    def start(self, lines, work):
        """Submits tasks. work is an empty directory that the nodes can access."""
        work = work.resolve()
        size = min(len(lines), ARRAY_SIZE)
        for index, line in enumerate(lines):
            (work / f"{index}.sh").write_text(line + "\n", encoding="utf-8")
        script = work / "array.sh"
        script.write_text(f"""#!/bin/sh
#SBATCH --job-name=hpcc --output=/dev/null
cd {shlex.quote(str(work))}
i=$SLURM_ARRAY_TASK_ID
while [ "$i" -lt {len(lines)} ]; do
    begin=$(date +%s.%N)
    /bin/sh $i.sh >$i.out 2>$i.err </dev/null
    echo $? $begin $(date +%s.%N) >$i.part
    mv $i.part $i.end
    i=$((i + {size}))
done
""", encoding="utf-8")
        limit = f"%{self.jobs}" if self.jobs else ""
        said = subprocess.run(["sbatch", "--parsable", f"--array=0-{size - 1}{limit}", script],
                              capture_output=True, text=True, check=False)
        if said.returncode:
            raise BadTasks((said.stderr.strip().splitlines() or ["sbatch has failed"])[-1])
        self.job = said.stdout.strip().partition(";")[0]
        self.left, self.gone = set(range(len(lines))), 0
        print(f"Slurm: job {self.job}", file=sys.stderr)

    def poll(self, work):
        """Returns whether all tasks have ended, and (index, code, seconds) of those that have ended
        since the last call."""
        found = []
        for path in work.glob("*.end"):
            if int(path.stem) in self.left:
                code, begin, end = path.read_text(encoding="utf-8").split()
                found.append((int(path.stem), int(code), float(end) - float(begin)))
        self.left -= {index for index, _, _ in found}
        if self.left and time.monotonic() > self.asked + self.ASK_S:
            self.asked = time.monotonic()
            said = subprocess.run(["squeue", "-h", "-r", "-j", self.job, "-o", "%T"],
                                  capture_output=True, text=True, check=False)
            known = said.stdout.split()
            self.slots = self.jobs or max(1, known.count("RUNNING"))
            no_answer = said.returncode and "Invalid job id" not in said.stderr
            self.gone = 0 if known or no_answer else self.gone + 1
        return not self.left or self.gone > self.PATIENT, found

    @staticmethod
    def files(work, index):
        """Returns the files of a task's output and errors."""
        return work / f"{index}.out", work / f"{index}.err"

    def why(self, work):
        """Returns the reason why the end of some tasks is not recorded."""
        return f"Slurm's job {self.job} has ended before it (see sacct -j {self.job})"

    def stop(self):
        """Cancels the job."""
        if self.job and self.left:
            subprocess.run(["scancel", self.job], capture_output=True, check=False)


def run(tasks, place, progress=None, work=None):
    """Runs tasks and yields each as an Ended when it ends.

    place is a Parallel or a Slurm. progress.tick({name: seconds so far}) is called while tasks run.
    work is a directory for output and logs; by default a temporary directory.
    """
    tasks = list(tasks)
    if not tasks:
        return
    work = pathlib.Path(work or tempfile.mkdtemp(prefix="hpcc-tasks-"))
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    left, begun = dict(enumerate(tasks)), {}

    def text(path):
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    try:
        with naming(work):
            place.start([task.line() for task in tasks], work)
        while left:
            # The first unfinished tasks are running, because tasks start in order.
            for index in list(left)[: place.slots]:
                begun.setdefault(index, time.monotonic())
            over, found = place.poll(work)
            for index, code, seconds in found:
                if index in left:
                    output, errors = place.files(work, index)
                    yield Ended(left.pop(index), code, text(output), text(errors), seconds)
            if over:
                break
            if progress:
                progress.tick({task.name: time.monotonic() - begun[index]
                               for index, task in left.items() if index in begun})
            time.sleep(POLL_S)
        for task in left.values():
            yield Ended(task, None, "", place.why(work), 0.0)
    finally:
        place.stop()
        shutil.rmtree(work, ignore_errors=True)


def spans(numbers, most):
    """Yields (first, last) of ranges of consecutive numbers; a range has at most `most` numbers."""
    first = last = None
    for number in numbers:
        if first is not None and number == last + 1 < first + most:
            last = number
            continue
        if first is not None:
            yield first, last
        first = last = number
    if first is not None:
        yield first, last


class Stopped(KeyboardInterrupt):
    """A signal that ends the program has arrived."""

    def __init__(self, number):
        super().__init__()
        self.number = number
        self.code = 128 + number  # exit code


def obey_signals():
    """Makes the first SIGINT, SIGTERM or SIGHUP raise Stopped, so that run() ends its tasks."""
    numbers = [signal.SIGINT, signal.SIGTERM]  # handled even if they were ignored
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup ignores it
        numbers.append(signal.SIGHUP)

    def stop(number, _):
        for other in numbers:
            signal.signal(other, signal.SIG_IGN)
        raise Stopped(number)

    for number in numbers:
        signal.signal(number, stop)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # if SIGCHLD is ignored, exit codes are lost


def parse_hosts(text, jobs):
    """Returns the (slots, name) in a list such as "node1,4/node2,:". The default of slots is
    jobs."""
    hosts = []
    for item in text.split(","):
        match = re.fullmatch(r"(?:([1-9][0-9]*)/)?([^\s/,]+)", item)
        if not match:
            raise BadTasks(f'--hosts: "{item}" is not allowed; HOST or SLOTS/HOST, separated by commas')
        hosts.append((int(match[1] or jobs), match[2]))
    return hosts


def check_hosts(hosts, programs, directory):
    """Refuses hosts that cannot be reached, or that lack the programs or the directory."""
    others = [name for _, name in hosts if name != ":"]
    if not others:
        return
    given = os.environ.get("PARALLEL_SSH", "ssh")
    try:
        ssh = shlex.split(given)
    except ValueError:  # an open quote
        ssh = []
    if not ssh:
        raise BadTasks(f'PARALLEL_SSH: "{given}" is not allowed; a command such as ssh')
    if pathlib.Path(ssh[0]).name == "ssh":
        ssh += ["-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]
    for name in others:
        with tempfile.NamedTemporaryFile(dir=directory, prefix=".seen-") as mark:
            for path, what in [*((str(program), "an executable") for program in programs),
                               (mark.name, "this machine's file")]:
                test = f"test -{'x' if what == 'an executable' else 'e'} {shlex.quote(path)} && echo yes"
                said = subprocess.run([*ssh, name, test], capture_output=True, text=True, check=False,
                                      stdin=subprocess.DEVNULL)
                if said.returncode > 1 or (said.returncode and said.stderr):
                    why = (said.stderr.strip().splitlines() or [f"exit code {said.returncode}"])[-1]
                    raise BadTasks(f"--hosts: {name} cannot be reached: {why}")
                if said.stdout.strip() != "yes":
                    raise BadTasks(f"--hosts: {name} lacks {what} {path}; all hosts need the same"
                                   " directories")


# -------------------------------------------------------------------------------------- progress


def duration(seconds):
    seconds = int(seconds + 0.5)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"


class Estimate:
    """Estimates the share done and the time left from the costs of tasks and the durations of
    finished tasks."""

    def __init__(self, costs, jobs):
        self.costs, self.jobs = dict(costs), jobs
        self.finished = {}  # name: seconds
        self.skipped = set()

    def speed(self):
        """Returns the cost that a job completes per second."""
        seconds = sum(self.finished.values())
        return sum(self.costs[name] for name in self.finished) / seconds if seconds else 1.0

    def remaining(self, running):
        """Returns the remaining cost of each task that is not finished; running is {name: seconds
        so far}."""
        left = {}
        for name, cost in self.costs.items():
            if name not in self.finished and name not in self.skipped:
                done = running.get(name, 0) * self.speed()
                # At least 5 % remain, because a task may take longer than estimated.
                left[name] = max(cost - done, 0.05 * cost)
        return left

    def share(self, running):
        total = sum(cost for name, cost in self.costs.items() if name not in self.skipped)
        return 1 - sum(self.remaining(running).values()) / total if total else 1.0

    def seconds_left(self, running):
        left = self.remaining(running).values()
        return max(sum(left) / self.jobs, max(left, default=0)) / self.speed()


class Progress:
    """Prints progress on standard error: lines, or, on a terminal, one line that is updated."""

    def __init__(self, estimate, total):
        self.estimate, self.total = estimate, total
        self.terminal = sys.stderr.isatty()
        self.shown = 0.0
        self.running = {}

    def text(self):
        done = len(self.estimate.finished) + len(self.estimate.skipped)
        left = duration(self.estimate.seconds_left(self.running))
        share = self.estimate.share(self.running)
        return f"[{share:4.0%}] {done}/{self.total} runs, {left} left"

    def tick(self, running):
        self.running = running
        now = time.monotonic()
        if self.terminal and now - self.shown >= 1:
            self.shown = now
            names = ", ".join(running)
            print(f"\r\033[K{f'{self.text()}: {names}'[:110]}", end="", file=sys.stderr, flush=True)

    def event(self, text, name=None, seconds=0.0):
        """Prints a line. name is the name of a finished task, and seconds its duration."""
        if name is not None:
            self.estimate.finished[name] = seconds
            self.running.pop(name, None)
        clear = "\r\033[K" if self.terminal else ""
        print(f"{clear}{self.text()}: {text}", file=sys.stderr, flush=True)
