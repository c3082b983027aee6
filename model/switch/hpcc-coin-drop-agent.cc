/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-coin-drop-agent.h"

#include "hpcc-rate-entry.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-egress.h"
#include "ns3/qbb-net-device.h"

#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CoinDropAgent);

TypeId
CoinDropAgent::GetTypeId()
{
    const auto fixed = [](const HpccAttribute& attribute) {
        return attribute.FixedAfter<CoinDropAgent>(
            "Install() of the agent",
            [](const CoinDropAgent& agent) { return !agent.m_ports.empty(); });
    };
    static TypeId tid =
        HpccTypeId::Of<CoinDropAgent, SwitchAgent>("ns3::CoinDropAgent")
            .Presets("coin-drop")
            .Attribute(
                "LimitPerRate",
                "\"rate:limit\" entries separated by commas, limit in bytes: data of a "
                "priority that a port of this rate may hold. Ports of other rates have no "
                "limit.",
                fixed(HpccField(&CoinDropAgent::m_ratesText, "")).Then(&CoinDropAgent::ParseRates))
            .Attribute("Priorities",
                       "Priorities that are limited, as a bit mask.",
                       fixed(HpccField(&CoinDropAgent::m_priorities, 1 << 3, 1)));
    return tid;
}

void
CoinDropAgent::ParseRates()
{
    m_rates = ParseBytesPerRate("ns3::CoinDropAgent::LimitPerRate", m_ratesText);
}

void
CoinDropAgent::Install(const std::vector<QbbNetDevice*>& ports, Time)
{
    for (const auto* port : ports)
    {
        const uint8_t lossless = port->GetLosslessPriorities() & m_priorities;
        HPCC_REFUSE_IF(lossless != 0,
                       "ns3::CoinDropAgent::Priorities: " + std::to_string(m_priorities) +
                           " contains lossless priorities (mask " + std::to_string(lossless) +
                           "); allowed are lossy ones");
        const auto own = m_rates.find(port->GetRateBps());
        m_ports.push_back({own != m_rates.end() ? own->second : UINT64_MAX});
    }
}

bool
CoinDropAgent::SetBaseRtt(Time)
{
    return true;
}

int64_t
CoinDropAgent::AssignStreams(int64_t stream)
{
    m_coin->SetStream(stream);
    return 1;
}

int64_t
CoinDropAgent::CountStreams(uint32_t) const
{
    return 1;
}

EnqueueVerdict
CoinDropAgent::Decide(const QbbNetDevice& port, const Frame& frame, int64_t nowNs)
{
    const Port& own = m_ports[port.GetPortIndex()];
    const bool sending = nowNs < own.busyUntilNs && own.busyPriority == frame.priority;
    const uint64_t held =
        port.GetEgress().GetQueueBytes(frame.priority) + (sending ? own.busyBytes : 0);
    if (!(m_priorities >> frame.priority & 1) || held + frame.bytes <= own.limitBytes)
    {
        return {};
    }
    const bool waits = port.GetEgress().GetLast(frame.priority) != nullptr;
    return {waits && m_coin->GetValue() < 0.5 ? EnqueueVerdict::DROP_LAST : EnqueueVerdict::REFUSE};
}

void
CoinDropAgent::OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    if (m_priorities >> frame.priority & 1)
    {
        Port& own = m_ports[port.GetPortIndex()];
        own.busyBytes = frame.bytes;
        own.busyPriority = frame.priority;
        own.busyUntilNs = nowNs + static_cast<int64_t>(port.GetLinkBytes(frame.bytes) *
                                                       uint64_t{8000000000} / port.GetRateBps());
    }
}

bool
CoinDropAgent::Decides() const
{
    return true;
}

} // namespace ns3
