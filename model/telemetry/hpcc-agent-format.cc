/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-agent-format.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AgentTelemetryFormat);

namespace
{

constexpr uint16_t ROCE_PORT = 4791;
constexpr uint8_t UDP_PROTOCOL = 17;

/// Returns the distance of a byte of the header from the right end of its word, bits.
constexpr uint32_t
ShiftOf(uint32_t byte)
{
    return 24 - 8 * (byte % 4);
}

} // namespace

TypeId
AgentTelemetryFormat::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<AgentTelemetryFormat, TelemetryFormat>("ns3::AgentTelemetryFormat");
    return tid;
}

HpccTypeId
AgentTelemetryFormat::AddUdpPort(HpccTypeId tid, uint16_t port)
{
    return tid.Attribute("UdpPort",
                         "UDP destination port that marks packets of this format.",
                         HpccProperty(&AgentTelemetryFormat::SetUdpPort,
                                      &AgentTelemetryFormat::GetUdpPort,
                                      port,
                                      1));
}

AgentTelemetryFormat::AgentTelemetryFormat(uint32_t bytes,
                                           uint16_t fields,
                                           uint8_t senderWords,
                                           uint8_t reflectionId)
    : m_bytes(bytes),
      m_reflectionId(reflectionId)
{
    m_capabilities.fields = fields;
    m_capabilities.pathExtreme = true;
    m_capabilities.senderWords = senderWords;
}

uint8_t
AgentTelemetryFormat::GetReflectionId() const
{
    return m_reflectionId;
}

void
AgentTelemetryFormat::DoOpen(TelemetryStack& stack) const
{
    stack.hops = 1;
    stack.remainingHops = 0;
    std::fill_n(stack.words.begin(), (m_bytes + 3) / 4, 0);
}

void
AgentTelemetryFormat::Tell(TelemetryStack& stack, const uint32_t* words) const
{
    std::copy_n(words, m_capabilities.senderWords, stack.words.begin());
}

int32_t
AgentTelemetryFormat::Insert(TelemetryStack&, const HopSnapshot&, uint32_t) const
{
    return 0;
}

uint32_t
AgentTelemetryFormat::GetBaseBytes() const
{
    return m_bytes;
}

uint32_t
AgentTelemetryFormat::GetHopBytes() const
{
    return 0;
}

uint32_t
AgentTelemetryFormat::GetReflectedBytes(const TelemetryStack&) const
{
    return m_bytes;
}

void
AgentTelemetryFormat::Serialize(const TelemetryStack& stack, uint8_t* out) const
{
    for (uint32_t i = 0; i < m_bytes; ++i)
    {
        out[i] = static_cast<uint8_t>(stack.words[i / 4] >> ShiftOf(i));
    }
}

size_t
AgentTelemetryFormat::Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const
{
    if (size < m_bytes)
    {
        return 0;
    }
    Open(stack, {ROCE_PORT, UDP_PROTOCOL, 0});
    std::fill_n(stack.words.begin(), (m_bytes + 3) / 4, 0);
    for (uint32_t i = 0; i < m_bytes; ++i)
    {
        stack.words[i / 4] |= static_cast<uint32_t>(in[i]) << ShiftOf(i);
    }
    return m_bytes;
}

void
AgentTelemetryFormat::SerializeRecords(const TelemetryStack& stack, uint8_t* out) const
{
    Serialize(stack, out);
}

size_t
AgentTelemetryFormat::DeserializeRecords(const uint8_t* in,
                                         size_t size,
                                         uint8_t hops,
                                         TelemetryStack& stack) const
{
    return hops == 1 ? Deserialize(in, size, stack) : 0;
}

} // namespace ns3
