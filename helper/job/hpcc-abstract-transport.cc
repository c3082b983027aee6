/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-abstract-transport.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace ns3
{

HpccAbstractTransport::HpccAbstractTransport(ArrivalNs arrivalNs)
    : m_arrivalNs(std::move(arrivalNs))
{
}

HpccAbstractTransport::ArrivalNs
HpccAbstractTransport::Constant(int64_t latencyNs, double bytesPerSecond)
{
    using Links = std::map<std::pair<uint32_t, uint32_t>, int64_t>;
    auto freeNs = std::make_shared<Links>();
    return [=](const Message& message, int64_t nowNs) {
        int64_t& link = (*freeNs)[{message.source, message.destination}];
        const auto bytes = static_cast<long double>(std::max<uint64_t>(message.bytes, 1));
        link =
            std::max(link, nowNs) + static_cast<int64_t>(std::floor(bytes * 1e9L / bytesPerSecond));
        return link + latencyNs;
    };
}

void
HpccAbstractTransport::Run()
{
    while (const auto due = m_events.PopDue(INT64_MAX))
    {
        const Event& event = due->event;
        m_nowNs = due->atNs;
        if (event.arrival)
        {
            m_client->Sent(event.message.source, event.message.id, m_nowNs);
            m_client->Delivered(event.message, m_nowNs);
        }
        else
        {
            m_client->Wake(event.message.source, m_nowNs);
        }
    }
}

void
HpccAbstractTransport::Send(const Message& message)
{
    const bool self = message.source == message.destination;
    m_events.Push(self ? m_nowNs + 1 : m_arrivalNs(message, m_nowNs), {true, message});
}

void
HpccAbstractTransport::WakeAt(uint32_t rank, int64_t atNs)
{
    m_events.Push(atNs, {false, {rank, rank, 0, 0, 0}});
}

} // namespace ns3
