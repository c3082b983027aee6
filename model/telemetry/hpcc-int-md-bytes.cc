/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-int-md-format.h"
#include "hpcc-int-md-layout.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

// Writes and reads the bytes of INT-MD, and appends the load that a domain edge reports.

namespace ns3
{

using namespace boost::endian;
using namespace IntMdLayout;

namespace
{

constexpr uint8_t SHIM_TYPE_MD = 1;
constexpr uint8_t SHIM_NPT_NONE = 0;
constexpr uint8_t SHIM_NPT_UDP_PORT = 1;

constexpr uint16_t SUBSCRIBED_FLAG = 0x8000;

constexpr uint32_t VERSION = 2;
constexpr uint32_t DISCARD_BIT = 1 << 27;
constexpr uint32_t HOPS_EXCEEDED_BIT = 1 << 26;
constexpr uint32_t MTU_EXCEEDED_BIT = 1 << 25;

/// Returns the upper 6 bits of the shim.
uint8_t
ShimTypeAndNpt(bool udpPort)
{
    return SHIM_TYPE_MD << 2 | (udpPort ? SHIM_NPT_UDP_PORT : SHIM_NPT_NONE);
}

} // namespace

void
IntMdFormat::AppendLoad(TelemetryStack& stack, double load, uint32_t tag) const
{
    uint32_t* word = Push(stack);
    std::fill_n(word, GetRecordWords(), NOT_AVAILABLE);
    word[0] = std::min(tag, NOT_AVAILABLE - 1);
    word[GetRecordWords() - 1] =
        static_cast<uint32_t>(std::min(load * 1e6 + 0.5, NOT_AVAILABLE - 1.0));
}

void
IntMdFormat::Serialize(const TelemetryStack& stack, uint8_t* out) const
{
    const bool udpPort = m_markedBy == UDP_PORT;
    out[0] = ShimTypeAndNpt(udpPort) << 2;
    out[1] = HEADER_WORDS + stack.hops * GetRecordWords();
    store_big_u16(out + 2, udpPort ? stack.originalPort : stack.originalDscp << 2);
    uint32_t header = VERSION << 28 | GetRecordWords() << 8 | stack.remainingHops;
    header |= stack.flags & TELEMETRY_HOPS_EXCEEDED ? HOPS_EXCEEDED_BIT : 0;
    header |= stack.flags & TELEMETRY_MTU_EXCEEDED ? MTU_EXCEEDED_BIT : 0;
    store_big_u32(out + 4, header);
    store_big_u16(out + 8, GetInstructionBitmap());
    const bool subscribed = stack.flags & TELEMETRY_SUBSCRIBED;
    store_big_u16(out + 10, subscribed ? DOMAIN_ID : 0);
    store_big_u16(out + 12, 0);
    store_big_u16(out + 14, subscribed ? SUBSCRIBED_FLAG : 0);
    SerializeRecords(stack, out + BASE_BYTES);
}

size_t
IntMdFormat::Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const
{
    const bool udpPort = m_markedBy == UDP_PORT;
    if (size < BASE_BYTES || in[0] >> 2 != ShimTypeAndNpt(udpPort) || in[1] < HEADER_WORDS)
    {
        return 0;
    }
    uint32_t header = load_big_u32(in + 4);
    uint16_t instructions = load_big_u16(in + 8);
    uint16_t domain = load_big_u16(in + 10);
    if (header >> 28 != VERSION || header & DISCARD_BIT ||
        (header >> 8 & 0x1f) != GetRecordWords() || instructions != GetInstructionBitmap() ||
        (domain != 0 && domain != DOMAIN_ID))
    {
        return 0;
    }
    uint32_t stackWords = in[1] - HEADER_WORDS;
    uint32_t hops = stackWords / GetRecordWords();
    uint8_t remainingHops = header & 0xff;
    if (hops + remainingHops > GetMaxHops() ||
        DeserializeRecords(in + BASE_BYTES, size - BASE_BYTES, hops, stack) != 4 * stackWords)
    {
        return 0;
    }
    stack.remainingHops = remainingHops;
    stack.flags = (header & HOPS_EXCEEDED_BIT ? TELEMETRY_HOPS_EXCEEDED : 0) |
                  (header & MTU_EXCEEDED_BIT ? TELEMETRY_MTU_EXCEEDED : 0) |
                  (domain && load_big_u16(in + 14) & SUBSCRIBED_FLAG ? TELEMETRY_SUBSCRIBED : 0);
    if (udpPort)
    {
        stack.originalPort = load_big_u16(in + 2);
    }
    else
    {
        stack.originalDscp = in[3] >> 2;
    }
    return BASE_BYTES + 4 * stackWords;
}

} // namespace ns3
