/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-byte-stream.h"
#include "hpcc-csv-file.h"
#include "hpcc-experiment-checks.h"
#include "hpcc-experiment-tables.h"
#include "hpcc-outages.h"
#include "hpcc-partition.h"
#include "hpcc-run-watch.h"
#include "hpcc-signals.h"
#include "hpcc-topology.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-pfc-watchdog.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iomanip>
#include <iostream>
#include <new>
#include <sstream>
#include <sys/wait.h>
#include <tuple>

namespace ns3
{

namespace
{

/// @return one line with the reason of the exception that ends a program
std::string
WhatOf(const std::exception_ptr& error)
{
    try
    {
        std::rethrow_exception(error);
    }
    catch (const std::bad_alloc&)
    {
        return "out of memory: the network or its flows are too large for this machine";
    }
    catch (const std::exception& other)
    {
        return std::string("ended by an unexpected error: ") + other.what();
    }
    catch (...)
    {
        return "ended by an unexpected error";
    }
}

/// A row of qp.csv.
struct QueuePairRow
{
    int64_t timeNs;   ///< time of the row, ns
    uint32_t host;    ///< the host
    std::string text; ///< the other columns
};

/// The storms that watchdogs have seen.
struct Storms
{
    uint64_t count{0};          ///< their number
    int64_t sinceNs{INT64_MAX}; ///< begin of the first pause, ns
    uint32_t node{0};           ///< its switch
    uint32_t port{0};           ///< its port
    uint8_t priority{0};        ///< its priority
    uint64_t queueBytes{0};     ///< bytes that waited when its storm was detected

    /// Adds other storms.
    /// @param other the storms
    void Add(const Storms& other)
    {
        const uint64_t sum = count + other.count;
        if (std::tie(other.sinceNs, other.node, other.port, other.priority) <
            std::tie(sinceNs, node, port, priority))
        {
            *this = other;
        }
        count = sum;
    }
};

/// Records a storm, with the signature of PfcWatchdog::Storm.
/// @param storms receives it
void
RecordStorm(Storms* storms,
            uint32_t node,
            uint32_t port,
            uint8_t priority,
            int64_t sinceNs,
            uint64_t queueBytes)
{
    storms->Add({1, sinceNs, node, port, priority, queueBytes});
}

/// Records the storms in a network.
/// @param fabric the network, whose switches have watchdogs
/// @param storms receives them; must outlive the network
void
WatchStorms(HpccFabricHelper& fabric, Storms& storms)
{
    for (uint32_t node = 0; node < fabric.GetNodes().GetN(); ++node)
    {
        if (auto watchdog = fabric.GetNodes().Get(node)->GetObject<PfcWatchdog>())
        {
            watchdog->TraceConnectWithoutContext("Storm", MakeBoundCallback(&RecordStorm, &storms));
        }
    }
}

/**
 * Adds up the storms of all ranks.
 * @param storms those of the switches of this process
 * @param ranks the processes; null for one process
 * @return those of all switches at rank 0, none at the other ranks
 */
Storms
GatherStorms(const Storms& storms, const Ptr<HpccRanks>& ranks)
{
    if (!ranks)
    {
        return storms;
    }
    HpccByteStream mine;
    mine.Put(storms);
    Storms all;
    for (const std::string& bytes : ranks->Exchange(mine.GetBytes()))
    {
        all.Add(HpccByteStream(bytes).Get<Storms>());
    }
    return ranks->GetRank() == 0 ? all : Storms();
}

/**
 * Warns of storms, if there are any.
 * @param storms the storms
 * @param run name of the program and of the run
 */
void
ReportStorms(const Storms& storms, const std::string& run)
{
    if (storms.count > 0)
    {
        std::cerr << run << ": warning: the watchdog saw " << storms.count
                  << " storms, the first at switch " << storms.node << " port " << storms.port
                  << " priority " << +storms.priority << ", paused since "
                  << FormatUs(storms.sinceNs) << " us with " << storms.queueBytes
                  << " bytes waiting" << std::endl;
    }
}

/// Appends a row for each acknowledgement.
void
RecordQueuePair(std::vector<QueuePairRow>* rows,
                std::string cc,
                uint32_t host,
                const RdmaQueuePair& qp,
                int64_t nowNs,
                int64_t)
{
    RdmaCongestionSample sample = qp.ops->Observe(qp.cc);
    std::ostringstream out;
    out << cc << "," << FormatUs(nowNs) << "," << host << "," << qp.number << ","
        << FormatFixed(sample.windowBytes, 1) << "," << FormatFixed(sample.referenceWindowBytes, 1)
        << "," << FormatFixed(sample.rateBps / 1e9, 6) << "," << FormatFixed(sample.utilization, 6)
        << "," << sample.stage << "," << sample.bottleneckSwitch << "," << sample.bottleneckPort
        << "," << (qp.rttNs < 0 ? "" : FormatUs(qp.rttNs)) << "\n";
    rows->push_back({nowNs, host, out.str()});
}

/// Writes rows sorted by time, then host, independently of the order of events in a nanosecond.
void
WriteSorted(std::vector<QueuePairRow>& rows, HpccCsvFile& out)
{
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return std::tie(a.timeNs, a.host) < std::tie(b.timeNs, b.host);
    });
    for (const auto& row : rows)
    {
        out << row.text;
    }
}

} // namespace

std::vector<std::string>
HpccExperiment::GetLabels() const
{
    std::vector<std::string> labels;
    for (const auto& plan : Planner(*this).MakePlans())
    {
        labels.push_back(plan.label);
    }
    return labels;
}

std::vector<HpccSummary>
HpccExperiment::Run(const Scenario& scenario, const Configure& configure)
{
    if (m_values->ranks && !scenario.addsUp && (scenario.connected || scenario.finished))
    {
        throw HpccInputError("--mpi: " + m_values->name + " runs in one process only");
    }
    if (m_values->written.count(m_values->out) > 0)
    {
        throw HpccInputError("ns3::HpccExperiment::Run: a run has written its results to " +
                             m_values->out +
                             " already; allowed is another directory, see "
                             "HpccExperiment::SetOut()");
    }
    Describe(scenario.topology);
    Checks(*this).CheckStop(scenario.stop);
    const std::vector<Plan> plans = Planner(*this).MakePlans();
    Checks(*this).CheckEffects(plans, scenario);
    // Defaults that the program itself sets need no check that they have an effect.
    if (!m_values->checked &&
        (m_values->checkOnly || plans.size() > 1 || !m_values->attributes.IsWithin(m_defaults)))
    {
        Rehearse(plans, scenario, configure);
    }
    EndIfChecked();
    m_values->written.insert(m_values->out);
    HpccSignals signals;
    Tables tables(*this, scenario);
    std::vector<HpccSummary> summaries;
    for (const auto& plan : plans)
    {
        m_values->signal = signals.Take();
        if (m_values->signal == 0)
        {
            summaries.push_back(RunOne(plan, scenario, configure, &tables, &signals));
        }
        if (m_values->signal != 0)
        {
            summaries.resize(static_cast<size_t>(&plan - plans.data()));
            ReportMissing(plans, summaries.size());
        }
        tables.Save();
        for (auto* table : scenario.tables)
        {
            table->Save();
        }
    }
    tables.Commit();
    WriteManifest(m_values->out);

    size_t width = 16;
    for (const auto& plan : plans)
    {
        width = std::max(width, plan.label.size() + 1);
    }
    std::cout << std::left << std::setw(static_cast<int>(width)) << "policy" << std::right
              << std::setw(10) << "finished" << std::setw(12) << "FCT p50 us" << std::setw(12)
              << "p99 us" << std::setw(12) << "peak KB" << std::setw(10) << "p99 KB"
              << std::setw(12) << "mean Gb/s" << std::setw(8) << "Jain" << std::setw(8) << "pauses"
              << std::setw(8) << "drops"
              << "\n";
    const auto figure = [](double value, int digits) {
        return std::isnan(value) ? "-" : FormatFixed(value, digits);
    };
    for (size_t i = 0; i < plans.size(); ++i)
    {
        const auto& s = summaries[i];
        std::cout << std::left << std::setw(static_cast<int>(width)) << plans[i].label << std::right
                  << std::setw(10)
                  << std::to_string(s.flowsFinished) + "/" + std::to_string(s.flowsStarted)
                  << std::setw(12) << figure(s.fctP50Us, 1) << std::setw(12)
                  << figure(s.fctP99Us, 1) << std::setw(12)
                  << FormatFixed(static_cast<double>(s.queuePeakBytes) / 1e3, 1) << std::setw(10)
                  << (s.settled ? FormatFixed(static_cast<double>(s.queueP99Bytes) / 1e3, 1) : "-")
                  << std::setw(12) << (s.settled ? FormatFixed(s.throughputMeanGbps, 2) : "-")
                  << std::setw(8) << figure(s.jainIndex, 3) << std::setw(8) << s.pfcPauses
                  << std::setw(8) << s.drops << "\n";
    }
    std::cout << "results in " << m_values->out << std::endl;
    return summaries;
}

void
HpccExperiment::SetUp(HpccFabricHelper& fabric, const HpccTopology& topology) const
{
    Describe(topology);
    fabric.SetHostAttribute("Mtu", UintegerValue(m_values->mtu));
    fabric.SetHostAttribute("Recovery", StringValue(m_values->recovery));
    if (m_values->flowControl == "lossy")
    {
        fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    }
    if (m_values->ackPriority == "high")
    {
        TypeId::AttributeInformation cnp;
        RdmaHost::GetTypeId().LookupAttributeByName("CnpDscp", &cnp);
        fabric.SetHostAttribute("AckDscp", *cnp.initialValue);
    }
    fabric.SetDeviceAttribute("EthernetOverhead", BooleanValue(m_values->ethernetOverhead));
    fabric.SetMaxLag(m_values->maxLag);
    fabric.SetPaths(m_values->paths);
    fabric.SetPorts(m_values->ports);
    fabric.SetBuffer(m_values->buffer);
    fabric.SetMarking(m_values->marking);
    fabric.SetScheduler(m_values->scheduler);
    fabric.SetTrimming(m_values->trimming);
    fabric.SetEntropy(m_values->entropy, m_values->entropyValues);
    fabric.SetNic(m_values->nic);
    if (!m_values->baseRtt.empty())
    {
        fabric.SetPerPathBaseRtt(m_values->baseRtt == Values::PATH);
    }
    fabric.SetConvergenceDelay(m_values->convergence);
    HpccOutages(m_values->outages).Schedule(topology, fabric);
    ShareOut(fabric, topology);
}

void
HpccExperiment::ShareOut(HpccFabricHelper& fabric, const HpccTopology& topology) const
{
    if (!m_values->ranks)
    {
        return;
    }
    HpccPartition partition(topology, m_values->partition, m_values->ranks->GetSize());
    fabric.SetRanks(m_values->ranks, partition.GetRankOf());
    if (m_values->progress)
    {
        std::cerr << m_values->name << ": " << m_values->ranks->GetSize() << " ranks, "
                  << FormatFixed(100 * partition.GetCutShare(), 1)
                  << " % of the links between switches are cut, the largest rank has "
                  << FormatFixed(partition.GetImbalance(), 2) << " times the mean load"
                  << std::endl;
    }
}

HpccSummary
HpccExperiment::RunOne(const Plan& plan,
                       const Scenario& scenario,
                       const Configure& configure,
                       Tables* tables,
                       HpccSignals* signals)
{
    RngSeedManager::SetSeed(m_values->seed);
    RngSeedManager::SetRun(m_values->run);
    if (m_values->ranks)
    {
        m_values->ranks->Begin();
    }
    if (!m_given.count("SchedulerType"))
    {
        ObjectFactory scheduler;
        scheduler.SetTypeId("ns3::PriorityQueueScheduler");
        Simulator::SetScheduler(scheduler);
    }
    HpccSummary summary;
    m_values->label = plan.label;
    m_values->variant = plan.variant;
    {
        const auto& spec = plan.spec;
        HpccFabricHelper fabric;
        SetUp(fabric, scenario.topology);
        const std::string marking = Planner(*this).ThresholdsOf(plan, scenario.beside);
        const std::string own = Planner(*this).GivenName(spec.policy.GetTypeId(), "Marking");
        if (!marking.empty() && !m_given.count("ns3::EcnMarker::Thresholds") &&
            !fabric.SetThresholds(marking) && !own.empty())
        {
            throw HpccInputError("--" + own + "=" + m_given.at(own) + " has no effect: --marking " +
                                 m_values->marking + " has no Thresholds");
        }
        if (configure)
        {
            configure(fabric);
        }
        fabric.Install(scenario.topology);
        Storms storms;
        if (!m_values->watchdog.empty())
        {
            fabric.AddSwitchAgent(m_values->watchdog);
            WatchStorms(fabric, storms);
        }
        fabric.AssignStreams(1);
        fabric.CheckNic(scenario.stop);
        if (scenario.baseRttNs > 0)
        {
            fabric.SetNetworkBaseRttNs(scenario.baseRttNs);
        }
        if (!m_values->baseRtt.empty() && m_values->baseRtt != Values::PATH)
        {
            int64_t givenNs = Time(m_values->baseRtt).GetNanoSeconds();
            if (givenNs < fabric.GetNetworkBaseRttNs() && m_values->progress)
            {
                std::cerr << m_values->name << ": warning: T = " << FormatUs(givenNs)
                          << " us is below the largest base RTT of the network, "
                          << FormatUs(fabric.GetNetworkBaseRttNs()) << " us" << std::endl;
            }
            fabric.SetNetworkBaseRttNs(givenNs);
        }
        HpccBorders(m_values->borders).AddTo(fabric);
        std::vector<HpccFlowPlan> flows = scenario.flows;
        int64_t firstStartNs = INT64_MAX;
        int64_t lastStartNs = 0;
        for (auto& flow : flows)
        {
            const std::string excess = flow.GetExcess();
            if (!excess.empty())
            {
                throw HpccInputError("flow " + std::to_string(&flow - flows.data()) +
                                     " is impossible: " + excess);
            }
            const int64_t stopNs = scenario.stop.GetNanoSeconds();
            if (flow.startNs >= stopNs && !scenario.startsAfterStop)
            {
                throw HpccInputError("flow " + std::to_string(&flow - flows.data()) +
                                     " would start at " + std::to_string(flow.startNs) +
                                     " ns, but the run ends at " + std::to_string(stopNs) +
                                     " ns at the latest; an earlier start is allowed");
            }
            if (scenario.drive)
            {
                firstStartNs = std::min(firstStartNs, flow.startNs);
                lastStartNs = std::max(lastStartNs, flow.startNs);
                continue;
            }
            if (flow.startNs == HpccFlowPlan::NOT_PLANNED)
            {
                flow.queuePair = scenario.connectJob(fabric, flow, spec);
                continue;
            }
            auto own = spec;
            if (scenario.tunePolicy)
            {
                scenario.tunePolicy(static_cast<size_t>(&flow - flows.data()), own.policy);
            }
            flow.queuePair =
                scenario.connect
                    ? scenario.connect(fabric, flow, spec)
                    : fabric.Connect(flow.source,
                                     flow.destination,
                                     own,
                                     scenario.sourcePort ? scenario.sourcePort(fabric, flow) : 0,
                                     scenario.bulk,
                                     flow.verb == RdmaVerb::READ);
            fabric.AddMessage(flow.source,
                              flow.queuePair,
                              flow.bytes,
                              NanoSeconds(flow.startNs),
                              flow.verb);
            firstStartNs = std::min(firstStartNs, flow.startNs);
            lastStartNs = std::max(lastStartNs, flow.startNs);
        }
        int64_t settleNs = m_values->settle.empty() ? 30 * fabric.GetNetworkBaseRttNs()
                                                    : Time(m_values->settle).GetNanoSeconds();
        if (IsGiven("settle") && lastStartNs + settleNs >= scenario.stop.GetNanoSeconds())
        {
            throw HpccInputError("--settle=" + m_values->settle + ": statistics would begin at " +
                                 FormatUs(lastStartNs + settleNs) + " us, but the run ends at " +
                                 FormatUs(scenario.stop.GetNanoSeconds()) +
                                 " us at the latest; a shorter time is allowed");
        }
        HpccMonitor monitor(fabric,
                            std::move(flows),
                            lastStartNs + settleNs,
                            scenario.bulk            ? HpccMonitor::COUNTS
                            : scenario.perFlowSeries ? HpccMonitor::FLOW_SERIES
                                                     : HpccMonitor::SERIES);
        monitor.SetQueueResolutionNs(m_values->queueResolution.GetNanoSeconds());
        const size_t flowCount = monitor.GetFlows().size();
        for (size_t i = 0; scenario.idealFctNs && i < flowCount; ++i)
        {
            monitor.SetIdealNs(i, scenario.idealFctNs(fabric, monitor.GetFlows()[i]));
        }
        if (scenario.drive)
        {
            scenario.drive(fabric, {plan.policy, plan.telemetry, spec.feedbackName}, monitor);
        }
        if (scenario.connectAll)
        {
            scenario.connectAll(fabric, spec);
        }
        if (tables)
        {
            ClaimOut();
        }
        if (scenario.connected)
        {
            scenario.connected(fabric);
        }
        Checks(*this).NoteFormats(plan, fabric);
        Checks(*this).NoteHosts(fabric);
        if (tables)
        {
            summary = Simulate(plan, scenario, fabric, monitor, firstStartNs, *tables, *signals);
            ReportStorms(GatherStorms(storms, m_values->ranks), m_values->name + ": " + plan.label);
        }
        else if (m_values->untilUsed)
        {
            SimulateUntilUsed(fabric, monitor, scenario.stop);
        }
    }
    Simulator::Destroy();
    if (m_values->ranks)
    {
        m_values->ranks->End();
    }
    return summary;
}

HpccSummary
HpccExperiment::Simulate(const Plan& plan,
                         const Scenario& scenario,
                         HpccFabricHelper& fabric,
                         HpccMonitor& monitor,
                         int64_t firstStartNs,
                         Tables& tables,
                         HpccSignals& signals)
{
    std::vector<QueuePairRow> queuePairRows;
    if (m_values->queuePairCsv)
    {
        for (uint32_t host : scenario.topology.GetHosts())
        {
            fabric.GetHost(host)->TraceConnectWithoutContext(
                "Acknowledged",
                MakeBoundCallback(&RecordQueuePair, &queuePairRows, plan.label, host));
        }
    }
    if (m_values->progress && fabric.LosesOrder())
    {
        std::cerr << m_values->name << ": warning: with --paths=" << m_values->paths
                  << " packets overtake one another, which recovery " << m_values->recovery
                  << " takes for losses" << std::endl;
    }
    if (m_values->pcap)
    {
        std::string name = plan.label;
        std::replace(name.begin(), name.end(), '/', '-');
        fabric.EnablePcapAll(m_values->out + "/" + name, true);
    }
    if (m_values->progress)
    {
        std::cerr << m_values->name << ": " << plan.policy << " with telemetry "
                  << plan.spec.telemetryName << ", T = " << FormatUs(fabric.GetNetworkBaseRttNs())
                  << " us, " << monitor.GetFlows().size() << " flows" << std::endl;
    }
    HpccRunWatch watch(fabric,
                       monitor,
                       signals,
                       plan.label,
                       monitor.GetFlows().size(),
                       NanoSeconds(firstStartNs == INT64_MAX ? 0 : firstStartNs),
                       scenario.stop,
                       scenario.linger,
                       m_values->progress,
                       scenario.progress);
    Simulator::Run();
    fabric.ClosePcap();
    m_values->signal = watch.GetSignal();
    if (m_values->signal != 0)
    {
        return {};
    }
    HpccSummary summary = monitor.Summarize();
    summary.endNs = Simulator::Now().GetNanoSeconds();
    if (IsGiven("settle") && !summary.settled)
    {
        constexpr int64_t bin = HpccMonitor::BIN_NS;
        const int64_t lastStartNs = summary.settleNs - Time(m_values->settle).GetNanoSeconds();
        const bool fits = summary.firstCompletionNs / bin > (lastStartNs + bin - 1) / bin;
        throw HpccInputError("--settle=" + m_values->settle + ": in the run of " + plan.label +
                             ", statistics would begin at " + FormatUs(summary.settleNs) +
                             " us, but end at " + FormatUs(summary.firstCompletionNs) +
                             " us (first completion or end of the run), without a whole bin of " +
                             "10 us between; allowed are " +
                             (fits ? "shorter times" : "longer flows or runs, or no --settle"));
    }
    const std::vector<uint32_t> cycle = fabric.FindPauseCycle();
    if (!cycle.empty() && summary.flowsFinished < summary.flowsStarted)
    {
        std::cerr << m_values->name << ": " << plan.label
                  << ": warning: deadlock, each of these switches is paused by the next:";
        for (uint32_t node : cycle)
        {
            std::cerr << " " << node;
        }
        std::cerr << std::endl;
    }
    if (m_values->queuePairCsv)
    {
        WriteSorted(queuePairRows, *tables.queuePair);
    }
    if (scenario.finished)
    {
        scenario.finished(fabric, monitor.GetFlows(), monitor);
    }

    tables.WriteSummary(plan.label,
                        plan.spec.telemetryName,
                        plan.spec.feedbackName,
                        summary,
                        scenario.count ? scenario.count(fabric) : std::vector<uint64_t>{});
    tables.WriteFlows(plan.label, scenario, monitor);
    if (!scenario.bulk)
    {
        tables.WriteSeries(plan.label, monitor);
    }
    return summary;
}

int
HpccExperiment::Main(const std::function<void()>& body)
{
    // ns-3 aborts on values that its parsers cannot read, after printing the reason.
    std::set_terminate([] {
        if (std::current_exception())
        {
            std::cerr << WhatOf(std::current_exception()) << std::endl;
        }
        if (Simulator::Now().IsZero())
        {
            std::_Exit(2);
        }
        std::abort();
    });
    try
    {
        body();
        return 0;
    }
    catch (const Done&)
    {
        return 0;
    }
    catch (const Interrupted& interrupted)
    {
        std::cerr << interrupted.what() << std::endl;
        return 128 + interrupted.signal;
    }
    catch (const HpccInputError& error)
    {
        std::cerr << error.what() << std::endl;
        return 2;
    }
    catch (...)
    {
        const bool isZero = Simulator::Now().IsZero();
        std::cerr << WhatOf(std::current_exception()) << std::endl;
        return isZero ? 2 : 1;
    }
}

} // namespace ns3
