/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Measures the CPU time of single parts of the simulator: an ns-3 event, encoding and decoding of a
// frame, one more switch on a frame's path, and a packet with its ACK under each policy. In
// contrast, hpcc-bench measures whole networks. Each benchmark runs in a separate process and
// prints one JSON object per line, with the median CPU time of the repetitions.

#include "hpcc-bench-measure.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/rdma-congestion-ops.h"

#include <functional>
#include <iostream>

using namespace ns3;

namespace
{

/// Names of the benchmarks that --benchmark can select.
constexpr const char* GROUPS = "event-loop, codec, switch, ack";

/**
 * Returns the median of repeated measurements.
 * @param repetitions number of measurements
 * @param measure returns one measurement
 */
double
MedianOf(uint32_t repetitions, const std::function<double()>& measure)
{
    std::vector<double> values;
    for (uint32_t i = 0; i < repetitions; ++i)
    {
        values.push_back(measure());
    }
    return Median(values);
}

/// Measures the CPU time of an event that does nothing, while 1,000 events are pending. Repeats
/// this for each ns-3 scheduler that is fast with many pending events.
void
BenchEventLoop(uint32_t repetitions)
{
    for (const char* scheduler : {"PriorityQueue", "Map", "Heap", "Calendar"})
    {
        const double seconds = MedianOf(repetitions, [scheduler] {
            return BareEventSeconds(2'000'000,
                                    1000,
                                    "ns3::" + std::string(scheduler) + "Scheduler");
        });
        std::printf("{\"benchmark\": \"event-loop\", \"scheduler\": \"%s\", "
                    "\"ns_per_event\": %.1f}\n",
                    scheduler,
                    seconds * 1e9);
    }
}

/// Returns the mean CPU time of a call, ns.
double
NsPerCall(const std::function<void()>& call)
{
    constexpr int CALLS = 20'000;
    const double start = CpuSeconds();
    for (int i = 0; i < CALLS; ++i)
    {
        call();
    }
    return (CpuSeconds() - start) / CALLS * 1e9;
}

/// Returns a data packet with 1,000 bytes of payload and, if it has a format, the records of five
/// hops.
Frame*
MakeData(FramePool& pool, const TelemetryFormat* format)
{
    Frame* frame = pool.Allocate();
    frame->kind = Frame::Kind::ROCE;
    frame->source = 0x0a000001;
    frame->destination = 0x0a000002;
    frame->sourcePort = 0xc001;
    frame->destinationPort = ROCE_UDP_PORT;
    frame->protocol = 17;
    frame->tos = ECN_ECT0;
    frame->ttl = 64;
    frame->ipId = 1;
    frame->ipv6 = format && format->GetMarking().ipv6;
    frame->opcode = ROCE_SEND_MIDDLE;
    frame->bthFlags = 0;
    frame->destinationQp = 0x12;
    frame->psn = 1;
    frame->payloadBytes = 1000;
    frame->bytes = RoceFrameBytes(*frame);
    if (!format)
    {
        return frame;
    }
    frame->format = format;
    if (const int dscp = format->GetMarking().dscp; dscp >= 0)
    {
        frame->tos = static_cast<uint8_t>(dscp << 2 | ECN_ECT0);
    }
    format->Open(frame->telemetry, {ROCE_UDP_PORT, 17, static_cast<uint8_t>(frame->tos >> 2), 0});
    for (uint32_t i = 0; i < 5; ++i)
    {
        HopSnapshot hop{};
        hop.timestampNs = 1'000'000 + 1'000 * i;
        hop.txBytes = 1'000'000'000;
        hop.bandwidthBps = 100'000'000'000;
        hop.queueBytes = 10'000 * i;
        hop.switchId = i;
        hop.egressPort = i;
        hop.ttl = static_cast<uint8_t>(63 - i);
        format->Insert(frame->telemetry, hop, 9000);
    }
    return frame;
}

/// Measures encoding and decoding of a frame without telemetry and in every format.
void
BenchCodec(uint32_t repetitions)
{
    std::vector<std::string> names = HpccPresets::Names(TelemetryFormat::GetTypeId());
    names.insert(names.begin(), "none");
    const Mac48Address source("02:00:00:00:00:01");
    const Mac48Address destination("02:00:00:00:00:02");
    for (const std::string& name : names)
    {
        Ptr<TelemetryFormat> format;
        ObjectFactory factory;
        if (HpccPresets::Find(TelemetryFormat::GetTypeId(), name, factory))
        {
            format = factory.Create<TelemetryFormat>();
        }
        FrameCodec codec;
        if (format)
        {
            codec.AddFormat(PeekPointer(format));
        }
        FramePool pool;
        Frame* frame = MakeData(pool, PeekPointer(format));
        Frame* back = pool.Allocate();
        const std::vector<uint8_t> bytes = FrameCodec::Encode(*frame, source, destination);
        std::string why;
        HPCC_REFUSE_IF(!codec.Decode(bytes.data(), bytes.size(), *back, why),
                       "codec: format " + name + ": " + why);
        const double encode = MedianOf(repetitions, [&] {
            return NsPerCall([&] { FrameCodec::Encode(*frame, source, destination); });
        });
        const double decode = MedianOf(repetitions, [&] {
            return NsPerCall([&] { codec.Decode(bytes.data(), bytes.size(), *back, why); });
        });
        std::printf("{\"benchmark\": \"codec\", \"telemetry\": \"%s\", \"bytes\": %zu, "
                    "\"encode_ns\": %.0f, \"decode_ns\": %.0f}\n",
                    name.c_str(),
                    bytes.size(),
                    encode,
                    decode);
        FramePool::Free(frame);
        FramePool::Free(back);
    }
}

/// Returns a topology of two hosts with switches in a row between them.
HpccTopology
Line(uint32_t switches)
{
    HpccTopology topology;
    topology.AddNode(false);
    topology.AddNode(false);
    for (uint32_t i = 0; i < switches; ++i)
    {
        topology.AddNode(true);
        topology.AddLink({i == 0 ? 0 : i + 1, i + 2, DataRate("100Gbps"), MicroSeconds(1), 0});
    }
    topology.AddLink({switches + 1, 1, DataRate("100Gbps"), MicroSeconds(1), 0});
    return topology;
}

/// Resources that the simulation of a flow used; the flow is that of a LineRun.
struct Passage
{
    double cpuSeconds; ///< CPU time of the simulation without its set-up, s
    uint64_t packets;  ///< packets that the sender sent
    uint64_t acks;     ///< ACKs that the receiver sent
};

/// A flow between two hosts with a line of switches between them.
struct LineRun
{
    uint32_t switches;     ///< number of switches between the two hosts
    std::string cc;        ///< policy
    std::string telemetry; ///< telemetry format; empty: the default of the policy
    Time duration;         ///< simulated time
};

/**
 * Returns the cost of a flow that lasts until the end of the simulation.
 * @param experiment options of the network
 * @param run the flow
 * @param check true: refuse options that the flow does not use
 */
Passage
RunLine(const HpccExperiment& experiment, const LineRun& run, bool check = false)
{
    UseScheduler();
    Passage passage{};
    {
        HpccFabricHelper fabric;
        const HpccTopology line = Line(run.switches);
        experiment.SetUp(fabric, line);
        fabric.Install(line);
        fabric.AssignStreams(1);
        const uint32_t queuePair =
            fabric.Connect(0, 1, HpccFabricHelper::MakePolicy(run.cc, run.telemetry));
        if (check)
        {
            experiment.RefuseIdleDefaults();
        }
        fabric.AddMessage(0, queuePair, uint64_t{1} << 40, NanoSeconds(1));
        const double start = CpuSeconds();
        Simulator::Stop(run.duration);
        Simulator::Run();
        fabric.CatchUp();
        passage.cpuSeconds = CpuSeconds() - start;
        passage.packets = fabric.GetHost(0)->GetPort().GetTxFrames();
        passage.acks = fabric.GetHost(1)->GetPort().GetTxFrames();
    }
    Simulator::Destroy();
    return passage;
}

/// Measures the CPU time that one more switch on the path of a frame costs, without telemetry and
/// with a policy's telemetry.
void
BenchSwitch(const HpccExperiment& experiment,
            uint32_t repetitions,
            Time duration,
            const std::string& cc,
            const std::string& telemetry)
{
    constexpr uint32_t SHORT = 1;
    constexpr uint32_t LONG = 5;
    for (const std::string& policy : {std::string("none"), cc})
    {
        const std::string format = policy == cc ? telemetry : "";
        const double seconds = MedianOf(repetitions, [&] {
            const Passage few = RunLine(experiment, {SHORT, policy, format, duration});
            const Passage many = RunLine(experiment, {LONG, policy, format, duration});
            return many.cpuSeconds / static_cast<double>(many.packets + many.acks) -
                   few.cpuSeconds / static_cast<double>(few.packets + few.acks);
        });
        std::printf("{\"benchmark\": \"switch\", \"cc\": \"%s\", \"ns_per_traversal\": %.1f}\n",
                    policy.c_str(),
                    seconds / (LONG - SHORT) * 1e9);
    }
}

/// Measures the CPU time of a packet and its ACK, which pass one switch, for each policy with its
/// default telemetry.
void
BenchAcks(const HpccExperiment& experiment, uint32_t repetitions, Time duration)
{
    for (const std::string& cc : HpccPresets::Names(RdmaCongestionOps::GetTypeId()))
    {
        if (cc.find(':') != std::string::npos)
        {
            continue; // skip presets, because the list also contains their policies
        }
        InChild([&] {
            Passage last{};
            const double seconds = MedianOf(repetitions, [&] {
                last = RunLine(experiment, {1, cc, "", duration});
                return last.cpuSeconds / static_cast<double>(last.packets);
            });
            std::printf("{\"benchmark\": \"ack\", \"cc\": \"%s\", \"packets\": %llu, "
                        "\"ns_per_packet_and_ack\": %.0f}\n",
                        cc.c_str(),
                        static_cast<unsigned long long>(last.packets),
                        seconds * 1e9);
        });
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        std::string benchmark;
        Time duration = MilliSeconds(10);
        uint32_t repetitions = 3;
        HpccExperiment experiment("hpcc-bench-parts",
                                  "CPU time of the simulator's parts, one JSON object per line",
                                  "hpcc++");
        experiment.AddOption("benchmark",
                             std::string("the only benchmark to run, or empty for all: ") + GROUPS,
                             benchmark);
        experiment.AddOption("duration", "simulated time of each network", duration);
        experiment.AddOption("repetitions", "runs of each benchmark, odd", repetitions);
        experiment.Parse(argc, argv);
        experiment.RefuseGiven({"check"}, "each benchmark checks its own network");
        HPCC_REFUSE_IF(duration < MicroSeconds(10) || repetitions < 1,
                       "--duration is at least 10us, --repetitions at least 1");
        const std::string cc = OnlyPolicy(experiment);
        const std::string telemetry = experiment.GetTelemetry();
        // This short run refuses options that are invalid or have no effect.
        InChild([&] { RunLine(experiment, {1, cc, telemetry, NanoSeconds(1)}, true); });
        const std::vector<std::pair<std::string, std::function<void()>>> groups{
            {"event-loop", [&] { BenchEventLoop(repetitions); }},
            {"codec", [&] { BenchCodec(repetitions); }},
            {"switch", [&] { BenchSwitch(experiment, repetitions, duration, cc, telemetry); }},
            {"ack", [&] { BenchAcks(experiment, repetitions, duration); }}};
        bool known = benchmark.empty();
        for (const auto& [name, run] : groups)
        {
            if (benchmark.empty() || benchmark == name)
            {
                known = true;
                InChild(run);
            }
        }
        HPCC_REFUSE_IF(!known,
                       DescribeUnknown("--benchmark: unknown",
                                       benchmark,
                                       {"event-loop", "codec", "switch", "ack"}));
    });
}
