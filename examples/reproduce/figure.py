# SPDX-License-Identifier: GPL-2.0-only
"""What a figure declares."""

import dataclasses
import pathlib

from hpcc_tasks import BadTasks

from . import tolerance

# What only policies that read telemetry have: examples refuse it for others.
TELEMETRY_POLICIES = ("hpcc", "powertcp", "rcp", "xcp")
TELEMETRY_SETTINGS = ("--wai=", "--max-stage=", "--telemetry=", "--ns3::Sigcomm19Format::")


class BadFigure(BadTasks):
    """Input that cannot be used. The message is one line."""


@dataclasses.dataclass(frozen=True)
class Run:
    """A simulation. Figures may share one: same name, same command."""

    name: str  # of its directory
    program: str  # the example
    arguments: tuple  # without --out
    cost: float = 1.0  # CPU seconds, roughly; only the time left is estimated from it
    discard: tuple = ()  # files it writes that are deleted when it has finished
    keeps: tuple = ()  # files without which it has not finished: a later figure needs them
    deterministic: bool = False  # draws no random numbers, so that all seeds give the same
    seeds: int = 1  # at least so many are run
    inputs: tuple = ()  # (path from the directory of all runs, text) of files that it reads

    def of_seed(self, seed):
        """Returns the run of the same experiment with other random numbers; seed counts from 1."""
        if self.deterministic or seed == 1:
            return self
        arguments = (*self.arguments, f"--run={seed}")
        return dataclasses.replace(self, name=f"{self.name}-run-{seed}", arguments=arguments)

    def all_seeds(self, seeds):
        """Returns the runs of the experiment with so many seeds, or its least number of them."""
        return [self.of_seed(seed) for seed in range(1, max(seeds, self.seeds) + 1)]

    def write_inputs(self, directory):
        """Writes the files that it reads."""
        for path, text in self.inputs:
            path = pathlib.Path(directory) / path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def command(self):
        """Returns the program and its arguments, without those that its policies do not have."""
        policies = [
            name
            for argument in self.arguments
            if argument.startswith("--cc=")
            for name in argument[len("--cc=") :].split(",")
        ]
        reads = not policies or any(name.startswith(TELEMETRY_POLICIES) for name in policies)
        arguments = (
            argument
            for argument in self.arguments
            if reads or not argument.startswith(TELEMETRY_SETTINGS)
        )
        return [self.program, *arguments, f"--out={self.name}"]


@dataclasses.dataclass(frozen=True)
class Picture:
    """A drawing of a page."""

    name: str  # of its files
    drawing: object  # matplotlib's figure
    heading: str
    caption: str


class Figure:
    """A figure: derive a class, implement its methods, and set FIGURE of the module to an
    instance."""

    name = ""  # of the module
    title = ""
    source = ""  # which figure of which publication
    setting = ""  # what is simulated, and what was not published and had to be chosen
    quick = ""  # what --quick leaves out; empty if it is the full figure
    compares = ()  # policies that it compares, as cases name them
    options = ""  # of ./hpcc reproduce, beside its scale
    rule = tolerance.RULE  # how its values are judged

    def runs(self, quick):
        """Returns the Runs that the figure needs."""
        raise NotImplementedError

    def delay_hosts(self, nic):
        """Gives the hosts of all runs processing delays, except for runs that have some."""
        plain = self.runs

        def delayed(run):
            if any(argument.startswith("--nic=") for argument in run.arguments):
                return run
            return dataclasses.replace(run, arguments=(*run.arguments, f"--nic={nic}"))

        self.runs = lambda quick: [delayed(run) for run in plain(quick)]
        self.setting += f" Hosts have the processing delays of --nic={nic}."
        self.options = f" --nic={nic}"

    def measure(self, results, quick):
        """Returns {(case, quantity): number, or None if it never happened} from results, {name of
        the run: RunData}, without runs that have fewer seeds than others. Keys and units are those
        of the published values; other values appear without a published one."""
        raise NotImplementedError

    def tolerance(self, value, sample):
        """Returns how far ours, a Sample, may be from a published value; None if it is not
        judged."""
        return tolerance.tolerance(value, sample)

    def derive(self, ours):
        """Adds the values that follow from others to the result of measure()."""

    def cause(self, key, quick):
        """Returns the cause of a deviation of the value called key, with the command that shows
        it; empty if the cause is not known."""
        return ""

    def draw(self, results, published, quick):
        """Returns pictures, our curves next to published (published.Published)."""
        raise NotImplementedError


# The wire of the authors' simulator: headers, telemetry and ACKs of its sizes, marks in ACKs.
AUTHORS_WIRE = (
    "--telemetry=sigcomm19",
    "--ethernet-overhead=false",
    "--ns3::RdmaHost::WireProfile=Authors",
    "--ns3::RdmaHost::CongestionEcho=Ack",
    "--ns3::Sigcomm19Format::SimulatorLayout=true",
)
