#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make the gallery: thirteen pages, each with a command, the picture of its results and two sentences.

    ./hpcc gallery [--out DIR]

Each command runs for a minute at most. The pages are DIR/NAME/index.html, and DIR/index.html shows
all of them. DIR is results/gallery by default.
"""

import argparse
import dataclasses
import html
import pathlib
import shlex
import subprocess
import sys

from hpcc_page import STYLE_SHEET

EXAMPLES = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Entry:
    name: str
    title: str
    command: str  # program and options, without --out
    picture: str  # name of the plot script's picture
    text: str  # two sentences about the results
    script: str = "hpcc-plot"


ENTRIES = (
    Entry("incast", "An incast under three policies", "hpcc-incast --cc=hpcc++,hpcc,dcqcn", "paper-queue",
          "Sixteen senders start at line rate, so a burst fills the queue with each policy. HPCC++ and HPCC drain"
          " it within 110 us and then keep only a few packets in the queue; with DCQCN it lasts almost 400 us."),
    Entry("delay", "Delay as the signal", "hpcc-incast --cc=swift,timely,powertcp", "paper-queue",
          "The same incast under policies that react to delay or to its change. The remaining queue depends on the"
          " additive increase of PowerTCP and on the target delay of Swift; with TIMELY it is much longer."),
    Entry("long-short", "A short flow joins a long one", "hpcc-long-short --cc=hpcc++,dcqcn", "paper-rates",
          "The long flow must yield half of the link when the short flow starts, and can use the whole link again when"
          " it ends. With HPCC++ both changes take less than 100 us; with DCQCN the rates oscillate."),
    Entry("fairness", "Flows that start one after another",
          "hpcc-fairness --cc=hpcc++,dcqcn --bytes=5000000 --gap=200us", "paper-rates",
          "Four flows to one receiver start 200 us apart, so the fair share of a flow changes with every start and"
          " end. The closer the curves are to each other, the fairer is the policy."),
    Entry("fat-tree", "Short flows in a fat-tree", "hpcc-fat-tree --cc=hpcc++,dcqcn --duration=200us",
          "paper-fct", "Flows between random hosts cross a fat-tree. The left part of the curves shows the small"
          " flows, which are delayed by the queues of others."),
    Entry("workload", "A published workload",
          "hpcc-workload --cc=hpcc,dcqcn --topology=leaf-spine:2,2,8 --duration=1ms", "paper-slowdown",
          "Flows of published sizes arrive at random times in a leaf-spine network. The picture shows the slowdown,"
          " which is the completion time divided by that in an empty network, by flow size: the 99th percentile,"
          " and in pale colours the median."),
    Entry("experts", "An all-to-all of 256 hosts",
          "hpcc-job --cc=hpcc++,dcqcn,none --topology=leaf-spine:16,8,16 --mtu=4096"
          " --job=all-to-all:direct,bytes=16000000,window=8", "paper-fct",
          "Each host sends 62.5 KB to each other host, at most eight messages at a time, as in a layer of a neural"
          " network with an expert on each host. The layer ends with its last message, at the right end of the curve."),
    Entry("victims", "Victims of pauses", "hpcc-victims --cc=hpcc++,dcqcn,pcn", "limits",
          "The pauses that a congested port causes also stop a flow that does not use this port, the victim. A good"
          " policy reduces the sending limit of the culprit, but not that of the victim.", "plot-victims"),
    Entry("failure", "A link fails and comes back", "hpcc-failure --cc=hpcc++,dcqcn", "paper-throughput",
          "A link between two switches fails at 200 us and recovers at 600 us, while each host sends to the other"
          " half of the network. Packets are lost until the routes have changed, and are then retransmitted."),
    Entry("parking-lot", "Several bottlenecks", "hpcc-parking-lot", "paper-rates",
          "One flow crosses two bottlenecks and shares each of them with another flow. With one window for the whole"
          " path it gets less than its fair share; with a window per hop, or with RCP, all rates are nearly equal."),
    Entry("formats", "One policy, four telemetry formats",
          "hpcc-incast --cc=hpcc++ --telemetry=int-md,csig,ioam,sigcomm19", "paper-queue",
          "The same incast with telemetry in four formats, which differ in overhead and precision. After the burst at"
          " the start, the queue is about the same with each format."),
    Entry("feedback", "Four ways to return telemetry",
          "hpcc-incast --cc=hpcc++ --feedback=packet,probe,roce-reference,receiver", "paper-queue",
          "The same incast with telemetry in each packet, in probes, in the way of the drafts' RoCEv2 NICs, and with"
          " a window that the receiver computes. Here less frequent feedback does not lead to longer queues."),
    Entry("tcp", "HPCC++ for ns-3's TCP", "hpcc-tcp --cc=tcp-hpcc++,tcp-dctcp,tcp-cubic", "paper-queue",
          "An incast over ns-3's own TCP, with its sockets and applications. HPCC++ gets telemetry from probes of the"
          " NIC, and after the burst at the start its queue is much shorter than those of DCTCP and CUBIC."),
)


def make(entry, binaries, out):
    """Runs an entry, writes its page, and returns the paths of page and picture below out."""
    directory = out / entry.name
    directory.mkdir(parents=True, exist_ok=True)
    program, *words = entry.command.split()
    subprocess.run([binaries / program, *words, f"--out={directory}", "--progress=false"], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, "-B", EXAMPLES / f"{entry.script}.py", directory], check=True,
                   stdout=subprocess.DEVNULL)
    if not (directory / f"{entry.picture}.png").exists():
        sys.exit(f"hpcc gallery: {entry.command}: there is no {entry.picture}.png")
    body = (
        f"<p class=lead>{html.escape(entry.text)}</p>\n"
        f"<section><pre>./hpcc run {html.escape(entry.command)}</pre>\n"
        f'<a href="{entry.picture}.svg"><img src="{entry.picture}.png" alt="{html.escape(entry.title)}"></a>\n'
        f'<p><a href="summary.csv">summary.csv</a>, <a href="manifest.json">manifest.json</a>,'
        f' <a href="../index.html">all of the gallery</a></p></section>'
    )
    (directory / "index.html").write_text(page(entry.title, body), encoding="utf-8")


def page(title, body):
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title><style>{STYLE_SHEET}\n"
        ".grid { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); }\n"
        f"</style></head><body><main><h1>{html.escape(title)}</h1>\n{body}\n</main></body></html>\n"
    )


def main():
    parser = argparse.ArgumentParser(prog="hpcc gallery", description=__doc__.strip(),
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="directory of the examples")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("results/gallery"))
    parser.add_argument("--programs", action="store_true",
                        help="print the programs that the gallery needs, and end")
    options = parser.parse_args()
    if options.programs:
        print(*sorted({entry.command.split()[0] for entry in ENTRIES}))
        return
    try:
        print(write(options.bin.resolve(), options.out))
    except OSError as error:
        parser.exit(2, f"hpcc gallery: {error.filename or options.out}: {error.strerror}\n")
    except subprocess.CalledProcessError as error:  # the command has printed a message
        parser.exit(2, f"hpcc gallery: {shlex.join(map(str, error.cmd))} failed\n")


def write(binaries, out):
    """Runs all entries, writes their pages and the page of the gallery, and returns its path."""
    cards = ""
    for entry in ENTRIES:
        print(f"gallery: {entry.command}", file=sys.stderr)
        make(entry, binaries, out)
        cards += (
            f'<section><h2><a href="{entry.name}/index.html">{html.escape(entry.title)}</a></h2>\n'
            f'<a href="{entry.name}/index.html"><img src="{entry.name}/{entry.picture}.png"'
            f' alt="{html.escape(entry.title)}"></a></section>\n'
        )
    index = out / "index.html"
    index.write_text(page("Gallery", f'<div class="grid">\n{cards}</div>'), encoding="utf-8")
    return index


if __name__ == "__main__":
    main()
