/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-monitor-port.h"
#include "hpcc-monitor.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/qbb-net-device.h"
#include "ns3/rdma-host.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// The part of HpccMonitor that computes the results after the run.

namespace ns3
{

double
HpccMonitor::Jain() const
{
    double sum = 0;
    double squares = 0;
    bool started = true;
    for (size_t i = 0; i < m_states.size(); ++i)
    {
        const FlowState& state = m_states[i];
        uint64_t bytes = state.nowNs == m_firstCompletionNs ? state.beforeNow : state.total;
        auto received = static_cast<double>(
            state.nowNs < m_lastStartNs ? 0 : bytes - std::min(bytes, state.atLastStart));
        sum += received;
        squares += received * received;
        started = started && m_flows[i].startNs != HpccFlowPlan::NOT_PLANNED;
    }
    return started && squares > 0 ? sum * sum / (static_cast<double>(m_states.size()) * squares)
                                  : std::nan("");
}

void
HpccMonitor::SumCounters(HpccSummary& s) const
{
    for (const auto& device : m_fabric.GetDevices())
    {
        if (!device)
        {
            continue;
        }
        s.pfcPauses += device->GetPauses();
        s.drops += device->GetDrops();
        s.packetHops += device->GetTxFrames();
    }
    for (uint32_t host : m_fabric.GetTopology().GetHosts())
    {
        if (!m_fabric.IsHere(host))
        {
            continue;
        }
        Ptr<RdmaHost> stack = m_fabric.GetHost(host);
        s.probes += stack->GetProbesSent();
        s.probeBytes += stack->GetProbeBytes();
        s.notifications += stack->GetNotificationsSent();
    }
    for (uint32_t i = 0; i < m_fabric.GetNodes().GetN(); ++i)
    {
        s.events +=
            m_fabric.IsHere(i) ? NodeAgenda::Of(m_fabric.GetNodes().Get(i))->GetEvents() : 0;
    }
}

void
HpccMonitor::SummarizeFlows(HpccSummary& s) const
{
    s.flowsStarted = m_flows.size();
    s.flowsFinished = m_finished;
    std::vector<double> fct;
    for (size_t i = 0; i < m_flows.size(); ++i)
    {
        if (m_results[i].endNs >= 0)
        {
            fct.push_back(static_cast<double>(m_results[i].endNs - m_flows[i].startNs) / 1e3);
        }
    }
    std::sort(fct.begin(), fct.end());
    s.fctP50Us = Quantile(fct, 0.5);
    s.fctP99Us = Quantile(fct, 0.99);
}

void
HpccMonitor::SummarizeQueue(HpccSummary& s, const Port& port)
{
    s.queuePeakBytes = port.peak;
    std::map<uint64_t, int64_t> sorted(port.timeAt.begin(), port.timeAt.end());
    double total = 0;
    for (auto [bytes, ns] : sorted)
    {
        total += static_cast<double>(ns);
        s.queueMeanBytes += static_cast<double>(bytes) * static_cast<double>(ns);
    }
    s.queueMeanBytes = total > 0 ? s.queueMeanBytes / total : 0;
    double below = 0;
    bool have95 = false;
    for (auto [bytes, ns] : sorted)
    {
        below += static_cast<double>(ns);
        if (!have95 && below >= 0.95 * total)
        {
            s.queueP95Bytes = bytes;
            have95 = true;
        }
        if (below >= 0.99 * total)
        {
            s.queueP99Bytes = bytes;
            break;
        }
    }
}

void
HpccMonitor::SummarizeThroughput(HpccSummary& s, const Port& port) const
{
    int64_t firstBin = (m_settleNs - m_originNs + BIN_NS - 1) / BIN_NS;
    int64_t lastBin = (s.firstCompletionNs - m_originNs) / BIN_NS;
    const auto& sent = port.bins.GetBytes();
    double sum = 0;
    double least = 1e300;
    for (int64_t bin = firstBin; bin < lastBin; ++bin)
    {
        auto i = static_cast<size_t>(bin);
        double gbps = i < sent.size() ? static_cast<double>(sent[i]) * 8 / BIN_NS : 0;
        sum += gbps;
        least = std::min(least, gbps);
    }
    if (lastBin > firstBin && m_detail != COUNTS)
    {
        s.settled = true;
        s.throughputMeanGbps = sum / static_cast<double>(lastBin - firstBin);
        s.throughputMinGbps = least;
    }
}

void
HpccMonitor::RequireClock(const char* function) const
{
    int64_t lastNs = 0;
    for (const auto& port : m_ports)
    {
        if (port && port->device)
        {
            lastNs = std::max({lastNs, port->sinceNs, port->sentNs});
        }
    }
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    HPCC_REFUSE_IF(nowNs < lastNs,
                   std::string("ns3::HpccMonitor::") + function + ": the time is " +
                       std::to_string(nowNs) + " ns, before the last record at " +
                       std::to_string(lastNs) + " ns; call it before Simulator::Destroy()");
}

void
HpccMonitor::RequireSeries(const char* function) const
{
    HPCC_REFUSE_IF(m_detail == COUNTS,
                   std::string("ns3::HpccMonitor::") + function +
                       ": a monitor with COUNTS has no series; allowed are SERIES and FLOW_SERIES");
}

HpccSummary
HpccMonitor::Summarize()
{
    RequireClock("Summarize");
    HpccSummary s;
    SumCounters(s);
    if (m_fabric.GetRanks())
    {
        MergeCounts(s);
    }
    Settle(INT64_MAX);
    for (const auto& port : m_ports)
    {
        if (port)
        {
            port->Settle(INT64_MAX);
        }
    }
    if (m_fabric.GetRanks())
    {
        MergeSeries();
    }
    SummarizeFlows(s);
    Port port = Bottleneck();
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    port.Integrate(*this, {nowNs, port.bytes});
    s.settleNs = m_settleNs;
    s.firstCompletionNs = std::min(nowNs, m_firstCompletionNs);
    s.endNs = nowNs;
    SummarizeQueue(s, port);
    SummarizeThroughput(s, port);
    if (!s.settled)
    {
        s.queueMeanBytes = s.throughputMeanGbps = s.throughputMinGbps = std::nan("");
    }
    s.jainIndex = m_detail == COUNTS ? std::nan("") : Jain();
    s.wireOverheadPercent = m_payloadHopBytes > 0
                                ? 100.0 * static_cast<double>(m_overheadHopBytes) /
                                      static_cast<double>(m_payloadHopBytes)
                                : std::nan("");
    return s;
}

double
HpccMonitor::Quantile(const std::vector<double>& sorted, double q)
{
    if (sorted.empty())
    {
        return std::nan("");
    }
    auto rank = static_cast<size_t>(std::ceil(q * static_cast<double>(sorted.size())));
    return sorted[std::clamp<size_t>(rank, 1, sorted.size()) - 1];
}

double
HpccMonitor::GetGoodputGbps() const
{
    RequireSeries("GetGoodputGbps");
    RequireClock("GetGoodputGbps");
    const int64_t endNs = std::min(Simulator::Now().GetNanoSeconds(), m_firstCompletionNs);
    if (endNs <= m_settleNs)
    {
        return std::nan("");
    }
    uint64_t bytes = 0;
    for (const auto& state : m_states)
    {
        bytes += state.total - state.atSettle;
    }
    return static_cast<double>(bytes) * 8 / static_cast<double>(endNs - m_settleNs);
}

double
HpccMonitor::GetMeanQueueBytes() const
{
    RequireSeries("GetMeanQueueBytes");
    Port port = Bottleneck();
    int64_t untilNs = std::max(port.sinceNs, port.sentNs);
    port.Integrate(*this, {untilNs, port.bytes});
    return untilNs > m_firstStartNs ? port.area / static_cast<double>(untilNs - m_firstStartNs) : 0;
}

std::vector<HpccMonitor::Sample>
HpccMonitor::GetQueueSeries() const
{
    RequireSeries("GetQueueSeries");
    return Bottleneck().GetQueueRows();
}

std::vector<HpccMonitor::Sample>
HpccMonitor::GetQueueSeries(uint32_t node, uint32_t port) const
{
    const std::string name = "ns3::HpccMonitor::GetQueueSeries: node " + std::to_string(node) + " ";
    HPCC_REFUSE_IF(m_detail == COUNTS,
                   name + "has no series with COUNTS; allowed are SERIES and FLOW_SERIES");
    Ptr<QbbNetDevice> device = m_fabric.GetDevice(node, port);
    HPCC_REFUSE_IF(!device || !m_fabric.GetTopology().IsSwitch(node),
                   name + (device ? "is a host" : "is at another rank") +
                       "; allowed are the switches of this process");
    const auto& devices = m_fabric.GetDevices();
    const auto index = std::find(devices.begin(), devices.end(), device) - devices.begin();
    return m_ports[static_cast<size_t>(index)]->GetQueueRows();
}

std::vector<HpccMonitor::Sample>
HpccMonitor::RatesOf(const std::vector<uint64_t>& bins, int64_t originNs, int64_t binNs)
{
    std::vector<Sample> series;
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    int64_t startNs = originNs;
    for (size_t i = 0; i <= bins.size() && startNs <= nowNs; ++i, startNs += binNs)
    {
        const uint64_t bytes = i < bins.size() ? bins[i] : 0;
        series.push_back({startNs, static_cast<double>(bytes) * 8 / static_cast<double>(binNs)});
    }
    return series;
}

std::vector<HpccMonitor::Sample>
HpccMonitor::GetThroughputSeries() const
{
    RequireSeries("GetThroughputSeries");
    RequireClock("GetThroughputSeries");
    return RatesOf(Bottleneck().bins.GetBytes(), m_originNs);
}

std::vector<HpccMonitor::Sample>
HpccMonitor::GetFlowSeries(size_t flow) const
{
    RequireFlow("GetFlowSeries", flow);
    HPCC_REFUSE_IF(m_detail != FLOW_SERIES,
                   "ns3::HpccMonitor::GetFlowSeries: flow " + std::to_string(flow) +
                       " has no series; allowed is a monitor with FLOW_SERIES");
    RequireClock("GetFlowSeries");
    return RatesOf(m_states[flow].bins, m_originNs);
}

} // namespace ns3
