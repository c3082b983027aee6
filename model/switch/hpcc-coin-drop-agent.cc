/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-coin-drop-agent.h"

#include "hpcc-rate-entry.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-egress.h"
#include "ns3/qbb-net-device.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CoinDropAgent);

TypeId
CoinDropAgent::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<CoinDropAgent, SwitchAgent>("ns3::CoinDropAgent")
            .Presets("coin-drop")
            .Attribute(
                "LimitPerRate",
                "\"rate:limit\" entries separated by commas, limit in bytes: data of a "
                "priority that a port of this rate may hold. Ports of other rates have no limit.",
                HpccField(&CoinDropAgent::m_ratesText, "")
                    .FixedAfter<CoinDropAgent>(
                        "Install() of the agent",
                        [](const CoinDropAgent& agent) { return !agent.m_ports.empty(); })
                    .Then(&CoinDropAgent::ParseRates));
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
    const bool limited = frame.kind == Frame::Kind::ROCE && !frame.IsRoceFeedback() &&
                         !(port.GetLosslessPriorities() >> frame.priority & 1);
    if (!limited || own.held.Get(port, frame.priority, nowNs) + frame.bytes <= own.limitBytes)
    {
        return {};
    }
    const bool waits = port.GetEgress().GetLast(frame.priority) != nullptr;
    return {waits && m_coin->GetValue() < 0.5 ? EnqueueVerdict::DROP_LAST : EnqueueVerdict::REFUSE};
}

void
CoinDropAgent::OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    m_ports[port.GetPortIndex()].held.NoteStart(port, frame, nowNs);
}

bool
CoinDropAgent::Decides() const
{
    return true;
}

} // namespace ns3
