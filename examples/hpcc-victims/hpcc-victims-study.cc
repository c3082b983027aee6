/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-victims-study.h"

#include "ns3/qbb-flow-control.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

constexpr uint32_t MAX_BURSTS = 1000000; ///< largest number of bursts per host

} // namespace

HpccVictims::HpccVictims(const Parameters& parameters)
    : m_parameters(parameters)
{
    const auto& p = m_parameters;
    RequireRange("bursters", p.bursters, 1, HpccTopology::MAX_NODES);
    RequireRange("bursts", p.bursts, 1, MAX_BURSTS);
    RequireAtLeast("burst-bytes", p.burstBytes, 1);
    HPCC_REFUSE_IF(p.end <= p.from, "end: must be later than from");
    HPCC_REFUSE_IF(!(p.cutShare > 0 && p.cutShare < 1),
                   "cut: " + std::to_string(p.cutShare) + " is not allowed; above 0, below 1");
}

HpccTopology
HpccVictims::MakeTopology() const
{
    const auto& p = m_parameters;
    HpccTopology topology;
    const uint32_t hosts = FIRST_BURSTER + p.bursters;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        topology.AddNode(false);
    }
    const uint32_t near = topology.AddNode(true);
    const uint32_t far = topology.AddNode(true);
    topology.AddLink({near, far, p.rate, p.delay});
    for (uint32_t i = 0; i < hosts; ++i)
    {
        const bool source = i <= CULPRIT;
        topology.AddLink({i, source ? near : far, source ? p.source : p.rate, p.delay});
    }
    return topology;
}

std::vector<HpccFlowPlan>
HpccVictims::MakeFlows() const
{
    const auto& p = m_parameters;
    const auto endless = static_cast<uint64_t>(p.source.GetBitRate() / 8 * p.end.GetSeconds()) + 1;
    std::vector<HpccFlowPlan> flows{{VICTIM, VICTIM_SINK, endless, 0, 0, 0},
                                    {CULPRIT, CULPRIT_SINK, endless, 0, 0, 0}};
    for (uint32_t burst = 0; burst < p.bursts; ++burst)
    {
        const int64_t startNs = p.from.GetNanoSeconds() + burst * p.gap.GetNanoSeconds();
        for (uint32_t i = 0; i < p.bursters; ++i)
        {
            flows.push_back({FIRST_BURSTER + i, CULPRIT_SINK, p.burstBytes, startNs, 0, 0});
        }
    }
    return flows;
}

void
HpccVictims::Watch(HpccFabricHelper& fabric)
{
    m_limits.clear();
    m_received.fill(0);
    for (uint32_t host : fabric.GetTopology().GetHosts())
    {
        fabric.GetHost(host)->TraceConnectWithoutContext(
            "Acknowledged",
            MakeBoundCallback(&HpccVictims::Note, this, host));
        fabric.GetHost(host)->TraceConnectWithoutContext(
            "PayloadArrived",
            MakeBoundCallback(&HpccVictims::Receive, this));
    }
    Simulator::Schedule(m_parameters.from, [this, &fabric] {
        fabric.CatchUp();
        m_pausesBefore = PausesOf(fabric);
    });
}

void
HpccVictims::Note(HpccVictims* victims,
                  uint32_t host,
                  const RdmaQueuePair& qp,
                  int64_t nowNs,
                  int64_t)
{
    const RdmaCongestionSample sample = qp.ops->Observe(qp.cc);
    const double windowBps = sample.windowBytes * 8e9 / static_cast<double>(qp.baseRttNs);
    const auto lineBps = static_cast<double>(
        (host <= CULPRIT ? victims->m_parameters.source : victims->m_parameters.rate).GetBitRate());
    const double limitBps = std::fmin(std::fmin(sample.rateBps, windowBps), lineBps);
    Limit& limit = victims->m_limits[{host, qp.number}];
    if (limit.sinceNs > 0)
    {
        limit.series.Add(limit.sinceNs, nowNs, limit.nowBps);
    }
    limit.sinceNs = nowNs;
    limit.nowBps = limitBps;
    limit.highestBps = std::max(limit.highestBps, limitBps);
    const bool cut = limitBps <= limit.highestBps * (1 - victims->m_parameters.cutShare);
    if (cut)
    {
        limit.highestBps = limitBps;
    }
    if (nowNs >= victims->m_parameters.from.GetNanoSeconds())
    {
        limit.outcome.cuts += cut;
        limit.outcome.lowestBps = std::min(limit.outcome.lowestBps, limitBps);
    }
}

void
HpccVictims::Receive(HpccVictims* victims,
                     const RdmaQueuePair& qp,
                     int64_t nowNs,
                     uint32_t bytes,
                     uint8_t)
{
    if (nowNs >= victims->m_parameters.from.GetNanoSeconds())
    {
        const uint32_t source = HpccFabricHelper::GetHostNumber(qp.peer);
        victims->m_received[std::min(source, FIRST_BURSTER)] += bytes;
    }
}

double
HpccVictims::GoodputBps(uint32_t source) const
{
    const auto ns = static_cast<double>((m_parameters.end - m_parameters.from).GetNanoSeconds());
    return static_cast<double>(m_received[source]) * 8e9 / ns;
}

HpccVictims::FlowOutcome
HpccVictims::OutcomeOf(uint32_t flow) const
{
    const auto limit = m_limits.find({flow, FIRST_QUEUE_PAIR});
    FlowOutcome outcome = limit != m_limits.end() ? limit->second.outcome : FlowOutcome{};
    outcome.goodputBps = GoodputBps(flow);
    return outcome;
}

std::vector<HpccSeries::Sample>
HpccVictims::GetLimits(uint32_t flow) const
{
    const auto limit = m_limits.find({flow, FIRST_QUEUE_PAIR});
    if (limit == m_limits.end())
    {
        return {};
    }
    return limit->second.series.GetRows(limit->second.sinceNs, limit->second.nowBps);
}

HpccVictims::Pauses
HpccVictims::PausesOf(HpccFabricHelper& fabric)
{
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    Pauses pauses;
    for (const auto& device : fabric.GetDevices())
    {
        pauses.ended += device->GetPausesEnded();
    }
    pauses.uplinkNs = fabric.GetDevices().front()->GetFlowControl().GetPausedNs(nowNs);
    pauses.victimNs = fabric.GetHost(VICTIM)->GetPort().GetFlowControl().GetPausedNs(nowNs);
    return pauses;
}

HpccVictims::Outcome
HpccVictims::Collect(HpccFabricHelper& fabric, const HpccMonitor& monitor) const
{
    Outcome outcome;
    outcome.victim = OutcomeOf(VICTIM);
    outcome.culprit = OutcomeOf(CULPRIT);
    outcome.burstsBps = GoodputBps(FIRST_BURSTER);
    const auto& results = monitor.GetResults();
    uint64_t cuts = 0;
    for (const auto& [pair, limit] : m_limits)
    {
        cuts += pair.first >= FIRST_BURSTER ? limit.outcome.cuts : 0;
    }
    outcome.burstCutsMean = static_cast<double>(cuts) / static_cast<double>(results.size() - 2);
    const Pauses pauses = PausesOf(fabric);
    outcome.pauses = pauses.ended - m_pausesBefore.ended;
    outcome.uplinkPausedNs = pauses.uplinkNs - m_pausesBefore.uplinkNs;
    outcome.victimPausedNs = pauses.victimNs - m_pausesBefore.victimNs;
    const auto last = std::max_element(results.begin() + 2, results.end(), [](auto& a, auto& b) {
        return a.acknowledgedNs < b.acknowledgedNs;
    });
    const bool done = std::all_of(results.begin() + 2, results.end(), [](const auto& result) {
        return result.acknowledgedNs >= 0;
    });
    outcome.lastBurstNs = done ? last->acknowledgedNs - m_parameters.from.GetNanoSeconds() : -1;
    return outcome;
}

} // namespace ns3
