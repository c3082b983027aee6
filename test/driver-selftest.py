#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks of the driver ./hpcc that build nothing."""

import pathlib
import re
import subprocess
import unittest

DRIVER = pathlib.Path(__file__).resolve().parent.parent / "hpcc"


def run(*words):
    return subprocess.run([str(DRIVER), *words], capture_output=True, text=True, check=False)


def commands():
    """Those that ./hpcc --help lists."""
    listed = run("--help").stdout.split("COMMAND [ARGUMENTS]")[1].split("./hpcc COMMAND --help")[0]
    return re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)


class Driver(unittest.TestCase):
    def test_each_command_explains_itself(self):
        self.assertIn("bench", commands())
        for command in commands():
            for words in ((command, "--help"), ("--help", command)):
                with self.subTest(words=words):
                    done = run(*words)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertTrue(done.stdout.startswith(f"usage: ./hpcc {command}"))

    def test_each_function_that_the_driver_calls_by_an_own_name_exists(self):
        text = DRIVER.read_text(encoding="utf-8")
        functions = set(re.findall(r"^([a-z_-]+)\(\) \{", text, re.MULTILINE))
        called = {f"help_{command}" for command in commands()}
        # Own names have an underscore; a command stands at the start of a line or behind a case.
        called |= set(re.findall(r"^\s+(?:[a-z-]+\) )?([a-z]+_[a-z_]+)(?= |$)", text, re.MULTILINE))
        self.assertIn("run_benchmarks", called)
        self.assertEqual(called - functions, set())

    def test_an_unknown_command_is_refused(self):
        done = run("unknown")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no command 'unknown'", done.stderr)


if __name__ == "__main__":
    unittest.main()
