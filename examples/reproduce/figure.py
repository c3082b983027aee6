# SPDX-License-Identifier: GPL-2.0-only
"""Base classes for the declaration of a figure."""

import dataclasses
import itertools
import pathlib

from hpcc_tasks import BadTasks

from . import tolerance

# Policies that read telemetry. For other policies, examples refuse options of telemetry.
TELEMETRY_POLICIES = ("hpcc", "powertcp", "rcp", "xcp")
TELEMETRY_SETTINGS = ("--wai=", "--max-stage=", "--telemetry=", "--ns3::Sigcomm19Format::")
# Policies that use CNPs. For other policies, examples refuse the option that returns marks without CNPs.
CNP_POLICIES = ("dcqcn",)
CNP_SETTINGS = ("--ns3::RdmaHost::CongestionEcho=",)


class BadFigure(BadTasks):
    """Input that cannot be used. The message is one line."""


@dataclasses.dataclass(frozen=True)
class Run:
    """A simulation. Figures share runs that have the same name and command."""

    name: str  # name of its directory
    program: str  # name of the example
    arguments: tuple  # without --out
    cost: float = 1.0  # approximate CPU seconds, only for the estimate of the time left
    discard: tuple = ()  # output files that are deleted when the run has finished
    keeps: tuple = ()  # files that a finished run must still have, because figures read them
    deterministic: bool = False  # true if the run draws no random numbers, so that all seeds have the same results
    seeds: int = 1  # least number of seeds
    inputs: tuple = ()  # (path relative to the directory of all runs, text) of input files

    def of_seed(self, seed):
        """Returns the run of the same experiment with another seed, from 1."""
        if self.deterministic or seed == 1:
            return self
        arguments = (*self.arguments, f"--run={seed}")
        return dataclasses.replace(self, name=f"{self.name}-run-{seed}", arguments=arguments)

    def all_seeds(self, seeds):
        """Returns the runs with seeds 1 to `seeds`, or to the least number of seeds of the run if that is
        higher."""
        return [self.of_seed(seed) for seed in range(1, max(seeds, self.seeds) + 1)]

    def write_inputs(self, directory):
        """Writes the input files of the run."""
        for path, text in self.inputs:
            path = pathlib.Path(directory) / path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def command(self):
        """Returns the program and its arguments, without arguments that its policies do not
        accept."""
        policies = [
            name
            for argument in self.arguments
            if argument.startswith("--cc=")
            for name in argument[len("--cc=") :].split(",")
        ]
        arguments = self.arguments
        for users, settings in ((TELEMETRY_POLICIES, TELEMETRY_SETTINGS), (CNP_POLICIES, CNP_SETTINGS)):
            if policies and not any(name.startswith(users) for name in policies):
                arguments = tuple(argument for argument in arguments if not argument.startswith(settings))
        return [self.program, *arguments, f"--out={self.name}"]


@dataclasses.dataclass(frozen=True)
class Picture:
    """A drawing of a page."""

    name: str  # name of its files
    drawing: object  # matplotlib's figure
    heading: str
    caption: str


class Figure:
    """A figure. To add a figure, derive a class, implement its methods, and set FIGURE of the module
    to an instance."""

    name = ""  # name of the module
    title = ""
    source = ""  # publication and number of the figure
    setting = ""  # the simulation, and unpublished parameters that had to be chosen
    quick = ""  # parts that --quick omits; empty if there are none
    compares = ()  # policies that the figure compares, by their names in cases
    against = ()  # policies without published values, each of which is compared with each policy of compares
    alike = {}  # reason why no judged value distinguishes two policies, by pair of policies
    options = ""  # options of ./hpcc reproduce in addition to the scale
    rule = tolerance.RULE  # rule by which the figure's values are judged

    def runs(self, quick):
        """Returns the Runs that the figure needs."""
        raise NotImplementedError

    def delay_hosts(self, nic):
        """Sets processing delays of the hosts in all runs that do not set any."""
        plain = self.runs

        def delayed(run):
            if any(argument.startswith("--nic=") for argument in run.arguments):
                return run
            return dataclasses.replace(run, arguments=(*run.arguments, f"--nic={nic}"))

        self.runs = lambda quick: [delayed(run) for run in plain(quick)]
        self.setting += f" Hosts have the processing delays of --nic={nic}."
        self.options = f" --nic={nic}"

    def pairs(self):
        """Returns the pairs of policies that the figure compares."""
        pairs = itertools.combinations(self.compares, 2)
        return [*pairs, *itertools.product(self.compares, self.against)]

    def measure(self, results, quick):
        """Returns {(case, quantity): number, or None if the event never happened}. Keys and units are
        those of the published values; values with other keys are listed without a published value.
        results is {name of the run: RunData}. It may lack runs that have fewer seeds than others."""
        raise NotImplementedError

    def deterministic(self, key):
        """Returns true if the value with a key comes from runs without random numbers. Only needed for a
        figure that also has runs with random numbers."""
        return False

    def tolerance(self, value, sample):
        """Returns the largest distance that is allowed between a published value and our values, which
        sample contains. Returns None if the value is not judged."""
        return tolerance.tolerance(value, sample)

    def derive(self, ours):
        """Adds derived values to the result of measure()."""

    def cause(self, key, quick):
        """Returns the cause of a deviation of the value with a key, and the command that shows it;
        empty if the cause is not known."""
        return ""

    def draw(self, results, published, quick):
        """Returns pictures of our curves and of the curves in published, a
        published.Published."""
        raise NotImplementedError


# The wire profile of the authors' simulator: its sizes of headers, telemetry and ACKs, and marks in
# ACKs.
AUTHORS_WIRE = (
    "--telemetry=sigcomm19",
    "--ethernet-overhead=false",
    "--ns3::RdmaHost::WireProfile=Authors",
    "--ns3::RdmaHost::CongestionEcho=Ack",
    "--ns3::Sigcomm19Format::SimulatorLayout=true",
)
