/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-experiment-run.h"

#include "hpcc-drop-report.h"
#include "hpcc-experiment-checks.h"
#include "hpcc-experiment-tables.h"
#include "hpcc-outages.h"
#include "hpcc-run-watch.h"
#include "hpcc-signals.h"

#include "ns3/hpcc-ranks.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <utility>

namespace ns3
{

namespace
{

/**
 * Refuses a flow that exceeds a limit or starts after the end of the run.
 * @param number number of the flow
 * @param flow flow as planned
 * @param scenario scenario of the run
 */
void
CheckFlow(size_t number, const HpccFlowPlan& flow, const HpccExperiment::Scenario& scenario)
{
    const std::string excess = flow.GetExcess();
    HPCC_REFUSE_IF(!excess.empty(), "flow " + std::to_string(number) + " is impossible: " + excess);
    const int64_t stopNs = scenario.stop.GetNanoSeconds();
    HPCC_REFUSE_IF(flow.startNs >= stopNs && !scenario.startsAfterStop,
                   "flow " + std::to_string(number) + " would start at " +
                       std::to_string(flow.startNs) + " ns, but the run ends at " +
                       std::to_string(stopNs) + " ns at the latest; allowed is an earlier start");
}

} // namespace

HpccExperiment::OneRun::OneRun(HpccExperiment& experiment,
                               const Plan& plan,
                               const Scenario& scenario,
                               Tables* tables)
    : m_experiment(experiment),
      m_values(*experiment.m_values),
      m_plan(plan),
      m_scenario(scenario),
      m_tables(tables)
{
}

void
HpccExperiment::OneRun::Build(const Configure& configure)
{
    m_experiment.SetUp(m_fabric, m_scenario.topology);
    Planner(m_experiment).SetMarking(m_plan, m_scenario.beside, m_fabric);
    if (configure)
    {
        configure(m_fabric);
    }
    m_fabric.Install(m_scenario.topology);
    if (!m_values.watchdog.empty())
    {
        m_fabric.AddSwitchAgent(m_values.watchdog);
        m_storms.Watch(m_fabric);
    }
    m_fabric.AssignStreams(1);
    m_fabric.CheckNic(m_scenario.stop);
    m_experiment.SetBaseRtt(m_fabric, m_scenario.baseRttNs);
    HpccBorders(m_values.borders).AddTo(m_fabric);
}

void
HpccExperiment::OneRun::Connect()
{
    Flows flows = ConnectFlows();
    FindCutOffs(flows.plans);
    MakeMonitor(std::move(flows));
    if (m_scenario.drive)
    {
        m_scenario.drive(m_fabric,
                         {m_plan.policy, m_plan.telemetry, m_plan.spec.feedbackName},
                         *m_monitor);
    }
    if (m_tables)
    {
        WarnOfPolicies();
        Checks(m_experiment).WarnOfHeadroom(m_fabric);
        Checks(m_experiment).WarnOfOther(m_plan, m_fabric, m_scenario.flows.size() > 1);
    }
    if (m_scenario.connectAll)
    {
        m_scenario.connectAll(m_fabric, m_plan.spec); // may connect queue pairs with messages that
                                                      // the monitor ignores
    }
    else
    {
        HpccBorders(m_values.borders).CheckFlows(m_fabric, m_monitor->GetFlows());
    }
    if (m_tables)
    {
        m_experiment.ClaimOut();
    }
    if (m_scenario.connected)
    {
        m_scenario.connected(m_fabric);
    }
    Checks(m_experiment).NoteFormats(m_plan, m_fabric);
    Checks(m_experiment).NoteHosts(m_fabric);
    Checks(m_experiment).NoteDependents(m_fabric);
}

HpccExperiment::OneRun::Flows
HpccExperiment::OneRun::ConnectFlows()
{
    Flows flows{m_scenario.flows};
    for (size_t i = 0; i < flows.plans.size(); ++i)
    {
        HpccFlowPlan& flow = flows.plans[i];
        CheckFlow(i, flow, m_scenario);
        if (!m_scenario.drive && flow.startNs == HpccFlowPlan::NOT_PLANNED)
        {
            flow.queuePair = m_scenario.connectJob(m_fabric, flow, m_plan.spec);
            continue;
        }
        if (!m_scenario.drive)
        {
            flow.queuePair = ConnectFlow(i, flow);
        }
        m_firstStartNs = std::min(m_firstStartNs, flow.startNs);
        flows.lastStartNs = std::max(flows.lastStartNs, flow.startNs);
    }
    return flows;
}

uint32_t
HpccExperiment::OneRun::ConnectFlow(size_t number, const HpccFlowPlan& flow)
{
    auto own = m_plan.spec;
    if (m_scenario.tunePolicy)
    {
        m_scenario.tunePolicy(number, own.policy);
    }
    const uint32_t queuePair =
        m_scenario.connect
            ? m_scenario.connect(m_fabric, flow, m_plan.spec)
            : m_fabric.Connect(flow.source,
                               flow.destination,
                               own,
                               m_scenario.sourcePort ? m_scenario.sourcePort(m_fabric, flow) : 0,
                               m_scenario.bulk,
                               flow.verb == RdmaVerb::READ);
    m_fabric.AddMessage(flow.source, queuePair, flow.bytes, NanoSeconds(flow.startNs), flow.verb);
    return queuePair;
}

void
HpccExperiment::OneRun::WarnOfPolicies()
{
    const bool several = m_scenario.flows.size() > 1;
    if (m_values.otherPolicies.empty())
    {
        Checks(m_experiment).WarnOfTimeout(m_fabric);
        Checks(m_experiment).WarnOf(m_plan.spec, m_fabric, several);
    }
    for (const std::string& policy : m_scenario.beside)
    {
        Checks(m_experiment).WarnOf(m_experiment.RdmaSpecOf(policy), m_fabric, several);
    }
}

void
HpccExperiment::OneRun::FindCutOffs(const std::vector<HpccFlowPlan>& plans)
{
    const bool stopIsLimit = m_scenario.stopIsLimit || m_scenario.stop == Scenario().stop;
    const auto other = m_values.otherPolicies.find(m_plan.policy);
    const bool givesUp = other != m_values.otherPolicies.end() && other->second.givesUp;
    if (stopIsLimit && !givesUp && !m_experiment.IsGiven("stop") && !m_experiment.IsGiven("end"))
    {
        m_cutOffsNs = HpccOutages(m_values.outages)
                          .CheckFlows(m_fabric,
                                      plans,
                                      {!m_scenario.drive,
                                       m_values.ports.find("+move") != std::string::npos,
                                       m_experiment.m_options.count("stop") > 0});
    }
}

void
HpccExperiment::OneRun::MakeMonitor(Flows flows)
{
    const int64_t settleNs =
        flows.lastStartNs + (m_values.settle.empty() ? 30 * m_fabric.GetNetworkBaseRttNs()
                                                     : Time(m_values.settle).GetNanoSeconds());
    Checks(m_experiment).CheckSettle(settleNs, m_scenario.stop);
    m_monitor.emplace(m_fabric,
                      std::move(flows.plans),
                      settleNs,
                      m_scenario.bulk            ? HpccMonitor::COUNTS
                      : m_scenario.perFlowSeries ? HpccMonitor::FLOW_SERIES
                                                 : HpccMonitor::SERIES);
    m_monitor->SetQueueResolutionNs(m_values.queueResolution.GetNanoSeconds());
    const size_t flowCount = m_monitor->GetFlows().size();
    for (size_t i = 0; m_scenario.idealFctNs && i < flowCount; ++i)
    {
        m_monitor->SetIdealNs(i, m_scenario.idealFctNs(m_fabric, m_monitor->GetFlows()[i]));
    }
}

HpccSummary
HpccExperiment::OneRun::Simulate(HpccSignals& signals)
{
    Announce();
    HpccRunWatch watch(m_fabric,
                       *m_monitor,
                       signals,
                       m_plan.label,
                       m_monitor->GetFlows().size(),
                       NanoSeconds(m_firstStartNs == INT64_MAX ? 0 : m_firstStartNs),
                       m_scenario.stop,
                       m_scenario.linger,
                       m_values.progress,
                       m_scenario.progress);
    watch.SetCutOffs(m_cutOffsNs);
    if (!m_values.ranks) // with several ranks, only Summarize() completes the results
    {
        watch.SetOnCheck(
            [this] { m_tables->WriteFinishedFlows(m_plan.label, m_scenario, *m_monitor); });
    }
    Simulator::Run();
    m_fabric.ClosePcap();
    m_values.signal = watch.GetSignal();
    HpccSummary summary;
    if (m_values.signal == 0)
    {
        summary = m_monitor->Summarize();
        CheckStatistics(summary);
        WarnOfDeadlock(summary);
        Write(summary);
    }
    ReportFaults(summary);
    return summary;
}

void
HpccExperiment::OneRun::Announce()
{
    if (m_values.ranks)
    {
        m_monitor->RequireSameFlows();
    }
    if (m_values.queuePairCsv)
    {
        m_tables->WatchQueuePairs(m_plan.label, m_fabric);
    }
    Checks(m_experiment).WarnOfPaths(m_fabric, *m_monitor);
    if (m_values.pcap)
    {
        std::string name = m_plan.label;
        std::replace(name.begin(), name.end(), '/', '-');
        m_fabric.EnablePcapAll(m_values.out + "/" + name, true);
    }
    if (m_values.progress)
    {
        std::cerr << m_values.name << ": " << m_plan.policy << " with telemetry "
                  << m_plan.spec.telemetryName
                  << ", T = " << FormatUs(m_fabric.GetNetworkBaseRttNs()) << " us, "
                  << m_monitor->GetFlows().size() << " flows" << std::endl;
    }
}

void
HpccExperiment::OneRun::CheckStatistics(const HpccSummary& summary) const
{
    if (!m_experiment.IsGiven("settle") || summary.settled)
    {
        return;
    }
    constexpr int64_t bin = HpccMonitor::BIN_NS;
    const int64_t lastStartNs = summary.settleNs - Time(m_values.settle).GetNanoSeconds();
    const bool fits = summary.firstCompletionNs / bin > (lastStartNs + bin - 1) / bin;
    throw HpccInputError("--settle=" + m_values.settle + ": in the run of " + m_plan.label +
                         ", statistics would begin at " + FormatUs(summary.settleNs) +
                         " us, but end at " + FormatUs(summary.firstCompletionNs) +
                         " us (first completion or end of the run), without a whole bin of " +
                         "10 us between; allowed are " +
                         (fits ? "shorter times" : "longer flows or runs, or no --settle"));
}

void
HpccExperiment::OneRun::WarnOfDeadlock(const HpccSummary& summary)
{
    const std::vector<uint32_t> cycle = m_fabric.FindPauseCycle();
    if (cycle.empty() || summary.flowsFinished >= summary.flowsStarted)
    {
        return;
    }
    std::cerr << m_values.name << ": " << m_plan.label
              << ": warning: deadlock, each of these switches is paused by the next:";
    for (uint32_t node : cycle)
    {
        std::cerr << " " << node;
    }
    std::cerr << std::endl;
}

void
HpccExperiment::OneRun::Write(const HpccSummary& summary)
{
    if (m_values.queuePairCsv)
    {
        m_tables->WriteQueuePairs();
    }
    if (m_scenario.finished)
    {
        m_scenario.finished(m_fabric, m_monitor->GetFlows(), *m_monitor);
    }
    m_tables->WriteSummary(m_plan.label,
                           m_plan.spec.telemetryName,
                           m_plan.spec.feedbackName,
                           summary,
                           m_scenario.count ? m_scenario.count(m_fabric) : std::vector<uint64_t>{},
                           *m_monitor);
    m_tables->WriteFlows(m_plan.label, m_scenario, *m_monitor);
    if (!m_scenario.bulk)
    {
        m_tables->WriteSeries(m_plan.label, *m_monitor);
    }
}

void
HpccExperiment::OneRun::ReportFaults(const HpccSummary& summary)
{
    const std::string run = m_values.name + ": " + m_plan.label;
    m_storms.Print(run, m_values.ranks);
    const std::string drops = HpccDropReport::Describe(m_fabric);
    const std::string untrimmed =
        m_values.trimming == "none" ? "" : HpccDropReport::DescribeUntrimmed(m_fabric);
    if (m_values.signal == 0 && (!m_values.ranks || m_values.ranks->GetRank() == 0))
    {
        if (!drops.empty())
        {
            std::cerr << run + ": " + drops + "\n";
        }
        if (!untrimmed.empty())
        {
            std::cerr << run + ": warning: --trimming=" + m_values.trimming + ": " + untrimmed +
                             "\n";
        }
        const HpccOutages outages(m_values.outages);
        outages.Print(run, summary.endNs);
        outages.PrintLost(run, *m_monitor, m_cutOffsNs, summary.endNs);
    }
}

void
HpccExperiment::OneRun::SimulateUntilUsed()
{
    const std::function<void()> look = [&] {
        m_fabric.CatchUp();
        if (Checks(m_experiment).HasIdleDefaults() &&
            !m_monitor->AreFinishedBefore(Simulator::Now().GetNanoSeconds()))
        {
            Simulator::Schedule(MicroSeconds(10), look);
            return;
        }
        Simulator::Stop();
    };
    Simulator::Schedule(MicroSeconds(10), look);
    Simulator::Stop(m_scenario.stop);
    Simulator::Run();
}

} // namespace ns3
