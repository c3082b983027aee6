/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-monitor.h"

#include "hpcc-monitor-port.h"

#include "ns3/callback.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/rdma-reads.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// Returns the key by which flows are sorted and found.
auto
LookupKey(const HpccFlowPlan& flow)
{
    return std::tuple(flow.source, flow.queuePair, flow.message);
}

/// Returns the size of the TCP header, with options, of a packet of ns-3's stack, bytes.
uint32_t
TcpHeaderBytes(const Frame& frame)
{
    constexpr uint32_t withoutOptions = 20;
    constexpr uint32_t dataOffset = 12; // byte that contains the size
    if (frame.destinationPort == 0)
    {
        return withoutOptions; // a fragment, which may begin without a TCP header
    }
    std::array<uint8_t, IpHeaderBytes(true) + dataOffset + 1> bytes{};
    const uint32_t at = IpHeaderBytes(frame.ipv6) + dataOffset;
    frame.packet->CopyData(bytes.data(), at + 1);
    return std::max((bytes[at] >> 4) * 4U, withoutOptions);
}

/// Returns the payload of a packet of ns-3's stack, bytes.
uint32_t
PayloadBytes(const Frame& frame)
{
    const uint32_t headers =
        IpHeaderBytes(frame.ipv6) + (frame.protocol == 6 ? TcpHeaderBytes(frame) : 8);
    const uint32_t bytes = frame.packet->GetSize();
    return bytes - std::min(bytes, headers);
}

/// Returns true for a path probe, which is the only kind of data packet without payload.
bool
IsPathProbe(const Frame& frame)
{
    return frame.payloadBytes == 0 && frame.kind == Frame::Kind::ROCE && !frame.trimmed &&
           frame.opcode != ROCE_READ_REQUEST;
}

} // namespace

std::string
HpccFlowPlan::GetExcess() const
{
    const uint64_t most = verb == RdmaVerb::READ ? UINT32_MAX : MAX_BYTES;
    if (bytes < 1 || bytes > most)
    {
        return std::to_string(bytes) + " bytes are outside 1 to " + std::to_string(most) +
               (verb == RdmaVerb::READ ? ", those of a READ" : "");
    }
    if (startNs != NOT_PLANNED && (startNs < 0 || startNs > MAX_START_NS))
    {
        return "the start at " + std::to_string(startNs) + " ns is outside 0 to " +
               std::to_string(MAX_START_NS) + " ns";
    }
    return "";
}

int64_t
HpccFlowPlan::GetIdealNs(const HpccFabricHelper& fabric) const
{
    return fabric.GetIdealFctNs(source,
                                destination,
                                bytes,
                                verb,
                                fabric.GetHost(source)->GetFeedback(queuePair));
}

HpccMonitor::HpccMonitor(HpccFabricHelper& fabric,
                         std::vector<HpccFlowPlan> flows,
                         int64_t settleNs,
                         Detail detail)
    : m_fabric(fabric),
      m_flows(std::move(flows)),
      m_results(m_flows.size()),
      m_byQueuePair(m_flows.size()),
      m_states(detail == COUNTS ? 0 : m_flows.size()),
      m_settleNs(settleNs),
      m_detail(detail),
      m_replan(m_flows.size())
{
    HPCC_REFUSE_IF(fabric.GetNodes().GetN() == 0,
                   "ns3::HpccMonitor: there is no network yet; create the monitor after "
                   "HpccFabricHelper::Install()");
    std::iota(m_byQueuePair.begin(), m_byQueuePair.end(), 0);
    std::sort(m_byQueuePair.begin(), m_byQueuePair.end(), [this](uint32_t a, uint32_t b) {
        return LookupKey(m_flows[a]) < LookupKey(m_flows[b]);
    });
    RequireDistinct();
    RequireOrder();
    PlanResults();
    WatchPorts();
    WatchHosts();
}

HpccMonitor::~HpccMonitor() = default;

void
HpccMonitor::PlanResults()
{
    int64_t firstNs = INT64_MAX;
    for (size_t i = 0; i < m_flows.size(); ++i)
    {
        const HpccFlowPlan& flow = m_flows[i];
        m_results[i].idealNs = flow.GetIdealNs(m_fabric);
        m_replan[i] = flow.queuePair >= m_fabric.GetHost(flow.source)->GetQueuePairs();
        m_lastStartNs = std::max(m_lastStartNs, flow.startNs);
        if (flow.startNs != HpccFlowPlan::NOT_PLANNED)
        {
            firstNs = std::min(firstNs, flow.startNs);
        }
    }
    m_firstStartNs = firstNs == INT64_MAX ? 0 : firstNs;
    m_originNs = m_firstStartNs / BIN_NS * BIN_NS;
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    HPCC_REFUSE_IF(nowNs > firstNs,
                   "ns3::HpccMonitor: the first flow starts at " + std::to_string(firstNs) +
                       " ns, but the time is " + std::to_string(nowNs) +
                       " ns; create the monitor before the first start");
    for (uint32_t i = 0; !m_fabric.GetRanks() && i < m_fabric.GetNodes().GetN(); ++i)
    {
        m_lagNs = std::max(m_lagNs, NodeAgenda::Of(m_fabric.GetNodes().Get(i))->GetLagNs());
    }
    for (uint32_t i = 0; !m_fabric.GetRanks() && i < m_fabric.GetNodes().GetN(); ++i)
    {
        NodeAgenda::Of(m_fabric.GetNodes().Get(i))->CapLag(m_lagNs);
    }
    if (m_fabric.GetRanks())
    {
        // With several ranks, the first completion is known only when all ranks have finished.
        // Until then, nothing may be counted.
        m_lagNs = INT64_MAX / 2;
    }
}

void
HpccMonitor::WatchPorts()
{
    m_ports.resize(m_fabric.GetDevices().size());
    for (size_t i = 0; i < m_ports.size(); ++i)
    {
        if (!m_fabric.IsHere(m_fabric.GetNodeOf(i)))
        {
            continue;
        }
        const auto& device = m_fabric.GetDevices()[i];
        Port* port = &PortAt(i);
        port->device = PeekPointer(device);
        port->queues = m_fabric.GetTopology().IsSwitch(m_fabric.GetNodeOf(i));
        if (port->queues)
        {
            port->spans.reserve(Port::SPANS);
        }
        device->AddWatch(*port);
    }
}

void
HpccMonitor::WatchHosts()
{
    const bool planned = std::all_of(m_flows.begin(), m_flows.end(), [](const auto& flow) {
        return flow.startNs != HpccFlowPlan::NOT_PLANNED;
    });
    for (uint32_t host : m_fabric.GetTopology().GetHosts())
    {
        if (!m_fabric.IsHere(host))
        {
            continue;
        }
        Ptr<RdmaHost> stack = m_fabric.GetHost(host);
        if (!planned)
        {
            stack->TraceConnectWithoutContext("MessagePosted",
                                              MakeCallback(&HpccMonitor::Posted, this));
        }
        stack->TraceConnectWithoutContext("MessageAcknowledged",
                                          MakeCallback(&HpccMonitor::Acknowledged, this));
        stack->TraceConnectWithoutContext("LastByteAcknowledged",
                                          MakeCallback(&HpccMonitor::LastByteAcknowledged, this));
        stack->TraceConnectWithoutContext("LastByteArrived",
                                          MakeCallback(&HpccMonitor::LastByteArrived, this));
        stack->TraceConnectWithoutContext("MessageDelivered",
                                          MakeCallback(&HpccMonitor::Delivered, this));
        if (m_detail != COUNTS)
        {
            stack->TraceConnectWithoutContext("PayloadArrived",
                                              MakeCallback(&HpccMonitor::PayloadArrived, this));
        }
    }
}

void
HpccMonitor::RequireDistinct() const
{
    for (size_t i = 1; i < m_byQueuePair.size(); ++i)
    {
        const auto [first, second] = std::minmax(m_byQueuePair[i - 1], m_byQueuePair[i]);
        const HpccFlowPlan& flow = m_flows[first];
        HPCC_REFUSE_IF(
            LookupKey(flow) == LookupKey(m_flows[second]) &&
                flow.queuePair < m_fabric.GetHost(flow.source)->GetQueuePairs(),
            "ns3::HpccMonitor: flows " + std::to_string(first) + " and " + std::to_string(second) +
                " are both message " + std::to_string(flow.message) + " of queue pair " +
                std::to_string(flow.queuePair) + " of host " + std::to_string(flow.source) +
                "; HpccFlowPlan::message numbers the messages of a queue pair from 0");
    }
}

void
HpccMonitor::RequireOrder() const
{
    for (size_t i = 1; i < m_byQueuePair.size() && m_detail != COUNTS; ++i)
    {
        const HpccFlowPlan& before = m_flows[m_byQueuePair[i - 1]];
        const HpccFlowPlan& flow = m_flows[m_byQueuePair[i]];
        HPCC_REFUSE_IF(
            std::tie(before.source, before.queuePair) == std::tie(flow.source, flow.queuePair) &&
                before.message < flow.message && flow.startNs != HpccFlowPlan::NOT_PLANNED &&
                before.startNs > flow.startNs,
            "ns3::HpccMonitor: message " + std::to_string(flow.message) + " of queue pair " +
                std::to_string(flow.queuePair) + " of host " + std::to_string(flow.source) +
                " starts at " + std::to_string(flow.startNs) + " ns, before message " +
                std::to_string(before.message) + " at " + std::to_string(before.startNs) +
                " ns; allowed are numbers in the order of the starts");
    }
}

void
HpccMonitor::RequireFlow(const char* function, size_t flow) const
{
    HPCC_REFUSE_IF(flow >= m_flows.size(),
                   std::string("ns3::HpccMonitor::") + function + ": flow " + std::to_string(flow) +
                       " does not exist; allowed are the first " + std::to_string(m_flows.size()) +
                       " flows");
}

void
HpccMonitor::SetIdealNs(size_t flow, int64_t idealNs)
{
    RequireFlow("SetIdealNs", flow);
    m_results[flow].idealNs = idealNs;
    m_replan[flow] = false;
}

void
HpccMonitor::Settle(int64_t untilNs)
{
    for (; !m_receipts.empty() && m_receipts.front().nowNs <= untilNs; m_receipts.pop_front())
    {
        Count(m_receipts.front());
    }
}

void
HpccMonitor::SetQueueResolutionNs(int64_t resolutionNs)
{
    const std::string call =
        "ns3::HpccMonitor::SetQueueResolutionNs: " + std::to_string(resolutionNs) + " ns";
    HPCC_REFUSE_IF(resolutionNs < 1, call + "; allowed is at least 1 ns");
    HPCC_REFUSE_IF(!Simulator::Now().IsZero(),
                   call + " is set at " + std::to_string(Simulator::Now().GetNanoSeconds()) +
                       " ns, which would discard the series recorded so far; call it before "
                       "simulated time starts");
    for (const auto& port : m_ports)
    {
        if (port)
        {
            port->queue = HpccSeries(resolutionNs);
        }
    }
}

void
HpccMonitor::Port::Integrate(const HpccMonitor& all, const Span& span)
{
    const int64_t fromNs = countedNs;
    countedNs = span.toNs;
    const int64_t settled = std::max(fromNs, all.m_settleNs);
    const int64_t cut = std::min(span.toNs, all.m_firstCompletionNs);
    if (cut > settled)
    {
        timeAt[span.bytes] += cut - settled;
    }
    // Signed integers are converted to double faster than unsigned ones.
    const auto value = static_cast<double>(static_cast<int64_t>(span.bytes));
    const int64_t started = std::max(fromNs, all.m_firstStartNs);
    if (span.toNs > started)
    {
        area += value * static_cast<double>(span.toNs - started);
    }
    queue.AddNext(fromNs, span.toNs, value);
}

void
HpccMonitor::Port::Settle(int64_t untilNs)
{
    if (spans.empty() || spans.front().toNs > untilNs)
    {
        return;
    }
    queue.SetCuts({std::min(monitor->m_settleNs, monitor->m_firstCompletionNs),
                   std::max(monitor->m_settleNs, monitor->m_firstCompletionNs)});
    auto counted = spans.begin();
    for (; counted != spans.end() && counted->toNs <= untilNs; ++counted)
    {
        Integrate(*monitor, *counted);
    }
    spans.erase(spans.begin(), counted);
}

void
HpccMonitor::Count(const Receipt& receipt)
{
    FlowState& state = m_states[receipt.flow];
    if (receipt.nowNs > m_firstCompletionNs)
    {
        return;
    }
    if (state.nowNs < m_lastStartNs)
    {
        state.atLastStart = state.total;
    }
    if (receipt.nowNs > state.nowNs)
    {
        state.beforeNow = state.total;
        state.nowNs = receipt.nowNs;
    }
    state.total += receipt.bytes;
    if (receipt.nowNs < m_settleNs)
    {
        state.atSettle += receipt.bytes;
    }
}

void
HpccMonitor::Port::QueueChanged(uint64_t portBytes, int64_t nowNs)
{
    if (!queues)
    {
        return;
    }
    peak = std::max(peak, portBytes);
    if (monitor->m_detail == COUNTS)
    {
        return;
    }
    if (nowNs > sinceNs && !spans.empty() && spans.back().bytes == bytes)
    {
        spans.back().toNs = nowNs; // the queue has the same length as before, because a packet
                                   // passed without waiting
    }
    else if (nowNs > sinceNs)
    {
        if (spans.size() == spans.capacity())
        {
            Settle(nowNs - monitor->m_lagNs);
        }
        spans.push_back({nowNs, bytes});
    }
    sinceNs = nowNs;
    bytes = portBytes;
}

void
HpccMonitor::Port::Transmitted(int64_t nowNs, const Frame& frame)
{
    if (frame.kind == Frame::Kind::PFC)
    {
        return;
    }
    sentNs = nowNs;
    if (monitor->m_detail != COUNTS)
    {
        bins.Add(nowNs - monitor->m_originNs,
                 device->GetLinkBytes(frame.bytes),
                 device->GetRateBps());
    }
    monitor->CountHop(frame);
}

void
HpccMonitor::CountHop(const Frame& frame)
{
    if (frame.IsRoceFeedback() || frame.opcode == ROCE_PROBE || IsPathProbe(frame))
    {
        m_overheadHopBytes += frame.bytes;
        return;
    }
    m_payloadHopBytes += frame.kind == Frame::Kind::IP ? PayloadBytes(frame) : frame.payloadBytes;
    if (frame.format)
    {
        m_overheadHopBytes += frame.format->GetWireBytes(frame.telemetry);
    }
}

size_t
HpccMonitor::FindFlow(uint32_t source, uint32_t queuePair, uint32_t message) const
{
    auto key = std::tuple(source, queuePair, message);
    auto found = std::lower_bound(
        m_byQueuePair.begin(),
        m_byQueuePair.end(),
        key,
        [this](uint32_t flow, const auto& value) { return LookupKey(m_flows[flow]) < value; });
    bool known = found != m_byQueuePair.end() && LookupKey(m_flows[*found]) == key;
    return known ? *found : SIZE_MAX;
}

size_t
HpccMonitor::FindFlow(const RdmaMessageRecord& record) const
{
    return FindFlow(HpccFabricHelper::GetHostNumber(record.source),
                    RdmaHost::IndexOfNumber(record.queuePair),
                    record.index);
}

void
HpccMonitor::PayloadArrived(const RdmaQueuePair& qp, int64_t nowNs, uint32_t bytes, uint8_t opcode)
{
    const bool response = RdmaReads::IsResponse(opcode);
    const RdmaRead* read = response ? qp.CurrentRead() : nullptr;
    if (opcode == ROCE_READ_REQUEST || (response && !read))
    {
        return;
    }
    const uint32_t source = HpccFabricHelper::GetHostNumber(read ? qp.local : qp.peer);
    const uint32_t index = RdmaHost::IndexOfNumber(read ? qp.number : qp.peerNumber);
    uint32_t message = read ? read->index : qp.deliveredMessages;
    size_t flow = FindFlow(source, index, message);
    size_t next = flow;
    // Out-of-order payload may belong to a later message than the one that is being delivered. It
    // is counted for the first message that has not arrived completely.
    while (next != SIZE_MAX && m_states[next].arrivedBytes >= m_flows[next].bytes)
    {
        next = FindFlow(source, index, ++message);
    }
    flow = next != SIZE_MAX ? next : flow;
    if (flow != SIZE_MAX)
    {
        m_states[flow].arrivedBytes += bytes;
        NoteReceived(flow, nowNs, bytes);
    }
}

void
HpccMonitor::NoteReceived(size_t flow, int64_t nowNs, uint32_t bytes)
{
    RequireFlow("NoteReceived", flow);
    if (m_detail != COUNTS && nowNs <= m_firstCompletionNs)
    {
        m_receipts.push_back({flow, nowNs, bytes});
        Settle(nowNs - m_lagNs);
    }
    if (m_detail == FLOW_SERIES && nowNs >= m_originNs)
    {
        const auto bin = static_cast<size_t>((nowNs - m_originNs) / BIN_NS);
        HpccLinkBins::AddTo(m_states[flow].bins, bin, bytes);
    }
}

void
HpccMonitor::Posted(const RdmaMessageRecord& record)
{
    const size_t flow = FindFlow(record);
    if (flow != SIZE_MAX)
    {
        m_flows[flow].startNs = record.postedNs;
        m_lastStartNs = std::max(m_lastStartNs, record.postedNs);
    }
}

void
HpccMonitor::Acknowledged(const RdmaMessageRecord& record)
{
    const size_t flow = FindFlow(record);
    if (flow != SIZE_MAX)
    {
        m_flows[flow].startNs = record.postedNs;
        SetBytes(flow, record.bytes);
        Finish(flow, record.completedNs);
    }
}

void
HpccMonitor::LastByteAcknowledged(const RdmaMessageRecord& record)
{
    // The settled interval must end now. If it ended only when the application is notified, the
    // statistics would include events between now and then, which cannot be removed later.
    const size_t flow = FindFlow(record);
    if (flow != SIZE_MAX)
    {
        NoteAcknowledged(flow, record.completedNs);
    }
}

void
HpccMonitor::LastByteArrived(const RdmaMessageRecord& record)
{
    const size_t flow = FindFlow(record);
    if (flow != SIZE_MAX)
    {
        m_results[flow].arrivedNs = record.completedNs;
    }
}

void
HpccMonitor::NoteAcknowledged(size_t flow, int64_t nowNs)
{
    m_results[flow].acknowledgedNs = nowNs;
    m_firstCompletionNs = std::min(m_firstCompletionNs, nowNs);
}

void
HpccMonitor::SetBytes(size_t flow, uint64_t bytes)
{
    HpccFlowPlan& plan = m_flows[flow];
    if (plan.bytes != bytes || m_replan[flow])
    {
        plan.bytes = bytes;
        m_results[flow].idealNs = plan.GetIdealNs(m_fabric);
        m_replan[flow] = false;
    }
}

void
HpccMonitor::Finish(size_t flow, int64_t nowNs)
{
    if (m_results[flow].endNs >= 0)
    {
        return;
    }
    m_results[flow].endNs = nowNs;
    if (m_results[flow].acknowledgedNs < 0)
    {
        NoteAcknowledged(flow, nowNs);
    }
    m_lastCompletionNs = std::max(m_lastCompletionNs, nowNs);
    ++m_finished;
}

void
HpccMonitor::NoteFinished(size_t flow, int64_t nowNs)
{
    RequireFlow("NoteFinished", flow);
    if (m_results[flow].endNs < 0)
    {
        m_results[flow].receiverEndNs = m_results[flow].arrivedNs = nowNs;
    }
    Finish(flow, nowNs);
}

void
HpccMonitor::NoteLost(size_t flow, int64_t nowNs)
{
    RequireFlow("NoteLost", flow);
    Finish(flow, nowNs);
}

void
HpccMonitor::Delivered(const RdmaMessageRecord& record)
{
    const size_t flow = FindFlow(record);
    if (flow != SIZE_MAX)
    {
        m_results[flow].receiverEndNs = record.completedNs;
    }
}

HpccMonitor::Port&
HpccMonitor::PortAt(size_t index)
{
    auto& port = m_ports[index];
    if (!port)
    {
        port = std::make_unique<Port>();
        port->monitor = this;
    }
    return *port;
}

uint64_t
HpccMonitor::Port::GetSentUnqueued() const
{
    const auto& sent = bins.GetBytes();
    return peak > 0 ? 0 : std::accumulate(sent.begin(), sent.end(), sentElsewhere);
}

std::vector<HpccMonitor::Sample>
HpccMonitor::Port::GetQueueRows() const
{
    return queue.GetRows(sinceNs, static_cast<double>(bytes));
}

size_t
HpccMonitor::FindBottleneck() const
{
    size_t best = 0;
    std::tuple<bool, uint64_t, uint64_t> most; // true for a port of a switch, peak of the queue,
                                               // bytes sent
    for (size_t i = 0; i < m_ports.size(); ++i)
    {
        const auto& port = m_ports[i];
        if (!port)
        {
            continue;
        }
        const std::tuple own(m_fabric.GetTopology().IsSwitch(m_fabric.GetNodeOf(i)),
                             port->peak,
                             port->GetSentUnqueued());
        if (own > most)
        {
            most = own;
            best = i;
        }
    }
    return best;
}

const HpccMonitor::Port&
HpccMonitor::Bottleneck() const
{
    static const Port quiet{};
    const auto& port = m_ports[FindBottleneck()];
    return port ? *port : quiet;
}

std::optional<std::pair<uint32_t, uint32_t>>
HpccMonitor::GetBottleneck() const
{
    const size_t best = FindBottleneck();
    const auto& port = m_ports[best];
    if (!port || (port->peak == 0 && port->GetSentUnqueued() == 0))
    {
        return std::nullopt;
    }
    return std::pair(m_fabric.GetNodeOf(best), m_fabric.GetPortOf(best));
}

} // namespace ns3
