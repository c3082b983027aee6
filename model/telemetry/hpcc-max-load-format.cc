/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-max-load-format.h"

#include "ns3/hpcc-type-id.h"

#include <boost/endian/conversion.hpp>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MaxLoadFormat);

namespace
{

constexpr uint32_t BYTES = 8;
constexpr uint32_t AUTHENTICATED_BYTES = BYTES + sizeof(uint32_t) + sizeof(FeedbackTag);
constexpr uint32_t KIND = 253;
constexpr uint32_t NUMBER_WORD = 2;
constexpr uint32_t TAG_WORD = 3;
constexpr uint32_t MANTISSA_BITS = 11;
constexpr uint64_t MANTISSA_MASK = (1 << MANTISSA_BITS) - 1;
constexpr uint32_t MOST_EXPONENT = 31;

/// Returns the identifier of the experiment.
uint16_t
ExIdOf(const TelemetryStack& stack)
{
    return static_cast<uint16_t>(stack.words[0]);
}

} // namespace

TypeId
MaxLoadFormat::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<MaxLoadFormat, TcpOptionFormat>("ns3::MaxLoadFormat")
            .Attribute("ExId",
                       "Experiment identifier of options that return a load or nothing.",
                       HpccField(&MaxLoadFormat::m_exId, 0x4850))
            .Attribute(
                "WindowExId",
                "Experiment identifier of options that return a window; must differ from ExId.",
                HpccField(&MaxLoadFormat::m_windowExId, 0x4857))
            .Attribute("Authenticated",
                       "Whether the returned load or window is authenticated; the option is then "
                       "16 bytes longer.",
                       HpccProperty(&MaxLoadFormat::SetAuthenticated,
                                    &MaxLoadFormat::IsAuthenticated,
                                    false));
    return tid;
}

MaxLoadFormat::MaxLoadFormat()
    : TcpOptionFormat(BYTES, TELEMETRY_LOAD, 0, REFLECTION_ID)
{
}

std::string
MaxLoadFormat::GetSwitchAgent() const
{
    return "max-load";
}

std::string
MaxLoadFormat::Validate(const TelemetryNetwork&) const
{
    return m_exId == m_windowExId
               ? "ExId and WindowExId are both " + std::to_string(m_exId) + "; they must differ"
               : "";
}

void
MaxLoadFormat::DoOpen(TelemetryStack& stack) const
{
    stack.hops = 1;
    stack.remainingHops = 0;
    std::fill_n(stack.words.begin(), GetBaseBytes() / 4, 0);
    stack.words[0] = KindAndLength() << 16 | m_exId;
}

bool
MaxLoadFormat::CrossesBorder() const
{
    return true;
}

HopTelemetry
MaxLoadFormat::Read(const TelemetryStack& stack, uint32_t) const
{
    HopTelemetry hop{};
    if (const auto code = static_cast<uint16_t>(stack.words[1] >> COLLECTED_SHIFT))
    {
        hop.load = Decode(code);
        hop.fields = TELEMETRY_LOAD;
    }
    return hop;
}

void
MaxLoadFormat::Truncate(TelemetryStack& stack, uint32_t) const
{
    stack.words[1] &= RETURNED_MASK;
}

size_t
MaxLoadFormat::Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const
{
    const size_t used = TcpOptionFormat::Deserialize(in, size, stack);
    const bool known = used && stack.words[0] >> 16 == KindAndLength() &&
                       (ExIdOf(stack) == m_exId || ExIdOf(stack) == m_windowExId);
    return known ? used : 0;
}

void
MaxLoadFormat::SetReturned(TelemetryStack& stack, const Returned& returned) const
{
    const bool window = returned.windowBytes > 0;
    const uint16_t code = window ? EncodeWindow(returned.windowBytes) : Encode(returned.load);
    stack.words[0] = KindAndLength() << 16 | (window ? m_windowExId : m_exId);
    stack.words[1] = (stack.words[1] & ~RETURNED_MASK) | code;
}

TcpOptionFormat::Returned
MaxLoadFormat::GetReturned(const TelemetryStack& stack) const
{
    const auto code = static_cast<uint16_t>(stack.words[1]);
    return ExIdOf(stack) == m_windowExId ? Returned{0, DecodeWindow(code)}
                                         : Returned{Decode(code), 0};
}

void
MaxLoadFormat::SetAuthenticated(bool authenticated)
{
    SetBytes(authenticated ? AUTHENTICATED_BYTES : BYTES);
}

bool
MaxLoadFormat::IsAuthenticated() const
{
    return GetBaseBytes() == AUTHENTICATED_BYTES;
}

uint32_t
MaxLoadFormat::KindAndLength() const
{
    return KIND << 8 | GetBaseBytes();
}

void
MaxLoadFormat::SetProof(TelemetryStack& stack, const Proof& proof) const
{
    stack.words[NUMBER_WORD] = proof.number;
    for (size_t i = 0; i < proof.tag.size() / 4; ++i)
    {
        stack.words[TAG_WORD + i] = boost::endian::load_big_u32(&proof.tag[4 * i]);
    }
}

TcpOptionFormat::Proof
MaxLoadFormat::GetProof(const TelemetryStack& stack) const
{
    Proof proof;
    proof.number = stack.words[NUMBER_WORD];
    for (size_t i = 0; i < proof.tag.size() / 4; ++i)
    {
        boost::endian::store_big_u32(&proof.tag[4 * i], stack.words[TAG_WORD + i]);
    }
    return proof;
}

std::vector<uint8_t>
MaxLoadFormat::GetSigned(const TelemetryStack& stack) const
{
    std::vector<uint8_t> bytes(4);
    boost::endian::store_big_u16(bytes.data(), ExIdOf(stack));
    boost::endian::store_big_u16(bytes.data() + 2, static_cast<uint16_t>(stack.words[1]));
    return bytes;
}

uint16_t
MaxLoadFormat::EncodeWindow(double bytes)
{
    constexpr double most = static_cast<double>(MANTISSA_MASK << MOST_EXPONENT);
    if (bytes <= 0)
    {
        return 0;
    }
    auto mantissa = static_cast<uint64_t>(std::clamp(bytes, 1.0, most));
    uint32_t exponent = 0;
    for (; mantissa > MANTISSA_MASK; mantissa >>= 1)
    {
        ++exponent;
    }
    return static_cast<uint16_t>(exponent << MANTISSA_BITS | mantissa);
}

double
MaxLoadFormat::DecodeWindow(uint16_t code)
{
    return static_cast<double>((code & MANTISSA_MASK) << (code >> MANTISSA_BITS));
}

} // namespace ns3
