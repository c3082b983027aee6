/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-frame-serializer.h"

#include "hpcc-roce-packet.h"

#include "ns3/abort.h"
#include "ns3/packet.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace ns3
{

namespace
{

constexpr uint8_t NO_FORMAT = UINT8_MAX;
constexpr uint32_t PACKET_EXTRA_BYTES = 100; ///< bytes that ns-3 adds when it serialises a packet
constexpr size_t STACK_HEAD_BYTES = offsetof(TelemetryStack, words);

// The fields of FrameHeaders form three blocks: the fields between the two pointers, the fields
// after the second pointer, and the union. Neither the pointers nor unused members of the union are
// written.
constexpr size_t FIRST_BEGIN = offsetof(FrameHeaders, arrivalNs);
constexpr size_t FIRST_BYTES = offsetof(FrameHeaders, format) - FIRST_BEGIN;
constexpr size_t SECOND_BEGIN = offsetof(FrameHeaders, msn);
constexpr size_t SECOND_BYTES =
    offsetof(FrameHeaders, fraction) + sizeof(FrameHeaders::fraction) - SECOND_BEGIN;
constexpr size_t UNION_BEGIN = offsetof(FrameHeaders, reth);
constexpr size_t UNION_BYTES = sizeof(FrameHeaders) - UNION_BEGIN;
/// Number of bytes before the fields: the link number, the index of the format, and a flag that is
/// set if a packet follows.
constexpr size_t LEAD_BYTES = sizeof(uint32_t) + 2;

static_assert(std::is_trivially_copyable_v<FrameHeaders>);
static_assert(std::is_trivially_copyable_v<TelemetryStack>);
static_assert(offsetof(FrameHeaders, next) == 0 && sizeof(FrameHeaders::next) == FIRST_BEGIN);
static_assert(offsetof(FrameHeaders, format) + sizeof(FrameHeaders::format) == SECOND_BEGIN);
static_assert(SECOND_BEGIN + SECOND_BYTES <= UNION_BEGIN);

/// Returns a pointer to the byte at an offset in the headers.
const char*
At(const FrameHeaders& headers, size_t offset)
{
    return reinterpret_cast<const char*>(&headers) + offset;
}

/// Returns a pointer to the byte at an offset in the headers.
char*
At(FrameHeaders& headers, size_t offset)
{
    return reinterpret_cast<char*>(&headers) + offset;
}

/// Returns the number of bytes of the union that a frame uses.
size_t
UnionBytes(const FrameHeaders& headers)
{
    switch (headers.kind)
    {
    case FrameHeaders::Kind::PFC:
        return sizeof(FrameHeaders::Pfc);
    case FrameHeaders::Kind::IP:
        return UNION_BYTES;
    case FrameHeaders::Kind::ROCE:
        break;
    }
    switch (headers.opcode)
    {
    case ROCE_ACK:
    case ROCE_NOTIFICATION:
        return sizeof(FrameHeaders::Reflection);
    case ROCE_SWITCH_RESPONSE:
        return sizeof(FrameHeaders::SwitchResponse);
    case ROCE_CNP:
        return sizeof(FrameHeaders::Notification);
    default:
        return HasReth(headers.opcode) ? sizeof(FrameHeaders::Reth) : 0;
    }
}

/// Writes a value and returns a pointer to the byte after it.
char*
Put(char* bytes, const void* value, size_t size)
{
    std::memcpy(bytes, value, size);
    return bytes + size;
}

static_assert(std::is_trivially_copyable_v<RoceSack>);

/// Returns the size of a frame's SACK, bytes; 0 if the frame has no SACK.
size_t
SackBytes(const FrameHeaders& headers)
{
    const bool acknowledges =
        headers.kind == FrameHeaders::Kind::ROCE && headers.opcode == ROCE_ACK;
    return acknowledges && (headers.syndrome == ROCE_SYNDROME_SACK ||
                            headers.syndrome == ROCE_SYNDROME_NACK_TRIMMED)
               ? sizeof(RoceSack)
               : 0;
}

/// Returns the number of words of a frame's telemetry.
size_t
UsedWords(const Frame& frame)
{
    return frame.MayReflect() && frame.ReportsBottleneckHop()
               ? MAX_TELEMETRY_WORDS
               : frame.format->GetUsedWords(frame.telemetry);
}

/// Reads a value and advances @p bytes. Does nothing if the value would extend beyond @p end.
/// @return true if the value was read
bool
Get(const char*& bytes, const char* end, void* value, size_t size)
{
    if (static_cast<size_t>(end - bytes) < size)
    {
        return false;
    }
    std::memcpy(value, bytes, size);
    bytes += size;
    return true;
}

/// Returns true if the byte at an offset is a valid bool.
template <typename Struct>
bool
IsBool(const Struct& object, size_t offset)
{
    return reinterpret_cast<const uint8_t*>(&object)[offset] <= 1;
}

/// Returns a description of an invalid header field; empty if there is none.
std::string
CheckHeaders(const FrameHeaders& headers)
{
    if (static_cast<uint8_t>(headers.kind) > static_cast<uint8_t>(FrameHeaders::Kind::PFC))
    {
        return "a frame of an unknown kind";
    }
    if (headers.kind == FrameHeaders::Kind::PFC)
    {
        return ""; // the fields that the frame does not use are undefined
    }
    if (headers.priority >= PRIORITIES)
    {
        return "a frame of priority " + std::to_string(headers.priority);
    }
    if (headers.opcode == ROCE_SWITCH_RESPONSE &&
        !IsBool(headers.response, offsetof(FrameHeaders::SwitchResponse, forReceiver)))
    {
        return "a flag that is neither true nor false";
    }
    return "";
}

} // namespace

void
FrameSerializer::AddFormat(const TelemetryFormat* format)
{
    if (std::find(m_formats.begin(), m_formats.end(), format) == m_formats.end())
    {
        NS_ABORT_MSG_IF(m_formats.size() >= NO_FORMAT,
                        "FrameSerializer: more than " << uint32_t{NO_FORMAT}
                                                      << " telemetry formats");
        m_formats.push_back(format);
    }
}

void
FrameSerializer::Append(uint32_t link, const Frame& frame, std::string& bytes) const
{
    const auto found = std::find(m_formats.begin(), m_formats.end(), frame.format);
    NS_ABORT_MSG_IF(frame.format && found == m_formats.end(),
                    "FrameSerializer: a frame carries a telemetry format that is not known");
    const auto format = frame.format ? static_cast<uint8_t>(found - m_formats.begin()) : NO_FORMAT;
    const uint32_t packetBytes = frame.packet ? frame.packet->GetSerializedSize() : 0;
    const uint8_t hasPacket = packetBytes > 0;
    const size_t stackBytes = frame.format ? STACK_HEAD_BYTES + 4 * UsedWords(frame) : 0;
    const size_t unionBytes = UnionBytes(frame);
    const size_t before = bytes.size();
    bytes.resize(before + LEAD_BYTES + FIRST_BYTES + SECOND_BYTES + unionBytes +
                 (hasPacket ? sizeof(packetBytes) : 0) + SackBytes(frame) + stackBytes +
                 packetBytes);
    char* next = Put(&bytes[before], &link, sizeof(link));
    next = Put(next, &format, sizeof(format));
    next = Put(next, &hasPacket, sizeof(hasPacket));
    next = Put(next, At(frame, FIRST_BEGIN), FIRST_BYTES);
    next = Put(next, At(frame, SECOND_BEGIN), SECOND_BYTES);
    next = Put(next, At(frame, UNION_BEGIN), unionBytes);
    next = Put(next, &packetBytes, hasPacket ? sizeof(packetBytes) : 0);
    next = Put(next, &frame.sack, SackBytes(frame));
    next = Put(next, &frame.telemetry, stackBytes);
    if (frame.packet)
    {
        frame.packet->Serialize(reinterpret_cast<uint8_t*>(next), packetBytes);
    }
}

uint32_t
FrameSerializer::MaxBytesBesidePacket(bool telemetry)
{
    return LEAD_BYTES + FIRST_BYTES + SECOND_BYTES + UNION_BYTES + sizeof(uint32_t) +
           sizeof(RoceSack) + (telemetry ? sizeof(TelemetryStack) : 0) + PACKET_EXTRA_BYTES;
}

std::string
FrameSerializer::Read(const char*& bytes, const char* end, Frame& frame, Message& message) const
{
    uint8_t format = 0;
    uint8_t hasPacket = 0;
    message.packetBytes = 0;
    frame.next = nullptr;
    frame.format = nullptr;
    if (!Get(bytes, end, &message.link, sizeof(message.link)) ||
        !Get(bytes, end, &format, sizeof(format)) ||
        !Get(bytes, end, &hasPacket, sizeof(hasPacket)) ||
        !Get(bytes, end, At(frame, FIRST_BEGIN), FIRST_BYTES) ||
        !Get(bytes, end, At(frame, SECOND_BEGIN), SECOND_BYTES) ||
        !Get(bytes, end, At(frame, UNION_BEGIN), UnionBytes(frame)) ||
        (hasPacket && !Get(bytes, end, &message.packetBytes, sizeof(message.packetBytes))))
    {
        return "a frame that is cut off";
    }
    std::string wrong = CheckHeaders(frame);
    if (!wrong.empty())
    {
        return wrong;
    }
    if (!Get(bytes, end, &frame.sack, SackBytes(frame)))
    {
        return "a SACK that is cut off";
    }
    if (format != NO_FORMAT)
    {
        if (format >= m_formats.size())
        {
            return "telemetry format " + std::to_string(format) + " of " +
                   std::to_string(m_formats.size());
        }
        frame.format = m_formats[format];
        if (!Get(bytes, end, &frame.telemetry, STACK_HEAD_BYTES))
        {
            return "telemetry that is cut off";
        }
        if (frame.telemetry.hops > MAX_TELEMETRY_HOPS)
        {
            return "telemetry of " + std::to_string(frame.telemetry.hops) + " hops";
        }
        const size_t words = UsedWords(frame);
        if (words > MAX_TELEMETRY_WORDS ||
            !Get(bytes, end, frame.telemetry.words.data(), 4 * words))
        {
            return "telemetry that is cut off";
        }
    }
    if (static_cast<size_t>(end - bytes) < message.packetBytes)
    {
        return "a packet that is cut off";
    }
    message.packet = bytes;
    bytes += message.packetBytes;
    return "";
}

} // namespace ns3
