/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-packet-trimmer.h"

#include "hpcc-held-bytes.h"
#include "hpcc-rate-entry.h"
#include "qbb-switch.h"

#include "ns3/hpcc-dscp-priority-map.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-channel.h"
#include "ns3/qbb-egress.h"
#include "ns3/qbb-net-device.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PacketTrimmer);

namespace
{

/**
 * Checks the priority of packets that are trimmed at a port. The agent's TrimPlan states only one
 * DSCP, DscpPriorityMap::TRIMMED. If the port maps @p dscp and the DSCP of the TrimPlan to
 * different priorities, the function throws HpccInputError.
 * @param port port that maps the DSCP
 * @param dscp the DSCP of packets trimmed at this port
 */
void
CheckPriority(const QbbNetDevice& port, uint8_t dscp)
{
    const auto priorityOf = [&port](uint8_t value) {
        return std::to_string(port.GetPriority(static_cast<uint8_t>(value << 2)));
    };
    const std::string expected = priorityOf(DscpPriorityMap::TRIMMED);
    HPCC_REFUSE_IF(
        priorityOf(dscp) != expected,
        "ns3::QbbNetDevice::DscpToPriority: node " + std::to_string(port.GetNode()->GetId()) +
            ", port " + std::to_string(port.GetPortIndex()) + ": DSCP " + std::to_string(dscp) +
            " has priority " + priorityOf(dscp) + "; with ns3::PacketTrimmer allowed is " +
            expected + ", the priority of DSCP " + std::to_string(DscpPriorityMap::TRIMMED));
}

/// Returns true if a host is at the other end of a switch's port.
bool
LeadsToHost(const QbbNetDevice& port)
{
    const QbbChannel& channel = *port.GetQbbChannel();
    for (size_t i = 0; i < channel.GetNDevices(); ++i)
    {
        const Ptr<NetDevice> device = channel.GetDevice(i);
        if (device && PeekPointer(device) != &port)
        {
            return !device->GetNode()->GetObject<QbbSwitch>();
        }
    }
    return false; // the other end is in another process, so it is a switch
}

} // namespace

struct PacketTrimmer::Port
{
    QbbNetDevice* device;    ///< the port; null after the end of the simulation
    uint64_t rateBps;        ///< line rate, bit/s
    uint64_t thresholdBytes; ///< bytes of one priority that the port may hold before it trims
    uint8_t dscp;     ///< DSCP of trimmed packets: DscpPriorityMap::TRIMMED or TRIMMED_AT_LAST_HOP
    HeldBytes held{}; ///< bytes that the port holds
};

// Defined here, because the header declares Port but does not define it.
PacketTrimmer::PacketTrimmer() = default;
PacketTrimmer::~PacketTrimmer() = default;

TypeId
PacketTrimmer::GetTypeId()
{
    const auto fixed = [](const HpccAttribute& attribute) {
        return attribute.FixedAfter<PacketTrimmer>("the start of the run",
                                                   [](const PacketTrimmer& trimmer) {
                                                       return !trimmer.m_ports.empty() &&
                                                              Simulator::Now().IsStrictlyPositive();
                                                   });
    };
    static TypeId tid =
        HpccTypeId::Of<PacketTrimmer, SwitchAgent>("ns3::PacketTrimmer")
            .Presets("coin;arriving=Victim:Arriving")
            .Attribute("Threshold",
                       "Data of a priority that a port may hold before packets are trimmed, bytes. "
                       "0: the port's rate times the network's base RTT.",
                       fixed(HpccField(&PacketTrimmer::m_threshold, 0))
                           .Then(&PacketTrimmer::ChangeThresholds))
            .Attribute(
                "ThresholdPerRate",
                "\"rate:threshold\" entries separated by commas, threshold in bytes. They "
                "replace Threshold at ports of these rates.",
                fixed(HpccField(&PacketTrimmer::m_ratesText, "")).Then(&PacketTrimmer::ParseRates))
            .Attribute(
                "Priorities",
                "Priorities whose data packets are trimmed, as a bit mask.",
                HpccField(&PacketTrimmer::m_priorities, 1 << 3, 1).Then(&PacketTrimmer::Check))
            .Attribute("Payload",
                       "Payload that a trimmed packet keeps, bytes.",
                       HpccField(&PacketTrimmer::m_payload, 0).Then(&PacketTrimmer::Check))
            .Attribute("Victim",
                       "Packet to trim: Arriving, the arriving one; or Coin, the arriving one or "
                       "the last one in the queue, with equal probability.",
                       HpccField(&PacketTrimmer::m_victim,
                                 PacketTrimmer::COIN,
                                 PacketTrimmer::COIN,
                                 "Coin",
                                 PacketTrimmer::ARRIVING,
                                 "Arriving"));
    return tid;
}

void
PacketTrimmer::ParseRates()
{
    m_rates = ParseBytesPerRate("ns3::PacketTrimmer::ThresholdPerRate", m_ratesText);
    ChangeThresholds();
}

void
PacketTrimmer::ChangeThresholds()
{
    ComputeThresholds();
    Check();
}

void
PacketTrimmer::Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt)
{
    for (auto* port : ports)
    {
        const uint8_t dscp =
            LeadsToHost(*port) ? DscpPriorityMap::TRIMMED_AT_LAST_HOP : DscpPriorityMap::TRIMMED;
        CheckPriority(*port, dscp);
        m_ports.push_back({port, port->GetRateBps(), 0, dscp});
    }
    SetBaseRtt(baseRtt);
}

void
PacketTrimmer::Check()
{
    const auto owner = m_ports.empty() || !m_ports.front().device
                           ? nullptr
                           : m_ports.front().device->GetNode()->GetObject<QbbSwitch>();
    if (owner)
    {
        owner->CheckAgents();
        m_ports.front().device->CheckSettings();
    }
}

void
PacketTrimmer::DoInitialize()
{
    for (const Port& port : m_ports)
    {
        CheckPriority(*port.device, port.dscp); // DscpToPriority may have changed
    }
    SwitchAgent::DoInitialize();
}

void
PacketTrimmer::DoDispose()
{
    for (Port& port : m_ports)
    {
        port.device = nullptr;
    }
    SwitchAgent::DoDispose();
}

bool
PacketTrimmer::SetBaseRtt(Time baseRtt)
{
    m_baseRtt = baseRtt;
    ComputeThresholds();
    return true;
}

void
PacketTrimmer::ComputeThresholds()
{
    m_leastBytes = UINT64_MAX;
    for (Port& port : m_ports)
    {
        const double bdp = static_cast<double>(port.rateBps) *
                           static_cast<double>(m_baseRtt.GetNanoSeconds()) / 8e9;
        const auto own = m_rates.find(port.rateBps);
        port.thresholdBytes = own != m_rates.end() ? own->second
                              : m_threshold > 0    ? m_threshold
                                                   : static_cast<uint64_t>(bdp);
        m_leastBytes = std::min(m_leastBytes, port.thresholdBytes);
    }
}

uint64_t
PacketTrimmer::GetTrimThreshold(uint32_t port) const
{
    return m_ports[port].thresholdBytes;
}

int64_t
PacketTrimmer::AssignStreams(int64_t stream)
{
    m_coin->SetStream(stream);
    return 1;
}

int64_t
PacketTrimmer::CountStreams(uint32_t) const
{
    return 1;
}

EnqueueVerdict
PacketTrimmer::Decide(const QbbNetDevice& port, const Frame& frame, int64_t nowNs)
{
    const Port& own = m_ports[port.GetPortIndex()];
    if (frame.trimmed)
    {
        const bool full =
            port.GetEgress().GetQueueBytes(frame.priority) + frame.bytes > 2 * own.thresholdBytes;
        return {full ? EnqueueVerdict::REFUSE : EnqueueVerdict::ADMIT};
    }
    const uint64_t held = own.held.Get(port, frame.priority, nowNs);
    const bool fits = held + frame.bytes <= own.thresholdBytes; // true for most frames
    if (fits || !(m_priorities >> frame.priority & 1) || !RocePacket::CanTrim(frame, m_payload))
    {
        return {};
    }
    const Frame* last = port.GetEgress().GetLast(frame.priority);
    const bool trimsLast = m_victim == COIN && last && RocePacket::CanTrim(*last, m_payload) &&
                           m_coin->GetValue() < 0.5;
    const uint32_t headerBytes = RocePacket::GetTrimmedBytes(trimsLast ? *last : frame, m_payload);
    const uint8_t headerPriority = port.GetPriority(static_cast<uint8_t>(own.dscp << 2));
    if (port.GetEgress().GetQueueBytes(headerPriority) + headerBytes > 2 * own.thresholdBytes)
    {
        return {trimsLast ? EnqueueVerdict::DROP_LAST : EnqueueVerdict::REFUSE};
    }
    return {trimsLast ? EnqueueVerdict::TRIM_LAST : EnqueueVerdict::TRIM, m_payload, own.dscp};
}

void
PacketTrimmer::OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    if (m_priorities >> frame.priority & 1)
    {
        m_ports[port.GetPortIndex()].held.NoteStart(port, frame, nowNs);
    }
}

bool
PacketTrimmer::Decides() const
{
    return true;
}

TrimPlan
PacketTrimmer::GetTrimPlan() const
{
    return {m_priorities, DscpPriorityMap::TRIMMED, m_payload, m_leastBytes};
}

} // namespace ns3
