# SPDX-License-Identifier: GPL-2.0-only
"""Runs Python scripts in copies of this process, which have matplotlib already.

Importing matplotlib takes longer than most of these scripts. Apart from this, a script runs as if it were
started by a command: it has its own process, arguments, standard output and standard error, directory and
environment.
"""

import multiprocessing
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import warnings

import matplotlib.pyplot  # noqa: F401 # pylint: disable=unused-import


def child(script, words, streams, directory, environment):
    for stream, number in zip(streams, (1, 2)):
        os.dup2(stream.fileno(), number)
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8") for number in (1, 2))
    os.chdir(directory or ".")
    os.environ.clear()
    os.environ.update(environment)
    warnings.simplefilter("error")
    sys.argv = [str(script), *map(str, words)]
    sys.path[0] = str(pathlib.Path(script).parent)
    try:
        runpy.run_path(str(script), run_name="__main__")
    finally:
        sys.stdout.flush()


def run(script, words, directory=None, environment=None, timeout=None):
    """Runs a script and returns the same type of result as subprocess.run(). A warning of the script is
    an error."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, \
            tempfile.TemporaryFile("w+", encoding="utf-8") as err:
        process = multiprocessing.get_context("fork").Process(
            target=child, args=(script, words, (out, err), directory, environment or os.environ.copy()))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(script, timeout)
        for stream in (out, err):
            stream.seek(0)
        return subprocess.CompletedProcess([script, *words], process.exitcode, out.read(), err.read())
