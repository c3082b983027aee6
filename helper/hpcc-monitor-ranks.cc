/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-byte-stream.h"
#include "hpcc-monitor-port.h"
#include "hpcc-monitor.h"

#include "ns3/hash.h"
#include "ns3/hpcc-ranks.h"

#include <algorithm>
#include <utility>

// The part of HpccMonitor that merges the records of the ranks.

namespace ns3
{

void
HpccMonitor::RequireSameFlows() const
{
    HpccByteStream flows;
    for (const HpccFlowPlan& flow : m_flows)
    {
        flows.Put(flow.source);
        flows.Put(flow.destination);
        flows.Put(flow.bytes);
        flows.Put(flow.startNs);
    }
    HpccByteStream mine;
    mine.Put(Hash64(flows.GetBytes()));
    for (const std::string& bytes : m_fabric.GetRanks()->Exchange(mine.GetBytes()))
    {
        if (bytes != mine.GetBytes())
        {
            HpccByteStream::Refuse();
        }
    }
}

void
HpccMonitor::MergeCounts(HpccSummary& s)
{
    HpccByteStream mine;
    mine.Put(s);
    mine.Put(m_firstCompletionNs);
    mine.Put(m_lastCompletionNs);
    mine.Put(m_finished);
    mine.Put(m_payloadHopBytes);
    mine.Put(m_overheadHopBytes);
    for (const auto& port : m_ports)
    {
        mine.Put(port ? port->peak : 0);
        mine.Put(port ? port->GetSentUnqueued() : 0);
    }
    for (size_t i = 0; i < m_flows.size(); ++i)
    {
        mine.Put(m_flows[i].startNs);
        mine.Put(m_results[i].endNs);
        mine.Put(m_results[i].receiverEndNs);
        mine.Put(m_results[i].acknowledgedNs);
        mine.Put(m_results[i].arrivedNs);
        mine.Put(m_results[i].endNs >= 0 ? m_flows[i].bytes : 0);
    }
    s = HpccSummary();
    m_finished = m_payloadHopBytes = m_overheadHopBytes = 0;
    for (const std::string& bytes : m_fabric.GetRanks()->Exchange(mine.GetBytes()))
    {
        HpccByteStream theirs(bytes);
        const auto counts = theirs.Get<HpccSummary>();
        s.pfcPauses += counts.pfcPauses;
        s.drops += counts.drops;
        s.packetHops += counts.packetHops;
        s.events += counts.events;
        s.probes += counts.probes;
        s.probeBytes += counts.probeBytes;
        s.notifications += counts.notifications;
        m_firstCompletionNs = std::min(m_firstCompletionNs, theirs.Get<int64_t>());
        m_lastCompletionNs = std::max(m_lastCompletionNs, theirs.Get<int64_t>());
        m_finished += theirs.Get<uint64_t>();
        m_payloadHopBytes += theirs.Get<uint64_t>();
        m_overheadHopBytes += theirs.Get<uint64_t>();
        for (size_t i = 0; i < m_ports.size(); ++i)
        {
            const auto peak = theirs.Get<uint64_t>();
            const auto sent = theirs.Get<uint64_t>();
            if (peak > 0 || sent > 0)
            {
                PortAt(i).peak = std::max(PortAt(i).peak, peak);
            }
            if (sent > 0 && !m_fabric.IsHere(m_fabric.GetNodeOf(i)))
            {
                PortAt(i).sentElsewhere = sent;
            }
        }
        for (size_t i = 0; i < m_flows.size(); ++i)
        {
            m_flows[i].startNs = std::max(m_flows[i].startNs, theirs.Get<int64_t>());
            m_lastStartNs = std::max(m_lastStartNs, m_flows[i].startNs);
            m_results[i].endNs = std::max(m_results[i].endNs, theirs.Get<int64_t>());
            m_results[i].receiverEndNs =
                std::max(m_results[i].receiverEndNs, theirs.Get<int64_t>());
            m_results[i].acknowledgedNs =
                std::max(m_results[i].acknowledgedNs, theirs.Get<int64_t>());
            m_results[i].arrivedNs = std::max(m_results[i].arrivedNs, theirs.Get<int64_t>());
            const auto posted = theirs.Get<uint64_t>();
            if (posted > 0)
            {
                SetBytes(i, posted);
            }
        }
        theirs.RequireEnd();
    }
}

void
HpccMonitor::MergeSeries()
{
    // The rank at which the data of a flow arrive has the record of the flow. The rank of a port's
    // node has the record of the port.
    HpccByteStream mine;
    for (const FlowState& state : m_states)
    {
        mine.Put(state.atSettle);
        mine.Put(state.atLastStart);
        mine.Put(state.beforeNow);
        mine.Put(state.total);
        mine.Put(state.nowNs);
        mine.Put(state.bins);
    }
    const size_t bottleneck = FindBottleneck();
    Port& port = PortAt(bottleneck);
    const bool own = m_fabric.IsHere(m_fabric.GetNodeOf(bottleneck));
    mine.Put(own);
    if (own)
    {
        mine.Put(port.bytes);
        mine.Put(port.area);
        mine.Put(port.sinceNs);
        mine.Put(port.sentNs);
        mine.Put(port.timeAt.size());
        for (const auto& [queued, ns] : port.timeAt)
        {
            mine.Put(queued);
            mine.Put(ns);
        }
        mine.Put(port.queue.GetRows(port.sinceNs, static_cast<double>(port.bytes)));
        mine.Put(port.bins.GetBytes());
    }
    for (const std::string& bytes : m_fabric.GetRanks()->Exchange(mine.GetBytes()))
    {
        HpccByteStream theirs(bytes);
        for (FlowState& state : m_states)
        {
            FlowState other;
            other.atSettle = theirs.Get<uint64_t>();
            other.atLastStart = theirs.Get<uint64_t>();
            other.beforeNow = theirs.Get<uint64_t>();
            other.total = theirs.Get<uint64_t>();
            other.nowNs = theirs.Get<int64_t>();
            other.bins = theirs.GetVector<uint64_t>();
            if (other.nowNs >= 0 || !other.bins.empty())
            {
                state = std::move(other);
            }
        }
        if (theirs.Get<bool>())
        {
            port.bytes = theirs.Get<uint64_t>();
            port.area = theirs.Get<double>();
            port.sinceNs = theirs.Get<int64_t>();
            port.countedNs = port.sinceNs;
            port.sentNs = theirs.Get<int64_t>();
            port.timeAt.clear();
            for (auto times = theirs.Get<size_t>(); times > 0; --times)
            {
                const auto queued = theirs.Get<uint64_t>();
                port.timeAt[queued] = theirs.Get<int64_t>();
            }
            port.queue = HpccSeries(theirs.GetVector<HpccSeries::Sample>());
            port.bins.SetBytes(theirs.GetVector<uint64_t>());
        }
        theirs.RequireEnd();
    }
}

} // namespace ns3
