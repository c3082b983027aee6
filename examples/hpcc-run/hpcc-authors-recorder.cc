/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-authors-recorder.h"

#include "ns3/hpcc-node-agenda.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

constexpr int64_t QLEN_SAMPLE_NS = 100;     ///< time between two samples of a queue, ns
constexpr int64_t QLEN_DUMP_NS = 100000000; ///< time between two dumps of the histograms, ns
constexpr uint64_t QLEN_BIN_BYTES = 1000;   ///< width of a histogram bin, bytes

/// Returns the time of the last sample, ns: the first sample time at or after @p endNs.
int64_t
LastSampleNs(int64_t startNs, int64_t endNs)
{
    const int64_t samples =
        endNs > startNs ? (endNs - startNs + QLEN_SAMPLE_NS - 1) / QLEN_SAMPLE_NS : 0;
    return startNs + samples * QLEN_SAMPLE_NS;
}

} // namespace

AuthorsRecorder::AuthorsRecorder(const HpccFabricHelper& fabric,
                                 int64_t startNs,
                                 int64_t endNs,
                                 int64_t stopNs,
                                 bool queues,
                                 const std::function<uint32_t(const QbbNetDevice&)>& interfaceOf)
    : m_startNs(startNs),
      m_endNs(std::min(LastSampleNs(startNs, endNs) + 1, stopNs)),
      m_nextDumpNs(startNs % QLEN_SAMPLE_NS == 0
                       ? (startNs + QLEN_DUMP_NS - 1) / QLEN_DUMP_NS * QLEN_DUMP_NS
                       : INT64_MAX) // no sample time is a multiple of 100 ms, so no histogram is
                                    // ever written
{
    const auto& topology = fabric.GetTopology();
    const uint32_t first = fabric.GetNodes().Get(0)->GetId();
    for (const auto& device : fabric.GetDevices())
    {
        const uint32_t node = device->GetNode()->GetId() - first;
        const uint32_t interface = interfaceOf(*device);
        m_ports.push_back(std::make_unique<PfcPort>(PfcPort{this,
                                                            PeekPointer(device),
                                                            node,
                                                            topology.IsSwitch(node) ? 1U : 0U,
                                                            interface}));
        device->TraceConnectWithoutContext("PfcReceived",
                                           MakeBoundCallback(&PfcReceived, m_ports.back().get()));
        if (topology.IsSwitch(node) && queues)
        {
            m_queues.push_back(std::make_unique<Queue>(Queue{this, node, interface}));
            device->TraceConnectWithoutContext(
                "QueueBytes",
                MakeBoundCallback(&QueueChanged, m_queues.back().get()));
        }
    }
    std::sort(m_queues.begin(), m_queues.end(), [](const auto& a, const auto& b) {
        return std::pair(a->node, a->interface) < std::pair(b->node, b->interface);
    });
    for (int64_t dumpNs = m_nextDumpNs; queues && dumpNs < m_endNs; dumpNs += QLEN_DUMP_NS)
    {
        Simulator::Schedule(NanoSeconds(dumpNs), [this, &fabric] {
            fabric.CatchUp();
            Dump();
        });
    }
}

std::string
AuthorsRecorder::GetPfc()
{
    std::sort(m_pfc.begin(), m_pfc.end(), [](const auto& a, const auto& b) {
        return std::tie(a.timeNs, a.node, a.interface, a.pause) <
               std::tie(b.timeNs, b.node, b.interface, b.pause);
    });
    std::ostringstream out;
    for (const auto& row : m_pfc)
    {
        out << row.timeNs << " " << row.node << " " << row.isSwitch << " " << row.interface << " "
            << row.pause << "\n";
    }
    return out.str();
}

void
AuthorsRecorder::Count(Queue& queue, int64_t untilNs) const
{
    int64_t from = std::max(queue.sinceNs, m_startNs);
    int64_t until = std::min(untilNs, m_endNs);
    queue.sinceNs = std::max(queue.sinceNs, untilNs);
    if (until <= from)
    {
        return;
    }
    auto ticksBefore = [this](int64_t atNs) {
        return (atNs - m_startNs + QLEN_SAMPLE_NS - 1) / QLEN_SAMPLE_NS;
    };
    auto bin = static_cast<size_t>(queue.bytes / QLEN_BIN_BYTES);
    if (queue.counts.size() <= bin)
    {
        queue.counts.resize(bin + 1, 0);
    }
    queue.counts[bin] += static_cast<uint64_t>(ticksBefore(until) - ticksBefore(from));
}

void
AuthorsRecorder::QueueChanged(Queue* queue, uint8_t, uint64_t, uint64_t portBytes, int64_t nowNs)
{
    queue->recorder->Count(*queue, nowNs);
    queue->bytes = portBytes;
}

void
AuthorsRecorder::PfcReceived(PfcPort* port, uint8_t, uint16_t quanta)
{
    port->recorder->m_pfc.push_back({port->device->GetAgenda().NowNs(),
                                     port->node,
                                     port->isSwitch,
                                     port->interface,
                                     quanta > 0 ? 1U : 0U});
}

void
AuthorsRecorder::Dump()
{
    m_qlen << "time: " << m_nextDumpNs << "\n";
    for (auto& queue : m_queues)
    {
        Count(*queue, m_nextDumpNs + 1);
        m_qlen << queue->node << " " << queue->interface;
        for (uint64_t count : queue->counts)
        {
            m_qlen << " " << count;
        }
        m_qlen << "\n";
    }
    m_nextDumpNs += QLEN_DUMP_NS;
}

void
AuthorsRecorder::CountOn()
{
    for (auto& queue : m_queues)
    {
        Count(*queue, Simulator::Now().GetNanoSeconds());
        queue->bytes = 0;
    }
    while (!m_queues.empty() && m_nextDumpNs < m_endNs)
    {
        Dump();
    }
}

} // namespace ns3
