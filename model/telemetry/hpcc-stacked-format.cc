/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-stacked-format.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>

namespace ns3
{

using namespace boost::endian;

NS_OBJECT_ENSURE_REGISTERED(StackedTelemetryFormat);

TypeId
StackedTelemetryFormat::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<StackedTelemetryFormat, TelemetryFormat>("ns3::StackedTelemetryFormat");
    return tid;
}

void
StackedTelemetryFormat::SetRecordWords(uint32_t recordWords, uint32_t mostWords)
{
    m_recordWords = recordWords;
    m_maxHops = std::min(MAX_TELEMETRY_HOPS, mostWords / recordWords);
}

int32_t
StackedTelemetryFormat::Skip(TelemetryStack& stack, TelemetryStackFlag why)
{
    stack.flags |= why;
    stack.skippedHops = std::min(stack.skippedHops + 1, 255);
    return NOT_INSERTED;
}

void
StackedTelemetryFormat::Truncate(TelemetryStack& stack, uint32_t hops) const
{
    stack.remainingHops += stack.hops - hops;
    stack.hops = static_cast<uint8_t>(hops);
}

void
StackedTelemetryFormat::Merge(TelemetryStack& stack,
                              const TelemetryStack& later,
                              bool largestQueue) const
{
    constexpr uint16_t ids = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID;
    std::array<uint8_t, MAX_TELEMETRY_HOPS> place{};
    uint32_t found = 0;
    for (uint32_t i = 0; i < stack.hops && found < later.hops; ++i)
    {
        const HopTelemetry old = Read(stack, i);
        const HopTelemetry hop = Read(later, found);
        if (old.switchId == hop.switchId && old.portId == hop.portId &&
            (old.fields & hop.fields & ids) == ids)
        {
            place[found++] = static_cast<uint8_t>(i);
        }
    }
    if (found < later.hops)
    {
        stack = later;
        return;
    }
    const QueueField field = GetQueueField();
    for (uint32_t i = 0; i < found; ++i)
    {
        uint32_t* record = &stack.words[place[i] * m_recordWords];
        const HopTelemetry old = Read(stack, place[i]);
        const uint32_t queue = record[field.word] & field.mask;
        std::copy_n(RecordOf(later, i), m_recordWords, record);
        if (largestQueue && old.fields & TELEMETRY_QUEUE &&
            old.queueBytes > Read(later, i).queueBytes)
        {
            record[field.word] = (record[field.word] & ~field.mask) | queue;
        }
    }
    stack.flags |= later.flags;
}

bool
StackedTelemetryFormat::MergesQueues() const
{
    return true;
}

uint32_t
StackedTelemetryFormat::GetUsedWords(const TelemetryStack& stack) const
{
    return stack.hops * m_recordWords;
}

void
StackedTelemetryFormat::SerializeRecords(const TelemetryStack& stack, uint8_t* out) const
{
    for (uint32_t hop = stack.hops; hop-- > 0;)
    {
        const uint32_t* record = RecordOf(stack, hop);
        for (uint32_t i = 0; i < m_recordWords; ++i)
        {
            store_big_u32(out, record[i]);
            out += 4;
        }
    }
}

size_t
StackedTelemetryFormat::DeserializeRecords(const uint8_t* in,
                                           size_t size,
                                           uint8_t hops,
                                           TelemetryStack& stack) const
{
    if (hops > m_maxHops || size < hops * GetRecordBytes())
    {
        return 0;
    }
    Open(stack, {0, 0, 0});
    stack.hops = hops;
    stack.remainingHops = 0;
    for (uint32_t hop = hops; hop-- > 0;)
    {
        for (uint32_t i = 0; i < m_recordWords; ++i)
        {
            stack.words[hop * m_recordWords + i] = load_big_u32(in);
            in += 4;
        }
    }
    return GetReflectedBytes(stack);
}

} // namespace ns3
