/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-telemetry-agent.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-egress.h"
#include "ns3/qbb-net-device.h"

#include <algorithm>
#include <cmath>
#include <string>

// The part of TelemetryAgent that handles attributes and optional functions: clock, interval
// between records, counters per class.

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TelemetryAgent);

namespace
{

constexpr double MOST_UTILIZATION = 4000; ///< largest utilisation in a record, as a multiple of the
                                          ///< bandwidth; it fits into HopSnapshot::utilizationPpm

} // namespace

TypeId
TelemetryAgent::GetTypeId()
{
    const auto fixed = [](const HpccAttribute& attribute) {
        return attribute.FixedAfter<TelemetryAgent>(
            "Install() of the switch",
            [](const TelemetryAgent& agent) { return !agent.m_ports.empty(); });
    };
    // Later changes of the clock's attributes would have no effect if the clock is perfect at
    // Install().
    const auto ofClock = [](const HpccAttribute& attribute) {
        return attribute.FixedAfter<TelemetryAgent>("Install() of the switch",
                                                    [](const TelemetryAgent& agent) {
                                                        return !agent.m_ports.empty() &&
                                                               agent.m_perfectClock;
                                                    });
    };
    const std::string flow = "the first Connect() with telemetry";
    static TypeId tid =
        HpccTypeId::Of<TelemetryAgent, Object>("ns3::TelemetryAgent")
            .Attribute("Insertion",
                       "When records are inserted: Always; Interval, at most one per Interval; or "
                       "Congestion, while the queue exceeds CongestionThreshold.",
                       HpccField(&TelemetryAgent::m_insertion,
                                 TelemetryAgent::ALWAYS,
                                 TelemetryAgent::ALWAYS,
                                 "Always",
                                 TelemetryAgent::INTERVAL,
                                 "Interval",
                                 TelemetryAgent::CONGESTION,
                                 "Congestion")
                           .FixedAfter<TelemetryAgent>(
                               flow,
                               [](const TelemetryAgent& agent) { return agent.m_insertionUsed; }))
            .Attribute("QueueScope",
                       "Queue whose length a record has: OwnQueue, that of the frame's priority; "
                       "or WholePort, all queues of the egress port.",
                       HpccField(&TelemetryAgent::m_queueScope,
                                 TelemetryAgent::OWN_QUEUE,
                                 TelemetryAgent::OWN_QUEUE,
                                 "OwnQueue",
                                 TelemetryAgent::WHOLE_PORT,
                                 "WholePort"))
            .Attribute(
                "Bandwidth",
                "Scope of sent bytes, utilisation and bandwidth in records: LineRate, the port; "
                "Share, the priority and its guaranteed share; Residual, the priority, its share "
                "and the bandwidth that others leave.",
                fixed(HpccField(&TelemetryAgent::m_bandwidth,
                                TelemetryAgent::LINE_RATE,
                                TelemetryAgent::LINE_RATE,
                                "LineRate",
                                TelemetryAgent::SHARE,
                                "Share",
                                TelemetryAgent::RESIDUAL,
                                "Residual")))
            .Attribute("Interval",
                       "With Insertion=Interval: shortest time between two records of a port; with "
                       "IntervalScope=EachFlow, a flow gets at most one record per Interval.",
                       HpccField(&TelemetryAgent::m_interval, MicroSeconds(5), NanoSeconds(1))
                           .OnlyIf("Insertion", "Interval"))
            .Attribute("IntervalScope",
                       "With Insertion=Interval: whether each port or each flow gets one record "
                       "per Interval.",
                       HpccField(&TelemetryAgent::m_intervalScope,
                                 TelemetryAgent::EACH_PORT,
                                 TelemetryAgent::EACH_PORT,
                                 "EachPort",
                                 TelemetryAgent::EACH_FLOW,
                                 "EachFlow")
                           .OnlyIf("Insertion", "Interval")
                           .FixedAfter<TelemetryAgent>(flow,
                                                       [](const TelemetryAgent& agent) {
                                                           return agent.m_insertionUsed &&
                                                                  agent.m_insertion == INTERVAL;
                                                       }))
            .Attribute(
                "CongestionThreshold",
                "With Insertion=Congestion: queue length above which records are inserted, bytes.",
                HpccField(&TelemetryAgent::m_threshold, 0).OnlyIf("Insertion", "Congestion"))
            .Attribute("UtilizationWindow",
                       "Window over which utilisation is measured. 0: the network's base RTT.",
                       fixed(HpccField(&TelemetryAgent::m_window, NanoSeconds(0), NanoSeconds(0))))
            .Attribute(
                "ClockOffset",
                "Offset of the switch's clock from simulated time.",
                ofClock(HpccField(&TelemetryAgent::m_clockOffset, NanoSeconds(0), NanoSeconds(0))))
            .Attribute("ClockDriftPpm",
                       "Drift of the switch's clock, parts per million. Above 0 the clock is fast.",
                       ofClock(HpccField(&TelemetryAgent::m_clockDriftPpm, 0, -1e5, 1e5)))
            .Attribute(
                "ClockResolution",
                "Resolution of the switch's clock: timestamps are rounded down to multiples of it.",
                ofClock(
                    HpccField(&TelemetryAgent::m_clockResolution, NanoSeconds(1), NanoSeconds(1))))
            .Trace("NotInserted",
                   "A frame had no room for a record; gives the port index and the flags of the "
                   "telemetry stack.",
                   &TelemetryAgent::m_notInsertedTrace,
                   "ns3::TelemetryAgent::NotInsertedTracedCallback");
    return tid;
}

TelemetryAgent::TelemetryAgent() = default;

void
TelemetryAgent::SetSwitch(uint32_t switchId, uint32_t ports)
{
    HPCC_REFUSE_IF(m_bandwidth != LINE_RATE && m_queueScope == WHOLE_PORT,
                   "ns3::TelemetryAgent::QueueScope is WholePort, but with Bandwidth "
                   "Share or Residual records are about one queue; allowed is OwnQueue");
    m_switchId = switchId;
    m_ports = std::vector<PortState>(ports);
    if (m_window.IsStrictlyPositive())
    {
        m_windowNs = m_window.GetNanoSeconds();
    }
    m_perfectClock =
        m_clockOffset.IsZero() && m_clockDriftPpm == 0 && m_clockResolution == NanoSeconds(1);
}

void
TelemetryAgent::SetDefaultWindow(Time window)
{
    m_defaultWindowNs = std::max<int64_t>(window.GetNanoSeconds(), 1);
    if (m_window.IsZero())
    {
        m_windowNs = m_defaultWindowNs;
    }
}

uint64_t
TelemetryAgent::ClockNs(int64_t nowNs) const
{
    auto drift =
        static_cast<int64_t>(std::floor(static_cast<double>(nowNs) * m_clockDriftPpm * 1e-6));
    int64_t clock = nowNs + m_clockOffset.GetNanoSeconds() + drift;
    return static_cast<uint64_t>(clock - clock % m_clockResolution.GetNanoSeconds());
}

void
TelemetryAgent::RollClasses(QbbNetDevice& port, PortState& state, int64_t lastEndNs, bool whole)
{
    if (!state.classes)
    {
        state.classes =
            std::make_unique<Classes>(Classes{{port.GetScheduler(), port.GetRateBps()}});
        port.CountClasses();
        return;
    }
    Classes& classes = *state.classes;
    const auto sentUntil = [&](uint8_t priority, int64_t atNs) {
        const auto unsentNs =
            static_cast<double>(std::max<int64_t>(port.GetEgress().GetFreeNs() - atNs, 0));
        const double unsent = unsentNs * static_cast<double>(port.GetRateBps()) / 8e9;
        return static_cast<double>(port.GetTxBytes(priority)) -
               (priority == port.GetEgress().GetLastPriority() ? unsent : 0);
    };
    ClassMeter::Bytes sent;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        const double atEnd = sentUntil(p, lastEndNs);
        const double atStart =
            whole ? sentUntil(p, lastEndNs - m_windowNs) : classes.bytesAtWindowStart[p];
        sent[p] = std::max(atEnd - atStart, 0.0);
        classes.bytesAtWindowStart[p] = atEnd;
    }
    classes.meter.Close(sent, m_windowNs);
}

void
TelemetryAgent::ReportClass(const QbbNetDevice& port,
                            const PortState& state,
                            HopSnapshot& hop) const
{
    const ClassMeter& meter = state.classes->meter;
    const uint8_t priority = hop.queueId;
    hop.txBytes = port.GetTxBytes(priority);
    hop.bandwidthBps =
        m_bandwidth == SHARE ? meter.GetShareBps(priority) : meter.GetResidualBps(priority);
    const double share =
        meter.GetSentBps(priority) / std::max(static_cast<double>(hop.bandwidthBps), 1.0);
    // A class may send more than its share while other classes are idle, but not more than its
    // residual bandwidth.
    const double most = m_bandwidth == SHARE ? MOST_UTILIZATION : 1.0;
    hop.utilizationPpm = static_cast<uint32_t>(std::min(share, most) * 1e6 + 0.5);
}

bool
TelemetryAgent::IsDue(const PortState& state, const Frame& frame, int64_t nowNs)
{
    if (m_intervalScope == EACH_PORT)
    {
        return nowNs - state.lastInsertNs >= m_interval.GetNanoSeconds();
    }
    m_filter.SetPeriod(m_interval.GetNanoSeconds());
    return m_filter.Add(frame.flowHash, nowNs);
}

} // namespace ns3
