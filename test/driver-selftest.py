#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the driver ./hpcc. Stand-ins replace the programs that build and install."""

import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
DRIVER = ROOT / "hpcc"

# Each stand-in appends its command line to the file calls.
STAND_INS = {
    # Configures the build directory $4 for the source directory $2.
    "cmake": """mkdir -p "$4/bin" && touch "$4/build.ninja"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$2" > "$4/CMakeCache.txt" """,
    # Builds the listed programs, which all print a benchmark result.
    "ninja": """while [ "$1" != -C ]; do shift; done
for name in hpcc-test-runner hpcc-bench hpcc-bench-parts hpcc-bench-ranks hpcc-workload hpcc-soak \\
    hpcc-pairs hpcc-astra-sim; do
    printf '#!/bin/sh\\necho "%s $*" >> "$CALLS"\\n' "$name" > "$2/bin/$name"
    echo 'echo "{\\"benchmark\\": \\"x\\", \\"seconds\\": 1}"' >> "$2/bin/$name"
    chmod +x "$2/bin/$name"
done""",
    "dpkg-query": "echo installed",
    "ctest": "",
    "doxygen": "",
    "mpirun": """while [ "${1#/}" = "$1" ]; do shift; done; exec "$@" """,
}


def run(*words):
    return subprocess.run([str(DRIVER), *words], capture_output=True, text=True, check=False)


def commands():
    """Returns the commands that ./hpcc --help lists."""
    listed = run("--help").stdout.split("COMMAND [ARGUMENTS]")[1].split("./hpcc COMMAND --help")[0]
    return re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)


class Flow(unittest.TestCase):
    """Runs each command completely, in a copy of the driver."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.top = pathlib.Path(directory.name)
        self.module = self.top / "module"
        (self.module / "cmake").mkdir(parents=True)
        shutil.copy(DRIVER, self.module)
        (self.module / "examples").symlink_to(ROOT / "examples")
        source = self.top / "mpi" / "model"
        source.mkdir(parents=True)
        (source / "mpi-interface.cc").touch()
        (self.top / "bin").mkdir()
        for name, text in STAND_INS.items():
            self.program(self.top / "bin" / name, f'echo "{name} $*" >> "$CALLS"\n{text}')
        self.program(
            self.module / "cmake" / "fetch-ns3-source.sh",
            f"echo {self.top}; mkdir -p {self.top}/src",
        )
        (self.top / "src").symlink_to(self.top)
        self.program(self.module / "cmake" / "portability.sh", 'echo "portability $*" >> "$CALLS"')

    @staticmethod
    def program(path, text):
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def calls(self, *words):
        """Returns the calls of a command that must succeed without an error message."""
        log = self.top / "calls"
        log.write_text("", encoding="utf-8")
        done = subprocess.run(
            [str(self.module / "hpcc"), *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.top,
            env=os.environ | {"CALLS": str(log), "PATH": f"{self.top}/bin:{os.environ['PATH']}"},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("not found", done.stderr)
        return log.read_text(encoding="utf-8")

    def test_programs_are_built_and_run(self):
        self.assertIn("\nhpcc-workload --load=1\n", self.calls("run", "hpcc-workload", "--load=1"))
        self.assertIn("hpcc-soak --out=results/soak --runs=3", self.calls("soak", "--runs=3"))
        self.assertIn("ctest --test-dir", self.calls("test"))
        self.program(self.top / "bin" / "python", 'echo "python $*" >> "$CALLS"')
        os.environ["PYTHON"] = str(self.top / "bin" / "python")
        self.addCleanup(os.environ.pop, "PYTHON")
        self.assertRegex(self.calls("pairs", "--quick"), r"python examples/hpcc-pairs.py .*--quick")
        self.assertIn(f"python -m sphinx -q -W --keep-going -b html {self.module}/doc", self.calls("doc"))
        self.assertIn("doxygen doc/Doxyfile", self.calls("doc"))
        self.assertIn(f"python -B {self.module}/test/book.py", self.calls("doc", "--check"))
        self.assertIn("portability GIT 3.40", self.calls("portability", "GIT", "3.40"))

    def test_results_are_drawn(self):
        self.program(self.top / "bin" / "python", 'echo "python $*" >> "$CALLS"; echo hpcc-incast')
        os.environ["PYTHON"] = str(self.top / "bin" / "python")
        self.addCleanup(os.environ.pop, "PYTHON")
        self.assertIn(f"python -B {self.module}/examples/hpcc-plot.py a b", self.calls("plot", "a", "b"))
        calls = self.calls("gallery", "--out=x")
        self.assertRegex(calls, r"ninja .* hpcc-incast\n")
        self.assertRegex(calls, r"python -B examples/hpcc-gallery.py --bin=\S+ --out=x")

    def test_the_source_archive_holds_what_is_committed(self):
        shutil.copy(ROOT / "CMakeLists.txt", self.module)
        (self.module / "examples").unlink()
        git = ["git", "-C", self.module, "-c", "user.name=x", "-c", "user.email=x"]
        for words in (["init", "-q"], ["add", "hpcc", "CMakeLists.txt"], ["commit", "-q", "-m", "x"]):
            subprocess.run([*git, *words], check=True)
        version = re.search(r"hpcc_version (\S+)\)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
        done = subprocess.run([self.module / "hpcc", "dist"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, f"{self.module}/build/hpcc-{version}.tar.gz\n")
        with tarfile.open(done.stdout.strip()) as archive:
            names = {name for name in archive.getnames() if name.count("/")}
        self.assertEqual(names, {f"hpcc-{version}/hpcc", f"hpcc-{version}/CMakeLists.txt"})
        done = subprocess.run([self.module / "hpcc", "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, f"hpcc {version}\n")

    def test_astra_sim_needs_a_library_that_the_user_has_built(self):
        checkout = self.top / "astra-sim"
        for directory in (self.top / "nosuch", checkout):
            (checkout / "build").mkdir(parents=True, exist_ok=True)
            done = subprocess.run(
                [str(self.module / "hpcc"), "astra-sim", str(directory)],
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stdout, "")
            self.assertEqual(
                done.stderr,
                f"hpcc: there is no libAstraSim.a in {directory}/build: build ASTRA-sim there first\n",
            )
        library = checkout / "build" / "x" / "lib" / "libAstraSim.a"
        library.parent.mkdir(parents=True)
        library.touch()
        calls = self.calls("astra-sim", str(checkout), "--dims=8")
        self.assertIn(f"-DHPCC_ASTRA_SIM={checkout} -DHPCC_ASTRA_SIM_LIBRARY={library}\n", calls)
        self.assertIn("\nhpcc-astra-sim --dims=8\n", calls)

    def test_mutants_are_run(self):
        (self.module / "test").mkdir()
        script = 'import os, sys; open(os.environ["CALLS"], "a").write("mutants %s\\n" % sys.argv[1:])'
        (self.module / "test" / "mutants.py").write_text(script, encoding="utf-8")
        self.assertRegex(self.calls("mutants", "--only=x"), r"mutants \['--jobs=\d+', '--only=x'\]")

    def test_benchmarks_are_run_and_drawn(self):
        calls = self.calls("bench")
        for program in ("hpcc-bench ", "hpcc-bench --benchmark=sizes", "hpcc-bench-parts"):
            self.assertIn(f"\n{program}", calls)
        self.assertRegex(calls, "hpcc-bench-ranks --k=8 .*--mpi=windows")
        page = self.module / "results" / "bench" / "index.html"
        before = page.stat().st_mtime_ns
        self.assertIn(
            "hpcc-bench --benchmark=many-qps", self.calls("bench", "--benchmark=many-qps")
        )
        self.assertTrue((self.module / "results" / "bench-some" / "index.html").exists())
        self.assertEqual(page.stat().st_mtime_ns, before)

    def test_benchmarks_do_without_mpi(self):
        self.program(self.module / "cmake" / "fetch-ns3-source.sh", "exit 1")
        calls = self.calls("bench")
        self.assertIn("hpcc-bench-parts", calls)
        self.assertNotIn("hpcc-bench-ranks", calls)

    def test_a_page_of_mpirun_about_a_killed_rank_becomes_one_line(self):
        rule = 74 * "-"
        pages = {
            "Primary job  terminated normally, but 1 process returned\na non-zero exit code.\n": "",
            "mpirun noticed that process rank 3 with PID 0 on node a1 exited on signal 9 (Killed).\n":
                "hpcc: rank 3 was ended by signal 9 (Killed) on a1, and all other ranks with it\n",
            "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD\nwith errorcode 1.\n": "",
            "There are not enough slots available\n": None,
        }
        texts = {page: f"{rule}\n{page}{rule}\n" for page in pages}
        (self.top / "said").write_text("a rank's line\n" + "".join(texts.values()) + "the last")
        self.program(self.top / "bin" / "mpirun", 'echo result; cat "$(dirname "$CALLS")/said" >&2')
        log = self.top / "calls"
        done = subprocess.run(
            [str(self.module / "hpcc"), "run", "hpcc-workload", "--np=2"],
            capture_output=True, text=True, check=False, cwd=self.top,
            env=os.environ | {"CALLS": str(log), "PATH": f"{self.top}/bin:{os.environ['PATH']}"},
        )
        expected = [texts[page] if line is None else line for page, line in pages.items()]
        self.assertEqual(done.stdout, "result\n")
        self.assertEqual(done.stderr.partition(" in 2 processes\n")[2],
                         "a rank's line\n" + "".join(expected) + "the last\n")

    def test_ranks_survive_a_move(self):
        words = ("run", "hpcc-workload", "--np=2", "--", "--load=1")
        self.assertIn(f"-DHPCC_MPI_SOURCE={self.top}/src/mpi", self.calls(*words))
        self.assertNotIn("cmake -S", self.calls(*words))
        self.module = self.module.rename(self.top / "moved")
        calls = self.calls(*words)
        self.assertIn(f"-DHPCC_MPI_SOURCE={self.top}/src/mpi", calls)
        self.assertIn("hpcc-workload --mpi=windows --load=1", calls)
        self.assertIn(f"-DHPCC_MPI_SOURCE={self.top}/mpi", self.calls("mpi", f"{self.top}/mpi"))

    def test_mpi_is_added_to_the_build_that_is_named_and_taken_out_by_the_tests(self):
        standalone = self.module / "build" / "standalone"
        os.environ["HPCC_MPI_BUILD"] = str(standalone)
        self.addCleanup(os.environ.pop, "HPCC_MPI_BUILD")
        calls = self.calls("mpi", f"{self.top}/mpi")
        self.assertRegex(calls, f"cmake .*-B {standalone} .*-DHPCC_MPI_SOURCE={self.top}/mpi")
        self.assertIn(f"ninja -C {standalone} ", calls)
        self.assertRegex(self.calls("test"), f"cmake .*-B {standalone} .*-DHPCC_MPI_SOURCE=\n")

    def test_settings_of_a_tree_reach_its_configuration_as_single_words(self):
        tree = self.top / "tree"
        (tree / "src" / "core").mkdir(parents=True)
        (tree / "contrib").mkdir()
        (tree / "test.py").touch()
        (tree / "VERSION").write_text("3.37\n", encoding="utf-8")
        (tree / "ns3").write_text("import sys; sys.exit(str(sys.argv[1:]))\n", encoding="utf-8")
        script = str(self.module / "hpcc")
        environment = os.environ | {"CALLS": os.devnull, "PATH": f"{self.top}/bin:{os.environ['PATH']}"}
        done = subprocess.run(
            [script, "in-tree", str(tree), "-DA=-O1 -DB", "-DC=1"],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        self.assertIn("'--', '-DA=-O1 -DB', '-DC=1']", done.stderr)


class Driver(unittest.TestCase):
    def test_each_command_explains_itself(self):
        self.assertIn("bench", commands())
        for command in commands():
            for words in ((command, "--help"), ("--help", command)):
                with self.subTest(words=words):
                    done = run(*words)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertTrue(done.stdout.startswith(f"usage: ./hpcc {command}"))

    def test_an_unknown_command_is_refused(self):
        done = run("unknown")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no command 'unknown'", done.stderr)


if __name__ == "__main__":
    unittest.main()
