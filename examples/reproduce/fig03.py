# SPDX-License-Identifier: GPL-2.0-only
"""Figure 3 of HPCC: thresholds of ECN, bandwidth against latency."""

from .dcqcn_tradeoffs import Tradeoff


def thresholds(kmin, kmax):
    """Returns the option that sets marking thresholds, given kmin and kmax in KB at 25 Gbps. At other ports, the
    thresholds are proportional to the rate of the port."""
    return (f"--ns3::EcnMarker::Thresholds=25Gbps:{kmin}000:{kmax}000:0.2",)


class Fig03(Tradeoff):
    name = "fig03"
    title = "Thresholds of ECN"
    source = "Figure 3 of HPCC, SIGCOMM 2019: a testbed."
    variants = {
        "400/1600": thresholds(400, 1600),
        "100/400": thresholds(100, 400),
        "12/50": thresholds(12, 50),
    }
    loads = {"30%": ("--load=0.3",), "50%": ("--load=0.5",)}

    def draw(self, results, published, quick):
        return [self.draw_slowdown(results, published, self.loads, lambda a, b: f"{a} {b}")]


FIGURE = Fig03()
