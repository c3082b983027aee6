/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-drop-report.h"
#include "hpcc-experiment-checks.h"
#include "hpcc-experiment-tables.h"
#include "hpcc-outages.h"
#include "hpcc-partition.h"
#include "hpcc-run-watch.h"
#include "hpcc-signals.h"
#include "hpcc-storm-report.h"
#include "hpcc-topology.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <new>

namespace ns3
{

namespace
{

/// Returns one line with the reason of the exception that ends a program.
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

/// The flows of a run.
struct RunFlows
{
    std::vector<HpccFlowPlan> plans; ///< the flows, with their queue pairs
    int64_t firstStartNs{INT64_MAX}; ///< earliest planned start, ns
    int64_t lastStartNs{0};          ///< latest planned start, ns
};

/**
 * Refuses a flow that exceeds a limit or starts after the end of the run.
 * @param number its number
 * @param flow the flow
 * @param scenario its scenario
 */
void
CheckFlow(size_t number, const HpccFlowPlan& flow, const HpccExperiment::Scenario& scenario)
{
    const std::string excess = flow.GetExcess();
    if (!excess.empty())
    {
        throw HpccInputError("flow " + std::to_string(number) + " is impossible: " + excess);
    }
    const int64_t stopNs = scenario.stop.GetNanoSeconds();
    if (flow.startNs >= stopNs && !scenario.startsAfterStop)
    {
        throw HpccInputError("flow " + std::to_string(number) + " would start at " +
                             std::to_string(flow.startNs) + " ns, but the run ends at " +
                             std::to_string(stopNs) +
                             " ns at the latest; an earlier start is allowed");
    }
}

/**
 * Connects a flow and posts its message.
 * @param fabric the network
 * @param scenario the scenario
 * @param spec policy and telemetry of the run
 * @param number number of the flow
 * @param flow the flow
 * @return its queue pair
 */
uint32_t
ConnectFlow(HpccFabricHelper& fabric,
            const HpccExperiment::Scenario& scenario,
            const HpccFabricHelper::PolicySpec& spec,
            size_t number,
            const HpccFlowPlan& flow)
{
    auto own = spec;
    if (scenario.tunePolicy)
    {
        scenario.tunePolicy(number, own.policy);
    }
    const uint32_t queuePair =
        scenario.connect
            ? scenario.connect(fabric, flow, spec)
            : fabric.Connect(flow.source,
                             flow.destination,
                             own,
                             scenario.sourcePort ? scenario.sourcePort(fabric, flow) : 0,
                             scenario.bulk,
                             flow.verb == RdmaVerb::READ);
    fabric.AddMessage(flow.source, queuePair, flow.bytes, NanoSeconds(flow.startNs), flow.verb);
    return queuePair;
}

/**
 * Checks the flows of a scenario and connects those that do not belong to Scenario::drive.
 * @param fabric the network
 * @param scenario the scenario
 * @param spec policy and telemetry of the run
 * @return the flows
 */
RunFlows
ConnectFlows(HpccFabricHelper& fabric,
             const HpccExperiment::Scenario& scenario,
             const HpccFabricHelper::PolicySpec& spec)
{
    RunFlows flows{scenario.flows};
    for (size_t i = 0; i < flows.plans.size(); ++i)
    {
        HpccFlowPlan& flow = flows.plans[i];
        CheckFlow(i, flow, scenario);
        if (!scenario.drive && flow.startNs == HpccFlowPlan::NOT_PLANNED)
        {
            flow.queuePair = scenario.connectJob(fabric, flow, spec);
            continue;
        }
        if (!scenario.drive)
        {
            flow.queuePair = ConnectFlow(fabric, scenario, spec, i, flow);
        }
        flows.firstStartNs = std::min(flows.firstStartNs, flow.startNs);
        flows.lastStartNs = std::max(flows.lastStartNs, flow.startNs);
    }
    return flows;
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

    Tables::PrintSummaries(plans, summaries);
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

void
HpccExperiment::SetBaseRtt(HpccFabricHelper& fabric, int64_t defaultNs) const
{
    if (defaultNs > 0)
    {
        fabric.SetNetworkBaseRttNs(defaultNs);
    }
    if (m_values->baseRtt.empty() || m_values->baseRtt == Values::PATH)
    {
        return;
    }
    const int64_t givenNs = Time(m_values->baseRtt).GetNanoSeconds();
    if (givenNs < fabric.GetNetworkBaseRttNs() && m_values->progress)
    {
        std::cerr << m_values->name << ": warning: T = " << FormatUs(givenNs)
                  << " us is below the largest base RTT of the network, "
                  << FormatUs(fabric.GetNetworkBaseRttNs()) << " us" << std::endl;
    }
    fabric.SetNetworkBaseRttNs(givenNs);
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
        HpccFabricHelper fabric;
        SetUp(fabric, scenario.topology);
        Planner(*this).SetMarking(plan, scenario.beside, fabric);
        if (configure)
        {
            configure(fabric);
        }
        fabric.Install(scenario.topology);
        HpccStormReport storms;
        if (!m_values->watchdog.empty())
        {
            fabric.AddSwitchAgent(m_values->watchdog);
            storms.Watch(fabric);
        }
        fabric.AssignStreams(1);
        fabric.CheckNic(scenario.stop);
        SetBaseRtt(fabric, scenario.baseRttNs);
        HpccBorders(m_values->borders).AddTo(fabric);
        RunFlows flows = ConnectFlows(fabric, scenario, plan.spec);
        if (tables)
        {
            Checks(*this).WarnOf(plan.spec, fabric.GetNetworkBaseRttNs());
            for (const std::string& policy : scenario.beside)
            {
                Checks(*this).WarnOf(RdmaSpecOf(policy), fabric.GetNetworkBaseRttNs());
            }
        }
        std::vector<int64_t> cutOffsNs;
        if (!scenario.drive && scenario.stop == Scenario().stop && !IsGiven("stop") &&
            !IsGiven("end"))
        {
            cutOffsNs = HpccOutages(m_values->outages)
                            .CheckFlows(fabric, flows.plans, m_options.count("stop") > 0);
        }
        const int64_t settleNs =
            flows.lastStartNs + (m_values->settle.empty()
                                     ? 30 * fabric.GetNetworkBaseRttNs()
                                     : Time(m_values->settle).GetNanoSeconds());
        Checks(*this).CheckSettle(settleNs, scenario.stop);
        HpccMonitor monitor(fabric,
                            std::move(flows.plans),
                            settleNs,
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
            scenario.drive(fabric, {plan.policy, plan.telemetry, plan.spec.feedbackName}, monitor);
        }
        if (scenario.connectAll)
        {
            scenario.connectAll(fabric, plan.spec); // may add messages that the monitor ignores
        }
        else
        {
            HpccBorders(m_values->borders).CheckFlows(fabric, monitor.GetFlows());
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
        Checks(*this).NoteDependents(fabric);
        if (tables)
        {
            summary = Simulate(plan,
                               scenario,
                               fabric,
                               monitor,
                               flows.firstStartNs,
                               cutOffsNs,
                               *tables,
                               *signals);
            const std::string run = m_values->name + ": " + plan.label;
            storms.Print(run, m_values->ranks);
            const std::string drops = HpccDropReport::Describe(fabric);
            if (m_values->signal == 0 && (!m_values->ranks || m_values->ranks->GetRank() == 0))
            {
                std::cerr << (drops.empty() ? "" : run + ": " + drops + "\n");
                const HpccOutages outages(m_values->outages);
                outages.Print(run, summary.endNs);
                outages.PrintLost(run, monitor, cutOffsNs, summary.endNs);
            }
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
                         const std::vector<int64_t>& cutOffsNs,
                         Tables& tables,
                         HpccSignals& signals)
{
    if (m_values->ranks)
    {
        monitor.RequireSameFlows();
    }
    if (m_values->queuePairCsv)
    {
        tables.WatchQueuePairs(plan.label, fabric);
    }
    Checks(*this).WarnOfPaths(fabric, monitor);
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
    watch.SetCutOffs(cutOffsNs);
    if (!m_values->ranks) // Summarize() gathers the results of the ranks
    {
        watch.SetOnCheck([&] { tables.WriteFinishedFlows(plan.label, scenario, monitor); });
    }
    Simulator::Run();
    fabric.ClosePcap();
    m_values->signal = watch.GetSignal();
    if (m_values->signal != 0)
    {
        return {};
    }
    HpccSummary summary = monitor.Summarize();
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
        tables.WriteQueuePairs();
    }
    if (scenario.finished)
    {
        scenario.finished(fabric, monitor.GetFlows(), monitor);
    }

    tables.WriteSummary(plan.label,
                        plan.spec.telemetryName,
                        plan.spec.feedbackName,
                        summary,
                        scenario.count ? scenario.count(fabric) : std::vector<uint64_t>{},
                        monitor);
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
