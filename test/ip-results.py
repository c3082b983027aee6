#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check the result files of hpcc-tcp, tables of hpcc-workload and hpcc-paths, and the order of policies in --cc.

    test/ip-results.py DIR [TEST...]

DIR contains the built examples. The result files of hpcc-tcp must be consistent with one another and with
doc/columns.txt. A later start of all flows must not change the tables of hpcc-workload. hpcc-paths must measure until a
flow is complete. Graded entropy without shares must choose the same values as oblivious entropy. The position of a
policy in --cc must not change the results of hpcc-tcp or hpcc-incast. hpcc-wan has to limit the bytes in flight as
documented. Flows of TCP and UDP must use the share of their class. The rates in the table of hpcc-reclaim must match
the times of its flows. hpcc-fairness must not judge shares before anything arrives, nor ignore a flow that gets
nothing. CompletionDelay must not change measurements of the network.
"""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path()


class Results(unittest.TestCase):
    """Runs of hpcc-tcp."""

    def run_it(self, *arguments, program="hpcc-tcp", more=()):
        """Runs a program and returns {name of a table: its rows}, also for the names in more."""
        with tempfile.TemporaryDirectory() as out:
            subprocess.run(
                [BIN / program, f"--out={out}", "--progress=0", *arguments],
                check=True,
                stdout=subprocess.DEVNULL,
                timeout=300,
            )
            tables = {}
            own = {"hpcc-tcp": ["tcp"], "hpcc-reclaim": ["reclaim"]}.get(program, [])
            for name in ("summary", "fct", *more, *own):
                with open(pathlib.Path(out, name + ".csv"), encoding="utf-8", newline="") as file:
                    tables[name] = list(csv.DictReader(file))
            return tables

    def assert_ends(self, tables):
        """Checks that summary.csv counts the rows of fct.csv that have an end."""
        (summary,) = tables["summary"]
        ended = sum(row["end_us"] != "" for row in tables["fct"])
        self.assertEqual(int(summary["flows_finished"]), ended)
        self.assertEqual(int(summary["flows_abandoned"]), len(tables["fct"]) - ended)

    def test_neither_the_lag_of_nodes_nor_a_pcap_file_changes_a_result(self):
        # An arrival and a timer of ns-3's stack may be due in the same nanosecond.
        command = ("--senders=4", "--bytes=300000")
        for cc, feedback in (("iwarp-hpcc++", "compact:per-rtt"), ("iwarp-hpcc++", "compact:receiver")):
            options = (*command, f"--cc={cc}", f"--feedback={feedback}")
            plain = self.run_it(*options)
            self.assertEqual(self.run_it(*options, "--max-lag=0ns"), plain)
            self.assertEqual(self.run_it(*options, "--pcap"), plain)

    def test_hpcc_reclaim_measures_the_shared_rate_while_both_flows_run(self):
        # The base RTT is 4.187 us. The second flow ends 3 us after it joins, or more than ten base RTTs after it joins.
        for hold, shared in (("1us", ""), ("100us", "above 0")):
            options = ("--cc=dcqcn", "--join=20us", f"--hold={hold}", "--horizon=500us")
            (row,) = self.run_it(*options, program="hpcc-reclaim")["reclaim"]
            self.assertGreater(float(row["left_us"]), 20)
            if shared:
                self.assertGreater(float(row["shared_gbps"]), 1)
            else:
                self.assertEqual(row["shared_gbps"], "")

    def test_measurements_of_the_network_do_not_depend_on_the_delay_of_completions(self):
        delay = "--ns3::RdmaNic::CompletionDelay=ns3::ConstantRandomVariable[Constant=20000]"
        for program, name, options in (
            ("hpcc-reclaim", "reclaim", ("--join=100us", "--hold=100us", "--horizon=800us")),
            ("hpcc-paths", "paths", ("--hosts=3", "--spines=2", "--bytes=100000", "--from=5us")),
            ("hpcc-victims", "victims", ("--bursts=1", "--bursters=6", "--from=50us", "--end=250us")),
            ("hpcc-fairness", "fairness", ("--split=60:30", "--bytes=3000000")),
        ):
            policy = "hpcc++:graded" if name == "paths" else "hpcc++"
            ideal, late = (
                self.run_it(f"--cc={policy}", *options, *more, program=program, more=(name,))
                for more in ((), (delay,))
            )
            self.assertEqual(ideal[name], late[name])
            for column in ("first_completion_us", "jain_index", "throughput_mean_gbps", "queue_mean_bytes"):
                self.assertEqual(ideal["summary"][0][column], late["summary"][0][column], (program, column))
            ends = [[row["end_us"] for row in tables["fct"] if row["end_us"]] for tables in (ideal, late)]
            self.assertAlmostEqual(float(ends[1][0]) - float(ends[0][0]), 20, places=3)

    def test_flows_are_not_fair_while_one_of_them_gets_nothing(self):
        # Flow 1 loses its link at 500 us. The other flows run until 900 us or more.
        options = ("--split=25:25:25:25", "--bytes=3000000", "--cc=hpcc++")
        for failure in ("1-5@500us", "1-5@500us-100ms"):
            tables = self.run_it(*options, f"--fail={failure}", program="hpcc-fairness", more=("fairness",))
            self.assertEqual(tables["fairness"][0]["fair_after_us"], "")

    def test_flows_are_not_fair_before_anything_has_arrived(self):
        # The first payload arrives after two links of 300 us, in the window from 600 us on.
        options = ("--split=50:50", "--delay=300us", "--rate=10Gbps", "--bytes=2000000", "--cc=hpcc++")
        (row,) = self.run_it(*options, program="hpcc-fairness", more=("fairness",))["fairness"]
        self.assertEqual(row["fair_after_us"], "600")

    def test_rdma_flows_beside_tcp_use_ipv6_with_the_option(self):
        both = ("--cc=tcp-hpcc++", "--senders=2", "--bytes=300000", "--rdma=1", "--ipv6")
        alone = ("--cc=hpcc++", "--senders=2", "--bytes=300000")
        ideal = self.run_it(*both)["fct"][0]["ideal_fct_us"]
        for ipv6, equal in (("true", True), ("false", False)):
            rdma = self.run_it(*alone, f"--ns3::RdmaHost::Ipv6={ipv6}", program="hpcc-incast")
            self.assertEqual(rdma["fct"][0]["ideal_fct_us"] == ideal, equal)

    def test_udp_flows_that_senders_gave_up_end_once_when_their_data_arrives(self):
        # All datagrams wait in one queue for longer than the time-outs of eight probes with this T.
        # Nothing is dropped.
        tables = self.run_it(
            *("--cc=udp-hpcc++", "--scenario=fairness", "--bytes=9000", "--mtu=9000"),
            *("--senders=60", "--gap=1us", "--T=1us", "--rate=10Gbps"),
        )
        self.assert_ends(tables)
        self.assertEqual(tables["summary"][0]["flows_finished"], "60")
        self.assertEqual(tables["summary"][0]["drops"], "0")
        self.assertEqual(tables["tcp"][0]["lost_bytes"], "0")
        for row in tables["fct"]:
            self.assertNotEqual(row["receiver_end_us"], "")
            self.assertEqual(row["receiver_end_us"], row["end_us"])

    def test_the_run_goes_on_until_the_data_of_given_up_udp_flows_has_arrived(self):
        # The senders give up the last flows before any data of these flows arrives.
        tables = self.run_it(
            *("--cc=udp-hpcc++", "--scenario=fairness", "--bytes=9000", "--mtu=9000"),
            *("--senders=1000", "--gap=4us", "--rate=10Gbps"),
            "--ns3::SharedBuffer::BufferBytes=1000000000",
        )
        self.assert_ends(tables)
        self.assertEqual(tables["summary"][0]["flows_finished"], "1000")
        self.assertEqual(tables["summary"][0]["drops"], "0")
        self.assertEqual(tables["tcp"][0]["lost_bytes"], "0")

    def test_the_configuration_of_ipv6_is_no_drop(self):
        # ns-3's stack sends router solicitations, which no host answers.
        tables = self.run_it("--cc=tcp-cubic,udp-hpcc++", "--senders=3", "--bytes=5000000", "--ipv6")
        self.assertEqual([row["flows_finished"] for row in tables["summary"]], ["3", "3"])
        self.assertEqual([row["drops"] for row in tables["summary"]], ["0", "0"])

    def test_a_udp_flow_that_lost_datagrams_ends_but_not_at_its_receiver(self):
        # Host 0 loses its only link permanently. The packets in its queue disc, port and link are lost.
        tables = self.run_it(
            "--cc=udp-hpcc++", "--senders=3", "--bytes=300000", "--fail=0-4@30us"
        )
        self.assert_ends(tables)
        self.assertEqual(tables["summary"][0]["flows_finished"], "3")
        self.assertGreater(int(tables["tcp"][0]["lost_bytes"]), 0)
        self.assertEqual([row["receiver_end_us"] == "" for row in tables["fct"]], [True, False, False])

    def test_the_feedback_modes_of_help_are_those_that_run(self):
        said = subprocess.run([BIN / "hpcc-tcp", "--help"], check=True, capture_output=True, text=True).stdout
        (choices,) = re.findall(r"--feedback: +feedback modes, separated by commas: (.*) \[", said)
        for group in choices.split("; "):
            policies, modes = group.removeprefix("for ").split(": ", 1)
            for mode in modes.split(", "):
                options = ("--check", f"--cc={policies.replace(', ', ',')}", f"--feedback={mode}")
                subprocess.run([BIN / "hpcc-tcp", *options], check=True, stdout=subprocess.DEVNULL)

    def test_goodput_is_measured_from_where_settle_says(self):
        # The goodput times the duration of the measurement is the payload received in this time, which is at most the
        # payload of three flows.
        goodput = {}
        for settle in ("0us", "600us"):
            tables = self.run_it(
                *("--cc=tcp-cubic", "--senders=3", "--bytes=3000000", f"--settle={settle}")
            )
            (summary,) = tables["summary"]
            us = float(summary["first_completion_us"]) - float(summary["settle_us"])
            goodput[settle] = float(tables["tcp"][0]["goodput_gbps"])
            self.assertLessEqual(goodput[settle] * us / 8e-3, 3 * 3e6)
        self.assertNotEqual(goodput["0us"], goodput["600us"])

    def test_goodput_covers_the_settled_interval_with_every_transport(self):
        # The bins of flow_rate.csv cover the interval and parts of a bin at each end. RDMA flows, and UDP flows that lost
        # their last datagrams, complete after their last arrival.
        lossy = ("--flow-control=lossy", "--fail=2-3@25us-20ms")
        for options in (
            ("--cc=tcp-dctcp", "--rdma=1", "--rate=10Gbps", "--delay=100us", "--bytes=500000"),
            ("--cc=udp-hpcc++", "--bytes=100000", *lossy),
        ):
            tables = self.run_it(
                *("--scenario=fairness", "--senders=2", "--gap=0us", "--settle=5us", *options), more=("flow_rate",)
            )
            (summary,) = tables["summary"]
            start, end = float(summary["settle_us"]), float(summary["first_completion_us"])
            received = sum(
                10 * float(row["throughput_gbps"])
                for row in tables["flow_rate"]
                if start - 10 < float(row["time_us"]) < end
            )
            measured = float(tables["tcp"][0]["goodput_gbps"]) * (end - start)
            rounding = 0.0005 * (end - start)
            bins_at_the_ends = 2 * 10 * 100
            self.assertLessEqual(measured, received + rounding)
            self.assertGreaterEqual(measured, received - rounding - bins_at_the_ends)

    def test_goodput_is_nan_without_a_settled_interval(self):
        tables = self.run_it("--cc=tcp-hpcc++", "--senders=3", "--bytes=60000")
        self.assertEqual(tables["summary"][0]["throughput_mean_gbps"], "nan")
        self.assertEqual(tables["tcp"][0]["goodput_gbps"], "nan")

    def test_tcp_delivers_if_64_times_rate_times_t_exceeds_its_largest_window(self):
        # With the two pairs of options, 64 times rate times T is 2.15 GB and 6.4 GB.
        for rate, delay in (("100Gbps", "672us"), ("400Gbps", "500us")):
            tables = self.run_it(
                *("--cc=tcp-hpcc++,tcp-cubic", "--senders=2", "--bytes=300000", "--flow-control=lossy"),
                *(f"--rate={rate}", f"--delay={delay}"),
            )
            self.assertEqual([row["flows_finished"] for row in tables["summary"]], ["2", "2"])

    def test_connections_do_not_fall_back_if_switches_insert_records_selectively(self):
        interval = ("--ns3::TelemetryAgent::Interval=1ms", "--ns3::TelemetryAgent::IntervalScope=EachFlow")
        for insertion, more in (("Congestion", ()), ("Interval", interval)):
            for feedback in ("probe", "in-band"):
                with self.subTest(insertion=insertion, feedback=feedback):
                    (row,) = self.run_it(
                        *("--cc=tcp-hpcc++", "--senders=2", "--bytes=2000000", f"--feedback={feedback}"),
                        *(f"--ns3::TelemetryAgent::Insertion={insertion}", *more),
                    )["tcp"]
                    self.assertEqual(int(row["probe_timeouts"]), 0)
                    self.assertEqual(int(row["fallbacks"]), 0)

    def test_connections_that_fall_back_are_counted(self):
        # The first probes wait in the queue that four initial windows cause.
        tables = self.run_it(
            *("--cc=tcp-hpcc++,tcp-cubic", "--senders=4", "--bytes=300000"),
            "--ns3::HpccTcpNic::MaxUnanswered=1",
        )
        self.assertEqual([row["fallbacks"] for row in tables["tcp"]], ["4", "0"])

    def test_wire_overhead_counts_whole_probes_of_udp(self):
        # Each packet crosses two links, and probes grow at the switch.
        tables = self.run_it("--cc=udp-hpcc++", "--senders=3", "--bytes=3000000")
        share = 100 * int(tables["tcp"][0]["probe_bytes"]) / (3 * 3e6)
        overhead = float(tables["summary"][0]["wire_overhead_percent"])
        self.assertGreater(overhead, 0.98 * share)  # the headers of these flows are regarded as payload
        self.assertLess(overhead, 1.5 * share)

    def test_wire_overhead_counts_no_options_of_tcp_as_payload(self):
        # The option of HPCC++ adds 8 bytes to each data segment of 1000 bytes and to its ACK. SYNs have other
        # options.
        tables = self.run_it("--cc=tcp-hpcc++", "--feedback=compact", "--senders=2", "--bytes=1000")
        self.assertEqual(tables["summary"][0]["wire_overhead_percent"], "1.600")

    def test_the_time_before_the_first_flow_is_no_part_of_a_workload(self):
        tables = []
        for start in (0, 10**9):
            with tempfile.NamedTemporaryFile("w", suffix=".trace") as trace:
                trace.write("flows 9\n" + "".join(
                    f"{i % 8} 8 1000000 {start + 20000 * (i // 8)} background\n" for i in range(9)))
                trace.flush()
                tables.append(self.run_it(
                    *("--cc=none", "--topology=star:9", f"--trace={trace.name}"),
                    "--ns3::SharedBuffer::BufferBytes=1200000",
                    program="hpcc-workload", more=("workload", "pfc"),
                ))
        for table in tables:
            self.assertGreater(int(table["workload"][0]["queue_p95_bytes"]), 0)
            self.assertGreater(float(table["workload"][0]["paused_percent"]), 1)
            del table["workload"][0]["end_us"], table["summary"], table["fct"]
        self.assertEqual(*tables)

    def test_hpcc_paths_measures_until_a_flow_is_complete(self):
        # Duplicate packets and packets that the receiver discards use the link, but do not complete a flow.
        for recovery in ("irn", "go-back-n", "sack"):
            tables = self.run_it(
                *("--cc=dcqcn", "--trimming=none", "--entropy=none", "--paths=spray", "--slow=4", "--hosts=8"),
                *("--slow-rate=20Gbps", "--bytes=2000000", "--from=500us", f"--recovery={recovery}"),
                program="hpcc-paths", more=("paths",),
            )
            self.assertGreater(min(float(row["receiver_end_us"]) for row in tables["fct"]), 500)
            for row in tables["paths"]:
                self.assertGreater(float(row["throughput_gbps"]), 1)

    def test_hpcc_paths_measures_the_same_whatever_the_lag_of_nodes(self):
        options = ("--bytes=100000", "--hosts=4", "--spines=4", "--from=10us")
        plain, *others = (
            self.run_it(*options, *more, program="hpcc-paths", more=("paths",))["paths"]
            for more in ((), ("--max-lag=0ns",), ("--pcap",))
        )
        self.assertEqual(others, [plain, plain])

    def test_hpcc_paths_divides_the_frames_on_the_link_at_the_ends_of_the_measurement(self):
        # Six flows keep the link to their receiver busy. The measurement ends at 305.231 us.
        for start in ("--from=300us", "--from=305.1us"):
            tables = self.run_it(
                *("--traffic=neighbours", "--hosts=6", "--spines=4", "--bytes=1000000", "--beside=dctcp"),
                *("--flow-control=pfc", "--trimming=none", start), program="hpcc-paths", more=("paths",),
            )
            total = sum(float(row["throughput_gbps"]) for row in tables["paths"])
            self.assertAlmostEqual(total, 100, delta=0.003)

    def test_graded_entropy_is_the_oblivious_walk_if_samples_do_not_name_their_values(self):
        for cc in ("hpcc++:graded", "hpcc++:per-path"):
            options = ("--hosts=4", "--spines=4", "--bytes=4000000", "--settle=100us", f"--cc={cc}")
            for feedback in ("every-8", "per-rtt"):
                with self.subTest(cc=cc, feedback=feedback):
                    both = (*options, f"--feedback={feedback}")
                    graded = self.run_it(*both, "--entropy=graded", program="hpcc-paths")
                    oblivious = self.run_it(*both, "--entropy=oblivious", program="hpcc-paths")
                    self.assertEqual(graded["fct"], oblivious["fct"])

    def assert_same_alone(self, lists, *arguments, **options):
        """Checks that the last policy has the same results in each of the lists."""
        results = []
        for policies in lists:
            tables = self.run_it(f"--cc={policies}", *arguments, **options)
            policy = policies.split(",")[-1]
            results.append([[row for row in rows if row["cc"] == policy] for rows in tables.values()])
            self.assertTrue(all(results[-1]))
        self.assertEqual(results, [results[0]] * len(lists))

    def test_a_policy_has_the_same_random_ip_stacks_at_each_place_of_a_list(self):
        self.assert_same_alone(
            ["udp-hpcc++", "tcp-dctcp,tcp-cubic,udp-hpcc++"],
            *("--ipv6", "--senders=4", "--bytes=500000"),
        )

    def test_a_policy_has_the_same_bursts_of_errors_at_each_place_of_a_list(self):
        self.assert_same_alone(
            ["hpcc++", "dctcp,hpcc++", "hpcc,dcqcn,hpcc++"],
            *("--senders=3", "--bytes=300000", "--recovery=irn"),
            "--ns3::QbbNetDevice::ReceiveErrorModel=ns3::BurstErrorModel[ErrorRate=0.001]",
            program="hpcc-incast",
        )

    def test_flows_of_tcp_and_udp_use_the_share_of_their_class(self):
        # The flows have priority 0, whose share is 3/7 of the line rate. This rate has no code in a record of IFA. W is
        # stationary at eta W/U + W_ai, and W_ai of a flow of TCP is 1.2 % of the BDP, so that four flows have a load of
        # up to 0.95/(1 - 0.048 * 7/3) = 1.07.
        options = ("--senders=4", "--bytes=3000000", "--delay=1us", "--settle=200us")
        options += ("--ns3::QbbNetDevice::Weights=0:3,3:4", "--ns3::TelemetryAgent::Bandwidth=Share")
        for cc, *more in (
            ("tcp-hpcc++", "--telemetry=ifa"),
            ("tcp-hpcc++", "--telemetry=ifa", "--feedback=in-band"),
            ("tcp-hpcc++", "--telemetry=int-md:dscp"),
            ("tcp-hpcc++", "--telemetry=csig"),
            ("tcp-hpcc++", "--telemetry=ioam", "--ipv6"),
            ("udp-hpcc++", "--telemetry=ifa"),
            ("udp-hpcc++", "--telemetry=int-md:dscp"),
        ):
            with self.subTest(cc=cc, more=more):
                (summary,) = self.run_it(f"--cc={cc}", *more, *options)["summary"]
                self.assertGreater(float(summary["throughput_mean_gbps"]), 300 / 7 * 0.92)
                self.assertLess(float(summary["throughput_mean_gbps"]), 300 / 7 * 1.1)

    def slowdown_in_a_wan(self, *arguments):
        """Returns the slowdown of one flow of hpcc-wan without congestion control."""
        options = ("--cc=none", "--flows=1", "--bytes=10000000", *arguments)
        return float(self.run_it(*options, program="hpcc-wan")["fct"][0]["slowdown"])

    def test_a_wan_limits_the_bytes_in_flight_to_the_bdps_that_bdp_cap_says(self):
        # If at most one BDP is in flight, a loss stops the sender for a round trip. --bdp-cap=0 means one BDP: 1.25
        # MB/ms times 0.41 ms.
        options = ("--delay=100us", "--loss=0.001")
        one = self.slowdown_in_a_wan(*options, "--bdp-cap=0")
        self.assertEqual(one, self.slowdown_in_a_wan(*options, "--bdp-cap=510"))
        self.assertGreater(one, 1.1 * self.slowdown_in_a_wan(*options))

    def test_a_wan_with_short_links_limits_the_bytes_in_flight_by_its_whole_round_trip(self):
        self.assertLess(self.slowdown_in_a_wan("--delay=100ns"), 1.01)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BIN = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
