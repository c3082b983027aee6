/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-workload-monitor.h"

#include "hpcc-byte-stream.h"

#include "ns3/hpcc-ranks.h"

#include <algorithm>
#include <utility>

namespace ns3
{

class HpccWorkloadMonitor::Sampler : public AgendaClient
{
  public:
    Sampler(HpccWorkloadMonitor& monitor,
            QbbSwitch& device,
            int64_t sampleNs,
            int64_t untilNs,
            int64_t fromNs)
        : m_monitor(monitor),
          m_device(device),
          m_agenda(device.GetPorts().front()->GetAgenda()),
          m_index(m_agenda.Register(AgendaKind::SAMPLER, this)),
          m_sampleNs(sampleNs),
          m_untilNs(untilNs)
    {
        const int64_t firstNs = fromNs / sampleNs * sampleNs + sampleNs;
        if (firstNs <= untilNs)
        {
            m_agenda.Schedule(AgendaKind::SAMPLER, m_index, firstNs);
        }
    }

    void Due(AgendaKind, uint32_t, int64_t nowNs) override
    {
        for (const QbbNetDevice* port : m_device.GetPorts())
        {
            m_monitor.m_queues.Add(port->GetQueueBytes());
        }
        if (nowNs + m_sampleNs <= m_untilNs)
        {
            m_agenda.Schedule(AgendaKind::SAMPLER, m_index, nowNs + m_sampleNs);
        }
    }

  private:
    HpccWorkloadMonitor& m_monitor;
    QbbSwitch& m_device;
    NodeAgenda& m_agenda;
    uint32_t m_index;
    int64_t m_sampleNs;
    int64_t m_untilNs;
};

HpccWorkloadMonitor::HpccWorkloadMonitor(HpccFabricHelper& fabric,
                                         int64_t sampleNs,
                                         int64_t untilNs,
                                         int64_t fromNs)
{
    HPCC_REFUSE_IF(sampleNs < 1,
                   "ns3::HpccWorkloadMonitor: " + std::to_string(sampleNs) +
                       " ns between samples; allowed is at least 1 ns");
    const auto& topology = fabric.GetTopology();
    for (uint32_t node = 0; node < topology.GetNodes(); ++node)
    {
        if (!fabric.IsHere(node))
        {
            continue;
        }
        if (topology.IsSwitch(node) && fabric.GetSwitch(node)->GetPorts().empty())
        {
            continue; // a switch without links has no queues and no agenda
        }
        if (topology.IsSwitch(node))
        {
            m_samplers.push_back(std::make_unique<Sampler>(*this,
                                                           *fabric.GetSwitch(node),
                                                           sampleNs,
                                                           untilNs,
                                                           fromNs));
        }
        else
        {
            fabric.GetHost(node)->TraceConnectWithoutContext(
                "Acknowledged",
                MakeCallback(&HpccWorkloadMonitor::Acknowledged, this));
        }
    }
}

HpccWorkloadMonitor::~HpccWorkloadMonitor() = default;

void
HpccWorkloadMonitor::Merge(const HpccFabricHelper& fabric)
{
    if (!fabric.GetRanks())
    {
        return;
    }
    HpccByteStream mine;
    for (const HpccHistogram* histogram : {&m_queues, &m_rtts})
    {
        mine.Put(histogram->GetCounts());
        mine.Put(histogram->GetMost());
    }
    m_queues = m_rtts = HpccHistogram();
    for (const std::string& bytes : fabric.GetRanks()->Exchange(mine.GetBytes()))
    {
        HpccByteStream theirs(bytes);
        for (HpccHistogram* histogram : {&m_queues, &m_rtts})
        {
            const auto counts = theirs.GetVector<uint64_t>();
            histogram->Merge(counts, theirs.Get<uint64_t>());
        }
        theirs.RequireEnd();
    }
}

void
HpccWorkloadMonitor::Acknowledged(const RdmaQueuePair&, int64_t, int64_t rttNs)
{
    if (rttNs >= 0)
    {
        m_rtts.Add(static_cast<uint64_t>(rttNs));
    }
}

std::vector<HpccWorkloadMonitor::SlowdownBin>
HpccWorkloadMonitor::GetSlowdowns(const std::vector<HpccFlowPlan>& flows,
                                  const HpccFlowTrace& trace,
                                  const std::vector<HpccFlowOutcome>& results,
                                  HpccFlowClass flowClass,
                                  size_t bins,
                                  double floor)
{
    HPCC_REFUSE_IF(bins < 1 || results.size() < flows.size(),
                   "ns3::HpccWorkloadMonitor::GetSlowdowns: " + std::to_string(bins) +
                       " bins and " + std::to_string(results.size()) + " results of " +
                       std::to_string(flows.size()) +
                       " flows; allowed are at least 1 bin and a result of each flow");
    std::vector<uint32_t> finished;
    for (size_t i = 0; i < flows.size(); ++i)
    {
        if (trace.GetClass(i) == flowClass && results[i].endNs >= 0)
        {
            finished.push_back(static_cast<uint32_t>(i));
        }
    }
    std::stable_sort(finished.begin(), finished.end(), [&flows](uint32_t a, uint32_t b) {
        return flows[a].bytes < flows[b].bytes;
    });
    std::vector<SlowdownBin> out;
    for (size_t bin = 0; bin < bins; ++bin)
    {
        size_t from = finished.size() * bin / bins;
        size_t to = finished.size() * (bin + 1) / bins;
        if (from == to)
        {
            continue;
        }
        std::vector<double> slowdowns;
        SlowdownBin row;
        for (size_t i = from; i < to; ++i)
        {
            const HpccFlowOutcome& result = results[finished[i]];
            auto fctNs = static_cast<double>(result.endNs - flows[finished[i]].startNs);
            slowdowns.push_back(std::max(floor, fctNs / static_cast<double>(result.idealNs)));
            row.mean += slowdowns.back() / static_cast<double>(to - from);
        }
        std::sort(slowdowns.begin(), slowdowns.end());
        row.number = bin + 1;
        row.maxBytes = flows[finished[to - 1]].bytes;
        row.flows = to - from;
        row.p50 = HpccMonitor::Quantile(slowdowns, 0.5);
        row.p95 = HpccMonitor::Quantile(slowdowns, 0.95);
        row.p99 = HpccMonitor::Quantile(slowdowns, 0.99);
        out.push_back(row);
    }
    return out;
}

} // namespace ns3
