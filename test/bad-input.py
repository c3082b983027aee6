#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run the examples with bad arguments.

    test/bad-input.py DIRECTORY     the directory of the programs

With HPCC_TEST_SHORT=1 one example refuses what every example has to refuse, each time another one.

Every run has to end with exit code 2 and exactly one line on standard error that names what is
wrong, and must not start to simulate: no table on standard output, no file in the output directory.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

# Options of every example, and what the message has to contain.
EVERYWHERE = [
    (["--cc=nosuch"], "nosuch"),
    (["--cc=hpcc,nosuch"], "nosuch"),
    (["--cc=hpcc:nosuch"], "hpcc:nosuch"),
    (["--cc=nosuch+win"], "nosuch+win"),
    (["--cc=hpcc+win"], "RdmaHpcc"),
    (["--cc=dctcp+win"], "RdmaDctcp"),
    (["--cc=timely+win", "--ns3::RdmaTimely::MinRate=0bps"], "MinRate"),
    (["--ns3::RdmaTimely::Beta=2"], "Beta"),
    (["--cc="], "--cc"),
    (["--cc"], "cc"),
    (["--telemetry=nosuch"], "nosuch"),
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
    (["--ns3::RdmaNic::PostDelay=ns3::ConstantRandomVariable[Constant=-5]"], "with Constant=-5"),
    (["--ns3::RdmaNic::PostDelay=ns3::ConstantRandomVariable[Constant=1e14]"], "allowed are 0 to"),
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
    (["--paths=nosuch"], "nosuch"),
    (["--paths="], "--paths"),
    (["--buffer=nosuch"], '--buffer: unknown "nosuch"; choices: abm, dynamic, static'),
    (["--buffer="], "--buffer"),
    (["--marking=nosuch"], '--marking: unknown "nosuch"; choices: codel, red, sojourn'),
    (["--scheduler=nosuch"], '--scheduler: unknown "nosuch"; choices: composite, dwrr, fifo, ring, strict'),
    (["--trimming=nosuch"], '--trimming: unknown "nosuch"; choices: none, arriving, coin'),
    (["--trimming=coin", "--flow-control=pfc"], "--trimming coin with --flow-control pfc: "),
    (["--ns3::PacketTrimmer::Priorities=0"], "Priorities"),
    (["--ns3::QbbSwitch::Buffer=ns3::StaticBuffer"], "give --buffer"),
    (["--ns3::QbbNetDevice::Scheduler=ns3::FifoScheduler"], "give --scheduler"),
    (["--ns3::CoDelMarker::Interval=0ns"], "Interval"),
    (["--ns3::FlowletPaths::Gap=0ns"], "Gap"),
    (["--ns3::RdmaPlb::MarkedShare=2"], "MarkedShare"),
    (["--fail=nosuch"], "nosuch"),
    (["--fail=0-4@100"], "0-4@100"),
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
]

# Options of one example.
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
        (["--buffer=abm"], "--flow-control=lossy is allowed"),
        (
            ["--ns3::RdmaNic::PostDelay=ns3::ConstantRandomVariable[Constant=2e10]"],
            "allowed are 0 to 10000000000 ns, the longest run",
        ),
        (
            ["--nic=pcie", "--ns3::RdmaNic::PostDelay=ns3::ConstantRandomVariable[Constant=5]"],
            "another option",
        ),
        (["--feedback=receiver", "--ns3::RdmaFeedback::Sampling=probe"], "Sampling probe"),
        (["--cc=rcp", "--feedback=per-rtt"], "--feedback per-rtt with policy rcp: its gains"),
        (["--cc=rcp", "--feedback=packet:every-8th-ack"], "every few packets"),
        (
            ["--cc=hpcc++", "--feedback=switch", "--ns3::SwitchResponder::FeedbackKey=abc"],
            "ns3::RdmaSwitchTrust::Key",
        ),
        (["--flows=0"], "--flows"),
        (["--cc=hpcc", "--telemetry=csig", "--ns3::RdmaHpcc::SkipEmptyHops=true"], "queue length of each hop"),
        (["--cc=hpcc:per-rtt", "--ns3::RdmaHpcc::SkipEmptyHops=true"], "Reaction Reference"),
        (["--cc=hpcc-pint", "--telemetry=pint:authors", "--ns3::PintFormat::LogBase=1.0001"], "LogBase 1.0001"),
        (["--cc=dcqcn,timely", "--telemetry=csig"], "has no effect: policy dcqcn, policy timely read no telemetry"),
        (["--cc=dcqcn", "--feedback=probe"], "--feedback=probe has no effect: policy dcqcn"),
        (["--cc=dcqcn", "--borders=17-16"], "--borders=17-16 has no effect"),
        (["--cc=dcqcn", "--ns3::TelemetryAgent::Insertion=Interval"], "reads no telemetry"),
        (["--ns3::HpccTcpNic::TagEvery=4"], "there is no ns3::HpccTcpNic in this run"),
        (["--cc=dcqcn", "--eta=0.9"], "--eta=0.9 has no effect: dcqcn has no Eta"),
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
        (["--buffer=static", "--ns3::SharedBuffer::Alpha=0.5"], "there is no ns3::SharedBuffer in this run"),
        (["--ns3::StaticBuffer::QueueBytes=5000"], "there is no ns3::StaticBuffer in this run"),
        (["--buffer=static", "--ns3::StaticBuffer::BufferBytes=100000"], "bytes of headroom"),
        (["--scheduler=fifo", "--ns3::QbbNetDevice::Weights=3:1,4:1"], "this ns3::FifoScheduler gives no shares"),
        (["--scheduler=strict", "--ns3::QbbNetDevice::Weights=3:1,4:1"], "this ns3::PriorityScheduler gives no shares"),
        (["--verb=red"], 'did you mean "read"?'),
        (["--sender=3"], 'did you mean "--senders"?'),
        (["--ns3::RdmaHpcc::Etta=0.9"], 'did you mean "Eta"?'),
        (["--ns3::RdmaHpc::Eta=0.9"], 'did you mean "ns3::RdmaHpcc"?'),
        (["--senders=3x"], '"3x" is not allowed; a whole number from 0 to 4294967295'),
        (["--rate=fast"], '"fast" is not allowed; a rate such as 100Gbps'),
        (["--mtu=1000", "--ns3::RdmaHost::Mtu=2000"], "are the same setting"),
        (["--cc=hpcc++", "--ns3::RdmaDcqcn::MinRate=1Gbps"], "there is no ns3::RdmaDcqcn"),
        (["--ns3::RdmaIntervalSampling::Interval=4"], "there is no ns3::RdmaIntervalSampling in this run"),
        (["--ns3::RdmaFeedback::Sampling=nosuch"], "choices: ns3::CLASS[ATTRIBUTE=VALUE|...], every-8"),
        (["--feedback=probe", "--ns3::RdmaFeedback::Return=packet:every-8th-ack"], "notifications answer probes"),
        (["--convergence=1us"], "no link fails"),
        (["--parallel=2"], "--parallel=2 has no effect"),
        (["--partition=rack"], "--partition=rack has no effect"),
        (["--telemetry=csig,ioam", "--cc=hpcc++", "--mtu=9000"], "9334"),
        (["--borders=abc"], "abc"),
        (["--borders=17"], "17"),
        (["--borders=17-99"], "node 99"),
        (["--borders=16-17"], "from node 16"),
        (["--cc=hpcc++", "--telemetry=sigcomm19:authors", "--borders=17-16"], "sigcomm19:authors"),
        (["--cc=rcp", "--borders=17-16"], "rcp"),
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
        (["--telemetry=int-md:dscp", "--ns3::QbbNetDevice::DscpToPriority=26:3"], "DSCP 23"),
        (["--telemetry=int-md:dscp", "--ns3::RdmaHost::AckDscp=23"], "AckDscp"),
        (["--telemetry=ifa", "--ns3::IfaFormat::Protocol=17"], "Protocol"),
        (["--cc=hpcc:rx-rate", "--telemetry=csig"], "RateTerm Rx"),
        (["--cc=rcp", "--telemetry=csig"], "needs the telemetry format rcp"),
        (["--cc=xcp", "--telemetry=rcp"], "needs the telemetry format xcp"),
        (["--cc=hpcc++", "--telemetry=rcp"], "queue delay and utilisation"),
        (["--cc=rcp", "--ns3::RdmaRcp::PortAgent=nosuch"], "choices: "),
        (["--cc=rcp", "--ns3::RcpAgent::Alpha=0"], "Alpha"),
        (["--cc=hpcc-pint", "--ns3::PintFormat::LogBase=1.01"], "LogBase 1.01"),
        (["--cc=hpcc-pint", "--ns3::PintFormat::Probability=0"], "Probability"),
        (["--telemetry=csig", "--ns3::CsigCompactFormat::DelayBuckets=0 x"], "DelayBuckets"),
        (["--cc=hpcc++", "--telemetry=ioam", "--mtu=9000"], "9334"),
        (["--cc=hpcc++", "--telemetry=ioam", "--ns3::IoamTraceFormat::Hops=13"], "12"),
        (["--cc=hpcc++", "--telemetry=ioam", "--ns3::IoamTraceFormat::TxBytes=false"], "utilisation"),
    ],
    "hpcc-long-short": [
        (["--short-bytes=0"], "--short-bytes"),
        (["--long-bytes=0"], "--long-bytes"),
        (["--shorts=0"], "--shorts"),
        (["--join=abc"], "abc"),
        (["--join=-1ms"], "-1ms"),
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
        (["--buffer=abm"], "--flow-control=lossy is allowed"),
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
        (["--flows=0"], "flows"),
        (["--bytes=0"], "--bytes"),
        (["--gap=abc"], "abc"),
        (["--gap=100000s", "--flows=3"], "100000000000000 ns"),
        (["--split=90"], "--split"),
        (["--split=90:10", "--flows=3"], "--split gives the flows"),
        (["--split=90:20"], "--split"),
        (["--split=90:x"], "--split"),
        (["--split=90:0"], "--split"),
        (["--cc=powertcp", "--feedback=receiver"], "cannot compute at the receiver"),
        (["--cc=hpcc++", "--feedback=receiver:switch", "--ns3::SwitchResponder::Target=Sender"], "the receiver computes"),
        (["--cc=hpcc++", "--feedback=switch", "--ns3::SwitchResponder::Target=Receiver"], "the sender computes"),
        (["--telemetry=csig", "--cc=hpcc++", "--feedback=packet:n"], "FlowCount is packet:n"),
    ],
    "hpcc-failure": [
        (["--flows=0"], "--flows"),
        (["--bytes=0"], "--bytes"),
        (["--topology=nosuch"], "choices"),
        (["--topology=leaf-spine:2,2"], "LEAVES,SPINES,HOSTS-PER-LEAF"),
        (["--topology=file:/nosuch"], "/nosuch"),
        (["--fail=0-1@5us"], "no link joins"),
        (["--fail=16-18@5us-6us,16-18@5500ns"], "take turns"),
        (["--cc=hpcc", "--telemetry=sigcomm19", "--paths=spray"], "--paths spray: policy hpcc with telemetry sigcomm19"),
        (["--cc=powertcp", "--paths=spray"], "policy powertcp with telemetry sigcomm19"),
        (["--cc=dcqcn", "--paths=migrate"], "--paths migrate with policy dcqcn: "),
        (["--cc=hpcc++", "--telemetry=csig", "--paths=migrate"], "the ids of each hop"),
        (["--paths=migrate", "--ns3::RdmaMigration::Moves=0"], "Moves"),
    ],
    "hpcc-elephant-mice": [
        (["--elephants=0"], "--elephants"),
        (["--mice=0"], "--mice"),
        (["--mouse-bytes=0"], "--mouse-bytes"),
        (["--first=abc"], "abc"),
        (["--gap=-1us"], "-1us"),
    ],
    "hpcc-fat-tree": [
        (["--k=3"], "3"),
        (["--k=0"], "0"),
        (["--k=66"], "66"),
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
        (["--senders=1"], "senders"),
        (["--bytes=0"], "--bytes"),
        (["--attack=nosuch"], "nosuch"),
        (["--from=abc"], "abc"),
        (["--from=1us"], "give --attack=dishonest too"),
        (["--ns3::RdmaHpccPlusPlus::CheckFeedback=false"], "hpcc-attack sets CheckFeedback to true"),
    ],
    "hpcc-tcp": [
        (["--cc=hpcc++"], "tcp-hpcc++"),
        (["--feedback=abc"], "compact:per-rtt"),
        (["--feedback=receiver"], 'tcp-hpcc++ has no "receiver"'),
        (["--cc=udp-hpcc++", "--feedback=receiver:n"], 'udp-hpcc++ has no "receiver:n"'),
        (["--feedback=probe:n", "--telemetry=csig"], "ns3::HpccTcpNic::CountFlows is true"),
        (["--cc=udp-hpcc++", "--feedback=probe:n", "--telemetry=csig"], "HpccUdpNic::CountFlows"),
        (["--feedback=compact", "--ns3::HpccTcpNic::CountFlows=true"], "ns3::MaxLoadFormat"),
        (["--feedback=compact", "--ns3::TcpHpccPlusPlus::CheckFeedback=true"], "CheckFeedback"),
        (["--telemetry=csig", "--ns3::TcpHpccPlusPlus::PerHop=true"], "PerHop needs a record of each hop"),
        (["--cc=udp-hpcc++", "--telemetry=csig", "--ns3::HpccUdpApplication::RateTerm=Rx"], "RateTerm Rx"),
        (["--ns3::TcpHpccPlusPlus::QuietLoad=0"], "answers without any record make the connection fall back"),
        (["--cc=udp-hpcc++", "--ns3::HpccUdpApplication::IdleGapResets=false"], "measures no idle time"),
        (["--feedback=compact", "--telemetry=ioam"], "leave --telemetry away"),
        (["--feedback=compact:per-rtt", "--ns3::HpccTcpNic::TagEvery=4"], "only one of them"),
        (["--ns3::HpccTcpNic::TagEvery=4"], "must be Compact"),
        (["--feedback=compact", "--ns3::QbbNetDevice::Mtu=1067"], "at most 999"),
        (["--feedback=compact", "--ns3::MaxLoadFormat::ExId=18519"], "must differ"),
        (["--telemetry=int-md"], "ifa, int-md:dscp, ioam"),
        (["--telemetry=abc"], "abc"),
        (["--telemetry=csig,abc"], 'unknown format "abc"'),
        (["--telemetry=csig,int-md"], "UDP port"),
        (["--scenario=abc"], "incast"),
        (["--senders=1"], "senders"),
        (["--bytes=9"], "bytes"),
        (["--senders=1001"], "1001"),
        (["--eta=abc"], "abc"),
        (["--ns3::TcpHpccPlusPlus::Eta=1"], "Eta"),
        (["--cc=udp-hpcc++", "--feedback=in-band"], "probe"),
        (["--telemetry=ioam"], "IPv6 only"),
        (["--telemetry=csig,ioam"], "IPv6 only"),
        (["--gap=1us"], "all flows start at once"),
        (["--scenario=incats"], 'did you mean "incast"?'),
        (["--cc=tcp-hpc++"], 'did you mean "tcp-hpcc++"?'),
        (["--recovery=irn"], "no flow of this run uses RDMA"),
        (["--bytes=20000", "--ns3::HpccUdpNic::CountFlows=true", "--cc=tcp-hpcc++"], "there is no ns3::HpccUdpNic"),
        (["--bytes=20000", "--cc=tcp-cubic", "--ns3::HpccTcpNic::MaxUnanswered=4"], "there is no ns3::HpccTcpNic"),
        (["--bytes=20000", "--cc=tcp-cubic", "--ns3::RdmaRoundSampling::Round=4us"], "there is no ns3::RdmaRoundSampling"),
        (["--bytes=20000", "--cc=tcp-cubic", "--ns3::RdmaIrn::RtoLow=1us"], "there is no ns3::RdmaIrn"),
        (["--bytes=20000", "--cc=tcp-cubic", "--ns3::PfcWatchdog::DetectionTime=1us"], "there is no ns3::PfcWatchdog"),
        (["--cc=tcp-cubic", "--telemetry=csig"], "policy tcp-cubic reads no telemetry"),
        (["--cc=tcp-cubic", "--ns3::TcpHpccPlusPlus::Eta=0.9"], "there is no ns3::TcpHpccPlusPlus"),
        (["--cc=tcp-cubic", "--ns3::TcpSocketBase::MinRto=1ms"], "sets another value"),
        (["--feedback=in-band", "--ns3::QbbNetDevice::Mtu=1075"], "at most 999"),
        (["--rdma=17"], "--senders"),
        (["--cc=tcp-cubic", "--rdma=1", "--eta=2"], "RdmaHpccPlusPlus::Eta is 2"),
        (["--cc=udp-hpcc++", "--telemetry=int-md"], "UDP port"),
        (["--cc=udp-hpcc++", "--telemetry=ioam"], "IPv6 only"),
        (["--cc=udp-hpcc++", "--ns3::HpccUdpApplication::Eta=1"], "Eta"),
        (["--cc=udp-hpcc++", "--ns3::HpccUdpApplication::InFlight=abc"], "abc"),
        (["--cc=iwarp-hpcc++", "--feedback=abc"], "compact:per-rtt"),
        (["--cc=iwarp-hpcc++", "--ns3::HpccIwarpWriter::WriteSize=0"], "WriteSize"),
        (["--cc=iwarp-hpcc++", "--ns3::HpccIwarpEndpoint::Crc=abc"], "abc"),
        (["--mtu=1448", "--ns3::QbbNetDevice::Mtu=1500"], "packets of up to 1508"),
        (["--ns3::TcpSocket::SegmentSize=70000"], "65300"),
        (["--ns3::QbbNetDevice::TsoMtu=65401"], "TsoMtu"),
    ],
    "hpcc-victims": [
        (["--bursters=0"], "bursters"),
        (["--bursts=0"], "bursts"),
        (["--burst-bytes=0"], "burst-bytes"),
        (["--from=1ms", "--end=1ms"], "end"),
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
        (["--bytes=0"], "--bytes"),
        (["--cc=hpcc++:per-hop", "--telemetry=csig"], "PerHop"),
        (["--cc=hpcc++:per-hop", "--paths=spray"], "policy hpcc++:per-hop"),
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
        (["--hold=0us"], "hold"),
        (["--horizon=abc"], "abc"),
        (["--share=1"], "share"),
    ],
    "hpcc-classes": [
        (["--flows=0"], "flows"),
        (["--other-flows=0"], "other-flows"),
        (["--other=nosuch"], "nosuch"),
        (["--weights=3:1"], "at least two"),
        (["--weights=3:0,4:1"], "3:0"),
        (["--weights=3:1,5:1"], "lacks priority"),
        (["--weights=3:1,4:101"], "100"),
        (["--weights="], "guaranteed nothing"),
        (["--modes=nosuch"], "nosuch"),
        (["--modes="], "--modes"),
        (["--join=1us"], "join"),
        (["--end=1ms"], "end"),
        (["--warm-up=abc"], "abc"),
        (["--other-rate=abc"], "abc"),
        (["--telemetry=int-md"], "QueueSignal Sojourn"),
        (["--telemetry=csig"], "QueueSignal Sojourn"),
        (["--cc=hpcc", "--telemetry=sigcomm19"], "QueueSignal Sojourn"),
        (["--telemetry=ifa"], "cannot say what others leave"),
        (["--telemetry=ioam:latency"], "cannot say what others leave"),
        (["--cc=powertcp", "--telemetry=int-md:latency"], "must know to judge a queue length"),
        (["--cc=rcp", "--telemetry=rcp"], "measures whole ports"),
        (["--cc=hpcc:rx-rate"], "RateTerm Rx"),
        (["--telemetry=csig:delay", "--ns3::CsigFormat::UtilizationSignal=AvailableBandwidth"],
         "UtilizationSignal"),
        (["--ns3::TelemetryAgent::QueueScope=WholePort"], "QueueScope"),
        (["--ns3::QbbNetDevice::Quantum=1"], "Quantum"),
    ],
    "hpcc-wan": [
        (["--flows=0"], "--flows"),
        (["--bytes=0"], "--bytes"),
        (["--loss=0.2"], "--loss"),
        (["--loss=abc"], "abc"),
        (["--gap=abc"], "abc"),
        (["--cc=hpcc"], "sigcomm19: its 24 bits of ns"),
        (["--telemetry=csig"], "DelayBuckets"),
        (["--flow-control=pfc"], "headroom"),
        (["--rate=1600Gbps", "--telemetry=ifa"], "32 bits of sent bytes"),
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
    ],
    "hpcc-own-policy": [
        (["--senders=0"], "senders"),
        (["--bytes=0"], "--bytes"),
        (["--cc=aimd:nosuch"], "aimd:nosuch"),
        (["--ns3::RdmaAimd::Keep=2"], "Keep"),
        (["--ns3::RdmaAimd::Keep=1"], "Keep is 1, allowed is below 1"),
        (["--cc=aimd", "--telemetry=rcp"], "carries no queue length"),
    ],
    "hpcc-run": [
        (["--config=mode.config"], "mode.config:3: CC_MODE 2 is not supported"),
        (["--config=window.config"], "HAS_WIN must be 1 with CC_MODE 10"),
        (["--config=digest.config"], "PINT_LOG_BASE 1 is outside 1.0002 to 2"),
        (["--config=sample.config"], "SAMPLE_FEEDBACK 2 is neither 0 nor 1"),
        (["--config=error.config"], "ERROR_RATE_PER_LINK 1 is outside [0, 1)"),
    ],
    "hpcc-workload": [
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
        (["--topology=leaf-spine:4294967295,1,1"], "65536"),
        (["--topology=leaf-spine:1024,1024,1"], "262144"),
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
        (["--trace=huge.trace"], "281474976710656"),
        (["--trace=short.trace"], "short.trace:2: "),
        (["--trace=short.authors"], "short.authors:2: "),
        (["--trace=empty.txt"], "empty.txt:"),
        (["--sample=0ns"], "--sample"),
        (["--bins=0"], "--bins"),
        (["--ideal=nosuch"], "nosuch"),
        (["--save-trace=x", "--runs=2", "--progress=0"], "--save-trace"),
        (["--save-trace=/proc/x/y"], "/proc/x"),
    ],
}
AUTHORS = "TOPOLOGY_FILE star.topology\nFLOW_FILE one.flow\n"
# Files in the directory in which the programs run.
FILES = {
    "descends.txt": "0 0\n1000 50\n500 100\n",
    "truncated.txt": "0 0\n1000 50\n",
    "empty.txt": "",
    "host.trace": "flows 2\n0 1 1000 0 background\n99 1 1000 0 background\n",
    "zero.trace": "flows 1\n0 1 0 0 background\n",
    "late.trace": "flows 1\n0 1 1000 9223372036854775807 background\n",
    "late.authors": "1\n0 1 3 100 1000 9300000000\n",
    "huge.trace": "flows 1\n0 1 18446744073709551615 0 background\n",
    "good.trace": "flows 1\n0 1 1000 0 background\n",
    "fractions.txt": "0 0\n1000 0.5\n2000 1\n",
    "short.trace": "flows 2\n0 1 1000 0 background\n",
    "star.topology": "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n",
    "one.flow": "1\n0 1 3 100 1000 2.0\n",
    "mode.config": AUTHORS + "CC_MODE 2\nHAS_WIN 0\n",
    "window.config": AUTHORS + "CC_MODE 10\nHAS_WIN 0\n",
    "digest.config": AUTHORS + "CC_MODE 10\nHAS_WIN 1\nVAR_WIN 1\nPINT_LOG_BASE 1\n",
    "sample.config": AUTHORS + "CC_MODE 3\nHAS_WIN 1\nVAR_WIN 1\nSAMPLE_FEEDBACK 2\n",
    "error.config": AUTHORS + "CC_MODE 1\nHAS_WIN 0\nERROR_RATE_PER_LINK 1\n",
    "short.authors": "2\n0 1 3 100 1000 2\n",
}
# Not every example has these.
LACKS = {
    "hpcc-attack": {"--rate", "--delay"},
    "hpcc-bench": {"--rate", "--delay", "--out"},
    "hpcc-bench-parts": {"--rate", "--delay", "--out"},
    "hpcc-bench-ranks": {"--rate", "--delay", "--out"},
    "hpcc-failure": {"--rate", "--delay"},
    "hpcc-pairs": {"--rate", "--delay"},
    "hpcc-fat-tree": {"--rate", "--delay"},
    "hpcc-own-policy": {"--rate", "--delay"},
    "hpcc-run": {arguments[0].partition("=")[0] for arguments, _ in EVERYWHERE},
    "hpcc-soak": {arguments[0].partition("=")[0] for arguments, _ in EVERYWHERE},
    "hpcc-workload": {"--rate", "--delay"},
}
# These choose the recovery themselves, or have policies of their own.
OWN_WAY = {
    "hpcc-tcp": ("--cc=hpcc", "--cc=dctcp+win", "--cc=timely+win"),
    "hpcc-wan": ("--ns3::RdmaHost::Recovery", "--bdp-cap", "--recovery=irn"),
}


# ns-3's ObjectFactory does not release an object whose constructor is left by an exception.
LEAKS_ALLOWED = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}


def complaint(program, arguments, expected):
    """Returns the fault of a run; None if there is none."""
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "out")
        for name, text in FILES.items():
            pathlib.Path(directory, name).write_text(text)
        writes = not program.name.startswith("hpcc-bench")
        command = [program, *([f"--out={out}"] if writes else []), *arguments]
        try:
            run = subprocess.run(
                command, capture_output=True, text=True, timeout=60, cwd=directory, check=False,
                env=LEAKS_ALLOWED,
            )
        except subprocess.TimeoutExpired:
            return "still running after 60 s"
        left = sorted(path.name for path in out.glob("*"))
    lines = run.stderr.splitlines()
    if run.returncode != 2:
        return f"exit code {run.returncode}, stderr {run.stderr[:300]!r}"
    if len(lines) != 1:
        return f"{len(lines)} lines on stderr: {run.stderr[:300]!r}"
    if expected not in lines[0]:
        return f"the message does not contain {expected!r}: {lines[0]!r}"
    if run.stdout or left:
        return f"it began to work: stdout {run.stdout[:100]!r}, files {left}"
    return None


def is_refused(name, argument):
    """Returns True if the example refuses the argument as every other one does."""
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
    short = os.environ.get("HPCC_TEST_SHORT", "0") != "0"
    for turn, (arguments, expected) in enumerate(EVERYWHERE):
        names = [name for name in OWN if is_refused(name, arguments[0])]
        first = turn % len(names)
        cases += [
            (name, arguments, expected) for name in (names[first : first + 1] if short else names)
        ]
    runs = len(cases)
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda case: complaint(directory / case[0], *case[1:]), cases)
        for (name, arguments, _), what in zip(cases, found):
            if what:
                failures += 1
                print(f"FAIL {name} {' '.join(arguments)}: {what}")
    print(f"{runs - failures} of {runs} bad command lines are refused as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
