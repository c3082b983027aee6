#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run the examples with bad arguments.

    test/bad-input.py DIRECTORY     the directory of the programs

Some arguments must be refused by every example. With HPCC_TEST_SHORT=1, each of these arguments is tested
with only one example; the examples take turns.

Every run has to end with exit code 2 and print exactly one line on standard error, which names the error. The run must
not start to simulate: there is no table on standard output and no file in the output directory. A few runs have to
succeed, and to print a warning if an argument has less effect than expected.
"""

import concurrent.futures
import contextlib
import os
import pathlib
import queue
import re
import subprocess
import sys
import tempfile

# A separate traffic class for some flows of hpcc-paths.
APART = [
    *("--traffic=neighbours", "--beside=dcqcn", "--apart=dcqcn"),
    *("--flow-control=pfc", "--trimming=none"),
]

# CSIG with the position on the path as the locator, and CSIG with the available bandwidth instead of its share.
POSITION = ["--cc=hpcc++", "--ns3::CsigFormat::Locator=Position"]
UNUSED_BANDWIDTH = "--ns3::CsigFormat::UtilizationSignal=AvailableBandwidth"

# Options of every example, and text that the error message must contain.
EVERYWHERE = [
    (["--PrintAttribute=ns3::RdmaHost"], 'unknown option --PrintAttribute; did you mean "--PrintAttributes"?'),
    (["--PrintAttributes=ns3::RdmaHots"], '--PrintAttributes: there is no class "ns3::RdmaHots"'),
    (["--PrintGroup=nosuch"], '--PrintGroup: there is no group "nosuch"'),
    (["--cc=nosuch"], "nosuch"),
    (["--cc=hpcc,nosuch"], "nosuch"),
    (["--cc=hpcc:nosuch"], "hpcc:nosuch"),
    (["--cc=nosuch+win"], "nosuch+win"),
    (["--cc=hpcc+win"], "RdmaHpcc"),
    (["--cc=dctcp+win"], "RdmaDctcp"),
    (["--cc=timely+win", "--ns3::RdmaTimely::MinRate=0bps"], "MinRate"),
    (["--ns3::RdmaTimely::Beta=2"], "Beta"),
    (["--cc="], "--cc"),
    (["--cc=hpcc,"], "item 2 of the list is empty"),
    (["--cc"], "cc"),
    (["--telemetry=nosuch"], "nosuch"),
    (["--telemetry=int-md,,"], "item 2 of the list is empty"),
    (["--feedback=nosuch"], "nosuch"),
    (["--feedback=packet:nosuch"], "packet:nosuch"),
    (["--cc=hpcc++", "--feedback=switch", "--telemetry=ifa"], "Subscription is switch,"),
    (["--cc=hpcc++", "--feedback=switch:dscp", "--telemetry=int-md:dscp"], "Subscription is switch:dscp"),
    (
        ["--cc=hpcc++", "--telemetry=csig", "--ns3::RdmaFeedback::Return=ns3::RdmaAckReturn[LargestQueue=true]"],
        "LargestQueue is true",
    ),
    (["--ns3::RdmaAckReturn::ReturnInterval=0"], "ReturnInterval"),
    (["--ns3::SwitchResponder::Threshold=0.5"], "Threshold"),
    (["--nosuch=1"], "nosuch"),
    (["--nosuch"], "nosuch"),
    (["positional"], "positional"),
    (["-x"], "-x"),
    (["--recovery=nosuch"], "go-back-n"),
    (["--ns3::RdmaHost::Recovery=nosuch"], "nosuch"),
    (["--bdp-cap=9"], "--bdp-cap"),
    (["--recovery=irn", "--bdp-cap=abc"], "abc"),
    (["--recovery=irn", "--bdp-cap=-1"], "-1"),
    (["--recovery=irn", "--ns3::RdmaIrn::RtoLow=1ms"], "RtoLow"),
    (["--ns3::RdmaIrn::ReorderTolerance=0"], "ReorderTolerance"),
    (["--flow-control=nosuch"], "nosuch"),
    (["--ack-priority=low"], "data, high"),
    (["--ack-priority=high", "--ns3::RdmaHost::AckDscp=0"], "the same setting"),
    (["--nic=nosuch"], '--nic: unknown "nosuch"; choices: ideal, pcie'),
    (["--ns3::RdmaNic::PostDelay=5us"], '"5us" is not allowed; the name of a class'),
    (["--ns3::RdmaNic::PostDelay=ns3::RateErrorModel"], '"ns3::RateErrorModel" is not allowed'),
    (["--ns3::RdmaNic::PostDelay=ns3::ConstantRandomVariable[Constant=x]"], "Constant=x"),
    (["--ns3::RdmaHost::Nic=ns3::RdmaNic"], "give --nic"),
    (["--mtu=5"], "5"),
    (["--mtu=9001"], "9001"),
    (["--mtu=abc"], "abc"),
    (["--mtu=-1"], "-1"),
    (["--mtu=1000x"], "1000x"),
    (["--seed=0"], "--seed"),
    (["--seed=abc"], "abc"),
    (["--run=-1"], "-1"),
    (["--runs=0"], "--runs"),
    (["--runs=abc"], "abc"),
    (["--parallel=-1"], "-1"),
    (["--runs=3", "--eta=abc"], "abc"),
    (["--T=abc"], "abc"),
    (["--T=-1us"], "-1us"),
    (["--T=0us"], 'T: "0us" is not allowed; at least 1ns'),
    (["--T=1000.9ns"], '--T: "1000.9ns" is not a whole number of ns'),
    (["--T= 5us"], "is not a time"),
    (["--paths=nosuch"], "nosuch"),
    (["--paths="], "--paths"),
    (["--buffer=nosuch"], '--buffer: unknown "nosuch"; choices: abm, dynamic, static'),
    (["--buffer="], "--buffer"),
    (["--marking=nosuch"], '--marking: unknown "nosuch"; choices: codel, red, sojourn'),
    (["--scheduler=nosuch"], '--scheduler: unknown "nosuch"; choices: composite, dwrr, fifo, ring, strict'),
    (["--trimming=nosuch"], '--trimming: unknown "nosuch"; choices: none, arriving, coin'),
    (["--ns3::PacketTrimmer::Priorities=0"], "Priorities"),
    (["--entropy=nosuch"], '--entropy: unknown "nosuch"'),
    (["--ns3::RdmaHost::Entropy=ns3::RepsEntropy"], "give --entropy"),
    (["--ns3::QbbSwitch::Buffer=ns3::StaticBuffer"], "give --buffer"),
    (["--ns3::QbbNetDevice::Scheduler=ns3::FifoScheduler"], "give --scheduler"),
    (["--ns3::CoDelMarker::Interval=0ns"], "Interval"),
    (["--ns3::FlowletPaths::Gap=0ns"], "Gap"),
    (["--ns3::RdmaPlb::MarkedShare=2"], "MarkedShare"),
    (["--fail=nosuch"], "nosuch"),
    (["--fail=0-4@100"], "0-4@100"),
    (["--fail=0-4@100us,"], '"" is not NODE-NODE@DOWN'),
    (["--ports=nosuch"], '--ports: unknown "nosuch"; choices: '),
    (["--ports=64"], "--ports"),
    (["--ports=hash+moves"], "--ports"),
    (["--fail=0-4@2us-1us"], "0-4@2us-1us"),
    (["--convergence=abc"], "abc"),
    (["--convergence=-1us"], "-1us"),
    (["--settle=abc"], "abc"),
    (["--queue-resolution=0ns"], "1ns to 1ms"),
    (["--queue-resolution=2ms"], "1ns to 1ms"),
    (["--queue-resolution=abc"], "abc"),
    (["--eta=abc"], "abc"),
    (["--eta=-1"], "-1"),
    (["--max-stage=abc"], "abc"),
    (["--wai=abc"], "abc"),
    (["--wai=-3"], "-3"),
    (["--ethernet-overhead=maybe"], "maybe"),
    (["--pcap=maybe"], "maybe"),
    (["--out=/proc/x"], "/proc/x"),
    (["--rate=abc"], "abc"),
    (["--rate=-1Gbps"], "-1Gbps"),
    (["--rate=0Gbps"], "rate"),
    (["--delay=abc"], "abc"),
    (["--delay=-1us"], "-1us"),
    (["--ns3::QbbNetDevice::Mtu=1"], "Mtu"),
    (["--ns3::QbbNetDevice::Nosuch=1"], "Nosuch"),
    (["--ns3::Nosuch::Mtu=1"], "Nosuch"),
    (["--ns3::RdmaHost::Mtu=abc"], "abc"),
    (["--ns3::RdmaHost::AckInterval=0"], "AckInterval"),
    (["--ns3::RdmaHost::CongestionEcho=Nosuch"], "Nosuch"),
    (["--ns3::RdmaHpcc::Eta=3"], "Eta"),
    (["--ns3::SharedBuffer::BufferBytes=32MB"], '"32MB" is not allowed; a whole number from 1'),
    (["--ns3::QbbNetDevice::DataRate=1Gbps"], "each port has the rate of its link"),
    (["--ns3::RdmaHost::NakInterval=1000.9ns"], 'NakInterval: "1000.9ns" is not a whole number of ns'),
    (["--ns3::RdmaHpccPlusPlus::T=0.4ns"], 'T: "0.4ns" is not a whole number of ns'),
    (["--ns3::RdmaHpccPlusPlus::RateAi=0.5bps"], 'RateAi: "0.5bps" is not a whole number of bit/s'),
    (["--ns3::HpccUdpApplication::Remote=xyz"], 'HpccUdpApplication::Remote: "xyz" is not allowed'),
]

# Options of individual examples.
OWN = {
    "hpcc-soak": [
        (["--nosuch=1"], "--nosuch=1"),
        (["positional"], "positional"),
        (["--runs=0"], "--runs"),
        (["--runs=1000001"], "1 to 1000000"),
        (["--runs"], "--runs"),
        (["--first=-1"], "--first"),
        (["--first=1x"], "1x"),
        (["--first=99999999999999999999"], "--first"),
        (["--first=4294944442"], "4294944441"),
        (["--first=4294944441", "--runs=2"], "4294944441"),
        (["--jobs=abc"], "--jobs"),
        (["--cpu-seconds=0"], "--cpu-seconds"),
        (["--limit-ms=0"], "--limit-ms"),
        (["--out="], "--out="),
        (["--out=/dev/null/x"], "/dev/null/x"),
    ],
    "hpcc-incast": [
        (["--senders=4294967295"], "senders: 4294967295 is outside 1 to 131072"),
        (["--mtu=9000", "--ns3::QbbNetDevice::Mtu=9080"], "with telemetry int-md of 1 switches need 9100"),
        (["--buffer=abm"], "allowed is --flow-control=lossy"),
        (
            ["--ns3::RdmaNic::PostDelay=ns3::ConstantRandomVariable[Constant=2e10]"],
            "allowed are 0 to 10000000000 ns, the longest run",
        ),
        (
            ["--nic=pcie", "--ns3::RdmaNic::PostDelay=ns3::ConstantRandomVariable[Constant=5]"],
            "another option",
        ),
        (
            [
                "--ns3::RdmaNic::PostDelay=ns3::SequentialRandomVariable"
                "[Increment=ns3::ConstantRandomVariable[Constant=1000]]"
            ],
            "none with attributes of its own",
        ),
        (["--feedback=receiver", "--ns3::RdmaFeedback::Sampling=probe"], "Sampling probe"),
        (["--cc=rcp", "--feedback=per-rtt"], "--feedback per-rtt with policy rcp: its gains"),
        (["--cc=rcp", "--feedback=packet:every-8th-ack"], "every few packets"),
        (
            ["--cc=hpcc++", "--feedback=switch", "--ns3::SwitchResponder::FeedbackKey=abc"],
            "ns3::RdmaSwitchTrust::Key",
        ),
        (
            ["--cc=hpcc++", "--feedback=switch", "--ns3::RdmaHost::FeedbackKey=abc"],
            'hosts with ns3::RdmaHost::FeedbackKey "abc" reject responses',
        ),
        (
            ["--cc=hpcc++", "--feedback=switch", "--ns3::RdmaFeedback::Sampling=probe"],
            "with Sampling probe data packets carry none; allowed is switch:dscp",
        ),
        (["--cc=hpcc++", "--ns3::RdmaHost::Ttl=1"], "ns3::RdmaHost::Ttl of 11.0.0."),
        ([*POSITION, "--ns3::CsigFormat::InitialTtl=12"], "there is no ns3::CsigFormat in this run"),
        (["--telemetry=csig", "--ns3::CsigFormat::InitialTtl=12"], "Locator is Capacity; Position is required"),
        (["--telemetry=csig", "--ns3::CsigCompactFormat::BandwidthBuckets=0,400000"],
         "UtilizationSignal is AvailableShare; AvailableBandwidth is required"),
        (["--telemetry=csig-wide", "--ns3::CsigWideFormat::BandwidthBase=8"],
         "UtilizationSignal is AvailableShare; AvailableBandwidth is required"),
        (["--telemetry=csig-wide", "--ns3::CsigWideFormat::BandwidthStep=16"],
         "UtilizationSignal is AvailableShare; AvailableBandwidth is required"),
        (["--telemetry=csig", UNUSED_BANDWIDTH, "--ns3::CsigCompactFormat::ShareBuckets=0,100"],
         "UtilizationSignal is AvailableBandwidth; AvailableShare is required"),
        (["--telemetry=csig-wide", UNUSED_BANDWIDTH, "--ns3::CsigWideFormat::ShareBase=2"],
         "UtilizationSignal is AvailableBandwidth; AvailableShare is required"),
        (["--telemetry=csig-wide", UNUSED_BANDWIDTH, "--ns3::CsigWideFormat::ShareStep=2"],
         "UtilizationSignal is AvailableBandwidth; AvailableShare is required"),
        (["--cc=hpcc++", "--telemetry=csig", "--ns3::IntMdFormat::RemainingHops=7"], "there is no ns3::IntMdFormat in"),
        *[
            ([f"--cc={cc}", f"--telemetry={name}", f"--ns3::{given}"], f"{given} has no effect: a short name")
            for cc, name, given in (
                ("hpcc++", "int-md:dscp", "IntMdFormat::Marking=UdpPort"),
                ("hpcc++", "int-md-no-ts", "IntMdFormat::EgressTimestamp=true"),
                ("hpcc++", "int-md:latency", "IntMdFormat::HopLatency=false"),
                ("hpcc++", "ioam-incremental", "IoamTraceFormat::Incremental=false"),
                ("hpcc", "sigcomm19:authors", "Sigcomm19Format::UdpPort=4791"),
                ("hpcc-pint", "pint:16", "PintFormat::Probability=1"),
            )
        ],
        (["--cc=hpcc++", "--ns3::EcnMarker::Enabled=false"], "no policy of this run sends ECN-capable"),
        (["--flows=0"], "--flows"),
        (["--cc=hpcc", "--telemetry=csig", "--ns3::RdmaHpcc::SkipEmptyHops=true"], "queue length of each hop"),
        (["--cc=hpcc:per-rtt", "--ns3::RdmaHpcc::SkipEmptyHops=true"], "Reaction Reference"),
        (["--cc=hpcc-pint", "--telemetry=pint:authors", "--ns3::PintFormat::LogBase=1.0001"], "LogBase 1.0001"),
        (["--cc=hpcc-pint", "--ns3::RdmaHpccPint::T=13us"], "ns3::PintAgent::T, 4187 ns; both must be the same"),
        (["--cc=hpcc-pint", "--ns3::PintAgent::T=13us"], "ns3::RdmaHpccPint::T is 4187 ns"),
        (["--cc=hpcc++", "--telemetry=pint:16", "--ns3::RdmaHpccPlusPlus::T=20us"], "ns3::RdmaHpccPlusPlus::T is 20000 ns"),
        (["--cc=dcqcn,timely", "--telemetry=csig"], "has no effect: policy dcqcn, policy timely read no telemetry"),
        (["--cc=dcqcn", "--feedback=probe"], "--feedback=probe has no effect: policy dcqcn"),
        (["--cc=dcqcn", "--borders=17-16"], "--borders=17-16 has no effect"),
        (["--cc=dcqcn", "--ns3::TelemetryAgent::Insertion=Interval"], "reads no telemetry"),
        *[
            (["--cc=hpcc++", f"--telemetry={name}", f"--ns3::TelemetryAgent::Insertion={given}"],
             f"telemetry format {name}: ns3::TelemetryAgent::Insertion is {given}, but a packet without")
            for name in ("csig", "csig-wide:delay") for given in ("Interval", "Congestion")
        ],
        (["--cc=hpcc++", "--paths=migrate", "--ns3::TelemetryAgent::Insertion=Interval"],
         "--paths migrate: ns3::TelemetryAgent::Insertion is Interval"),
        (["--cc=hpcc++", "--feedback=receiver:switch", "--ns3::SwitchResponder::FeedbackKey=x"],
         'ns3::SwitchResponder::FeedbackKey is "x" and ns3::RdmaSwitchTrust::Key is ""'),
        (["--ns3::HpccTcpNic::TagEvery=4"], "there is no ns3::HpccTcpNic in this run"),
        (["--cc=dcqcn", "--eta=0.9"], "--eta=0.9 has no effect: dcqcn has no Eta"),
        (["--cc=hpcc:per-ack", "--ns3::RdmaHpcc::Reaction=PerRtt"], "has no effect: a short name"),
        (["--cc=hpcc++:sojourn", "--ns3::RdmaHpccPlusPlus::QueueSignal=Length"], "has no effect: a short name"),
        (["--cc=hpcc,dcqcn,hpcc"], '--cc: "hpcc" is given twice'),
        (["--settle=20s"], "--settle=20s: statistics would begin at"),
        (["--cc=hpc"], 'did you mean "hpcc"?'),
        (["--cc=hpcc++", "--telemetry=intmd"], 'did you mean "int-md"?'),
        (["--feedback=prob"], 'did you mean "probe"?'),
        (["--recovery=im"], 'did you mean "irn"?'),
        (["--paths=spary"], 'did you mean "spray"?'),
        (["--marking=sojorn"], 'did you mean "sojourn"?'),
        (["--cc=hpcc++,timely", "--marking=codel"], "--marking=codel has no effect: no policy of this run sends ECN-capable"),
        (["--marking=codel", "--ns3::EcnMarker::Thresholds=25Gbps:1:1:1"], "there is no ns3::EcnMarker in this run"),
        (["--cc=dctcp", "--marking=codel", "--ns3::RdmaDctcp::Marking=25Gbps:1:1:1"], "--marking codel has no Thresholds"),
        (["--cc=dctcp", "--ns3::EcnMarker::Thresholds=25Gbps:9:9:1", "--ns3::RdmaDctcp::Marking=25Gbps:1:1:1"],
         "Marking=25Gbps:1:1:1 has no effect: --ns3::EcnMarker::Thresholds gives the thresholds"),
        (["--cc=dctcp", "--ns3::EcnMarker::Enabled=0", "--ns3::RdmaDctcp::Marking=25Gbps:1:1:1"],
         "Marking=25Gbps:1:1:1 has no effect: --ns3::EcnMarker::Enabled=false marks nothing"),
        (["--buffer=static", "--ns3::SharedBuffer::Alpha=0.5"], "there is no ns3::SharedBuffer in this run"),
        (["--ns3::QbbNetDevice::WholeNanoseconds=true",
          "--ns3::QbbNetDevice::CarryFractions=true"], "set one of the two"),
        (["--ns3::StaticBuffer::QueueBytes=5000"], "there is no ns3::StaticBuffer in this run"),
        (["--buffer=static", "--ns3::StaticBuffer::BufferBytes=100000"], "bytes of headroom"),
        (["--ns3::QbbNetDevice::PauseQuanta=30"], "PauseQuanta 30 is less than 293"),
        (["--ns3::QbbNetDevice::ReceiveDrainRate=50Gbps", "--ns3::QbbNetDevice::ReceivePauseThreshold=3000000"], "ReceivePauseThreshold is 3000000, allowed is less than 2097152"),
        (["--ns3::QbbNetDevice::ReceiveDrainRate=50Gbps", "--ns3::QbbNetDevice::ReceiveResumeThreshold=2000000"], "ReceiveResumeThreshold is 2000000, allowed is at most 1048576"),
        (["--cc=none", "--senders=2", "--rate=400Gbps", "--delay=30us", "--ns3::QbbNetDevice::ReceiveDrainRate=100Gbps"], "ReceiveBuffer is 2097152, allowed is at least 2441"),
        (["--ns3::QbbNetDevice::ReceiveDrainRate=50Gbps", "--ns3::QbbNetDevice::ReceiveBuffer=1000", "--ns3::QbbNetDevice::ReceivePauseThreshold=50", "--ns3::QbbNetDevice::ReceiveResumeThreshold=10", "--delay=1ns"], "ReceiveBuffer is 1000, allowed is at least "),
        (["--flow-control=lossy", "--ns3::QbbNetDevice::ReceiveDrainRate=50Gbps", "--ns3::QbbNetDevice::ReceiveBuffer=1000"], "as packets of ns3::RdmaHost::Mtu 1000 have up to that many bytes"),
        (["--ns3::QbbNetDevice::DscpToPriority=26:3,26:4"], "DscpToPriority: DSCP 26 has two priorities"),
        (["--ns3::QbbNetDevice::DscpToPriority=-4294967270:3"], '"-4294967270:3" is not DSCP:PRIORITY'),
        (["--ns3::RdmaHost::RetransmitTimeout=99999999999s"], '"99999999999s" is not allowed; at most 1000000000s'),
        (["--ns3::RdmaHost::RetransmitTimeout=-1e20s"], "at most 1000000000s"),
        (["--ns3::RdmaHpccPlusPlus::T=1e20s"], '"1e20s" is not allowed; at most 1000000000s'),
        (["--ns3::RdmaDcqcn::MinRate=99999999999Gbps"], '"99999999999Gbps" is not allowed; at most 1000000000Gbps'),
        (["--trimming=coin"], "--trimming coin with --flow-control pfc: "),
        (["--trimming=coin", "--flow-control=lossy", "--telemetry=int-md:dscp"], "which trimming overwrites"),
        (["--buffer=static", "--flow-control=lossy", "--ns3::StaticBuffer::QueueBytes=500"], "admits at most 500 bytes of priority 3 at a port"),
        (["--buffer=static", "--flow-control=lossy", "--ns3::StaticBuffer::BufferBytes=50000"], "admits at most"),
        (["--buffer=abm", "--flow-control=lossy", "--ns3::AbmBuffer::BufferBytes=1000"], "admits at most"),
        (["--flow-control=lossy", "--ns3::SharedBuffer::ReservedBytes=0", "--ns3::SharedBuffer::EgressAlpha=0.00001"], "admits at most 335 bytes"),
        (["--trimming=coin", "--flow-control=lossy", "--recovery=sack", "--cc=nscc", "--ns3::PacketTrimmer::Threshold=1000"], "trims all of them"),
        (["--cc=none", "--buffer=static", "--flow-control=lossy", "--ns3::StaticBuffer::QueueBytes=1073"], "admits at most 1073 bytes of priority 3 at a port, but packets of ns3::RdmaHost::Mtu 1000 have up to 1074 bytes"),
        (["--cc=none", "--ns3::SharedBuffer::Alpha=1e-6", "--ns3::SharedBuffer::ReservedBytes=0", "--ns3::SharedBuffer::HeadroomBytes=500"], "admits at most 500 bytes of priority 3"),
        (["--buffer=abm", "--flow-control=lossy", "--ns3::AbmBuffer::Alpha=1e-6", "--ns3::AbmBuffer::BufferBytes=1050000000"], "admits at most 1050 bytes"),
        (["--cc=hpcc++", "--buffer=static", "--ns3::StaticBuffer::QueueBytes=1", "--ns3::StaticBuffer::HeadroomBytes=1050"], "admits at most 1051 bytes"),
        (["--cc=none", "--ack-priority=high", "--ns3::SharedBuffer::ReservedBytes=0", "--ns3::SharedBuffer::EgressAlpha=1e-6"], "bytes of priority 6 at a port, but packets of ns3::RdmaHost::AckDscp 48 have up to 62 bytes"),
        (["--cc=none", "--ack-priority=high", "--buffer=static", "--ns3::StaticBuffer::QueueBytesPerRate=100Gbps:59"], "admits at most 59 bytes of priority 6"),
        (["--cc=dcqcn", "--ns3::SharedBuffer::ReservedBytes=0", "--ns3::SharedBuffer::EgressAlpha=1e-6"], "packets of ns3::RdmaHost::CnpDscp 48"),
        (["--trimming=arriving", "--flow-control=lossy", "--recovery=sack", "--cc=nscc", "--ns3::PacketTrimmer::Threshold=1073"], "trims all of them; allowed are at least 1074 bytes"),
        (["--trimming=coin", "--flow-control=lossy", "--recovery=sack", "--cc=nscc", "--ns3::PacketTrimmer::Payload=1000"], "leaves them whole"),
        (["--trimming=coin", "--flow-control=lossy", "--recovery=sack", "--cc=nscc", "--ns3::PacketTrimmer::Priorities=2"], "lacks that priority"),
        (["--flow-control=lossy", "--watchdog=pfc-watchdog"], "no queue is paused"),
        (["--ns3::QbbNetDevice::PfcEnabled=false", "--watchdog=pfc-watchdog"], "no queue is paused"),
        (["--ns3::QbbNetDevice::PfcEnabled=false", "--ns3::QbbNetDevice::PauseQuanta=9000"], "no queue is paused"),
        (["--flow-control=lossy", "--ns3::QbbNetDevice::ReceiveDrainRate=50Gbps", "--ns3::QbbNetDevice::ReceivePauseThreshold=1000"], "no queue is paused"),
        (["--cc=hpcc++", "--feedback=every-8", "--ns3::TelemetryAgent::Insertion=Interval"], "--feedback every-8: ns3::TelemetryAgent::Insertion is Interval"),
        (["--cc=hpcc++", "--feedback=probe", "--ns3::TelemetryAgent::Insertion=Interval"], "few of the records of a port"),
        (["--cc=hpcc++", "--recovery=sack", "--flow-control=lossy", "--ns3::TelemetryAgent::Insertion=Interval"], "--recovery sack: ns3::TelemetryAgent::Insertion is Interval"),
        (["--ns3::TelemetryAgent::Interval=9us"], "has no effect: ns3::TelemetryAgent::Insertion is Always; Interval is required"),
        (["--ns3::TelemetryAgent::IntervalScope=EachFlow"], "Insertion is Always; Interval is required"),
        (["--ns3::TelemetryAgent::CongestionThreshold=9000", "--ns3::TelemetryAgent::Insertion=Interval"], "Insertion is Interval; Congestion is required"),
        (["--ns3::EcnMarker::Enabled=false", "--ns3::EcnMarker::Thresholds=25Gbps:1:2:1", "--cc=dctcp"], "ns3::EcnMarker::Enabled is false; true is required"),
        (["--ns3::SharedBuffer::HeadroomBytes=50000", "--ns3::SharedBuffer::HeadroomDelays=3"], "ns3::SharedBuffer::HeadroomDelays is 3; 0 is required"),
        (["--flow-control=lossy", "--ns3::SharedBuffer::Alpha=0.5"], "no queue is paused"),
        (["--flow-control=lossy", "--ns3::SharedBuffer::HeadroomBytes=9000"], "no queue is paused"),
        (["--flow-control=lossy", "--buffer=static", "--ns3::StaticBuffer::ResumeOffset=9000"], "no queue is paused"),
        (["--ns3::QbbNetDevice::ReceiveBuffer=9000"], "hosts receive without a limit"),
        (["--flow-control=lossy", "--ns3::QbbNetDevice::PauseQuanta=9000"], "no queue is paused"),
        (["--watchdog=coin"], "choices: pfc-watchdog, pfc-watchdog:drop"),
        (["--cc=nscc", "--recovery=sack", "--flow-control=lossy", "--trimming=coin", "--ns3::QbbNetDevice::DscpToPriority=26:3,41:4,42:5,48:6"], "--flow-control lossy: ns3::QbbNetDevice::DscpToPriority: node 17, port 0: DSCP 42 has priority 5; with ns3::PacketTrimmer allowed is 4"),
        (["--cc=dctcp", "--ns3::EcnMarker::Thresholds=100Gbps:1:1:1,100000Mbps:2:2:1"], 'EcnMarker::Thresholds: "100000Mbps:2:2:1" is the second entry for 100000000000bps'),
        (["--ns3::SharedBuffer::AlphaPerRate=100Gbps:1,100Gbps:2"], 'SharedBuffer::AlphaPerRate: "100Gbps:2" is the second entry'),
        (["--trimming=coin", "--flow-control=lossy", "--ns3::PacketTrimmer::ThresholdPerRate=8Gbps:9000,8Gbps:1"], 'PacketTrimmer::ThresholdPerRate: "8Gbps:1" is the second entry'),
        (["--trimming=coin", "--flow-control=lossy", "--ns3::PacketTrimmer::ThresholdPerRate=8Gbps:0"], '"8Gbps:0" is not RATE:BYTES'),
        (["--entropy=reps"], "--entropy reps with --recovery go-back-n: it needs the per-packet information of SACKs"),
        (["--entropy=reps", "--recovery=sack", "--paths=spray"], "--entropy reps with --paths spray"),
        (["--entropy=mixed", "--recovery=sack", "--evs=48"], "Evs 48 is no power of two"),
        (["--cc=hpcc++", "--entropy=graded", "--recovery=sack"], "--entropy graded with policy hpcc++: this entropy distributes packets"),
        (["--cc=hpcc++:max", "--telemetry=csig"], "Combine other than Graded needs records of all hops"),
        (["--cc=hpcc++:graded", "--telemetry=sigcomm19"], "needs records of all hops with switch id, port id and timestamp"),
        (["--cc=hpcc++:graded", "--ns3::RdmaHpccGraded::MissingHop=Changes"], "MissingHop is Changes, allowed is Skips"),
        (["--cc=hpcc++:graded", "--ns3::RdmaHpccGraded::PerHop=true"], "PerHop true needs a flow with a single path"),
        (["--cc=dcqcn", "--recovery=sack", "--flow-control=lossy", "--trimming=coin"], "policy dcqcn with --trimming coin and --recovery sack"),
        (["--cc=hpcc++", "--feedback=probe", "--recovery=sack", "--flow-control=lossy", "--trimming=coin"], "policy hpcc++ with --trimming coin and --feedback probe"),
        (["--recovery=sack:sleek", "--flow-control=lossy", "--trimming=coin"], "--trimming coin with --recovery sack:sleek: "),
        (["--evs=8"], "--evs=8 has no effect: --entropy is none"),
        (["--recovery=sack", "--verb=read"], "--verb=read with --recovery=sack: this recovery supports only WRITEs"),
        (["--recovery=sack", "--verb=send"], "--verb=send with --recovery=sack: this recovery supports only WRITEs"),
        (["--scheduler=fifo", "--ns3::QbbNetDevice::Weights=3:1,4:1"], "this ns3::FifoScheduler gives no shares"),
        (["--scheduler=strict", "--ns3::QbbNetDevice::Weights=3:1,4:1"], "this ns3::PriorityScheduler gives no shares"),
        (["--verb=red"], 'did you mean "read"?'),
        (["--pcap", "--ns3::PcapFileWrapper::NanosecMode=false"], "times in pcap files are always in ns"),
        (["--cc=dcqcn", "--rate=1Gbps"], "MinRate is 1000000000bps, allowed is below the line rate of host 0"),
        (["--cc=hpcc:authors", "--rate=1Gbps"], "policy hpcc:authors: MinRate is 1000000000bps, allowed is below"),
        (["--cc=hpcc-pint:authors", "--rate=1Gbps"], "policy hpcc-pint:authors: MinRate is 1000000000bps"),
        (["--cc=hpcc++", "--ns3::RdmaHpccPlusPlus::MinRate=200Gbps"], "policy hpcc++: MinRate is 200000000000bps"),
        (["--cc=powertcp:authors", "--rate=100Mbps"], "policy powertcp:authors: MinRate is 100000000bps"),
        (["--cc=theta-powertcp:authors", "--rate=100Mbps"], "policy theta-powertcp:authors: MinRate is 100000000bps"),
        (["--cc=timely", "--rate=10Gbps", "--delay=150us"], "ns3::RdmaTimely::THigh: 500000 ns, allowed is at least the base RTT of the path from host 0, 601869 ns"),
        (["--cc=swift", "--rate=10Gbps", "--delay=100us"], "ns3::RdmaSwift::BaseTarget and FsRange together: 120000 ns, allowed is at least"),
        (["--sender=3"], 'did you mean "--senders"?'),
        (["--ns3::RdmaHpcc::Etta=0.9"], 'did you mean "Eta"?'),
        (["--ns3::RdmaHpc::Eta=0.9"], 'did you mean "ns3::RdmaHpcc"?'),
        (["--senders=3x"], '"3x" is not allowed; a whole number from 0 to 4294967295'),
        (["--rate=fast"], '"fast" is not allowed; a rate such as 100Gbps'),
        (["--rate=18446744073709551615bps"], '--rate: "18446744073709551615bps" is not allowed; at most 1000000000Gbps'),
        (["--cc=dcqcn,hpcc++", "--ns3::RdmaHpccPlusPlus::InitialWindow=1e-12"], "policy hpcc++: flows of host 0 would start with a window of"),
        (["--cc=powertcp", "--ns3::TelemetryAgent::Insertion=Congestion"], "ns3::RdmaPowerTcp: switches insert records only into packets that find a queue"),
        (["--cc=hpcc++", "--telemetry=csig", "--ns3::TelemetryAgent::ClockResolution=1us"], "no telemetry format of this run carries timestamps"),
        (["--cc=hpcc++", "--telemetry=ioam", "--ns3::TelemetryAgent::ClockResolution=1s"],
         "ClockResolution is 1000000000 ns, but timestamps repeat every 1000000000 ns"),
        (["--cc=hpcc++", "--telemetry=sigcomm19", "--ns3::TelemetryAgent::ClockResolution=9ms"], "allowed is up to 8388608 ns"),
        (["--telemetry=csig", *POSITION, "--ns3::RdmaHost::Ttl=40"],
         "ns3::RdmaHost::Ttl of 11.0.0.1: with ns3::CsigFormat::Locator Position"),
        (["--telemetry=csig", *POSITION, "--ns3::CsigFormat::InitialTtl=70", "--verb=read"],
         "InitialTtl, 70, but packets leave with TTL 64"),
        *[
            ([f"--cc={name}", f"--ns3::TelemetryAgent::{setting}"], f"{setting} has no effect: the switches have another agent")
            for name, setting in (
                ("hpcc-pint", "Insertion=Congestion"),
                ("rcp", "Insertion=Interval"),
                ("xcp", "QueueScope=WholePort"),
                ("rcp,xcp", "QueueScope=WholePort"),
            )
        ],
        (["--cc=hpcc++:sojourn", "--telemetry=csig:delay", "--ns3::TelemetryAgent::QueueScope=WholePort"],
         "QueueScope=WholePort has no effect: no telemetry format of this run carries the length of a queue"),
        (["--cc=hpcc-pint", "--ns3::TelemetryAgent::ClockDriftPpm=9"], "no telemetry format of this run carries timestamps"),
        *[
            (["--cc=hpcc++", f"--telemetry={name}", "--ns3::TelemetryAgent::UtilizationWindow=20us"], "no telemetry format of this run carries the utilisation")
            for name in ("ifa", "sigcomm19", "ifa,sigcomm19")
        ],
        (["--cc=hpcc++", "--feedback=switch:dscp", "--ns3::SwitchResponder::SubscribedDscp=9"], "ns3::SwitchResponder::SubscribedDscp is 9, but with --feedback switch:dscp"),
        (["--ns3::RdmaHost::AuthorsHeaderBytes=56"], "no ns3::RdmaHost of this run has WireProfile Authors"),
        *[
            (["--cc=hpcc++", f"--ns3::QbbNetDevice::{given}"], f"{given} has no effect: no host of this run has ns-3's IP stack")
            for given in ("Gro=true", "Tso=true", "QueueLimit=5000", "QueueStop=5000")
        ],
        (["--cc=hpcc++", "--ns3::QbbNetDevice::GroGap=5us"], "GroGap=5us has no effect: ns3::QbbNetDevice::Gro is false; true is required"),
        (["--cc=dcqcn", "--ns3::RdmaHost::CnpInterval=50us", "--ns3::RdmaDcqcn::CnpInterval=20us"],
         "--ns3::RdmaDcqcn::CnpInterval=20us has no effect: --ns3::RdmaHost::CnpInterval sets it"),
        (["--cc=dcqcn", "--ns3::RdmaHost::CongestionEcho=Ack", "--ns3::RdmaDcqcn::CnpInterval=20us"],
         "--ns3::RdmaDcqcn::CnpInterval=20us has no effect: ns3::RdmaHost::CongestionEcho=Ack"),
        (["--cc=powertcp", "--ns3::RdmaPowerTcp::RateAi=1Gbps", "--ns3::RdmaPowerTcp::N=77"],
         "ns3::RdmaPowerTcp::N is 77, allowed is 10: N has no effect, because RateAi is 1000000000bps"),
        (["--cc=powertcp:authors", "--ns3::RdmaPowerTcp::N=5"], "because RateAi is 150000000bps"),
        (["--cc=swift", "--ns3::RdmaSwift::FsRange=0ns", "--ns3::RdmaSwift::FsMinCwnd=0.2"],
         "ns3::RdmaSwift::FsMinCwnd and FsMaxCwnd are 0.2 and 100, allowed are 0.1 and 100"),
        (["--cc=hpcc-pint", "--ns3::RdmaHpccPint::QueueFilter=Min"],
         "ns3::RdmaHpccPint::QueueFilter is Min, allowed is Default: with this telemetry format"),
        (["--telemetry=pint", "--ns3::RdmaHpccPlusPlus::InitialU=0.2"],
         "ns3::RdmaHpccPlusPlus::InitialU is 0.2, allowed is 1: with this telemetry format"),
        (["--cc=hpcc-pint", "--ns3::RdmaHpccPint::IdleGapResets=false"], "IdleGapResets is false, allowed is true"),
        (["--telemetry=csig", "--ns3::RdmaHpccPlusPlus::MissingHop=Changes"],
         "ns3::RdmaHpccPlusPlus::MissingHop is Changes, allowed is Skips: the telemetry format reports only"),
        (["--telemetry=csig-wide", "--ns3::RdmaHpccPlusPlus::QuietLoad=0"],
         "ns3::RdmaHpccPlusPlus::QuietLoad is 0, allowed is 0.85: the telemetry format reports only"),
        (["--cc=hpcc++", "--ns3::RdmaHost::AckInterval=01", "--ns3::RdmaHost::AckDelay=1us"], "every packet is acknowledged at once"),
        (["--cc=hpcc++", "--ns3::TelemetryAgent::Insertion=Interval", "--ns3::RdmaHpccPlusPlus::QuietLoad=0.5"],
         "QuietLoad=0.5 has no effect: switches insert records at intervals"),
        *[
            (["--cc=hpcc++,dctcp", f"--ns3::RdmaHost::CongestionEcho={how}"], f"CongestionEcho={how} has no effect: no policy of this run uses CNPs")
            for how in ("Ack", "Cnp")
        ],
        *[
            ([f"--cc={cc}", "--ns3::RdmaDcqcn::EchoInterval=5us"], "EchoInterval=5us has no effect: ns3::RdmaHost::CongestionEcho=Cnp returns marks without ACKs")
            for cc in ("dcqcn", "hpcc++,dcqcn+win")
        ],
        (["--cc=dcqcn+win", "--ns3::RdmaHost::CnpInterval=50us", "--ns3::RdmaDcqcn::CnpInterval=20us"],
         "--ns3::RdmaDcqcn::CnpInterval=20us has no effect: --ns3::RdmaHost::CnpInterval sets it"),
        (["--cc=none", "--ns3::RdmaHost::PaceByRate=false"], "PaceByRate=false has no effect: no policy of this run sets a rate"),
        (["--cc=none+win,nscc", "--ns3::RdmaHost::RetimePending=false"], "RetimePending=false has no effect: no policy of this run sets a rate"),
        (["--ns3::QbbNetDevice::Quantum=3000"], "no port has Weights or a scheduler that shares it by bytes"),
        (["--ns3::SharedBuffer::AlphaPerRate=33Gbps:0.5"], "no port has one of these rates"),
        (["--buffer=static", "--ns3::StaticBuffer::QueueBytesPerRate=33Gbps:90000"], "no port has one of these rates"),
        (["--mtu=1000", "--ns3::RdmaHost::Mtu=2000"], "are the same setting"),
        (["--cc=hpcc++", "--ns3::RdmaDcqcn::MinRate=1Gbps"], "there is no ns3::RdmaDcqcn"),
        (["--ns3::RdmaIntervalSampling::Interval=4"], "there is no ns3::RdmaIntervalSampling in this run"),
        (["--ns3::RdmaFeedback::Sampling=nosuch"], "choices: ns3::CLASS[ATTRIBUTE=VALUE|...], every-8"),
        (["--feedback=probe", "--ns3::RdmaFeedback::Return=packet:every-8th-ack"], "probes are answered by notifications"),
        (["--convergence=1us"], "no link fails"),
        (["--parallel=2"], "--parallel=2 has no effect"),
        (["--describe", "--runs=2"], "--runs=2 has no effect: --describe runs nothing"),
        (["--partition=rack"], "--partition=rack has no effect"),
        (["--telemetry=csig,ioam", "--cc=hpcc++", "--mtu=9000"], "need 9336"),
        (
            ["--cc=hpcc++", "--bytes=100000", "--fail=17-16@10us"],
            '--fail: "17-16@10us" leaves no path from host 0 to host 16 from 10.000 us on, so that flow 0 never ends',
        ),
        (["--senders=2", "--cc=hpcc++", "--fail=3-2@1ns,0-3@1us-2us"], '--fail: "3-2@1ns" leaves no path from host 0'),
        (["--borders=abc"], "abc"),
        (["--borders=17"], "17"),
        (["--borders=17-99"], "node 99"),
        (["--borders=17-16,17-16"], '--borders: "17-16" is given twice'),
        (
            ["--cc=hpcc++", "--borders=17-16,17-0"],
            "--borders=17-0 has no effect: no flow sends from switch 17 to node 0; flow 0 goes from host 0 to host 16",
        ),
        (["--borders=16-17"], "from node 16"),
        (["--cc=hpcc++", "--telemetry=sigcomm19:authors", "--borders=17-16"], "sigcomm19:authors"),
        (["--cc=rcp", "--borders=17-16"], "rcp"),
        (
            ["--cc=hpcc++:sojourn", "--telemetry=int-md:latency", "--borders=17-16"],
            "of node 17 lets only a load pass: ns3::RdmaHpccPlusPlus::QueueSignal Sojourn needs",
        ),
        (["--cc=hpcc:rx-rate", "--borders=17-16"], "lets only a load pass: ns3::RdmaHpcc::RateTerm Rx needs"),
        (["--cc=hpcc++", "--feedback=packet:worst-hop", "--borders=17-16"], "packet:worst-hop"),
        (["--cc=hpcc++", "--feedback=roce-reference", "--telemetry=csig"], "ns3::RdmaFeedback::Report"),
        (["--cc=powertcp", "--feedback=roce-reference"], "records of all hops"),
        (["--cc=hpcc++", "--feedback=probe", "--ns3::RdmaHost::ProbeDscp=48"], "ns3::RdmaHost::ProbeDscp"),
        (["--senders=0"], "senders"),
        (["--senders=abc"], "abc"),
        (["--senders=-1"], "-1"),
        (["--bytes=0"], "--bytes"),
        (["--bytes=18446744073709551615"], "281474976710656"),
        (["--verb=read", "--bytes=4294967296"], "4294967295"),
        (["--senders=65535", "--flows=65538"], "4294967295"),
        (["--seed=4294944443"], "4294944442"),
        (["--run=18446744073709551615", "--runs=2"], "18446744073709551615"),
        (["--settle=99999999999s"], "100000s"),
        (["--bytes=1.5"], "1.5"),
        (["--verb=nosuch"], "nosuch"),
        (["--senders=2", "--rate=10Gbps", "--delay=1200us"], "ns3::RdmaHost::RetransmitTimeout is 4000000 ns, but the round trip from"),
        (["--senders=2", "--recovery=irn", "--delay=100us"], "ns3::RdmaIrn::RtoHigh is 320000 ns, but the round trip from"),
        (["--senders=2", "--recovery=irn", "--rate=100Mbps", "--cc=hpcc++"],
         "ns3::RdmaIrn: the time-out for few packets is 100000 ns, but the round trip from"),
        (["--senders=2", "--recovery=sack", "--ns3::RdmaSack::AckBytes=4000", "--ns3::RdmaHost::AckInterval=8"],
         "AckInterval gives the packets per SACK"),
        (["--senders=2", "--recovery=sack", "--ns3::RdmaSack::Rto=1us"], "ns3::RdmaSack::Rto is 1000 ns, but the round trip from"),
        (["--cc=dcqcn", "--ns3::RdmaNic::FeedbackDelay=ns3::ConstantRandomVariable[Constant=4100000]"], "without any queue, of which ns3::RdmaNic delays 4100000 ns, so"),
        (["--telemetry=int-md:dscp", "--ns3::QbbNetDevice::DscpToPriority=26:3"], "DSCP 23"),
        (["--telemetry=int-md:dscp", "--ns3::RdmaHost::AckDscp=23"], "AckDscp"),
        (["--telemetry=ifa", "--ns3::IfaFormat::Protocol=17"], "Protocol"),
        (["--telemetry=ifa", "--ns3::IfaFormat::Protocol=6"], "Protocol is 6, the number of TCP"),
        (["--recovery=irn", "--ns3::RdmaHost::RetransmitTimeout=1ms"], "has no effect: --recovery irn has its own time-out"),
        (["--cc=hpcc++", "--ns3::RdmaHost::CnpInterval=50us"], "has no effect: no policy of this run uses CNPs"),
        (["--recovery=irn", "--ns3::RdmaHost::NakInterval=10us"], "has no effect: --recovery irn drops no out-of-order packet"),
        (["--recovery=sack", "--ns3::RdmaHost::NakInterval=10us"], "has no effect: --recovery sack drops no out-of-order packet"),
        (["--cc=hpcc++", "--ns3::RdmaNic::CnpTurnaround=ns3::ConstantRandomVariable[Constant=5]"], "has no effect: no policy of this run uses CNPs"),
        (["--cc=dcqcn", "--ns3::RdmaHost::CongestionEcho=Ack", "--ns3::RdmaHost::CnpInterval=50us"], "has no effect: ns3::RdmaHost::CongestionEcho=Ack returns marks without CNPs"),
        (["--cc=dcqcn", "--ns3::RdmaHost::CongestionEcho=Ack", "--ns3::RdmaNic::CnpTurnaround=ns3::ConstantRandomVariable[Constant=5]"], "has no effect: ns3::RdmaHost::CongestionEcho=Ack"),
        (["--cc=hpcc++", "--ns3::RdmaHost::CnpDscp=40"], "has no effect: no policy of this run uses CNPs"),
        (["--cc=dcqcn", "--ns3::RdmaHost::FeedbackKey=abc"], "has no effect: no policy of this run reads telemetry"),
        (["--cc=dcqcn", "--ns3::RdmaHost::DishonestFrom=5us"], "has no effect: no policy of this run reads telemetry"),
        (["--cc=rcp", "--ns3::RdmaHost::DishonestFrom=5us"], "ns3::RcpFormat cannot describe an idle path"),
        (["--cc=hpcc++", "--ns3::RdmaHost::DishonestFrom=100s"], "DishonestFrom=100s has no effect: the run ends before"),
        (["--cc=dcqcn", "--ns3::RdmaHost::AckDelay=1us"], "has no effect: every packet is acknowledged at once"),
        (["--recovery=sack", "--ns3::RdmaHost::AckInterval=4", "--ns3::RdmaHost::AckDelay=1us"], "has no effect: --recovery sack does not delay its SACKs"),
        (["--ns3::QbbNetDevice::DscpToPriority=26:3,48:6,"], '"" is not DSCP:PRIORITY'),
        (["--ns3::QbbNetDevice::Weights=3:1,4:1,"], '"" is not PRIORITY:WEIGHT'),
        (["--cc=dctcp", "--ns3::EcnMarker::Thresholds=100Gbps:1:1:1,"], '"" is not '),
        (["--cc=dctcp", "--ns3::EcnMarker::Thresholds=10Gbps:1:1:1,40Gbps:9:9:1"], "no port has one of these rates"),
        (["--ns3::QbbNetDevice::ReceiveErrorModel=ns3::RateErrorModel[ErrorUnit=abc]"], "is not allowed; the name of a class"),
        (["--ns3::QbbNetDevice::ReceiveErrorModel=ns3::PriorityScheduler"], "is not allowed; the name of a class"),
        (["--telemetry=csig", "--ns3::CsigCompactFormat::DelayBuckets=0,5,"], 'DelayBuckets is "0,5,"'),
        (["--ns3::RdmaFeedback::Sampling=ns3::RdmaIntervalSampling[Interval=4|]"], "choices: ns3::CLASS["),
        (["--ns3::RdmaNic::PostDelay=ns3::ConstantRandomVariable[Constant=-5]"], "with Constant=-5"),
        (["--ns3::RdmaNic::PostDelay=ns3::ConstantRandomVariable[Constant=1e14]"], "allowed are 0 to"),
        (["--ns3::RdmaNic::PostDelay=ns3::UniformRandomVariable[Min=9|Max=5]"], "with Min=9 above Max=5"),
        (["--ns3::RdmaNic::AckTurnaround=ns3::SequentialRandomVariable[Min=9|Max=5]"], "with Min=9 above Max=5"),
        (["--ns3::RdmaNic::PostDelay=ns3::TriangularRandomVariable[Min=0|Max=100|Mean=70]"], "with Mean=70, which needs a mode outside Min=0 and Max=100"),
        (["--ns3::RdmaNic::PostDelay=ns3::GammaRandomVariable[Alpha=-1]"], "with Alpha=-1, which is not positive"),
        (["--ns3::RdmaNic::PostDelay=ns3::ParetoRandomVariable[Shape=0]"], "with Shape=0, which is not positive"),
        (["--ns3::RdmaNic::PostDelay=ns3::ParetoRandomVariable[Scale=100|Shape=2|Bound=50]"], "with Bound=50 below Scale=100"),
        (["--ns3::RdmaNic::PostDelay=ns3::NormalRandomVariable[Mean=100|Variance=-1|Bound=50]"], "with Variance=-1"),
        (["--ns3::RdmaNic::PostDelay=ns3::NormalRandomVariable[Mean=100|Variance=1|Bound=0]"], "with Bound=0, which excludes all values"),
        (["--ns3::RdmaNic::PostDelay=ns3::ExponentialRandomVariable[Mean=100|Bound=-1]"], "with Bound=-1, which excludes all values"),
        (["--ns3::RdmaNic::PostDelay=ns3::SequentialRandomVariable[Max=5|Increment=ns3::DeterministicRandomVariable]"], "ns3::DeterministicRandomVariable takes its values from a program"),
        *(
            ([f"--ns3::RdmaNic::FeedbackDelay=ns3::{kind}RandomVariable"], f"ns3::{kind}RandomVariable takes its values from a program")
            for kind in ("Deterministic", "Empirical")
        ),
        (["--ns3::RdmaNic::PostDelay=ns3::ConstantRandomVariable[Constant=5|]"], "is not allowed; the name of a class"),
        (["--cc=hpcc++", "--ns3::RdmaHost::ProbeDscp=24"], "has no effect: no feedback of this run sends probes"),
        (["--cc=hpcc++", "--ns3::RdmaHost::ProbeSpacing=1us"], "has no effect: no feedback of this run sends probes"),
        (["--telemetry=int-md:dscp", "--ns3::IntMdFormat::UdpPort=1000"], "has no effect: no UDP port marks its packets"),
        (["--telemetry=int-md", "--ns3::IntMdFormat::Dscp=24"], "has no effect: no DSCP marks its packets"),
        (["--telemetry=int-md", "--ns3::IntMdFormat::UdpPort=4791"], "UDP port 4791, which is RoCEv2's own"),
        (["--telemetry=int-md", "--ns3::IntMdFormat::UdpPort=61465"], "UDP port 61465 marks packets of ns3::IntMdFormat and"),
        (["--cc=hpcc:rx-rate", "--telemetry=csig"], "RateTerm Rx"),
        (["--cc=rcp", "--telemetry=csig"], "needs the telemetry format rcp"),
        (["--cc=xcp", "--telemetry=rcp"], "needs the telemetry format xcp"),
        (["--cc=hpcc++", "--telemetry=rcp"], "queue delay and utilisation"),
        (["--cc=rcp", "--ns3::RdmaRcp::PortAgent=nosuch"], "choices: "),
        (["--cc=rcp", "--ns3::RdmaRcp::PortAgent=xcp"],
         'policy rcp: the switch agent "xcp" does not fill in telemetry rcp; allowed are rcp, rcp:fct'),
        (["--cc=xcp", "--ns3::RdmaXcp::PortAgent=np-ecn"], 'the switch agent "np-ecn" does not fill in telemetry xcp'),
        (["--cc=theta-powertcp", "--ns3::RdmaThetaPowerTcp::EwmaWindow=Reference"],
         "ns3::RdmaThetaPowerTcp::Update is RoundTrip; Ack is required"),
        (["--cc=dcqcn+win", "--ns3::RdmaWindowed::Policy=ns3::RdmaTimely"], "a short name, another option or"),
        (["--cc=swift", "--ns3::RdmaSwift::InitialCwnd=2e6"], "InitialCwnd is 2e+06, allowed are 0, and MinCwnd, 0.001, to"),
        (["--cc=swift", "--ns3::RdmaSwift::InitialCwnd=1e-9"], "InitialCwnd is 1e-09, allowed are 0, and MinCwnd"),
        (["--cc=swift", "--ns3::RdmaSwift::MaxMdf=1"], '"1" is not allowed; a number from 2.22507e-308 to 0.999999'),
        (["--cc=pcn", "--marking=codel"], "no policy of this run sends ECN-capable packets with ECT(0)"),
        (["--cc=pcn,hpcc", "--ns3::EcnMarker::Enabled=false"], "no policy of this run sends ECN-capable packets with ECT(0)"),
        (["--cc=hpcc++", "--feedback=random", "--ns3::RdmaSampling::AsksForAck=false"], "every packet is acknowledged at once"),
        (["--cc=hpcc++", "--feedback=probe", "--ns3::RdmaSampling::AsksForAck=false"], "probes collect the telemetry"),
        (["--cc=hpcc++", "--feedback=packet:delayed-ack", "--ns3::RdmaHost::AckInterval=8"],
         "the feedback sets ns3::RdmaAckReturn::AckInterval"),
        (["--cc=hpcc++", "--feedback=switch", "--ns3::SwitchResponder::SubscribedDscp=26"], "packets subscribe by a flag"),
        (["--cc=hpcc++", "--feedback=switch:dscp", "--ns3::SwitchResponder::Format=ifa"],
         "every packet that subscribes carries telemetry"),
        (["--cc=hpcc++", "--feedback=switch:per-rtt", "--ns3::SwitchResponder::Format=rcp"],
         'ns3::SwitchResponder::Format is rcp, but the agent "rcp" fills in this format'),
        (["--cc=rcp", "--ns3::RcpAgent::Alpha=0"], "Alpha"),
        (["--cc=hpcc-pint", "--ns3::PintFormat::LogBase=1.01"], "LogBase 1.01"),
        (["--cc=hpcc-pint", "--ns3::PintFormat::Probability=0"], "Probability"),
        (["--telemetry=csig", "--ns3::CsigCompactFormat::DelayBuckets=0 x"], "DelayBuckets"),
        (["--cc=hpcc++", "--telemetry=ioam", "--mtu=9000"], "need 9336"),
        (["--cc=hpcc++", "--telemetry=ioam", "--ns3::IoamTraceFormat::Hops=13"], "12"),
        (["--cc=hpcc++", "--telemetry=ioam", "--ns3::IoamTraceFormat::TxBytes=false"], "utilisation"),
    ],
    "hpcc-long-short": [
        (["--shorts=4294967295"], "shorts: 4294967295 is outside 1 to 131072"),
        (["--short-bytes=0"], "--short-bytes"),
        (["--long-bytes=0"], "--long-bytes"),
        (["--shorts=0"], "--shorts"),
        (["--join=abc"], "abc"),
        (["--join=-1ms"], "-1ms"),
        (["--join=10s", "--long-bytes=1000", "--cc=hpcc++"], "flow 1 would start at 10000000000 ns"),
    ],
    "hpcc-bench": [
        (["--benchmark=nosuch"], "choices: fat-tree-k8"),
        (["--benchmark=many-qps", "--queue-pairs=1", "--ns3::RdmaIrn::RtoLow=1us"], "there is no ns3::RdmaIrn"),
        (["--duration=0us"], "--duration"),
        (["--repetitions=0"], "--repetitions"),
        (["--cc=hpcc,dcqcn"], "--cc"),
    ],
    "hpcc-bench-parts": [
        (["--check"], "has no effect: each benchmark checks its own network"),
        (["--buffer=abm"], "allowed is --flow-control=lossy"),
        (["--ns3::RdmaIrn::RtoLow=1us"], "there is no ns3::RdmaIrn"),
        (["--benchmark=nosuch"], "choices: event-loop"),
        (["--duration=0us"], "--duration"),
        (["--repetitions=0"], "--repetitions"),
        (["--cc=hpcc,dcqcn"], "--cc"),
    ],
    "hpcc-bench-ranks": [
        (["--cc=hpcc,dcqcn"], "--cc"),
        (["--k=3"], "k 3"),
        (["--k=4", "--ns3::HpccTcpNic::TagEvery=4"], "there is no ns3::HpccTcpNic"),
        (["--duration=0us"], "--duration"),
    ],
    "hpcc-fairness": [
        (["--split=90:10", "--cc=hpcc++", "--ns3::RdmaHost::CnpInterval=5us"], "has no effect: no policy of this run uses CNPs"),
        (["--flows=4294967295"], "flows: 4294967295 is outside 1 to 131072"),
        (["--flows=0"], "flows"),
        (["--bytes=0"], "--bytes"),
        (["--gap=abc"], "abc"),
        (["--gap=100000s", "--flows=3"], "100000000000000 ns"),
        (["--gap=6s", "--flows=3", "--bytes=1000"], "flow 2 would start at 12000000000 ns"),
        (["--split=90"], "--split"),
        (["--split=90:10", "--flows=3"], "--split gives the flows"),
        (["--split=90:20"], "--split"),
        (["--cc=hpcc", "--split=90:10", "--bytes=1000000", "--ns3::RdmaHpcc::InitialWindow=0.1"],
         "--ns3::RdmaHpcc::InitialWindow=0.1 has no effect"),
        (["--split=90:10", "--cc=hpcc++,dcqcn"], "--split with policy dcqcn: it has no attribute InitialWindow"),
        (["--split=90:x"], "--split"),
        (["--split=90:0"], "--split"),
        (["--cc=powertcp", "--feedback=receiver"], "cannot compute at the receiver"),
        (["--cc=hpcc++", "--feedback=receiver:switch", "--ns3::SwitchResponder::Target=Sender"], "the receiver computes"),
        (["--cc=hpcc++", "--feedback=switch", "--ns3::SwitchResponder::Target=Receiver"], "the sender computes"),
        (["--telemetry=csig", "--cc=hpcc++", "--feedback=packet:n"], "FlowCount is packet:n"),
    ],
    "hpcc-failure": [
        (["--topology=dumbbell:2,2,host=18446744073709551615bps"], '"18446744073709551615bps" is not allowed; at most 1000000000Gbps'),
        (["--flows=4294967295"], "flows: 4294967295 is outside 1 to 1000000"),
        (["--flows=0"], "--flows"),
        (["--bytes=0"], "--bytes"),
        (["--topology=nosuch"], "choices"),
        (["--topology=leaf-spine:2,2"], "LEAVES,SPINES,HOSTS-PER-LEAF"),
        (["--topology=file:/nosuch"], "/nosuch"),
        (["--fail=0-1@5us"], "no link joins"),
        (
            ["--topology=planes:4,2", "--cc=none", "--fail=0-4@50us"],
            "leaves no path from port 0 of host 2 to port 0 of host 0 from 50.000 us on, so that flow 4 never ends; "
            "give the time at which the link recovers, or --ports=...+move",
        ),
        (["--fail=16-18@5us-6us,16-18@5500ns"], "must alternate"),
        (["--fail=16-18#1@5us"], "1 links, counted from 0"),
        (["--fail=99@5us"], "node 99 has no links"),
        (
            ["--topology=leaf-spine:3,2,1", "--fail=3-6@5us,4-7@7us", "--cc=hpcc++", "--telemetry=ifa",
             "--ns3::IfaFormat::HopLimit=4"],
            "from 107000 ns on, when routes avoid the links that are down, the path from host 0 to host 1 has 5 switches",
        ),
        (["--ports=turns"], "each host has one port"),
        (["--topology=planes:8,2", "--ports=turns+move"], "no link fails"),
        (["--topology=planes:8,2", "--ports=2"], "host 0 has 2 ports, counted from 0"),
        (["--topology=planes:8,65"], "65 planes; allowed are 1 to 64"),
        (["--topology=planes:8,2,2"], "LEAVES needs SPINES"),
        (["--topology=planes:8,2,2,0"], "1 spine between leaves"),
        (["--topology=rail:2,2,0"], "at least 1"),
        (["--topology=nvswitch:2,1,400Gbps,25ns"], "write nvswitch:GPUS"),
        (["--topology=nvswitch:3,1,400Gbps,25ns,star:8"], "a divisor of the hosts"),
        (["--topology=nvswitch:2,1,400Gbps,soon,star:8"], '"soon" is not a time'),
        (["--topology=star:8,delay=1000.9ns"], '"1000.9ns" is not a time in whole ns'),
        (["--topology=nvswitch:2,64,400Gbps,25ns,star:8"], "64 switches of a server"),
        (["--topology=simai:apart.simai"], "apart.simai:4: topology: host 2 cannot reach host 0"),
        (["--topology=simai:odd.simai"], "odd.simai:1: 3 GPUs are not servers of 2"),
        (["--topology=planes:8,2", "--paths=migrate", "--cc=hpcc++"], "--paths migrate: its table"),
        (["--topology=planes:8,2", "--feedback=receiver:n", "--cc=hpcc++"], "counts the flows"),
        (["--cc=hpcc", "--telemetry=sigcomm19", "--paths=spray"], "--paths spray: policy hpcc with telemetry sigcomm19"),
        (["--cc=powertcp", "--paths=spray"], "policy powertcp with telemetry sigcomm19"),
        (["--cc=dcqcn", "--paths=migrate"], "--paths migrate with policy dcqcn: "),
        (["--cc=hpcc++", "--telemetry=csig", "--paths=migrate"], "the ids of each hop"),
        (["--paths=migrate", "--ns3::RdmaMigration::Moves=0"], "Moves"),
        (["--cc=hpcc++", "--paths=migrate", "--ns3::RdmaMigration::Target=0.9"],
         "ns3::RdmaMigration::Target is 0.9, but AdmissionHold is 0, so no flow waits"),
        (["--cc=hpcc++", "--paths=migrate:admission", "--ns3::RdmaMigration::Target=0.95"],
         "Target is 0.95, allowed with AdmissionHold is below the policy's Eta, 0.95"),
        (["--cc=hpcc++", "--paths=migrate:admission", "--eta=0.8"],
         "--paths migrate:admission with policy hpcc++: ns3::RdmaMigration::Target is 0.8"),
        (["--topology=dumbbell:8,8,host=56Gbps,fabric=400Gbps", "--cc=hpcc++", "--telemetry=csig", "--fail=",
          "--ns3::CsigFormat::UtilizationSignal=AvailableBandwidth"],
         "no locator code exists for the line rate of port 0 of switch 16, 56000000000 bit/s"),
    ],
    "hpcc-elephant-mice": [
        (["--elephants=4294967295"], "elephants: 4294967295 is outside 1 to 131072"),
        (["--mice=4294967295"], "mice: 4294967295 is outside 1 to 1000000"),
        (["--elephants=0"], "--elephants"),
        (["--mice=0"], "--mice"),
        (["--mouse-bytes=0"], "--mouse-bytes"),
        (["--first=abc"], "abc"),
        (["--gap=-1us"], "-1us"),
    ],
    "hpcc-fat-tree": [
        (["--k=3"], "3"),
        (["--k=0"], "0"),
        (["--k=82"], "82"),
        (["--load=2"], "2"),
        (["--load=0"], "0"),
        (["--load=abc"], "abc"),
    ],
    "hpcc-pairs": [
        (["--transport=nosuch"], "iwarp, rdma, tcp, udp"),
        (["--fault=nosuch"], "none, loss, outage"),
        (["--transport=tcp", "--cc=tcp-cubic", "--paths=plb"], "--paths plb"),
        (["--transport=tcp", "--cc=hpcc++"], "tcp-hpcc++"),
    ],
    "hpcc-attack": [
        (["--senders=4294967295"], "senders: 4294967295 is outside 2 to 131072"),
        (["--senders=1"], "senders"),
        (["--bytes=0"], "--bytes"),
        (["--attack=nosuch"], "nosuch"),
        (["--from=abc"], "abc"),
        (["--from=1us"], "give --attack=dishonest too"),
        (["--ns3::RdmaHpccPlusPlus::CheckFeedback=false"], "hpcc-attack sets CheckFeedback to true"),
        (["--cc=dcqcn"], "no telemetry is returned to ns3::RdmaDcqcn"),
        (["--cc=rcp"], "ns3::RcpFormat cannot describe an idle path"),
        (["--cc=xcp", "--attack=dishonest", "--protect=false"], "ns3::XcpFormat cannot describe"),
        (["--feedback=receiver", "--protect=false"], "--feedback returns no records of all hops"),
        (["--cc=powertcp", "--attack=dishonest"], "ns3::RdmaPowerTcp has no CheckFeedback"),
    ],
    "hpcc-tcp": [
        (
            ["--senders=4", "--rdma=2", "--cc=tcp-hpcc++", "--bytes=500000", "--fail=4-5@50us"],
            '--fail: "4-5@50us" leaves no path from host 0 to host 4 from 50.000 us on, so that flow 0 never ends',
        ),
        (["--cc=hpcc++"], "tcp-hpcc++"),
        (["--feedback=compact", "--ns3::TelemetryAgent::QueueScope=WholePort"], "QueueScope=WholePort has no effect"),
        (["--telemetry=ifa", "--ns3::TelemetryAgent::Bandwidth=Residual"], "cannot report what other classes leave"),
        (["--cc=udp-hpcc++", "--telemetry=int-md:dscp", "--ns3::TelemetryAgent::Bandwidth=Residual"],
         "which ns3::HpccUdpApplication must know to judge a queue length"),
        (["--feedback=compact", "--ns3::TelemetryAgent::Bandwidth=Share"], "measures whole ports; allowed is LineRate"),
        (["--feedback=compact", "--ns3::TelemetryAgent::Bandwidth=Residual"], "measures whole ports; allowed is LineRate"),
        *(
            ([f"--ns3::TcpHpccPlusPlus::Fallback=ns3::{name}"], f"::Fallback is ns3::{name}, allowed are other classes")
            for name in ("TcpHpccPlusPlus", "RdmaHost", "TcpCongestionOps")
        ),
        (["--ns3::TcpHpccPlusPlus::MinRate=100Gbps"], "::MinRate is 100000000000bps, allowed is below the line rate"),
        (["--cc=udp-hpcc++", "--ns3::HpccUdpApplication::MinRate=100Gbps"], "::MinRate is 100000000000bps, allowed is below"),
        (["--feedback=abc"], "compact:per-rtt"),
        (["--ns3::RdmaHost::AckDelay=1us"], "no flow of this run uses RDMA"),
        (["--rdma=1", "--ns3::RdmaHost::AckDelay=1us"], "every packet is acknowledged at once"),
        (["--rdma=1", "--ns3::RdmaHost::CnpInterval=5us"], "has no effect: no policy of this run uses CNPs"),
        (["--ns3::IoamTraceFormat::NamespaceId=3"], "there is no ns3::IoamTraceFormat in this run"),
        (["--feedback=receiver"], 'tcp-hpcc++ has no "receiver"'),
        (["--cc=udp-hpcc++", "--feedback=receiver:n"], 'udp-hpcc++ has no "receiver:n"'),
        (["--feedback=probe:n", "--telemetry=csig"], "ns3::HpccTcpNic::CountFlows is true"),
        *(
            (
                [f"--cc={cc}", f"--feedback={feedback}", f"--ns3::{nic}::CountFlows=true"],
                f"--ns3::{nic}::CountFlows=true has no effect",
            )
            for cc, feedback, nic in (
                ("tcp-hpcc++", "probe", "HpccTcpNic"),
                ("iwarp-hpcc++", "in-band", "HpccTcpNic"),
                ("udp-hpcc++", "probe", "HpccUdpNic"),
            )
        ),
        (["--cc=udp-hpcc++", "--feedback=probe:n", "--telemetry=csig"], "HpccUdpNic::CountFlows"),
        (["--feedback=compact", "--ns3::HpccTcpNic::CountFlows=true"], "ns3::MaxLoadFormat"),
        (["--feedback=compact", "--ns3::TcpHpccPlusPlus::T=37us"], "ns3::TcpHpccPlusPlus::T is 37000 ns, but the switches average the load over ns3::MaxLoadAgent::T, 4187 ns"),
        (["--feedback=compact", "--ns3::MaxLoadAgent::T=37us"], "ns3::MaxLoadAgent::T, 37000 ns; both must be the same"),
        (["--ns3::HpccTcpNic::CountWindow=20us"], "no ns3::HpccTcpNic of this run has CountFlows true"),
        (["--cc=udp-hpcc++", "--ns3::HpccUdpNic::CountWindow=20us"], "no ns3::HpccUdpNic of this run has CountFlows true"),
        (["--feedback=compact", "--ns3::TcpHpccPlusPlus::CheckFeedback=true"], "CheckFeedback"),
        (["--telemetry=csig", "--ns3::TcpHpccPlusPlus::PerHop=true"], "PerHop needs a record of each hop"),
        (["--cc=udp-hpcc++", "--telemetry=csig", "--ns3::HpccUdpApplication::RateTerm=Rx"], "RateTerm Rx"),
        (
            ["--senders=4", "--cc=tcp-hpcc++", "--borders=5-4,5-0"],
            "--borders=5-0 has no effect: no flow sends from switch 5 to node 0",
        ),
        (
            ["--senders=4", "--cc=udp-hpcc++", "--borders=5-4", "--ns3::HpccUdpApplication::RateTerm=Rx"],
            "RateTerm is Rx, but the telemetry border lets only a load pass",
        ),
        (
            ["--senders=4", "--telemetry=ifa", "--borders=5-4", "--ns3::TcpHpccPlusPlus::QueueSignal=Sojourn"],
            "QueueSignal is Sojourn, but the telemetry border lets only a load pass",
        ),
        (["--ns3::TcpHpccPlusPlus::QuietLoad=0"], "answers without any record make the connection fall back"),
        (["--cc=udp-hpcc++", "--ns3::HpccUdpApplication::IdleGapResets=false"], "measures no idle time"),
        (["--feedback=compact", "--telemetry=ioam"], "omit --telemetry"),
        (
            ["--feedback=in-band", "--ns3::QbbNetDevice::Mtu=1079"],
            "have 1100 bytes with the telemetry of 1 switch, but ns3::QbbNetDevice::Mtu is 1079",
        ),
        (["--feedback=compact:per-rtt", "--ns3::HpccTcpNic::TagEvery=4"], "only one of them"),
        *(
            (["--cc=tcp-hpcc++", "--feedback=compact,compact:per-rtt", f"--ns3::{given}"], "per-rtt has no probes")
            for given in (
                *("HpccTcpNic::PauseAfter=1", "HpccTcpNic::ProbeDscp=30", "HpccTcpNic::ResponseDscp=30"),
                *("TelemetryAgent::Insertion=Congestion", "TelemetryAgent::IntervalScope=EachFlow"),
            )
        ),
        (["--cc=tcp-hpcc++,iwarp-hpcc++", "--ns3::TcpSocketState::EnablePacing=false"], "always paces"),
        (["--ns3::HpccTcpNic::TagEvery=4"], "must be Compact"),
        (["--feedback=compact", "--ns3::QbbNetDevice::Mtu=1067"], "at most 999"),
        (["--feedback=compact", "--ns3::MaxLoadFormat::ExId=18519"], "must differ"),
        *(
            (
                [f"--cc={cc}", "--telemetry=ifa", "--ns3::IfaFormat::HopLimit=0"],
                "has 1 switches and needs room for 1 records, but a packet has room for 0",
            )
            for cc in ("tcp-hpcc++", "iwarp-hpcc++", "udp-hpcc++")
        ),
        (["--telemetry=int-md"], "ifa, int-md:dscp, ioam"),
        (["--telemetry=abc"], "abc"),
        (["--telemetry=csig,abc"], 'unknown format "abc"'),
        (["--telemetry=csig,int-md"], "UDP port"),
        (["--telemetry=csig", "--ns3::CsigFormat::Locator=Position", "--ns3::Ipv4L3Protocol::DefaultTtl=40"],
         "ns3::HpccTcpNic: with ns3::CsigFormat::Locator Position"),
        (["--cc=udp-hpcc++", "--telemetry=csig", "--ns3::CsigFormat::Locator=Position", "--ns3::CsigFormat::InitialTtl=70"],
         "InitialTtl, 70, but packets leave with TTL 64"),
        (["--cc=udp-hpcc++", "--senders=3", "--rdma=1", "--ns3::IntMdFormat::UdpPort=10001"],
         "UDP port 10001 marks packets of ns3::IntMdFormat, but is the port of a UDP flow"),
        (["--scenario=abc"], "incast"),
        (["--senders=1"], "senders"),
        (["--bytes=9"], "bytes"),
        (["--senders=1001"], "1001"),
        (["--eta=abc"], "abc"),
        (["--ns3::TcpHpccPlusPlus::Eta=1"], "Eta"),
        (["--cc=udp-hpcc++", "--feedback=in-band"], "probe"),
        (["--telemetry=ioam"], "IPv6 only"),
        (["--telemetry=csig,ioam"], "IPv6 only"),
        (["--ipv6", "--ns3::RdmaHost::Ipv6=false"], "has no effect: --ipv6 sets it"),
        (["--gap=1us"], "all flows start at once"),
        (["--scenario=incats"], 'did you mean "incast"?'),
        (["--cc=tcp-hpc++"], 'did you mean "tcp-hpcc++"?'),
        (["--recovery=irn"], "no flow of this run uses RDMA"),
        (["--paths=plb"], "--paths=plb has no effect: no flow of this run uses RDMA"),
        (["--ns3::RdmaNic::RateStep=1Gbps"], "RateStep=1Gbps has no effect: no flow of this run uses RDMA"),
        (["--paths=migrate"], "--paths=migrate has no effect: no flow of this run uses RDMA"),
        (["--cc=tcp-hpcc++", "--mtu=64"], "TCP segments of 64 bytes, from ns3::RdmaHost::Mtu (--mtu), are outside"),
        (["--cc=iwarp-hpcc++", "--mtu=9000"], "TCP segments of 9000 bytes, from ns3::RdmaHost::Mtu (--mtu), are"),
        (["--cc=tcp-cubic", "--mtu=535"], "TCP segments of 535 bytes"),
        (
            ["--cc=tcp-cubic", "--rate=400Gbps", "--delay=6ms", "--flow-control=lossy"],
            "TCP: the rate of the fastest host times the network's T of 24000047 ns is 1200002350 bytes; "
            "allowed is at most TCP's largest window, 1073725440",
        ),
        (["--ns3::HpccTcpNic::ProbeDscp=0"], "HpccTcpNic::ProbeDscp is 0, the DSCP of the data"),
        (["--ns3::HpccTcpNic::ResponseDscp=0"], "HpccTcpNic::ResponseDscp is 0, the DSCP of the data"),
        (["--telemetry=csig", "--feedback=in-band", "--ns3::HpccTcpNic::ResponseDscp=0"], "ResponseDscp is 0"),
        (["--cc=iwarp-hpcc++", "--ns3::HpccTcpNic::ProbeDscp=0"], "ProbeDscp is 0"),
        (["--cc=udp-hpcc++", "--ns3::HpccUdpNic::ProbeDscp=0"], "HpccUdpNic::ProbeDscp is 0"),
        (["--cc=tcp-cubic,tcp-hpcc++", "--ns3::HpccTcpNic::ProbeDscp=26"], "HpccTcpNic::ProbeDscp 26 has priority"),
        (["--cc=tcp-cubic,udp-hpcc++", "--ns3::HpccUdpNic::ProbeDscp=26"], "HpccUdpNic::ProbeDscp 26 has priority"),
        (["--cc=tcp-cubic,udp-hpcc++", "--ns3::HpccUdpApplication::Tos=104"], "but data with DSCP 26 has"),
        (["--cc=tcp-cubic,tcp-hpcc++", "--ns3::QbbNetDevice::DscpToPriority=0:1,26:3,48:6"], "ProbeDscp 21 has priority 0, but"),
        *[
            ([f"--cc=tcp-cubic,{cc}", *more, "--ns3::TelemetryAgent::Insertion=Interval"], "Insertion is Interval with IntervalScope EachPort")
            for cc, more in (("tcp-hpcc++", ()), ("udp-hpcc++", ()), ("tcp-hpcc++", ("--feedback=in-band",)))
        ],
        (
            ["--cc=udp-hpcc++", "--ns3::HpccUdpNic::ResponseDscp=46", "--ns3::HpccUdpApplication::Tos=184"],
            "HpccUdpNic::ResponseDscp is 46, the DSCP of the data",
        ),
        (["--bytes=20000", "--ns3::HpccUdpNic::CountFlows=true", "--cc=tcp-hpcc++"], "there is no ns3::HpccUdpNic"),
        (["--bytes=20000", "--cc=tcp-cubic", "--ns3::HpccTcpNic::MaxUnanswered=4"], "there is no ns3::HpccTcpNic"),
        (["--bytes=20000", "--cc=tcp-cubic", "--ns3::RdmaRoundSampling::Round=4us"], "there is no ns3::RdmaRoundSampling"),
        (["--bytes=20000", "--cc=tcp-cubic", "--ns3::RdmaIrn::RtoLow=1us"], "there is no ns3::RdmaIrn"),
        (["--bytes=20000", "--cc=tcp-cubic", "--ns3::PfcWatchdog::DetectionTime=1us"], "there is no ns3::PfcWatchdog"),
        (["--cc=tcp-cubic", "--telemetry=csig"], "policy tcp-cubic reads no telemetry"),
        (["--cc=tcp-cubic", "--ns3::TcpHpccPlusPlus::Eta=0.9"], "there is no ns3::TcpHpccPlusPlus"),
        (["--bytes=20000", "--cc=tcp-cubic", "--ns3::TcpSocketBase::MinRto=1ms"], "sets another value"),
        (["--bytes=20000", "--cc=udp-hpcc++", "--ns3::QbbNetDevice::Gro=true"], "Gro=true has no effect: no flow of this run uses TCP"),
        (["--bytes=20000", "--cc=udp-hpcc++", "--ns3::QbbNetDevice::Tso=true"], "Tso=true has no effect: no flow of this run uses TCP"),
        (["--bytes=20000", "--cc=tcp-cubic", "--ns3::QbbNetDevice::GroTimeout=5us"], "Gro is false; true is required"),
        (["--bytes=20000", "--cc=tcp-cubic", "--ns3::QbbNetDevice::TsoMtu=20000"], "Tso is false; true is required"),
        (["--feedback=in-band", "--ns3::QbbNetDevice::Mtu=1075"], "at most 999"),
        (["--cc=tcp-cubic", "--expected-flows=100"], "no policy of this run has N"),
        (
            ["--cc=tcp-hpcc++", "--expected-flows=9", "--ns3::TcpHpccPlusPlus::N=100"],
            "--ns3::TcpHpccPlusPlus::N sets it",
        ),
        *(
            ([f"--cc={cc}", "--expected-flows=9", f"--ns3::{name}::N=100", *more], f"--ns3::{name}::N sets it")
            for cc, name, more in (
                ("udp-hpcc++", "HpccUdpApplication", ()),
                ("tcp-hpcc++,udp-hpcc++", "HpccUdpApplication", ()),
                ("udp-hpcc++,iwarp-hpcc++", "TcpHpccPlusPlus", ()),
                ("tcp-hpcc++", "RdmaHpccPlusPlus", ("--rdma=1",)),
            )
        ),
        *(
            (["--cc=tcp-hpcc++,udp-hpcc++", *more], f"{text} has no effect: another option or hpcc-tcp sets ")
            for more, text in (
                (("--eta=0.9", "--ns3::TcpHpccPlusPlus::Eta=0.8"), "TcpHpccPlusPlus::Eta=0.8"),
                (("--max-stage=3", "--ns3::HpccUdpApplication::MaxStage=2"), "HpccUdpApplication::MaxStage=2"),
                (("--wai=90", "--ns3::TcpHpccPlusPlus::Wai=80"), "TcpHpccPlusPlus::Wai=80"),
                (("--T=10us", "--ns3::TcpHpccPlusPlus::T=9us"), "TcpHpccPlusPlus::T=9us"),
                (("--rdma=1", "--eta=0.9", "--ns3::RdmaHpccPlusPlus::Eta=0.8"), "RdmaHpccPlusPlus::Eta=0.8"),
            )
        ),
        *(([f"--rdma={count}"], f"--rdma: {count} leaves no sender for --cc") for count in (16, 17)),
        *(
            ([f"--cc={cc}", "--flow-control=lossy", *given], text)
            for cc, what, least in (
                ("tcp-hpcc++", "TCP segments of 1000 bytes", 1054),
                ("tcp-cubic", "TCP segments of 1000 bytes", 1054),
                ("iwarp-hpcc++", "TCP segments of 1000 bytes", 1054),
                ("udp-hpcc++", "datagrams of ns3::HpccUdpApplication::PacketSize 1000", 1042),
            )
            for given, text in (
                (["--buffer=static", "--ns3::StaticBuffer::QueueBytes=1000"], f"{what} have up to {least} bytes; allowed"),
                (["--ns3::QbbNetDevice::QueueLimit=500"], f"QueueLimit is 500, allowed is at least {least}, as {what}"),
                (
                    ["--ns3::QbbNetDevice::ReceiveDrainRate=50Gbps", "--ns3::QbbNetDevice::ReceiveBuffer=1000"],
                    f"allowed is at least {least}, as {what} have",
                ),
            )
        ),
        (["--cc=tcp-cubic", "--rdma=1", "--eta=2"], "RdmaHpccPlusPlus::Eta is 2"),
        *(
            (
                ["--rdma=1", f"--ns3::RdmaHost::DataDscp={dscp}"],
                f"DataDscp {dscp} has priority {priority}, but data with DSCP 0 has 3; allowed are 0, 21, 22, 23, 24, 26",
            )
            for dscp, priority in ((10, 0), (8, 0), (48, 6))
        ),
        (["--cc=udp-hpcc++", "--ns3::UdpSocket::RcvBufSize=999"], "RcvBufSize is 999, allowed is at least 1000, as datagrams of"),
        (["--cc=udp-hpcc++", "--telemetry=int-md"], "UDP port"),
        (["--cc=udp-hpcc++", "--telemetry=ioam"], "IPv6 only"),
        (["--cc=udp-hpcc++", "--ns3::HpccUdpApplication::Eta=1"], "Eta"),
        (["--cc=udp-hpcc++", "--ns3::HpccUdpApplication::InFlight=abc"], "abc"),
        (["--cc=iwarp-hpcc++", "--feedback=abc"], "compact:per-rtt"),
        (["--cc=iwarp-hpcc++", "--ns3::HpccIwarpWriter::WriteSize=0"], "WriteSize"),
        (["--bytes=20000", "--cc=udp-hpcc++", "--ns3::HpccUdpApplication::MaxBytes=5000"], "MaxBytes=5000 has no effect"),
        (["--bytes=20000", "--cc=iwarp-hpcc++", "--ns3::HpccIwarpWriter::MaxBytes=5000"], "MaxBytes=5000 has no effect"),
        (["--bytes=20000", "--cc=iwarp-hpcc++", "--ns3::HpccIwarpTarget::RegionBytes=50"], "RegionBytes=50 has no effect"),
        (["--cc=iwarp-hpcc++", "--ns3::HpccIwarpEndpoint::Crc=abc"], "abc"),
        (["--mtu=1448", "--ns3::QbbNetDevice::Mtu=1500"], "packets of up to 1508"),
        (["--ns3::TcpSocket::SegmentSize=70000"], "65300"),
        (["--ns3::QbbNetDevice::TsoMtu=65401"], "TsoMtu"),
    ],
    "hpcc-paths": [
        (["--ns3::RdmaHost::ProbeDscp=10"], "ProbeDscp=10 has no effect: no feedback of this run sends probes"),
        (["--traffic=neighbours", "--beside=hpcc++", "--ns3::RdmaHost::CnpDscp=9"], "has no effect: no policy of this run uses CNPs"),
        (["--traffic=neighbours", "--beside=foo"], '--beside: unknown policy "foo"; choices: '),
        (["--traffic=neighbours", "--beside=hpcc++,hpcc+"], '--beside: unknown policy "hpcc+"; choices: '),
        (["--traffic=elephants", "--entropy=none", "--paths=spray"],
         "--paths: ns3::SprayPaths with --traffic elephants: some flows have one path each"),
        (["--traffic=abc"], 'unknown "abc"; choices: permutation, elephants, incast, neighbours'),
        (["--spines=0"], "--spines: 0 is outside 1 to 64"),
        (["--spines=65"], "--spines: 65 is outside 1 to 64"),
        (["--slow=17"], "--slow: 17 is above 16"),
        (["--slow-rate=abc"], "abc"),
        (["--slow-rate=10Gbps"], "--slow-rate=10Gbps has no effect: --slow is 0"),
        (["--hosts=0"], "--hosts: 0 is outside 1 to 1000"),
        (["--hosts=1001"], "--hosts: 1001 is outside 1 to 1000"),
        (["--hosts=4", "--traffic=elephants"], "at least 5"),
        (["--hosts=5", "--traffic=neighbours"], "at least 6"),
        (["--traffic=neighbours", "--beside=dcqcn,"], "has an empty item"),
        (
            ["--traffic=neighbours", "--beside=dcqcn,dctcp"],
            "dcqcn and dctcp share ports, but need different marking thresholds",
        ),
        (["--bytes=0"], "--bytes: 0"),
        (["--from=abc"], "abc"),
        (["--beside=dcqcn"], "--beside=dcqcn has no effect: --traffic is permutation"),
        (["--traffic=neighbours", "--beside=abc"], "abc"),
        (["--cc=hpcc++"], "but this policy does not grade paths; allowed are the policies hpcc++:graded, hpcc++:max, hpcc++:mean, hpcc++:median, hpcc++:per-path, or another entropy, such as --entropy=mixed"),
        (["--traffic=neighbours", "--recovery=go-back-n"], "recovery go-back-n"),
        (["--apart=dcqcn"], "--apart=dcqcn has no effect: --traffic is permutation"),
        (["--traffic=neighbours", "--apart=dcqcn"], "--apart: dcqcn is not in --beside hpcc++"),
        (["--traffic=neighbours", "--weights=3:1,4:1"], "--apart names no policy"),
        (["--traffic=neighbours", "--class-telemetry=share"], "--apart names no policy"),
        (["--traffic=neighbours", "--apart=hpcc++"], "--apart with --trimming coin"),
        (
            ["--cc=nscc", "--entropy=mixed", "--buffer=static", "--ns3::StaticBuffer::QueueBytes=50000"],
            "ns3::PacketTrimmer has thresholds above the largest queues, so that all ports drop packets instead of trimming them; "
            "at port 0 of node 32 the threshold is 104675 bytes, but ns3::StaticBuffer admits at most 50000;",
        ),
        (
            ["--cc=nscc", "--entropy=mixed", "--buffer=abm", "--ns3::AbmBuffer::BufferBytes=300000"],
            "the threshold is 104675 bytes, but ns3::AbmBuffer admits at most 100358;",
        ),
        ([*APART, "--weights=3:1,5:1"], "lacks priority 3 or 4"),
        ([*APART, "--weights=3:1,4:101"], "101"),
        ([*APART, "--ns3::QbbNetDevice::Weights=3:1,4:3"], "--apart sets it"),
        ([*APART, "--class-telemetry=shares"], "--class-telemetry: unknown"),
        ([*APART, "--telemetry=int-md"], "QueueSignal Sojourn needs the time in the switch"),
    ],
    "hpcc-victims": [
        (["--bursters=4294967295"], "bursters: 4294967295 is outside 1 to 131072"),
        (["--bursts=4294967295"], "bursts: 4294967295 is outside 1 to 1000000"),
        (["--bursters=0"], "bursters"),
        (["--bursts=0"], "bursts"),
        (["--burst-bytes=0"], "burst-bytes"),
        (["--from=1ms", "--end=1ms"], "end"),
        (
            ["--cc=none", "--bursts=5", "--end=1500us", "--fail=18-19@5ms"],
            '--fail: "18-19@5ms" begins at 5000.000 us, but the run ends at 1500.000 us at the latest',
        ),
        (
            ["--cc=none", "--bursts=5", "--end=1500us", "--watchdog=pfc-watchdog:drop"],
            "--watchdog=pfc-watchdog:drop has no effect: ns3::PfcWatchdog::DetectionTime is 100000.000 us, but the run "
            "ends at 1500.000 us",
        ),
        (
            ["--end=1500us", "--watchdog=pfc-watchdog", "--ns3::PfcWatchdog::DetectionTime=1500us"],
            "DetectionTime is 1500.000 us",
        ),
        (["--bursts=5", "--end=1500us", "--fail=18-19@1ms-2ms,18-19@1500us"], '"18-19@1500us" begins at 1500.000 us'),
        (["--gap=abc"], "abc"),
        (["--source=abc"], "abc"),
        (["--cut=0"], "cut"),
        (["--cut=1"], "cut"),
        (["--cut=abc"], "abc"),
        (["--buffer-bytes=1000"], "BufferBytes"),
        (["--buffer=1000"], '--buffer: unknown "1000"; choices: abm, dynamic, static'),
        (["--ns3::SharedBuffer::BufferBytes=3000000"], "sets another value"),
        (["--cc=pcn", "--ns3::RdmaPcn::MinWeight=0.6"], "MinWeight"),
        (["--cc=pcn", "--ns3::RdmaPcn::MinRate=0bps"], "MinRate"),
        (["--cc=dcqcn", "--ns3::RdmaDcqcn::MinRate=0bps"], "MinRate"),
        (["--ns3::RdmaPcn::CongestedShare=2"], "CongestedShare"),
        (["--ns3::NpEcnAgent::Threshold=-1"], "Threshold"),
    ],
    "hpcc-parking-lot": [
        (["--bottlenecks=0"], "--bottlenecks"),
        (["--bottlenecks=13"], "13"),
        (["--bottlenecks=5", "--cc=hpcc"], "has 6 switches and needs room for 6 records, but a packet has room for 5"),
        (["--bytes=0"], "--bytes"),
        (["--cc=hpcc++:per-hop", "--telemetry=csig"], "PerHop"),
        (["--cc=hpcc++:per-hop", "--paths=spray"], "policy hpcc++:per-hop"),
        *(
            (["--cc=powertcp", "--ns3::TelemetryAgent::Insertion=Interval", *scope], "ns3::RdmaPowerTcp with ns3::Sigcomm19Format on a path with 3 switches: records have no switch ids")
            for scope in ([], ["--ns3::TelemetryAgent::IntervalScope=EachFlow"])
        ),
    ],
    "hpcc-parameters": [
        (["--etas="], "etas"),
        (["--etas=0.9,x"], "x"),
        (["--etas=1"], "etas"),
        (["--flows=4,4"], '--flows: "4" is given twice'),
        (["--eta=0.9"], "hpcc-parameters sets Eta itself"),
        (["--max-stages=-1"], "max-stages"),
        (["--flows=0"], "flows"),
        (["--expected-flows=0"], "expected-flows"),
        (["--duration=0s"], "duration"),
    ],
    "hpcc-reclaim": [
        (["--join=0us"], "join"),
        (["--cc=hpcc++", "--delay=100us"], "--join: 500000 ns, allowed is at least 4 base RTTs, 1600748 ns"),
        (["--join=16us", "--cc=hpcc++"], "--join: 16000 ns, allowed is at least 4 base RTTs, 16"),
        (["--hold=0us"], "hold"),
        (["--horizon=abc"], "abc"),
        (["--share=1"], "share"),
    ],
    "hpcc-classes": [
        (["--cc=dcqcn", "--other=hpcc++", "--wai=160"], "--wai=160 has no effect: "),
        (["--cc=hpcc++", "--ns3::RdmaHost::ProbeSpacing=1us"], "has no effect: no feedback of this run sends probes"),
        (["--cc=hpcc++", "--other=hpcc++", "--modes=plain", "--ns3::RdmaHost::CnpInterval=5us"], "has no effect: no policy of this run uses CNPs"),
        (["--cc=hpcc++", "--other=hpcc++", "--marking=codel"], "no policy of this run sends ECN-capable packets"),
        (["--flows=4294967295"], "flows: 4294967295 is outside 1 to 131072"),
        (["--other-flows=4294967295"], "other-flows: 4294967295 is outside 1 to 131072"),
        (["--flows=0"], "flows"),
        (["--other-flows=0"], "other-flows"),
        (["--other=nosuch"], "nosuch"),
        (["--weights=3:1"], "at least two"),
        (["--weights=3:0,4:1"], "3:0"),
        (["--weights=3:1,5:1"], "lacks priority"),
        (["--weights=3:1,4:101"], "100"),
        (["--weights="], "has no guaranteed share"),
        (["--modes=nosuch"], "nosuch"),
        (["--modes="], "--modes"),
        (["--modes=share,share"], '"share" is given twice'),
        (["--cc=hpcc++,dcqcn", "--modes=plain,share"], "--modes=plain,share has no effect: dcqcn reads no telemetry; allowed is plain"),
        (["--cc=none", "--modes=residual"], "--modes=residual has no effect: none reads no telemetry; allowed is plain"),
        (["--modes=plain", "--fail=8-9@5ms"], '--fail: "8-9@5ms" begins at 5000.000 us, but the run ends at 2000.000 us'),
        (["--join=1us"], "--join is 1.000 us, allowed is above --warm-up, 200.000 us"),
        (["--end=1ms"], "--end is 1000.000 us, allowed is above the sum of --join and --warm-up, 1200.000 us"),
        (["--warm-up=2ms"], "--join is 1000.000 us, allowed is above --warm-up, 2000.000 us"),
        (["--warm-up=abc"], "abc"),
        (["--other-rate=abc"], "abc"),
        (["--telemetry=int-md"], "QueueSignal Sojourn"),
        (["--telemetry=csig"], "QueueSignal Sojourn"),
        (["--cc=hpcc", "--telemetry=sigcomm19"], "QueueSignal Sojourn"),
        (["--telemetry=ifa"], "cannot report what other classes leave"),
        (["--telemetry=ioam:latency"], "cannot report what other classes leave"),
        (["--cc=powertcp", "--telemetry=int-md:latency"], "must know to judge a queue length"),
        (["--cc=rcp", "--telemetry=rcp"], "measures whole ports"),
        (["--cc=hpcc:rx-rate"], "RateTerm Rx"),
        (["--telemetry=csig:delay", "--ns3::CsigFormat::UtilizationSignal=AvailableBandwidth"],
         "UtilizationSignal"),
        (["--ns3::TelemetryAgent::QueueScope=WholePort"], "QueueScope"),
        (["--ns3::QbbNetDevice::Quantum=1"], "Quantum"),
    ],
    "hpcc-wan": [
        (["--bytes=20000000", "--cc=hpcc++", "--fail=4-5@300ms"], "leaves no path from host 1 to host 3"),
        (["--flows=4294967295"], "flows: 4294967295 is outside 1 to 131072"),
        (["--flows=0"], "--flows"),
        (["--bytes=0"], "--bytes"),
        (["--loss=0.2"], "--loss"),
        (["--loss=abc"], "abc"),
        (["--gap=abc"], "abc"),
        (["--cc=hpcc"], "sigcomm19: T is 40.0"),
        (["--telemetry=csig"], "DelayBuckets"),
        (["--flow-control=pfc"], "headroom"),
        (["--rate=1600Gbps", "--telemetry=ifa"], "sent-bytes field of 32 bits"),
        (["--cc=xcp", "--rate=400Gbps", "--delay=25ms"], "and 4294967295 bytes"),
    ],
    "hpcc-migration": [
        (["--flows=0"], "--flows"),
        (["--flows=1001"], "1001"),
        (["--spines=0"], "--spines"),
        (["--spines=65"], "65"),
        (["--bytes=0"], "--bytes"),
        (["--fabric-rate=abc"], "abc"),
        (["--cc=dctcp", "--paths=migrate"], "the ids of each hop"),
        (["--paths=migrate", "--feedback=random"], "--paths migrate with --feedback random"),
        (["--paths=migrate", "--feedback=receiver:literal"], "--paths migrate with --feedback receiver:literal"),
        (["--paths=migrate:nosuch"], "migrate:nosuch"),
        (["--paths=ecmp:authors"], "with ns3::AuthorsPaths the flows do not start on one path; allowed are ecmp, "),
        (["--paths=spray", "--recovery=irn"], "with ns3::SprayPaths the flows do not start on one path"),
    ],
    "hpcc-own-policy": [
        (["--senders=4294967295"], "senders: 4294967295 is outside 1 to 131072"),
        (["--senders=0"], "senders"),
        (["--bytes=0"], "--bytes"),
        (["--cc=aimd:nosuch"], "aimd:nosuch"),
        (["--ns3::RdmaAimd::Keep=2"], "Keep"),
        (["--ns3::RdmaAimd::Keep=1"], "Keep is 1, allowed is below 1"),
        (["--cc=aimd", "--telemetry=rcp"], "carries no queue length"),
    ],
    "hpcc-run": [
        (["--config=mode.config"], "mode.config:3: CC_MODE 2 is not supported"),
        (["--config=marked.config"], "marked.config:1: the file begins with a byte order mark"),
        (["--config=window.config"], "HAS_WIN must be 1 with CC_MODE 10"),
        (["--config=digest.config"], "PINT_LOG_BASE 1 is outside 1.0002 to 2"),
        (["--config=sample.config"], "SAMPLE_FEEDBACK 2 is neither 0 nor 1"),
        (["--config=ports.config"], "a host has 2 links"),
        (["--config=error.config"], "ERROR_RATE_PER_LINK 1 is outside [0, 1)"),
        (["--config=plain.config", "--ns3::RdmaHpcc::Eta=0.5"], "--ns3::RdmaHpcc::Eta=0.5 has no effect"),
        (["--config=plain.config", "--ns3::RdmaHpcc::PerHop=false"], "PerHop=false has no effect"),
        (["--config=plain.config", "--ns3::RdmaHpcc::SkipEmptyHops=true"], "SkipEmptyHops=true has no effect"),
        (["--config=plain.config", "--ns3::Sigcomm19Format::UnitMultiplier=2"], "UnitMultiplier=2 has no effect"),
        (["--config=pint.config", "--ns3::PintFormat::LogBase=1.2"], "LogBase=1.2 has no effect"),
        (["--config=pint.config", "--ns3::PintFormat::Probability=0.5"], "Probability=0.5 has no effect"),
        (["--config=dcqcn.config", "--ns3::RdmaDcqcn::Gain=0.5"], "Gain=0.5 has no effect"),
        (["--config=dcqcn.config", "--ns3::RdmaDcqcn::RateAi=1Gbps"], "RateAi=1Gbps has no effect"),
        (["--config=dctcp.config", "--ns3::RdmaDctcp::Marking=100Gbps:1:2:1"], "Marking=100Gbps:1:2:1 has no effect"),
        (["--config=plain.config", "--ns3::RdmaHost::Mtu=500"], "--ns3::RdmaHost::Mtu=500 has no effect"),
        (["--config=plain.config", "--ns3::QbbNetDevice::EthernetOverhead=true"],
         "EthernetOverhead=true has no effect"),
        (["--config=endless.config"], "endless.config:6: SIMULATOR_STOP_TIME 1e20 is outside 1e-9 to 100000 s"),
        (["--config=ended.config"], "ended.config:6: SIMULATOR_STOP_TIME 0 is outside"),
        (["--config=plain.config", "--config-outputs", "--runs=2", "--progress=0"],
         "--config-outputs: all of the --runs would write the same files"),
        (["--config=nameless.config"], 'nameless.config:6: FCT_OUTPUT_FILE "mix/" is not allowed; the name of a file'),
        (["--config=same.config"], 'same.config:7: PFC_OUTPUT_FILE "b/x.txt" is the name of another output file'),
        (["--config=same2.config", "--config-outputs"], 'same2.config:6: QLEN_MON_FILE "fct.txt" is the name of another'),
        (["--config=table.config"], 'table.config:6: FCT_OUTPUT_FILE "mix/fct.csv" is the name of another output file'),
        (["--config=manifest.config"], 'manifest.config:6: QLEN_MON_FILE "manifest.json" is the name of another'),
        (["--config=trailing.config"], 'trailing.config:3: KMIN_MAP "100000000000 400KB" is not RATE VALUE'),
        (
            ["--config=below.config"],
            "below.config:4: KMAX_MAP 300 for 100000000000 bit/s is not allowed; at least KMIN_MAP, 400",
        ),
        (["--config=certain.config"], "certain.config:5: PMAX_MAP 2 for 100000000000 bit/s is not allowed; at most 1"),
        (["--config=target.config"], 'target.config:8: U_TARGET: "5" is not allowed; a number from 0 to 2'),
        (["--config=twice.config"], "twice.config:7: CC_MODE is given twice, with other values in line 6"),
        (["--config=part.config"], 'part.config:6: LINK_DOWN "0.9" is not allowed; a whole number from 0 to'),
        (["--config=flag.config"], "flag.config:6: RATE_BOUND 2 is neither 0 nor 1"),
        (["--config=path.config", "--ns3::RdmaHpcc::T=9us"], "--ns3::RdmaHpcc::T=9us has no effect"),
        (["--config=path.config", "--T=20us"], "--T=20us has no effect: GLOBAL_T 0 "),
        (["--config=paths.config"], "paths.config:8: GLOBAL_T must be 1 with CC_MODE 10 if the base RTTs of flows differ"),
        (["--config=near.config"], "::T is 4160 ns, but the switches average the load over ns3::PintAgent::T, 14240 ns; both must be the same: set the latter, or both by --T"),
        (["--config=plain.config", "--ns3::RdmaHost::AckDelay=1us"], "every packet is acknowledged at once"),
        (["--config=plain.config", "--ns3::RdmaHost::ProbeDscp=9"], "no feedback of this run sends probes"),
        *[
            (["--config=dcqcn.config", f"--ns3::{given}"], f"{given} has no effect: ns3::RdmaHost::CongestionEcho=Ack returns marks without CNPs")
            for given in ("RdmaHost::CnpInterval=5us", "RdmaHost::CnpDscp=9", "RdmaDcqcn::CnpInterval=5us")
        ],
        (["--cm=good.cm", "--ns3::RdmaHost::PaceByRate=false"], "no policy of this run sets a rate"),
        (["--config=plain.config", "--ports=turns"], "--ports=turns has no effect: each host has one port"),
        (["--config=plain.config", "--ports=hash+move"], "--ports=hash+move has no effect: no link fails"),
        (["--config=plain.config", "--fail=0-2@1us"], "--fail=0-2@1us has no effect: LINK_DOWN"),
        (["--config=down.config", "--convergence=1us"], "--convergence=1us has no effect: LINK_DOWN"),
        ([], "--config=FILE or --cm=FILE is needed"),
        (["--config=mode.config", "--cm=good.cm"], "allowed is one of --config and --cm"),
        (["--config=mode.config", "--topo=x.topo"], "--topo=x.topo has no effect: there is no --cm"),
        (["--cm=nosuch.cm"], "cannot read nosuch.cm"),
        (["--cm=host.cm"], "host.cm:3: host 16: hosts are 0 to 15"),
        (["--cm=twice.cm"], "twice.cm:7: trigger 1 is activated 2 times; allowed is at most 1"),
        (["--cm=wait.cm"], "wait.cm:4: all flows wait for triggers"),
        (["--cm=trigger.cm", "--max-lag=1us"], "triggers of trigger.cm start flows at other hosts at once"),
        (["--cm=good.cm", "--topo=bad.topo"], 'bad.topo:2: unknown key "layers"'),
        (["--cm=good.cm", "--sack-threshold=4150", "--feedback=packet:delayed-ack-8", "--cc=hpcc++"],
         "--feedback packet:delayed-ack-8 gives the packets per SACK"),
        (["--cm=good.cm", "--sack-threshold=4150", "--ns3::RdmaHost::AckInterval=8"],
         "--sack-threshold gives the bytes per SACK"),
        (["--cm=good.cm", "--ns3::RdmaSack::QueueBdps=50"], "ns3::RdmaSack::Rto is "),
        (["--cm=good.cm", "--ns3::RdmaHost::Mtu=1000"], "--mtu gives the size of packets with headers"),
        (["--cm=good.cm", "--topo=uneven.topo", "--failed=30"], "--failed: 30 is above 29, all that can be degraded"),
        (["--config=high.config"], "port 70000 is above 65535"),
        (["--cm=good.cm", "--topo=small.topo"], "has 16 nodes, --topo small.topo has 4"),
        (["--cm=good.cm", "--linkspeed=0"], "--linkspeed: 0.000 is outside"),
        (["--cm=good.cm", "--q=0"], "--q: 0 is not allowed"),
        (["--cm=good.cm", "--ecn=3"], '--ecn: "3" is not LOW,HIGH'),
        (["--cm=good.cm", "--ecn=50,20"], "not LOW <= HIGH <= the queue of 43 packets"),
        (["--cm=good.cm", "--mtu=64"], "--mtu: 64 is below 129 bytes"),
        (["--cm=good.cm", "--failed=99"], "--failed: 99 is above 16"),
        (["--cm=good.cm", "--failed=1", "--trimming=none", "--q=3", "--ecn=0,1"], "--q: 3 packets with --failed=1 and --trimming=none; a degraded link has a quarter of them"),
        (["--cm=good.cm", "--sack-threshold=0"], "--sack-threshold: 0 is not allowed"),
        (["--cm=good.cm", "--cc=dctcp", "--cwnd=9"], "no policy of --cc has an initial window in packets"),
        (["--cm=good.cm", "--cc=hpcc++", "--cwnd=1"], "no policy of --cc has an initial window in packets"),
        (["--cm=good.cm", "--ns3::PacketTrimmer::Threshold=9"], "--q limits the queues"),
        (["--cm=good.cm", "--ns3::PacketTrimmer::ThresholdPerRate=9"], "--q limits the queues"),
        (["--cm=good.cm", "--trimming=none", "--ns3::CoinDropAgent::LimitPerRate=100Gbps:9"], "--q limits the queues"),
        (["--cm=good.cm", "--ns3::RdmaNscc::Marking=1000:2000:1"], "--ecn gives the thresholds"),
        (["--cm=good.cm", "--ns3::EcnMarker::Thresholds=1Gbps:1:2:1"], "--ecn gives the thresholds"),
        (["--cm=good.cm", "--ns3::RdmaSack::AckBytes=9"], "--sack-threshold sets it"),
        (["--cm=good.cm", "--ns3::RdmaNscc::Marking=1Gbps:1:2:1"], "Marking=1Gbps:1:2:1 has no effect: --ecn gives the thresholds"),
    ],
    "hpcc-job": [
        (["--cc=hpcc++", "--marking=codel"], "no policy of this run sends ECN-capable packets"),
        (["--cc=hpcc++", "--ns3::RdmaHost::CnpInterval=1us"], "CnpInterval=1us has no effect"),
        (
            ["--job=broadcast:ring,bytes=9,ranks=2", "--topology=nvswitch:2,1,400Gbps,25ns,star:4",
             "--fail=0-5@10us", "--ports=hash+move"],
            "flow 0 -> 1 would move from port 1 with 400.000 Gb/s and a base RTT of",
        ),
        (["--job=all-reduce:ring,bytes=1", "--jitter=0.1"], "no job has a computation"),
        (["--network=constant:500ns,50GiBps", "--job=all-reduce:ring+direct,bytes=1048576,dims=4x2"],
         "ranks=N is needed, at least 2, because no host is given or left"),
        (["--job=all-reduce:ring,bytes=1", "--slow=0:2"], "no job has a computation"),
        (["--job=all-reduce:ring,bytes=1,ranks=2", "--compute-scale=2", "--network=constant:1us,1Gbps"],
         "no job has a computation"),
        (["--job=nosuch"], "--job=nosuch: a job is goal:FILE"),
        (["--job=all-reduse:ring,bytes=1"], 'did you mean "all-reduce"?'),
        (["--job=all-reduce:rings,bytes=1"], 'did you mean "ring"?'),
        (["--job=all-reduce:ring"], "0 bytes are outside"),
        (["--job=all-reduce:ring,bytes=0"], 'bytes "0" is not allowed'),
        (["--job=all-reduce:ring,bytes=1,size=2"], 'unknown key "size"'),
        (["--job=all-reduce:ring,bytes=1,dims=3x2"], "do not multiply to 8"),
        (["--job=all-reduce:halving-doubling,bytes=1,ranks=6"], "a power of two"),
        (["--job=all-reduce:ring,bytes=9,ranks=9"], "rank 8 is beyond the topology"),
        (["--job=all-reduce:ring,bytes=9,ranks=5", "--job=all-to-all:direct,bytes=9,ranks=4"],
         "rank 3 is beyond the topology"),
        (["--job=all-reduce:ring,bytes=9@0,1,8"], "node 8 is no host"),
        (["--job=all-reduce:ring,bytes=9@0,1,1"], "names a host twice"),
        (["--job=all-reduce:ring,bytes=9,ranks=4@0-2"], "the placement 3 hosts"),
        (["--job=all-reduce:ring,bytes=9@x"], 'host "x" is not allowed'),
        (["--job=all-reduce:ring,bytes=9@0-3,7-4"], 'hosts "7-4" are not allowed'),
        (["--job=all-reduce:ring,bytes=9@0-3,"], 'host "" is not allowed'),
        (["--job=all-reduce:ring,bytes=9,"], 'unknown key ""'),
        (["--job=training:2x2"], '"2x2" is not allowed; the sizes of tensor, pipeline and data'),
        (["--job=training:2x0x2,activation=1,gradient=1"], 'pipeline parallelism "0" is not allowed'),
        (["--job=training:2x2x2,gradient=1"], "activation: 0 bytes are outside 1 to"),
        (["--job=training:2x2x2,activation=1"], "gradient: 0 bytes are outside 1 to"),
        (["--job=training:2x2x1,activation=1,gradient=1"], "gradient=1 has no effect: DP is 1"),
        (["--job=training:1x1x2,activation=1,gradient=1"], "activation=1 has no effect: TP and PP are 1"),
        (["--job=training:2x2x2,activation=1,gradient=1,layer=2"], 'did you mean "layers"?'),
        (["--job=training:4x2x2,activation=1,gradient=1"], "rank 8 is beyond the topology"),
        (["--job=goal:nosuch.goal"], "nosuch.goal"),
        (["--job=goal:cycle.goal"], "cycle.goal:3: a cycle"),
        (["--job=goal:lonely.goal"], "lonely.goal:3: rank 0: send of 8 bytes to rank 1, tag 1"),
        (["--job=goal:word.goal"], 'word.goal:3: "sned" begins no statement'),
        (["--job=goal:beyond.goal"], "beyond.goal:3: rank 2 does not exist"),
        (["--job=goal:label.goal"], 'label.goal:4: label "b" is not defined above'),
        (["--job=simai:policy.simai"], "policy.simai:1: unknown policy"),
        (["--job=simai:column.simai"], "column.simai:3: a layer has 12 columns, not 11"),
        (["--job=simai:type.simai"], "type.simai:3: unknown collective"),
        (["--job=simai:checkpoint.simai"], "checkpoint.simai:1: checkpoint layer 7 does not exist"),
        (["--job=simai:older.simai"], "older.simai:1: all_gpus is missing; older files lack it: give ranks=N"),
        (["--job=simai:type.simai,ranks=4"], "type.simai:1: all_gpus is 8, but ranks=4 is given"),
        (["--job=simai:type.simai,broadcast=rings"], "broadcast: unknown algorithm"),
        (
            ["--job=simai:type.simai,broadcast=direct"],
            'broadcast: unknown algorithm "direct"; choices: ring, tree',
        ),
        (["--job=simai:silent.simai,broadcast=ring"],
         "broadcast=ring has no effect: silent.simai has no such collective of two or more ranks"),
        (["--job=simai:silent.simai,gather=ring"], "gather=ring has no effect"),
        (["--job=simai:groups.simai"], "groups.simai:1: all_gpus 8 is no multiple"),
        (["--network=nosuch"], "--network"),
        (["--network=constant:500ns"], "constant:LATENCY,RATE"),
        (["--network=constant:500ns,50Gigs"], "50Gigs"),
        (["--network=constant:0.4ns,50GiBps"], '"constant:0.4ns,50GiBps" is not allowed; fabric, constant:LATENCY,RATE in'),
        (["--job=all-reduce:ring,bytes=9,compute=1.4ns"], 'compute "1.4ns" is not a time in whole ns'),
        (["--network=loggops:1,2,3"], "loggops:L,o,g,O,G,S"),
        (["--network=loggops:1,0.4,3,4,5,6", "--job=all-reduce:ring,bytes=9,ranks=2"], '"0.4" is not allowed; L, o, g'),
        (["--network=loggops:1,2,3,4,5,x", "--job=all-reduce:ring,bytes=9,ranks=2"], '"x" is not'),
        (["--network=constant:500ns,50GiBps", "--cc=hpcc"], "--cc=hpcc has no effect"),
        (["--network=constant:500ns,50GiBps", "--trimming=coin"], "--trimming=coin has no effect"),
        (["--network=constant:500ns,50GiBps", "--max-lag=0ns"], "--max-lag=0ns has no effect"),
        (["--network=constant:500ns,50GiBps", "--describe=true"], "--describe=true has no effect"),
        (["--network=constant:500ns,50GiBps", "--ns3::RdmaHost::Mtu=500"], "Mtu=500 has no effect"),
        (["--network=constant:500ns,50GiBps", "--job=all-reduce:ring,bytes=9,ranks=2@0,1"],
         "@0,1 has no effect"),
        (["--network=constant:500ns,50GiBps"], "ranks=N is needed, at least 2"),
        (["--slow=9:2"], "--slow: host 9 runs no job"),
        (["--slow=1:x"], '"x" is not allowed'),
        (["--late=1"], '"1" is not allowed; HOST:VALUE'),
        (["--jitter=-1"], "--jitter"),
        (["--compute-scale=-1"], "--compute-scale"),
        (["--job=all-reduce:ring,bytes=9,ranks=2", "--stop=0s"], '--stop: "0s" is outside 1ns to 100000s'),
        (["--send-delay=2s"], "--send-delay"),
        (["--load=0.5"], "--load=0.5 has no effect"),
    ],
    "hpcc-workload": [
        (["--workload=none", "--collective=ring", "--cc=hpcc++", "--marking=codel"],
         "no policy of this run sends ECN-capable packets"),
        (["--workload=none", "--collective=ring", "--cc=hpcc++", "--ns3::RdmaHost::AckDelay=1us"],
         "every packet is acknowledged at once"),
        (["--topology=fat-tree:4", "--cc=hpcc++", "--feedback=switch", "--ns3::SwitchResponder::Ttl=4"],
         "ns3::SwitchResponder::Ttl is 4; on a path with 5 switch(es), allowed are 5 to 255"),
        (["--workload=none", "--incast=2", "--bins=3"], "--workload=none has no flows"),
        (["--workload=none", "--collective=ring", "--duration=1ms"], "there are no flows"),
        (["--topology=nosuch"], "nosuch"),
        (
            [
                "--cc=hpcc",
                "--telemetry=sigcomm19:authors",
                "--topology=leaf-spine:2,2,16,host=20Gbps,over=3",
            ],
            "and 1 other Gb/s; the network has 20, ",
        ),
        (["--topology=file:nosuch.txt"], "nosuch.txt"),
        # The path has two switches at first, and four switches after the failure.
        (
            ["--topology=file:ring.txt", "--fail=2-3@50us", "--ns3::RdmaHost::Ttl=3"],
            "on a path with 4 switch(es), allowed are 5 to 255",
        ),
        (["--topology=leaf-spine:4294967295,1,1"], "131072"),
        (["--topology=leaf-spine:1024,1024,1"], "524288"),
        (["--workload=nosuch"], "nosuch"),
        (["--workload=descends.txt"], "descends.txt:3: "),
        (["--workload=truncated.txt"], "truncated.txt:2: "),
        (["--workload=empty.txt"], "empty.txt:"),
        (["--workload=none"], "no flow"),
        (["--load=0"], "--load"),
        (["--load=1.1"], "1.1"),
        (["--load=-0.5"], "-0.5"),
        (["--load=abc"], "abc"),
        (["--load=2", "--runs=3", "--progress=0"], "--load"),
        (["--load-on=nosuch"], "nosuch"),
        (["--load-on=uplinks", "--topology=star:4"], "--load-on"),
        (["--duration=0us"], "--duration"),
        (["--duration=1ns", "--load=0.001"], "no flow"),
        (["--incast=60"], "60"),
        (["--incast=4", "--incast-bytes=0"], "--incast-bytes"),
        (["--incast=4", "--incast-bytes=18446744073709551000"], "281474976710656"),
        (["--incast=4", "--incast-load=1.5"], "1.5"),
        (["--collective=nosuch"], "nosuch"),
        (["--collective=ring", "--job-bytes=0"], "--job-bytes"),
        (["--collective=ring", "--job-bytes=18446744073709551615"], "281474976710656"),
        (["--stop=99999999999s"], "100000s"),
        (["--stop=0us"], '--stop: "0us" is outside 1ns to 100000s'),
        (["--collective=all-to-all", "--job-window=0"], "--job-window"),
        (["--trace=nosuch.trace"], "nosuch.trace"),
        (["--trace=good.trace", "--load=0.5"], "--load=0.5 has no effect: --trace gives the flows"),
        (["--trace=good.trace", "--workload=websearch"], "--workload=websearch has no effect"),
        (["--workload=none", "--incast=4", "--load=0.3"], "--workload=none has no flows"),
        (["--incast-load=0.1"], "give --incast too"),
        (["--job-bytes=100"], "give --collective too"),
        (["--settle=1us"], "has no statistics that begin after a time"),
        (["--workload=fractions.txt"], "fractions.txt:3: the last share is 1, not 100"),
        (["--workload=websaerch"], 'did you mean "websearch"?'),
        (["--topology=fattree:4"], 'did you mean "fat-tree"?'),
        (["--load-on=uplink"], 'did you mean "uplinks"?'),
        (["--trace=host.trace"], "host.trace:3: node 99"),
        (["--trace=zero.trace"], "zero.trace:2: "),
        (["--trace=late.trace", "--stop=1ms"], "late.trace:2: "),
        (["--trace=late.authors", "--stop=1ms"], "late.authors:2: "),
        (["--trace=minus.authors"], 'minus.authors:1: "-18446744073709551615" is neither the word flows nor'),
        (["--trace=huge.trace"], "281474976710656"),
        (["--trace=short.trace"], "short.trace:2: "),
        (["--trace=short.authors"], "short.authors:2: "),
        (["--trace=empty.txt"], "empty.txt:"),
        (["--sample=0ns"], "--sample"),
        (["--bins=0"], "--bins"),
        (["--ideal=nosuch"], "nosuch"),
        (["--save-trace=x", "--runs=2", "--progress=0"], "--save-trace"),
        (["--save-trace=/proc/x/y"], "/proc/x"),
        (
            ["--save-trace=x", "--workload=none", "--collective=ring"],
            "--save-trace: there are only the flows of --collective=ring",
        ),
        *((["--duration=10us", f"--save-trace=out/{name}"], f"out/{name} is the name of another output file")
          for name in ("fct.csv", "summary.csv", "workload.csv.part", "manifest.json")),
        (["--topology=leaf-spine:2,4,2", "--load=0.8", "--load-on=uplinks"], "allowed is at most 0.3333"),
        (["--save-trace=good.trace", "--cc=dcqcn", "--eta=0.9"], "dcqcn has no Eta"),
        (["--topology=star:4,fabric=1Mbps"], "fabric= has no effect in this network; allowed are host=, delay="),
    ],
}
AUTHORS = "TOPOLOGY_FILE star.topology\nFLOW_FILE one.flow\n"
MAPS = "KMIN_MAP 1 100000000000 400\nKMAX_MAP 1 100000000000 1600\nPMAX_MAP 1 100000000000 0.2\n"
SIMAI = "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1 pp: 1 all_gpus: 8\n"
# Files in the directory in which the programs run.
FILES = {
    "descends.txt": "0 0\n1000 50\n500 100\n",
    "truncated.txt": "0 0\n1000 50\n",
    "empty.txt": "",
    "ring.txt": "6 4 6\n2 3 4 5\n"
    + "".join(f"{a} {b} 100Gbps 1us 0\n" for a, b in ((0, 2), (1, 3), (2, 3), (2, 5), (5, 4), (4, 3))),
    "host.trace": "flows 2\n0 1 1000 0 background\n99 1 1000 0 background\n",
    "zero.trace": "flows 1\n0 1 0 0 background\n",
    "late.trace": "flows 1\n0 1 1000 9223372036854775807 background\n",
    "late.authors": "1\n0 1 3 100 1000 9300000000\n",
    "minus.authors": "-18446744073709551615\n0 1 3 100 1000 0\n",
    "huge.trace": "flows 1\n0 1 18446744073709551615 0 background\n",
    "good.trace": "flows 1\n0 1 1000 0 background\n",
    "apart.simai": "6 2 2 0 4 H100\n4 5\n0 4 400Gbps 25ns 0\n"
    "1 4 400Gbps 25ns 0 2 5 400Gbps 25ns 0 3 5 400Gbps 25ns 0\n",
    "odd.simai": "4 2 0 1 3 NONE\n3\n",
    "fractions.txt": "0 0\n1000 0.5\n2000 1\n",
    "short.trace": "flows 2\n0 1 1000 0 background\n",
    "star.topology": "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n",
    "one.flow": "1\n0 1 3 100 1000 2.0\n",
    "uneven.topo": 'Nodes 16\nTiers 3\nPodsize 8\nTier 0\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1000\nRadix_Down 4\nRadix_Up 4\nOversubscribed 1\nTier 1\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1000\nRadix_Down 2\nRadix_Up 1\nOversubscribed 2\nTier 2\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1000\nRadix_Down 2\n',
    "high.flow": "1\n0 1 3 70000 1000 2.0\n",
    "high.config": AUTHORS.replace("one.flow", "high.flow") + MAPS + "CC_MODE 3\nHAS_WIN 1\nVAR_WIN 1\n",
    "marked.config": "\ufeffCC_MODE 3\nHAS_WIN 1\nVAR_WIN 1\n" + AUTHORS + MAPS,
    "mode.config": AUTHORS + "CC_MODE 2\nHAS_WIN 0\n",
    "window.config": AUTHORS + "CC_MODE 10\nHAS_WIN 0\n",
    "digest.config": AUTHORS + "CC_MODE 10\nHAS_WIN 1\nVAR_WIN 1\nPINT_LOG_BASE 1\n",
    "sample.config": AUTHORS + "CC_MODE 3\nHAS_WIN 1\nVAR_WIN 1\nSAMPLE_FEEDBACK 2\n",
    "ports.topology": "3 1 3\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n",
    "ports.config": "TOPOLOGY_FILE ports.topology\nFLOW_FILE one.flow\nCC_MODE 3\nHAS_WIN 1\n",
    "plain.config": AUTHORS + MAPS + "CC_MODE 3\nHAS_WIN 1\nVAR_WIN 1\n",
    # A headroom of three times the delay is less than what arrives before a pause takes effect.
    "slow.topology": "3 1 2\n2\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n",
    "slow.config": "TOPOLOGY_FILE slow.topology\nFLOW_FILE one.flow\n"
    + MAPS.replace("100000000000", "25000000000")
    + "CC_MODE 1\nHAS_WIN 0\nVAR_WIN 0\n",
    "endless.config": AUTHORS + MAPS + "SIMULATOR_STOP_TIME 1e20\nVAR_WIN 1\n",
    "ended.config": AUTHORS + MAPS + "SIMULATOR_STOP_TIME 0\nVAR_WIN 1\n",
    "nameless.config": AUTHORS + MAPS + "FCT_OUTPUT_FILE mix/\nVAR_WIN 1\n",
    "same.config": AUTHORS + MAPS + "FCT_OUTPUT_FILE a/x.txt\nPFC_OUTPUT_FILE b/x.txt\nVAR_WIN 1\n",
    "same2.config": AUTHORS + MAPS + "QLEN_MON_FILE fct.txt\nVAR_WIN 1\n",
    "table.config": AUTHORS + MAPS + "FCT_OUTPUT_FILE mix/fct.csv\nVAR_WIN 1\n",
    "manifest.config": AUTHORS + MAPS + "QLEN_MON_FILE manifest.json\nVAR_WIN 1\n",
    "trailing.config": AUTHORS + MAPS.replace(" 400\n", " 400KB\n") + "VAR_WIN 1\n",
    "below.config": AUTHORS + MAPS.replace(" 1600\n", " 300\n") + "VAR_WIN 1\n",
    "certain.config": AUTHORS + MAPS.replace(" 0.2\n", " 2\n") + "VAR_WIN 1\n",
    "target.config": AUTHORS + MAPS + "CC_MODE 3\nVAR_WIN 1\nU_TARGET 5\n",
    "twice.config": AUTHORS + MAPS + "CC_MODE 3\nCC_MODE 1\nVAR_WIN 1\n",
    "part.config": AUTHORS + MAPS + "LINK_DOWN 10 0.9 2\nVAR_WIN 1\n",
    "flag.config": AUTHORS + MAPS + "RATE_BOUND 2\nVAR_WIN 1\n",
    "path.config": AUTHORS + MAPS + "CC_MODE 3\nVAR_WIN 1\nGLOBAL_T 0\n",
    "line.topology": "5 2 4\n3 4\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n3 4 100Gbps 5us 0\n2 4 100Gbps 1us 0\n",
    "two.flow": "2\n0 1 3 100 1000 2.0\n0 2 3 100 1000 2.0\n",
    "near.config": AUTHORS.replace("star", "line") + MAPS + "CC_MODE 10\nVAR_WIN 1\nGLOBAL_T 0\n",
    "paths.config": AUTHORS.replace("star", "line").replace("one", "two") + MAPS + "CC_MODE 10\nVAR_WIN 1\nGLOBAL_T 0\n",
    "pint.config": AUTHORS + MAPS + "CC_MODE 10\nVAR_WIN 1\n",
    "dctcp.config": AUTHORS + MAPS + "CC_MODE 8\nVAR_WIN 1\n",
    "dcqcn.config": AUTHORS + MAPS + "CC_MODE 1\nVAR_WIN 1\n",
    "down.config": AUTHORS + "CC_MODE 3\nHAS_WIN 1\nVAR_WIN 1\nLINK_DOWN 9 0 2\n",
    "error.config": AUTHORS + "CC_MODE 1\nHAS_WIN 0\nERROR_RATE_PER_LINK 1\n",
    "cycle.goal": "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n",
    "lonely.goal": "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1\n}\nrank 1 {\n}\n",
    "word.goal": "num_ranks 1\nrank 0 {\nsned 8b to 1\n}\n",
    "beyond.goal": "num_ranks 2\nrank 0 {\nsend 8b to 2\n}\nrank 1 {\n}\n",
    "label.goal": "num_ranks 1\nrank 0 {\na: calc 1\na requires b\nb: calc 1\n}\n",
    "policy.simai": "DATA model_parallel_NPU_group: 8 all_gpus: 8\n1\n",
    "column.simai": SIMAI + "1\nl -1 1 NONE 0 1 NONE 0 1 NONE 0\n",
    "type.simai": SIMAI + "1\nl -1 1 GATHER 9 1 NONE 0 1 NONE 0 1\n",
    "checkpoint.simai": SIMAI.replace("TRANSFORMER", "TRANSFORMER_FWD_IN_BCKWD").replace(" all", " checkpoints: 1 7 all")
    + "1\nl -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
    "older.simai": "HYBRID_TRANSFORMER model_parallel_NPU_group: 8 checkpoints: 0 checkpoint_initiates: 0\n1\n",
    "silent.simai": SIMAI + "1\nl -1 1 ALLREDUCE 9 1 NONE 0 1 NONE 0 1\n",
    "groups.simai": SIMAI.replace("ep: 1", "ep: 3") + "1\nl -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
    "good.cm": "Nodes 16\nConnections 1\n0->13 start 0 size 20000\n",
    "late.cm": "Nodes 16\nConnections 2\n0->13 start 0 size 20000\n1->13 start 20 size 1\n",
    "host.cm": "Nodes 16\nConnections 1\n0->16 start 0 size 20000\n",
    "trigger.cm": (
        "Nodes 16\nConnections 2\nTriggers 1\n0->1 start 0 size 9 send_done_trigger 1\n"
        "1->2 id 1 trigger 1 size 9\ntrigger id 1 oneshot\n"
    ),
    "twice.cm": (
        "Nodes 16\nConnections 3\nTriggers 1\n0->1 start 0 size 9 send_done_trigger 1\n"
        "2->3 start 0 size 9 recv_done_trigger 1\n1->2 id 1 trigger 1 size 9\n"
        "trigger id 1 oneshot\n"
    ),
    "wait.cm": (
        "Nodes 16\nConnections 1\nTriggers 1\n"
        "0->1 id 1 trigger 1 size 9 send_done_trigger 1\ntrigger id 1 oneshot\n"
    ),
    "bad.topo": "Nodes 16\nLayers 2\n",
    "small.topo": (
        "Nodes 4\nTiers 2\nPodsize 4\n"
        "Tier 0\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1000\nRadix_Down 2\nRadix_Up 2\n"
        "Tier 1\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1000\nRadix_Down 2\n"
    ),
    "short.authors": "2\n0 1 3 100 1000 2\n",
}
# Options that some examples do not have.
LACKS = {
    "hpcc-attack": {"--rate", "--delay"},
    "hpcc-bench": {"--rate", "--delay", "--out"},
    "hpcc-bench-parts": {"--rate", "--delay", "--out"},
    "hpcc-bench-ranks": {"--rate", "--delay", "--out"},
    "hpcc-failure": {"--rate", "--delay"},
    "hpcc-job": {"--rate", "--delay"},
    "hpcc-pairs": {"--rate", "--delay"},
    "hpcc-fat-tree": {"--rate", "--delay"},
    "hpcc-own-policy": {"--rate", "--delay"},
    "hpcc-run": {arguments[0].partition("=")[0] for arguments, _ in EVERYWHERE},
    "hpcc-soak": {arguments[0].partition("=")[0] for arguments, _ in EVERYWHERE},
    "hpcc-workload": {"--rate", "--delay"},
}
# Options that examples treat differently because they choose the recovery or the policies themselves.
OWN_WAY = {
    "hpcc-tcp": ("--cc=hpcc", "--cc=dctcp+win", "--cc=timely+win"),
    "hpcc-wan": ("--ns3::RdmaHost::Recovery", "--bdp-cap", "--recovery=irn"),
}
# Environment variables of ns-3 with settings that a program would override.
ENVIRONMENT = [
    (["--cc=dcqcn", *more], {variable: given}, f"{variable}: {given.split(';')[-1]} would have no effect; {why}")
    for more, variable, given, why in (
        ((), "NS_ATTRIBUTE_DEFAULT", "ns3::RdmaDcqcn::G=0.5;ns3::RdmaHost::Mtu=4000", "give --mtu"),
        ((), "NS_ATTRIBUTE_DEFAULT", "ns3::RdmaHost::Recovery=irn", "give --recovery"),
        ((), "NS_ATTRIBUTE_DEFAULT", "ns3::QbbNetDevice::EthernetOverhead=false", "give --ethernet-overhead"),
        ((), "NS_ATTRIBUTE_DEFAULT", "ns3::NodeAgenda::MaxLag=0", "give --max-lag"),
        ((), "NS_ATTRIBUTE_DEFAULT", "ns3::QbbNetDevice::DataRate=1Gbps", "each port has the rate of its link"),
        (("--flow-control=lossy",), "NS_ATTRIBUTE_DEFAULT", "ns3::QbbNetDevice::PfcEnabled=true", "--flow-control=lossy"),
        ((), "NS_GLOBAL_VALUE", "RngSeed=7", "give --seed"),
        ((), "NS_GLOBAL_VALUE", "RngRun=7", "give --run"),
    )
]
# Command lines that run, and the warning that each command prints; the warning is empty if the command prints none.
WAN = ["--cc=dctcp", "--flows=1", "--bytes=1000", "--rate=100Gbps"]
PINT = ["--cc=hpcc-pint", "--senders=2", "--bytes=20000", "--ns3::RdmaHpccPint::T=13us"]
DISHONEST = ["--attack=dishonest", "--protect=false", "--bytes=20000"]
SHORT_T = ["--progress=true", "--senders=1", "--bytes=1000"]
LAST_LINK = ["--senders=4", "--cc=hpcc++", "--bytes=100000"]
CHOICE = ["--progress=true", "--cc=none", "--duration=10us"]
TWO_PORTS = "--topology=nvswitch:2,1,400Gbps,25ns,star:4"
LOSSY = ["--senders=4", "--cc=none", "--bytes=100000", "--recovery=irn", "--flow-control=lossy", "--buffer=static"]
FEW_TCP = ["--cc=tcp-hpcc++", "--senders=2", "--bytes=20000"]
LOUD_TCP = [*FEW_TCP, "--progress=true"]
# A queue of 50,000 bytes can contain 49,404 bytes of full packets of 1,074 bytes. Two more do not exceed the
# threshold.
UNTRIMMED = ["--senders=16", "--bytes=300000", "--cc=nscc", "--recovery=sack", "--flow-control=lossy", "--buffer=static"]
UNTRIMMED += ["--ns3::StaticBuffer::QueueBytes=50000", "--trimming=coin"]
BELOW = "T = 1.000 us is below the largest base RTT of the network, "
WARNED = [
    ("hpcc-tcp", [*FEW_TCP, "--ns3::TcpHpccPlusPlus::T=1us"], f"ns3::TcpHpccPlusPlus::{BELOW}"),
    ("hpcc-tcp", [*FEW_TCP, "--ns3::TcpHpccPlusPlus::T=20us"], ""),
    ("hpcc-tcp", ["--cc=udp-hpcc++", *FEW_TCP[1:], "--ns3::HpccUdpApplication::T=1us"], f"ns3::HpccUdpApplication::{BELOW}"),
    ("hpcc-tcp", [*FEW_TCP, "--rdma=1", "--ns3::RdmaHpccPlusPlus::T=1us"], f"ns3::RdmaHpccPlusPlus::{BELOW}"),
    # DCQCN uses CNPs and HPCC++ uses Wai, although the policy of --cc uses neither.
    ("hpcc-paths", ["--traffic=neighbours", "--beside=dcqcn", "--trimming=none", "--from=1us", "--bytes=20000", "--ns3::RdmaHost::CnpInterval=20us"], ""),
    ("hpcc-classes", ["--cc=dcqcn", "--other=hpcc++", "--modes=plain", "--join=50us", "--warm-up=10us", "--end=100us", "--ns3::RdmaHpccPlusPlus::Wai=160"], ""),
    ("hpcc-incast", ["--senders=2", "--bytes=20000", "--cc=dctcp", "--ns3::EcnMarker::Thresholds=10Gbps:9000:9000:1"], ""),
    ("hpcc-incast", ["--senders=2", "--bytes=20000", "--cc=dctcp", "--ns3::EcnMarker::Thresholds=10Gbps:9:9:1,100Gbps:9:9:1"], ""),
    ("hpcc-incast", [*UNTRIMMED, "--ns3::PacketTrimmer::Threshold=52000"], "--trimming=coin: no packet has been trimmed, but buffers have dropped "),
    ("hpcc-incast", [*UNTRIMMED, "--ns3::PacketTrimmer::Threshold=51000"], ""),
    ("hpcc-incast", ["--senders=2", "--bytes=2000", "--cc=dctcp", "--recovery=irn", "--delay=40us"],
     "ns3::RdmaIrn: the time-out for at most 3 packets in flight, 100000 ns, does not exceed the largest base RTT of the"),
    ("hpcc-incast", ["--senders=2", "--bytes=2000", "--cc=dctcp", "--recovery=irn", "--delay=20us"], ""),
    ("hpcc-incast", ["--senders=2", "--bytes=2000", "--cc=hpcc++", "--rate=25Gbps"], "ns3::RdmaHpccPlusPlus::N makes W_ai 7.4"),
    ("hpcc-incast", ["--senders=2", "--bytes=2000", "--cc=hpcc++", "--feedback=packet:n", "--rate=25Gbps"], ""),
    ("hpcc-incast", ["--senders=1", "--bytes=2000", "--cc=hpcc++", "--rate=25Gbps"], ""),
    ("hpcc-incast", ["--senders=2", "--bytes=2000", "--cc=hpcc++"], ""),
    # 1,048,576 packets of 1,000 bytes are 2.10 times 100 Gb/s * 40 ms; three times that is 166,667 of 9,000.
    ("hpcc-wan", WAN, "limits the bytes in flight to 2.10 bandwidth-delay products"),
    ("hpcc-wan", [*WAN, "--mtu=9000"], ""),
    ("hpcc-incast", [*PINT, "--ns3::PintAgent::T=13us"], ""),
    ("hpcc-tcp", ["--senders=2", "--bytes=2000", "--cc=tcp-hpcc++", "--ns3::TcpHpccPlusPlus::Fallback=ns3::TcpCubic"], ""),
    ("hpcc-workload", ["--cc=hpcc", "--topology=star:8", "--duration=50us", "--incast=4"], "--incast=4: no incast starts within --duration"),
    ("hpcc-workload", ["--cc=hpcc", "--topology=star:8", "--duration=200us", "--incast=4", "--incast-load=1"], ""),
    ("hpcc-paths", ["--cc=hpcc++:graded", "--bytes=20000", "--from=1s"], "--from=1000000 us: the first flow completed, or the run ended, before"),
    ("hpcc-attack", [*DISHONEST, "--from=1s"], "--from=1000000 us: the run ended before, at 20 us"),
    ("hpcc-attack", [*DISHONEST, "--from=1us"], ""),
    ("hpcc-tcp", [*FEW_TCP, "--feedback=compact,probe", "--ns3::HpccTcpNic::PauseAfter=1"], ""),
    ("hpcc-tcp", [*FEW_TCP[1:], "--cc=tcp-hpcc++,tcp-cubic", "--ns3::TcpSocketState::EnablePacing=false"], ""),
    (
        "hpcc-incast",
        [*SHORT_T, "--cc=dctcp", "--ns3::RdmaDctcp::T=1us"],
        "ns3::RdmaDctcp::T = 1.000 us is below the largest base RTT of the network, 4.187 us",
    ),
    ("hpcc-incast", [*SHORT_T, "--cc=dctcp", "--T=1us"], "T = 1.000 us is below the largest base RTT of the network"),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--ns3::RdmaHpccPlusPlus::T=9us"], ""),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc", "--ns3::RdmaHpcc::N=7"], "ns3::RdmaHpcc::N has no effect: Wai is 80 bytes"),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--ns3::RdmaHpccPlusPlus::FeedbackSlack=0.7"], "FeedbackSlack has no effect: CheckFeedback is false"),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--ns3::RdmaHpccPlusPlus::CountedShare=0.7"], "CountedShare has no effect: the feedback does not count flows"),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--feedback=packet:n", "--ns3::RdmaHpccPlusPlus::CountedShare=0.7"], ""),
    ("hpcc-tcp", [*LOUD_TCP, "--ns3::TcpHpccPlusPlus::FeedbackSlack=0.7"], "ns3::TcpHpccPlusPlus::FeedbackSlack has no effect: CheckFeedback is false"),
    ("hpcc-tcp", [*LOUD_TCP, "--ns3::TcpHpccPlusPlus::FeedbackSlack=0.7", "--ns3::TcpHpccPlusPlus::CheckFeedback=true"], ""),
    ("hpcc-tcp", [*LOUD_TCP, "--ns3::TcpHpccPlusPlus::CountedShare=0.7"], "ns3::TcpHpccPlusPlus::CountedShare has no effect: the feedback does not count flows"),
    ("hpcc-tcp", [*LOUD_TCP, "--feedback=in-band:n", "--ns3::TcpHpccPlusPlus::CountedShare=0.7"], ""),
    ("hpcc-tcp", [*LOUD_TCP[1:], "--cc=udp-hpcc++", "--ns3::HpccUdpApplication::CountedShare=0.7"], "ns3::HpccUdpApplication::CountedShare has no effect"),
    ("hpcc-tcp", [*LOUD_TCP[1:], "--cc=udp-hpcc++", "--ns3::HpccUdpApplication::FeedbackSlack=0.7"], "ns3::HpccUdpApplication::FeedbackSlack has no effect"),
    ("hpcc-tcp", [*LOUD_TCP[1:], "--cc=udp-hpcc++", "--feedback=probe:n", "--ns3::HpccUdpApplication::CountedShare=0.7"], ""),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--telemetry=ifa,int-md", "--ns3::TelemetryAgent::UtilizationWindow=20us"], ""),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--telemetry=csig,csig:delay", "--ns3::TelemetryAgent::QueueScope=WholePort"], ""),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--telemetry=ifa", "--ns3::TelemetryAgent::ClockResolution=2ns"], ""),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--telemetry=ioam", "--ns3::TelemetryAgent::ClockResolution=500ms"], ""),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--telemetry=csig", "--ns3::CsigCompactFormat::ShareBuckets=50,100"], ""),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--telemetry=csig", UNUSED_BANDWIDTH, "--ns3::CsigCompactFormat::BandwidthBuckets=50000,200000"], ""),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--telemetry=csig-wide", UNUSED_BANDWIDTH, "--ns3::CsigWideFormat::BandwidthStep=16"], ""),
    ("hpcc-incast", [*SHORT_T, "--telemetry=csig", *POSITION, "--ns3::CsigFormat::InitialTtl=40", "--ns3::RdmaHost::Ttl=40"], ""),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--telemetry=csig", "--rate=800Gbps"], ""),
    ("hpcc-tcp", ["--bytes=20000", "--cc=udp-hpcc++", "--senders=3", "--rdma=1", "--ns3::IntMdFormat::UdpPort=10002"], ""),
    ("hpcc-tcp", ["--bytes=20000", "--senders=3", "--rdma=1", "--ns3::IntMdFormat::UdpPort=10000"], ""),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--ns3::QbbNetDevice::Quantum=3000", "--ns3::QbbNetDevice::Weights=3:1,4:1"], ""),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--ns3::QbbNetDevice::Quantum=3000", "--scheduler=dwrr"], ""),
    ("hpcc-incast", [*SHORT_T, "--cc=hpcc++", "--ns3::SharedBuffer::AlphaPerRate=33Gbps:0.5,100Gbps:0.5"], ""),
    ("hpcc-incast", [*SHORT_T, "--ns3::RdmaHost::AuthorsHeaderBytes=56", "--ns3::RdmaHost::WireProfile=Authors"], ""),
    ("hpcc-tcp", ["--bytes=20000", "--feedback=probe:n", "--ns3::HpccTcpNic::CountWindow=20us"], ""),
    # If a host loses its last link, the run ends when no flows except those of the host are left, 10 ms after the
    # failure.
    ("hpcc-incast", [*LAST_LINK, "--fail=5-0@25us"], "no path for an unfinished flow: 0; the run ended at 10160.000 us"),
    ("hpcc-incast", [*LAST_LINK, "--feedback=receiver:switch", "--ns3::SwitchResponder::Interval=50us"], ""),
    ("hpcc-tcp", ["--cc=tcp-cubic", "--senders=2", "--bytes=20000", "--fail=0-3@5us"], "an unfinished flow: 0; the run ended at 10"),
    (
        "hpcc-failure",
        ["--topology=planes:4,2", "--cc=none", "--ports=0", "--fail=4@50us"],
        "unfinished flows: 0 1 2 3 4 5 6 7; the run ended at 10",
    ),
    ("hpcc-incast", [*LAST_LINK, "--verb=read", "--fail=5-4@25us"], "unfinished flows: 0 1 2 3; the run ended at 10160"),
    ("hpcc-workload", [*CHOICE, "--topology=leaf-spine:2,1,2", "--paths=spray"], "--paths=spray has no choice: no two hosts"),
    ("hpcc-workload", [*CHOICE, "--topology=leaf-spine:2,2,2", "--paths=spray", "--recovery=irn"], ""),
    ("hpcc-workload", [*CHOICE, "--topology=leaf-spine:2,1,2", "--paths=ecmp"], ""),
    ("hpcc-workload", [*CHOICE, TWO_PORTS, "--ports=first"], "--ports=first has no choice: each flow has one closest pair"),
    ("hpcc-workload", [*CHOICE, TWO_PORTS, "--ports=turns"], "--ports=turns has no choice: each flow has one closest pair"),
    ("hpcc-workload", [*CHOICE, TWO_PORTS], ""),
    ("hpcc-workload", [*CHOICE, "--topology=planes:4,2", "--ports=first"], ""),
    ("hpcc-incast", [*SHORT_T[1:], "--cc=powertcp", "--ns3::TelemetryAgent::Insertion=Interval"], ""),
    ("hpcc-parking-lot", ["--cc=powertcp", "--telemetry=int-md", "--bytes=1000", "--ns3::TelemetryAgent::Insertion=Interval"], ""),
    ("hpcc-incast", [*LOSSY, "--ns3::StaticBuffer::QueueBytes=5000"], "frames dropped: 348 egress-limit"),
    ("hpcc-incast", LOSSY, ""),
    *[
        ("hpcc-incast", ["--cc=none", "--senders=2", "--bytes=2000", *more], warning)
        for more, warning in (
            (["--ns3::SharedBuffer::HeadroomBytes=1"], "node 3, port 0: ns3::SharedBuffer has a headroom of 1 bytes, but up to"),
            (["--buffer=static", "--ns3::StaticBuffer::HeadroomBytes=20000"], "ns3::StaticBuffer has a headroom of 20000 bytes"),
            (["--ns3::SharedBuffer::HeadroomDelays=1"], "ns3::SharedBuffer has a headroom of 12500 bytes"),
            (["--ns3::SharedBuffer::HeadroomBytes=30000"], ""),
            (["--ns3::SharedBuffer::HeadroomBytes=1", "--ns3::RdmaHost::DataDscp=0"], ""),
        )
    ],
    # The program, not the user, has set the headroom.
    ("hpcc-run", ["--config=slow.config"], ""),
    *[
        ("hpcc-tcp", ["--senders=2", "--bytes=20000", *more], warning)
        for more, warning in (
            (["--cc=tcp-hpcc++", "--ns3::TcpHpccPlusPlus::N=1000"], "ns3::TcpHpccPlusPlus::N makes W_ai 2.6"),
            (["--cc=udp-hpcc++", "--ns3::HpccUdpApplication::Wai=9"], "HpccUdpApplication::Wai is 9 bytes, less than 2 %"),
            (["--cc=tcp-hpcc++", "--ns3::TcpHpccPlusPlus::N=9", "--wai=80"], "TcpHpccPlusPlus::N has no effect: Wai is 80"),
            (["--cc=udp-hpcc++", "--expected-flows=9", "--wai=80"], "HpccUdpApplication::N has no effect: Wai is 80"),
            (["--cc=tcp-hpcc++", "--feedback=probe:n", "--ns3::TcpHpccPlusPlus::N=1000"], ""),
            (["--cc=tcp-hpcc++,udp-hpcc++", "--delay=9us"], ""),
        )
    ],
    ("hpcc-run", ["--cm=late.cm", "--end=20"], "late.cm: 1 of 2 flows start at or after the end of the run, --end=20 us"),
    ("hpcc-run", ["--cm=late.cm", "--end=21"], ""),
]


# ns-3's ObjectFactory does not release an object whose constructor throws an exception.
LEAKS_ALLOWED = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}


UNUSED = queue.SimpleQueue()  # directories with FILES, as runs have left them: (directory, stamps)


def stamps(directory):
    """Returns a set of (name, values that change when the file is written or replaced) of a directory."""
    with os.scandir(directory) as entries:
        found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
    return {(name, (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)) for name, seen in found}


@contextlib.contextmanager
def inputs():
    """Yields a directory with FILES that no other run uses at the same time, and its stamps. If the run leaves the
    directory unchanged, a later run uses it."""
    try:
        directory, before = UNUSED.get_nowait()
    except queue.Empty:
        directory = tempfile.TemporaryDirectory()
        for name, text in FILES.items():
            pathlib.Path(directory.name, name).write_text(text, encoding="utf-8")
        before = stamps(directory.name)
    yield directory.name, before
    if stamps(directory.name) == before:
        UNUSED.put((directory, before))
    else:
        directory.cleanup()


def complaint(program, arguments, expected, environment=()):
    """Returns a description of the fault of a run, or None if there is none."""
    with inputs() as (directory, before):
        out = pathlib.Path(directory, "out")
        writes = not program.name.startswith("hpcc-bench")
        command = [program, *([f"--out={out}"] if writes else []), *arguments]
        try:
            run = subprocess.run(
                command, capture_output=True, text=True, timeout=60, cwd=directory, check=False,
                env={**LEAKS_ALLOWED, **dict(environment)},
            )
        except subprocess.TimeoutExpired:
            return "still running after 60 s"
        left = sorted(path.name for path in out.glob("*"))
        changed = [name for name, _ in before ^ stamps(directory) if name != out.name]
    lines = run.stderr.splitlines()
    if run.returncode != 2:
        return f"exit code {run.returncode}, stderr {run.stderr[:300]!r}"
    if len(lines) != 1:
        return f"{len(lines)} lines on stderr: {run.stderr[:300]!r}"
    if expected not in lines[0]:
        return f"the message does not contain {expected!r}: {lines[0]!r}"
    if run.stdout or left:
        return f"it began to work: stdout {run.stdout[:100]!r}, files {left}"
    if changed:
        return f"it has changed {', '.join(sorted(set(changed)))}"
    return None


def misses_warning(program, arguments, expected):
    """Returns a description of the fault of a run that warns or reports drops, or None if there is none."""
    quiet = [] if "--progress=true" in arguments else ["--progress=false"]
    with tempfile.TemporaryDirectory() as out, tempfile.TemporaryDirectory() as here:
        for name, text in FILES.items():
            pathlib.Path(here, name).write_text(text, encoding="utf-8")
        run = subprocess.run(
            [program.absolute(), f"--out={out}", *quiet, *arguments],
            capture_output=True, text=True, timeout=60, check=False, env=LEAKS_ALLOWED, cwd=here,
        )
    said = run.stderr.splitlines()
    drops = [line for line in said if ": frames dropped: " in line]
    lines = [line for line in said if line not in drops and (quiet or "warning" in line)]
    if expected.startswith("frames dropped: "):
        lines += drops
    if run.returncode != 0 or len(lines) != (1 if expected else 0):
        return f"exit code {run.returncode}, stderr {run.stderr[:300]!r}"
    begin = rf"{program.name}: (\S+: )?(warning|frames dropped): "
    if lines and not (re.match(begin, lines[0]) and expected in lines[0]):
        return f"the line does not contain {expected!r}: {lines[0]!r}"
    return None


def is_refused(name, argument):
    """Returns True if the example must refuse the argument like every other example."""
    return argument.partition("=")[0] not in LACKS.get(name, set()) and not argument.startswith(
        OWN_WAY.get(name, ("no such",))
    )


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1]).resolve()
    cases = []
    for name, own in OWN.items():
        if not (directory / name).exists():
            sys.exit(f"{directory / name} does not exist")
        cases += [(name, arguments, expected) for arguments, expected in own]
    short = os.environ.get("HPCC_TEST_SHORT") not in (None, "", "0")
    for turn, (arguments, expected) in enumerate(EVERYWHERE):
        names = [name for name in OWN if is_refused(name, arguments[0])]
        first = turn % len(names)
        cases += [
            (name, arguments, expected) for name in (names[first : first + 1] if short else names)
        ]
    cases += [("hpcc-incast", arguments, expected, given) for arguments, given, expected in ENVIRONMENT]
    runs = len(cases)
    failures = 0
    warned = len(WARNED)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda case: complaint(directory / case[0], *case[1:]), cases)
        for (name, arguments, *_), what in zip(cases, found):
            if what:
                failures += 1
                print(f"FAIL {name} {' '.join(arguments)}: {what}")
        for name, arguments, expected in WARNED:
            what = misses_warning(directory / name, arguments, expected)
            if what:
                warned -= 1
                print(f"FAIL {name} {' '.join(arguments)}: {what}")
    print(f"{runs - failures} of {runs} bad command lines are refused as they should be")
    print(f"{warned} of {len(WARNED)} command lines run and print the warning that they should, or none")
    return 1 if failures or warned < len(WARNED) else 0


if __name__ == "__main__":
    sys.exit(main())
