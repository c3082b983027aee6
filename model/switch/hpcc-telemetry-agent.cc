/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-telemetry-agent.h"

#include "ns3/qbb-egress.h"
#include "ns3/qbb-net-device.h"

#include <algorithm>

// The part of TelemetryAgent that inserts a record into a frame at dequeue. Attributes and options
// are in hpcc-telemetry-agent-options.cc.

namespace ns3
{

namespace
{

constexpr uint32_t FULL_PPM = 1000000; ///< utilisation of a bandwidth that is used completely

/**
 * Makes the excess of a class over its share visible in a record. The excess is the number of bytes
 * that the class sends beyond its share in one base RTT. The function adds the excess to the queue
 * length in the record. It adds the time to send these bytes at the rate of the share to the
 * sojourn time in the record. A record of CSIG carries either the queue delay or the unused part of
 * the share. The unused part cannot be below 0, so the excess must be visible in the queue delay.
 * @param baseRttNs base RTT of the network, by which the control law divides the queue, ns
 * @param hop the record
 */
void
AddExcessToQueue(int64_t baseRttNs, HopSnapshot& hop)
{
    if (hop.utilizationPpm > FULL_PPM)
    {
        const double excessNs = (hop.utilizationPpm / 1e6 - 1) * static_cast<double>(baseRttNs);
        hop.hopLatencyNs += static_cast<uint32_t>(std::min(excessNs, 1e9));
        hop.queueBytes +=
            static_cast<uint64_t>(excessNs * static_cast<double>(hop.bandwidthBps) / 8e9);
    }
}

} // namespace

void
TelemetryAgent::RollWindow(QbbNetDevice& port, PortState& state, int64_t nowNs)
{
    double bytesPerNs = static_cast<double>(port.GetRateBps()) / 8e9;
    auto sentUntil = [&](int64_t atNs) {
        auto unsentNs =
            static_cast<double>(std::max<int64_t>(port.GetEgress().GetFreeNs() - atNs, 0));
        return static_cast<double>(port.GetTxBytes()) - unsentNs * bytesPerNs;
    };
    int64_t elapsed = (nowNs - state.windowEndNs) / m_windowNs;
    int64_t lastEndNs = state.windowEndNs + elapsed * m_windowNs;
    double atStart = elapsed > 0 ? sentUntil(lastEndNs - m_windowNs) : state.bytesAtWindowStart;
    double atEnd = sentUntil(lastEndNs);
    double share = (atEnd - atStart) / (bytesPerNs * static_cast<double>(m_windowNs));
    state.utilizationPpm = static_cast<uint32_t>(std::clamp(share, 0.0, 1.0) * 1e6 + 0.5);
    state.bytesAtWindowStart = atEnd;
    state.windowEndNs = lastEndNs + m_windowNs;
    if (m_bandwidth != LINE_RATE)
    {
        RollClasses(port, state, lastEndNs, elapsed > 0);
    }
}

HopSnapshot
TelemetryAgent::Snapshot(QbbNetDevice& port, const Frame& frame, int64_t nowNs)
{
    PortState& state = m_ports[port.GetPortIndex()];
    if (nowNs >= state.windowEndNs)
    {
        RollWindow(port, state, nowNs);
    }
    HopSnapshot hop;
    hop.timestampNs = m_perfectClock ? static_cast<uint64_t>(nowNs) : ClockNs(nowNs);
    hop.txBytes = port.GetTxBytes();
    hop.bandwidthBps = port.GetRateBps();
    // Normally a trimmed frame waits in another queue than data, so the length of its own queue
    // does not show the congestion of the data. Its record therefore contains the sum of all queues
    // of the port.
    hop.queueBytes = m_queueScope == OWN_QUEUE && !frame.trimmed
                         ? port.GetEgress().GetQueueBytes(frame.priority)
                         : port.GetEgress().GetQueueBytes();
    hop.switchId = m_switchId;
    hop.egressPort = port.GetPortIndex();
    hop.ingressPort = frame.ingressPort;
    hop.hopLatencyNs = static_cast<uint32_t>(nowNs - frame.arrivalNs);
    hop.utilizationPpm = state.utilizationPpm;
    hop.queueId = frame.priority;
    hop.ttl = frame.ttl;
    hop.ecn = frame.tos & 3;
    if (m_bandwidth != LINE_RATE)
    {
        ReportClass(port, state, hop);
    }
    return hop;
}

void
TelemetryAgent::OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    PortState& state = m_ports[port.GetPortIndex()];
    if (nowNs >= state.windowEndNs)
    {
        RollWindow(port, state, nowNs);
    }
    if (!frame.CollectsTelemetry())
    {
        return;
    }
    HopSnapshot hop = Snapshot(port, frame, nowNs);
    if ((m_insertion == INTERVAL && !IsDue(state, frame, nowNs)) ||
        (m_insertion == CONGESTION && hop.queueBytes <= m_threshold))
    {
        return;
    }
    if (m_bandwidth == SHARE && frame.format->GetCapabilities().pathExtreme)
    {
        AddExcessToQueue(m_defaultWindowNs, hop);
    }
    const uint32_t maxBytes = port.GetMaxFrameBytes(frame.format);
    uint32_t room = maxBytes > frame.bytes ? maxBytes - frame.bytes : 0;
    int32_t grown = frame.format->Insert(frame.telemetry, hop, room);
    if (grown != TelemetryFormat::NOT_INSERTED)
    {
        frame.bytes += grown;
        state.lastInsertNs = nowNs;
        ++m_inserted;
    }
    else
    {
        ++m_notInserted;
        m_notInsertedTrace(port.GetPortIndex(), frame.telemetry.flags);
    }
}

} // namespace ns3
