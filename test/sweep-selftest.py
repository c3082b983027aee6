#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks ./hpcc sweep, --runs, and the task list that they share with other commands.

    test/sweep-selftest.py BIN    BIN is the directory of the examples

Stand-ins replace ssh and Slurm. With root and iproute2, two network namespaces represent two hosts.
"""

import argparse
import contextlib
import errno
import importlib.util
import io
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
sys.path.insert(0, str(EXAMPLES))

import forked  # noqa: E402
import hpcc_tables  # noqa: E402
import hpcc_tasks  # noqa: E402

BIN = None
DEADLINE_S = 120
FILE = """
program = "{program}"
seeds = [1, 7]
[options]
bytes = 20000
"ns3::RdmaNic::PostDelay" = "ns3::UniformRandomVariable[Min=0|Max=3000]"
[product]
senders = [2, 3]
[[cases]]
cc = "hpcc++"
eta = 0.9
[[cases]]
cc = "dcqcn"
"""
# Runs the example. While the file hold exists, the run 2-run-1* waits until it is killed.
HELD = """#!/bin/sh
case "$*" in
    *--check*) ;;
    *runs/2-run-1*) if [ -e hold ]; then echo $$ >waiting; exec sleep 1000; fi ;;
esac
echo "$*" >>count
exec {bin}/hpcc-incast "$@"
"""
FAILS = """#!/bin/sh
case "$*" in
    *--check*) exit 0 ;;
    *2-run-1*) if [ ! -e well ]; then echo first; echo "the last" >&2; exit 3; fi ;;
esac
exec {bin}/hpcc-incast "$@"
"""
SSH = """#!/bin/sh
while :; do case $1 in -o) shift 2 ;; -*) shift ;; *) break ;; esac; done
host=$1
shift
[ "$1" != -- ] || shift
echo "$host" >>"$HOSTS"
case $host in
    down) echo "ssh: connect to host down port 22: No route to host" >&2; exit 255 ;;
    bare) exit 1 ;;
    hpcc-*) exec ip netns exec "$host" /bin/sh -c "$*" ;;
    *) exec /bin/sh -c "$*" ;;
esac
"""
# Runs the elements of a job array one after the other in the background.
SBATCH = """#!/bin/sh
[ -z "$SBATCH_REFUSES" ] || { echo "sbatch: error: invalid partition" >&2; exit 1; }
for word; do case $word in --array=*) last=${word#--array=0-}; last=${last%%%*} ;; esac; done
for script; do :; done
(
    i=0
    while [ $i -le "$last" ]; do
        [ "$SLURM_LOSES" = $i ] || SLURM_ARRAY_TASK_ID=$i /bin/sh "$script"
        i=$((i + 1))
    done
    echo end >"$QUEUE"
) >/dev/null 2>&1 &
echo "running" >"$QUEUE"
echo "17;cluster"
"""
SQUEUE = """#!/bin/sh
grep -q running "$QUEUE" && echo RUNNING
:
"""


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def alive(pid):
    """Returns whether a process exists and is not a zombie."""
    try:
        return ") Z" not in pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False


class Directory(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.top = pathlib.Path(temporary.name)
        self.environment = {**os.environ, "PARALLEL": "", "TMPDIR": temporary.name}
        self.environment.pop("PARALLEL_SSH", None)

    def program(self, name, text):
        path = self.top / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def write(self, text, name="x.toml"):
        (self.top / name).write_text(text, encoding="utf-8")
        return name

    def wait_for(self, what):
        end = time.monotonic() + DEADLINE_S
        while not what():
            self.assertLess(time.monotonic(), end, "nothing happens")
            time.sleep(0.02)


class Sweeps(Directory):
    whole = None  # tables of FILE from an uninterrupted sweep

    def setUp(self):
        super().setUp()
        if not Sweeps.whole:
            self.write(FILE.format(program="hpcc-incast"))
            self.sweep("x.toml", "--out=whole")
            Sweeps.whole = self.tables("whole")

    def example(self, text=""):
        """Returns a stand-in for the example that can be made to wait and that counts its calls."""
        (self.top / "stand-in").mkdir(exist_ok=True)
        return self.program("stand-in/hpcc-incast", HELD.format(bin=BIN) + text)

    def command(self, *words):
        return [sys.executable, "-B", str(EXAMPLES / "hpcc-sweep.py"), f"--bin={BIN}", *words]

    def sweep(self, *words, code=0):
        """Runs a sweep in the directory and returns its standard error."""
        script, *words = self.command(*words)[2:]
        done = forked.run(script, words, self.top, self.environment, DEADLINE_S)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr

    def start(self, *words):
        """Starts a sweep in the background, which the test ends."""
        process = subprocess.Popen(self.command(*words), cwd=self.top, env=self.environment, text=True,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def tables(self, name):
        out = self.top / name
        return [(out / file).read_bytes() for file in ("sweep.csv", "sweep-ci.csv", "sweep.svg")]

    def count(self):
        path = self.top / "count"
        calls = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return sum("--check" not in call for call in calls)

    def stand_in_for_ssh(self):
        self.environment["PARALLEL_SSH"] = str(self.program("ssh", SSH))
        self.environment["HOSTS"] = str(self.top / "asked")
        return self.top / "asked"

    def test_an_interrupted_sweep_leaves_no_process_and_resumes_to_the_same_bytes(self):
        self.write(FILE.format(program=self.example()))
        for number in (signal.SIGINT, signal.SIGTERM):
            out = f"cut-{number}"
            (self.top / "hold").touch()
            process = self.start("x.toml", f"--out={out}", "--jobs=2")
            self.wait_for((self.top / "waiting").exists)
            # The other job continues up to the last run.
            last = self.top / out / "runs" / "4-run-7" / "build.sha256"
            self.wait_for(lambda: last.exists() and last.stat().st_size > 0)  # pylint: disable=cell-var-from-loop
            process.send_signal(number)
            said = process.communicate(timeout=DEADLINE_S)[1]
            self.assertEqual(process.returncode, 128 + number, said)
            held = int((self.top / "waiting").read_text(encoding="utf-8"))
            self.wait_for(lambda: not alive(held))  # pylint: disable=cell-var-from-loop
            (self.top / "waiting").unlink()
            self.assertFalse((self.top / out / "sweep.csv").exists())
            (self.top / "hold").unlink()
            before = self.count()
            said = self.sweep("x.toml", f"--out={out}", "--resume")
            self.assertIn("7 taken as they are", said)
            self.assertEqual(self.count() - before, 1)
            self.assertEqual(self.tables(out), self.whole)

    def test_a_row_has_the_options_of_its_run_and_a_mean_is_that_of_its_seeds(self):
        rows, means = ([line.split(",") for line in table.decode().splitlines()]
                       for table in self.whole[:2])
        self.assertEqual(len(rows), 1 + 8)
        self.assertEqual(rows[0][:4] + rows[0][-1:], ["--senders", "--cc", "--eta", "cc", "run"])
        self.assertEqual([row[:3] + row[-1:] for row in rows[1:4]],
                         [["2", "hpcc++", "0.9", "1"], ["2", "hpcc++", "0.9", "7"],
                          ["2", "dcqcn", "", "1"]])
        self.assertEqual(len(means), 1 + 4)
        theirs, ours = rows[0].index("fct_p99_us"), means[0].index("fct_p99_us")
        widest = 0
        for mean, one, two in zip(means[1:], rows[1::2], rows[2::2]):
            one, two = float(one[theirs]), float(two[theirs])
            self.assertAlmostEqual(float(mean[ours]), (one + two) / 2)
            self.assertAlmostEqual(float(mean[ours + 1]), 12.706205 * abs(one - two) / 2, places=3)
            widest = max(widest, abs(one - two))
        self.assertGreater(widest, 0, "seeds that give the same prove nothing")

    def test_another_build_or_command_runs_again(self):
        text = 'program = "{}"\n[options]\nbytes = 1000\n[product]\ncc = ["none", "{}"]'
        self.write(text.format(self.example(), "hpcc"))
        self.assertRegex(self.sweep("x.toml", "--out=o"), r"\[100%\] 2/2 runs, 0 s left")
        self.assertTrue((self.top / "o/sweep.png").exists())
        self.write(text.format(self.example(), "dctcp"))
        for words, runs in ((["--resume"], 1), (["--resume"], 0), ([], 2)):
            before = self.count()
            self.sweep("x.toml", "--out=o", *words)
            self.assertEqual(self.count() - before, runs)
        self.example("# another\n")
        before = self.count()
        self.sweep("x.toml", "--out=o", "--resume")
        self.assertEqual(self.count() - before, 2)

    def test_a_damaged_run_runs_again(self):
        self.write(f'program = "{self.example()}"\n[options]\nbytes = 1000\n[product]\ncc = ["none", "hpcc"]')
        self.sweep("x.toml", "--out=o")
        whole = self.tables("o")
        run = self.top / "o/runs/1-run-1"
        table = (run / "summary.csv").read_bytes()
        for name, damaged in (("summary.csv", b""), ("summary.csv", table[:-40]), ("manifest.json", b"[]")):
            (run / name).write_bytes(damaged)
            before = self.count()
            self.sweep("x.toml", "--out=o", "--resume")
            self.assertEqual(self.count() - before, 1, name)
            self.assertEqual(self.tables("o"), whole)

    def assert_hosts_give_the_same_bytes(self, one, two):
        asked = self.stand_in_for_ssh()
        self.write(FILE.format(program=BIN / "hpcc-incast"))
        self.sweep("x.toml", "--out=there", f"--hosts={one},2/{two}")
        self.assertEqual(self.tables("there"), self.whole)
        hosts = asked.read_text(encoding="utf-8").split()
        self.assertEqual(len(hosts), 8 + 2 * 2, "8 runs, and 2 questions to each host before them")
        self.assertGreater(min(hosts.count(one), hosts.count(two)), 2)

    def test_two_hosts_give_the_same_bytes(self):
        self.assert_hosts_give_the_same_bytes("one", "two")

    def test_two_network_namespaces_give_the_same_bytes(self):
        if os.geteuid() != 0 or not shutil.which("ip"):
            self.skipTest("network namespaces need root and iproute2")
        spaces = [f"hpcc-{os.getpid()}-{i}" for i in (1, 2)]
        for space in spaces:
            self.addCleanup(subprocess.run, ["ip", "netns", "del", space], check=False,
                            capture_output=True)
            for words in (["add", space], ["exec", space, "true"]):
                done = subprocess.run(["ip", "netns", *words], capture_output=True, check=False)
                if done.returncode:
                    self.skipTest("there are no network namespaces here, as in some containers")
        self.assert_hosts_give_the_same_bytes(*spaces)

    def slurm(self):
        tools = self.top / "slurm"
        tools.mkdir()
        for name, text in (("sbatch", SBATCH), ("squeue", SQUEUE),
                           ("scancel", '#!/bin/sh\necho "$*" >cancelled\n')):
            self.program(f"slurm/{name}", text)
        self.environment["PATH"] = f"{tools}:{self.environment['PATH']}"
        self.environment["QUEUE"] = str(self.top / "queue")

    def test_an_array_of_slurm_gives_the_same_bytes(self):
        self.slurm()
        self.write(FILE.format(program=BIN / "hpcc-incast"))
        self.sweep("x.toml", "--out=there", "--slurm")
        self.assertEqual(self.tables("there"), self.whole)
        self.assertFalse((self.top / "there" / "tasks").exists())
        self.environment["SLURM_LOSES"] = "3"  # as if a node had failed
        said = self.sweep("x.toml", "--out=there", "--slurm", code=1)
        self.assertIn("2-run-7: Slurm's job 17 has ended before it (see sacct -j 17)", said)
        self.assertIn("1 of 8 runs have failed", said)
        del self.environment["SLURM_LOSES"]
        self.assertIn("7 taken as they are", self.sweep("x.toml", "--out=there", "--slurm", "--resume"))
        self.assertEqual(self.tables("there"), self.whole)

    def test_elements_of_an_array_execute_several_tasks_in_turn(self):
        self.slurm()
        tasks = [hpcc_tasks.Task(str(i), ("sh", "-c", f"echo $SLURM_ARRAY_TASK_ID; exit {i}"))
                 for i in range(5)]
        with unittest.mock.patch.dict(os.environ, self.environment), \
                unittest.mock.patch.object(hpcc_tasks, "ARRAY_SIZE", 2), \
                contextlib.redirect_stderr(io.StringIO()):
            ended = {one.task.name: (one.code, one.output)
                     for one in hpcc_tasks.run(tasks, hpcc_tasks.Slurm(), work=self.top / "work")}
        self.assertEqual(ended, {str(i): (i, f"{i % 2}\n") for i in range(5)})

    def test_a_machine_without_slurm_or_gnu_parallel_is_named(self):
        self.environment["PATH"] = str(self.top)
        self.write(FILE.format(program=BIN / "hpcc-incast"))
        for words, name in ((["--slurm"], "sbatch here:"), ([], "GNU parallel here")):
            self.assertRegex(self.sweep("x.toml", *words, code=2), rf"^sweep: there is no {name} .*\n\Z")

    def test_a_python_without_matplotlib_is_named_before_the_first_run(self):
        (self.top / "matplotlib.py").write_text('raise ImportError("nothing")\n', encoding="utf-8")
        self.environment["PYTHONPATH"] = str(self.top)
        self.write(FILE.format(program=self.example()))
        done = subprocess.run(self.command("x.toml", "--out=o"), cwd=self.top, env=self.environment, text=True,
                              capture_output=True, check=False, timeout=DEADLINE_S)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "hpcc-sweep.py: nothing (Debian: python3-matplotlib)\n"))
        self.assertFalse((self.top / "o").exists())

    def test_slurm_refuses(self):
        self.slurm()
        self.environment["SBATCH_REFUSES"] = "1"
        self.write(FILE.format(program=BIN / "hpcc-incast"))
        self.assertRegex(self.sweep("x.toml", "--slurm", code=2), r"^sweep: sbatch: error: .*\n\Z")

    def test_what_fails_after_the_checks_is_reported_and_repeated(self):
        (self.top / "stand-in").mkdir()
        program = self.program("stand-in/hpcc-incast", FAILS.format(bin=BIN))
        self.write(f'program = "{program}"\n[options]\nbytes = 1000\ncc = "none"\n[product]\nsenders = [1, 2]')
        said = self.sweep("x.toml", "--out=o", code=1)
        self.assertIn("sweep: o/runs/2-run-1: the last\n", said)
        self.assertFalse((self.top / "o/sweep.csv").exists())
        (self.top / "well").touch()
        self.assertIn("1 taken as they are", self.sweep("x.toml", "--out=o", "--resume"))
        self.assertTrue((self.top / "o/sweep.csv").exists())

    def test_a_program_that_writes_no_results_is_named(self):
        (self.top / "stand-in").mkdir()
        program = self.program("stand-in/hpcc-incast", "#!/bin/sh\n")
        self.write(f'program = "{program}"\n[options]\nbytes = 1000\n')
        said = self.sweep("x.toml", "--out=o", code=1)
        self.assertRegex(said, f"sweep: .*{program} has written no manifest.json to o/runs/1-run-1\n")

    def test_a_command_for_hosts_without_a_word_is_refused(self):
        self.write('program = "hpcc-incast"\n[options]\nbytes = 1000\ncc = "none"\n')
        for command in ("", " ", "'ssh"):
            self.environment["PARALLEL_SSH"] = command
            said = self.sweep("x.toml", "--out=o", "--hosts=near", code=2)
            self.assertEqual(len(said.splitlines()), 1, said)
            self.assertIn(f'PARALLEL_SSH: "{command}" is not allowed; a command such as ssh', said)
            self.sweep("x.toml", f"--out=o{len(command)}", code=0)  # no host needs the command

    def test_bad_input_ends_with_one_line_before_the_first_run(self):
        self.stand_in_for_ssh()
        good = 'program = "hpcc-incast"\n[options]\nbytes = 1000\ncc = "none"\n'
        cases = [
            ('program = "hpcc-incast"\n[options]\nnosuch = 1\n', [], "nosuch"),
            (good + "[product]\nsenders = [1, 0]\n", [], "--senders=0: --senders: 0 is outside 1 to "),
            (good + "[[cases]]\nmtu = 1000\n[[cases]]\nmtu = 5\n", [], "--mtu: 5 is outside 64 to 9000"),
            (good + '[product]\n"ns3::RdmaHost::NoSuch" = [1]\n', [], "NoSuch"),
            (good + "eta = 0.9\n", [], "--eta=0.9 has no effect: none has no Eta"),
            (good + "[product]\nmtu = []\n", [], "mtu: a list of values is needed"),
            (good + "[product]\nmtu = 1000\n", [], "mtu: a list of values is needed"),
            (good + "[product]\nmtu = [100, 100]\n", [], "mtu: a value occurs twice"),
            (good + "[product]\nbytes = [1]\n", [], "bytes occurs in two of options, product and cases"),
            (good + "[product]\nmtu = [[1]]\n", [], "mtu: [1] is not allowed"),
            (good + "[[cases]]\nmtu = 70\n[[cases]]\nmtu = 70\n", [], "case 2 occurs twice"),
            (good + "[[cases]]\n", [], "case 1 has no option"),
            (good + '[[cases]]\nmtu = 70\n[[cases]]\nmtu = 70\nwatchdog = ""\n', [],
             "case 2 differs from case 1 only in options without a value"),
            (good + "describe = true\n", [], "describe is not allowed: nothing would run"),
            (good + "version = true\n", [], "version is not allowed: nothing would run"),
            (good + "PrintGlobals = true\n", [], "PrintGlobals is not allowed: nothing would run"),
            (good + 'out = "x"\n', [], "out is not allowed"),
            (good + 'runs = 3\n', [], "runs is not allowed: give seeds"),
            (good + 'save-trace = "x"\n', [], "save-trace is not allowed: all runs would write"),
            (good + "config-outputs = true\n", [], "config-outputs is not allowed: all runs would write"),
            (good + '[plot]\ny = "nosuch"\n', [], "y: nosuch is not a numeric column"),
            *((good + f'[plot]\ny = "{text}"\n', [], f"y: {text} is not a numeric column of summary.csv")
              for text in ("cc", "telemetry", "feedback", "bottleneck_port")),
            (good + '[plot]\nx = "bytes"\n', [], "x: bytes is not among the options that vary"),
            (good + "[plot]\nz = 1\n", [], "z is unknown"),
            ("seeds = 0\n" + good, [], "seeds: 0 is not allowed"),
            ("seeds = [1, 1]\n" + good, [], "seeds: [1, 1] is not allowed"),
            ("seeds = 60000\n" + good + "[product]\nmtu = [100, 101]\n", [], "more than 100000 runs"),
            ("nosuch = 0\n" + good, [], "nosuch is unknown; allowed are cases, options"),
            ('program = "hpcc-nosuch"\n', [], "'hpcc-nosuch' is not allowed; the path of a program, or"),
            ('program = "./nosuch"\n', [], "nosuch: there is no such program"),
            ("[options]\nbytes = 1\n", [], "program: None is not allowed"),
            ("program = \n", [], "Invalid value (at line 1"),
            (good, ["--hosts=down"], "down cannot be reached: ssh: connect to host down port 22: No route"),
            (good, ["--hosts=near,bare"], "bare lacks an executable"),
            (good, ["--hosts=0/near"], '"0/near" is not allowed'),
            (good, ["--hosts=:", "--slurm"], "not allowed with argument"),
            (good, ["--jobs=0"], "--jobs: 0 is not allowed; at least 1"),
            (good, ["--jobs=x"], "invalid int value: 'x'"),
            (good, ["--nosuch"], "unrecognized arguments: --nosuch"),
            (good, ["--out=/proc/x"], "/proc/x: "),
        ]
        self.write(good, "good.toml")
        self.sweep("good.toml", "--out=o")
        earlier = self.tables("o")
        module = load("hpcc-sweep")
        os.chdir(self.top)
        self.addCleanup(os.chdir, ROOT)
        for text, words, expected in cases:
            with self.subTest(expected), unittest.mock.patch.dict(os.environ, self.environment), \
                    contextlib.redirect_stderr(io.StringIO()) as said:
                self.write(text)
                sys.argv[1:] = self.command("x.toml", "--out=o", *words)[3:]
                try:
                    code = module.main()
                except SystemExit as left:
                    code = left.code
                self.assertEqual(code, 2)
                self.assertRegex(said.getvalue(), r"^sweep: .*\n\Z")
                self.assertIn(expected, said.getvalue())
                self.assertEqual(self.tables("o"), earlier)
        self.assertIn("nosuch.toml: No such file", self.sweep("nosuch.toml", code=2))

    def test_a_variable_with_options_of_gnu_parallel_has_no_effect(self):
        with unittest.mock.patch.dict(os.environ, {"PARALLEL": "--dry-run"}):
            task = hpcc_tasks.Task("one", ("touch", str(self.top / "mark")))
            self.assertEqual([ended.code for ended in hpcc_tasks.run([task], hpcc_tasks.Parallel(1))], [0])
        self.assertTrue((self.top / "mark").exists())

    def test_a_full_disk_is_named(self):
        self.write(FILE.format(program="hpcc-incast"))
        module = load("hpcc-sweep")
        os.chdir(self.top)
        self.addCleanup(os.chdir, ROOT)
        sys.argv[1:] = self.command("x.toml", "--out=whole", "--resume")[3:]
        full = OSError(errno.ENOSPC, "No space left on device")
        for place, code in (("merge", 1), ("clear", 2)):
            with unittest.mock.patch.object(module, place, side_effect=full), \
                    contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(module.main(), code)
            self.assertIn("sweep: whole: No space left on device\n", said.getvalue())
            full.filename = None

    def test_a_check_refuses_what_a_run_refuses_and_writes_nothing(self):
        for words, code in (([], 0), (["--runs=3"], 0), (["--fail=0-99@1us"], 2),
                            (["--ns3::TcpSocket::SegmentSize=9"], 2)):
            with self.subTest(words):
                command = [str(BIN / "hpcc-incast"), "--cc=hpcc", "--out=o", *words]
                checked, ran = (subprocess.run(command + more, cwd=self.top, capture_output=True,
                                               text=True, check=False) for more in (["--check"], []))
                self.assertEqual((checked.returncode, ran.returncode), (code, code))
                self.assertEqual(checked.stdout, "")
                self.assertEqual(checked.stderr, ran.stderr if code else "")
                self.assertEqual((self.top / "o").exists(), code == 0)
                shutil.rmtree(self.top / "o", ignore_errors=True)
        command = [str(BIN / "hpcc-incast"), "--cc=hpcc", "--out=o", "--check"]
        subprocess.run(command, cwd=self.top, check=True)
        self.assertFalse((self.top / "o").exists())
        command = [str(BIN / "hpcc-workload"), "--out=o", "--duration=20us", "--save-trace=trace", "--cc=none"]
        (self.top / "trace").write_text("mine", encoding="utf-8")
        for word in ("--check", "--describe"):
            subprocess.run([*command, word], cwd=self.top, check=True, capture_output=True)
            self.assertEqual((self.top / "trace").read_text(encoding="utf-8"), "mine")
        subprocess.run(command, cwd=self.top, check=True, capture_output=True)
        self.assertIn("\nflows ", (self.top / "trace").read_text(encoding="utf-8"))

    def test_a_value_is_a_number_only_with_nothing_else_than_a_unit(self):
        module = load("hpcc-sweep")
        for text, value in (("100Gbps", 100), ("0.5", 0.5), ("-1e-3us", -1e-3), ("4-6@10us", None),
                            ("hpcc", None), ("10us-30us", None)):
            with self.subTest(text):
                self.assertEqual(module.number(text), value)

    def test_two_sweeps_do_not_write_into_one_directory(self):
        self.write(FILE.format(program=self.example()))
        (self.top / "hold").touch()
        process = self.start("x.toml", "--out=o", "--jobs=2")
        self.wait_for((self.top / "waiting").exists)
        said = self.sweep("x.toml", "--out=o", code=2)
        process.terminate()
        process.communicate(timeout=DEADLINE_S)
        self.assertIn("o: another sweep is writing there", said)


class Intervals(unittest.TestCase):
    def test_quantiles_are_those_of_published_tables(self):
        published = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 10: 2.228, 29: 2.045, 30: 2.042,
                     120: 1.980}
        for degrees, value in published.items():
            self.assertAlmostEqual(hpcc_tables.student_t(degrees), value, places=3)
        mean, half = hpcc_tables.estimate([1.0, 2.0, 3.0])
        self.assertAlmostEqual(mean, 2)
        self.assertAlmostEqual(half, 4.302653 / 3**0.5, places=5)
        self.assertTrue(math.isnan(hpcc_tables.estimate([5.0])[1]))
        self.assertTrue(math.isnan(hpcc_tables.estimate([])[0]))


class Picture(Directory):
    def test_the_label_of_numbers_has_their_common_unit(self):
        for values, label in (("10Gbps 25Gbps", "rate (Gbps)"), ("1 2", "rate"), ("1us 2ms", "rate")):
            rows = [{"--rate": value, "cc": "hpcc", "y": "1", "y_ci95": "nan"} for value in values.split()]
            load("hpcc-sweep").draw(argparse.Namespace(names=["rate"], x="rate", y="y"), rows, self.top)
            self.assertIn(f">{label}<", (self.top / "sweep.svg").read_text(encoding="utf-8"))


class Repeated(Directory):
    """Tests of the script that executes --runs. A stand-in replaces the example."""

    def repeat(self, *words, jobs=1):
        tables = ["--table=summary.csv:1", "--table=t.csv:1", "--table=absent.csv:1"]
        command = [sys.executable, "-B", str(EXAMPLES / "hpcc-repeat.py"), "--name=example",
                   f"--out={self.top}/o", "--run=4", "--runs=5", f"--jobs={jobs}", "--progress=0", *tables,
                   "--", *map(str, words)]
        return subprocess.run(command, env=self.environment, text=True, capture_output=True, check=False,
                              timeout=DEADLINE_S)

    def test_merged_tables_do_not_depend_on_the_number_of_processes(self):
        columns = [column for _, column, *_ in load("hpcc-repeat").PRINTED]
        program = self.program("example", f"""#!/bin/sh
run=${{2#--only-run=}}
out={self.top}/o/run-$run
mkdir -p $out
echo cc,x,y >$out/t.csv
echo a,$run,nan >>$out/t.csv
echo b,${{run}}0,7 >>$out/t.csv
echo cc,{','.join(columns)} >$out/summary.csv
echo a{',$run' * len(columns)} >>$out/summary.csv
echo '{{"command": "{{1}}", "run": '$run', "files": ["t.csv", "x.csv"]}}' >$out/manifest.json
""")
        for jobs in (1, 3):
            done = self.repeat(program, "1", jobs=jobs)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            texts = {path.name: path.read_text(encoding="utf-8")
                     for path in (self.top / "o").iterdir() if path.is_file()}
            self.assertEqual(sorted(texts), ["manifest.json", "summary-ci.csv", "summary.csv", "t-ci.csv",
                                             "t.csv"])
            self.assertTrue(texts["t.csv"].startswith("cc,x,y,run\na,4,nan,4\nb,40,7,4\na,5,"))
            # The values 4 to 8 have the mean 6 and the standard deviation sqrt(2.5); t(0.975, 4) is 2.776445.
            self.assertEqual(texts["t-ci.csv"], "cc,runs,x,x_ci95,y,y_ci95\na,5,6,1.963243161,nan,nan\n"
                             "b,5,60,19.63243161,7,0\n")
            self.assertEqual(json.loads(texts["manifest.json"]), {
                "command": "{1}", "run": 4,
                "files": ["summary-ci.csv", "summary.csv", "t-ci.csv", "t.csv"]})
            self.assertRegex(done.stdout, r"^policy  finished .*\na +6 \+- 2  6.0 \+- 2.0 .*\n"
                             r"5 runs, mean and 95 % interval; results in .*/o\n\Z")
            shutil.rmtree(self.top / "o")

    def test_rows_of_a_run_with_the_same_key_count_as_one_value_of_the_run(self):
        out = self.top / "o"
        for run, lines in ((1, "a,0,nan a,2,nan a,nan,5"), (2, "a,2,nan a,4,nan b,7,0"), (3, "b,9,1")):
            (out / f"run-{run}").mkdir(parents=True)
            text = "\n".join(["cc,x,y", *lines.split(), ""])
            (out / f"run-{run}" / "t.csv").write_text(text, encoding="utf-8")
        arguments = argparse.Namespace(out=out, runs=range(1, 4))
        self.assertEqual(load("hpcc-repeat").merge(arguments, "t.csv", 1), ["t.csv", "t-ci.csv"])
        # The runs' values of a are 1 and 3: t(0.975, 1) = 12.70620.
        rows = [line.split(",") for line in (out / "t-ci.csv").read_text(encoding="utf-8").splitlines()]
        self.assertEqual(rows[1][:3] + rows[1][4:], ["a", "2", "2", "5", "nan"])
        self.assertAlmostEqual(float(rows[1][3]), 12.70620, places=4)
        self.assertEqual(rows[2][:3], ["b", "2", "8"])

    def test_a_failure_is_reported_with_what_the_run_wrote_and_no_other_run_begins(self):
        for end, code, said in (("echo run $2 refuses >&2; exit 2", 2, "run --only-run=5 refuses\n"),
                                ("exit 3", 3, "example: run 5 has ended with exit code 3\n"),
                                ("echo last words >&2; kill -9 $$", 1,
                                 "last words\nexample: run 5 was ended by signal 9\n")):
            begun = self.top / "begun"
            program = self.program("example", f"#!/bin/sh\necho $2 >>{begun}\n"
                                   f"[ $2 = --only-run=5 ] || exec true\n{end}")
            done = self.repeat(program, "1")
            self.assertEqual((done.returncode, done.stderr, done.stdout), (code, said, ""))
            self.assertEqual(begun.read_text(encoding="utf-8"), "--only-run=4\n--only-run=5\n")
            begun.unlink()

    def test_runs_under_way_end_after_a_failure_and_the_first_that_failed_is_reported(self):
        program = self.program("example", f"""#!/bin/sh
case $2 in
    *4) until [ -e {self.top}/failed ]; do sleep 0.02; done; sleep 0.5; echo the first >&2; exit 2 ;;
    *) touch {self.top}/failed; echo another >&2; exit 3 ;;
esac
""")
        done = self.repeat(program, "1", jobs=2)
        self.assertEqual((done.returncode, done.stderr), (2, "the first\n"))

    def test_a_program_names_what_its_runs_lack(self):
        empty = self.top / "empty"
        empty.mkdir()
        self.environment["PATH"] = str(empty)
        for words, option in ((["hpcc-incast", "--runs=2"], "--runs"), (["hpcc-soak"], "hpcc-soak")):
            command = [BIN / words[0], f"--out={self.top}/o", *words[1:]]
            for program, said in (("python3", f"{option}: python3 cannot be started: No such file or"
                                   " directory\n"),
                                  ("parallel", f"{option}: there is no GNU parallel here (Debian:"
                                   " parallel)\n")):
                with self.subTest(words[0], lacks=program):
                    done = subprocess.run(command, env=self.environment, text=True, capture_output=True,
                                          check=False, timeout=DEADLINE_S)
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", said))
                    self.assertFalse((self.top / "o").exists())
                if program == "python3":
                    (empty / "python3").symlink_to(sys.executable)
            (empty / "python3").unlink()


class TaskList(Directory):
    def run_all(self, *commands, **options):
        tasks = [hpcc_tasks.Task(str(index), command, directory=str(self.top))
                 for index, command in enumerate(commands)]
        return {ended.task.name: ended
                for ended in hpcc_tasks.run(tasks, hpcc_tasks.Parallel(2, **options))}

    def test_words_output_and_exit_codes_arrive(self):
        strange = "a b'\"$x\\{}{#}*\t;|&<>é"
        ended = self.run_all(("printf", "%s", strange), ("sh", "-c", "echo e >&2; exit 7"),
                             ("sh", "-c", "kill -9 $$"), ("pwd",))
        self.assertEqual((ended["0"].code, ended["0"].output), (0, strange))
        self.assertEqual((ended["1"].code, ended["1"].problem()), (7, "e"))
        self.assertEqual((ended["2"].code, ended["2"].problem()), (-9, "signal 9"))
        self.assertEqual(ended["3"].output.strip(), str(self.top))

    def test_a_task_that_takes_too_long_is_ended(self):
        ended = self.run_all(("sleep", "1000"), ("true",), timeout=1)
        self.assertEqual(ended["1"].code, 0)
        self.assertIsNone(ended["0"].code)
        self.assertRegex(ended["0"].problem(), "no end within [0-9]+ s")

    def test_no_task_outlives_a_command_that_is_killed(self):
        script = f"""
import sys
sys.path.insert(0, {str(EXAMPLES)!r})
import hpcc_tasks
tasks = [hpcc_tasks.Task("x", ("sh", "-c", "echo $$ >pid.part; mv pid.part pid; exec sleep 1000"))]
list(hpcc_tasks.run(tasks, hpcc_tasks.Parallel(1)))
"""
        process = subprocess.Popen([sys.executable, "-B", "-c", script], cwd=self.top,
                                   env=self.environment)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_for((self.top / "pid").exists)
        process.kill()
        pid = int((self.top / "pid").read_text(encoding="utf-8"))
        self.wait_for(lambda: not alive(pid))

    def test_tasks_without_an_end_are_named(self):
        place = hpcc_tasks.Parallel(1)
        tasks = [hpcc_tasks.Task("x", ("sleep", "1000")), hpcc_tasks.Task("y", ("true",))]

        class Killer:
            def tick(self, _):
                place.process.kill()

        ended = list(hpcc_tasks.run(tasks, place, Killer()))
        self.assertEqual([(one.task.name, one.code) for one in ended], [("x", None), ("y", None)])
        self.assertIn("GNU parallel has ended", ended[0].problem())

    def test_the_driver_names_what_the_script_takes(self):
        helps = [subprocess.run(command, capture_output=True, text=True, check=True).stdout
                 for command in ([str(ROOT / "hpcc"), "sweep", "--help"],
                                 [sys.executable, "-B", str(EXAMPLES / "hpcc-sweep.py"), "--help"])]
        options = [set(re.findall(r"--[a-z]+", text)) for text in helps]
        self.assertEqual(options[0] - {"--no"} | {"--help"}, options[1])


if __name__ == "__main__":
    BIN = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
