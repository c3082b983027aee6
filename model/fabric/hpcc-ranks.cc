/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-ranks.h"

#include "qbb-net-device.h"

#include "ns3/abort.h"
#include "ns3/hpcc-telemetry-format.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccRanks);

namespace
{

constexpr uint32_t NO_FORMAT = UINT32_MAX;
constexpr uint32_t PACKET_EXTRA_BYTES = 100; ///< what ns-3 writes of a packet beside its bytes
constexpr size_t STACK_HEAD_BYTES = offsetof(TelemetryStack, words);

static_assert(std::is_trivially_copyable_v<FrameHeaders>);
static_assert(std::is_trivially_copyable_v<TelemetryStack>);

/// @return the byte after the value written
char*
Put(char* bytes, const void* value, size_t size)
{
    std::memcpy(bytes, value, size);
    return bytes + size;
}

/// @return words that a frame's telemetry has
size_t
UsedWords(const Frame& frame)
{
    return frame.MayReflect() && frame.ReportsWorstHop()
               ? MAX_TELEMETRY_WORDS
               : frame.format->GetUsedWords(frame.telemetry);
}

/// @return the byte after the value
const char*
Get(const char* bytes, void* value, size_t size)
{
    std::memcpy(value, bytes, size);
    return bytes + size;
}

} // namespace

TypeId
HpccRanks::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HpccRanks").SetParent<Object>().SetGroupName("Hpcc");
    return tid;
}

void
HpccRanks::Begin()
{
    m_formats.clear();
    m_frames = std::make_unique<FramePool>();
}

bool
HpccRanks::NeedsBothEnds() const
{
    return false;
}

uint32_t
HpccRanks::GetMaxPacketBytes(bool) const
{
    return UINT32_MAX;
}

uint32_t
HpccRanks::MaxBytesBesidePacket(bool telemetry)
{
    return 3 * sizeof(uint32_t) + sizeof(FrameHeaders) + (telemetry ? sizeof(TelemetryStack) : 0) +
           PACKET_EXTRA_BYTES;
}

void
HpccRanks::AddFormat(const TelemetryFormat* format)
{
    if (std::find(m_formats.begin(), m_formats.end(), format) == m_formats.end())
    {
        m_formats.push_back(format);
    }
}

void
HpccRanks::Append(uint32_t link, const Frame& frame, std::string& bytes) const
{
    const auto found = std::find(m_formats.begin(), m_formats.end(), frame.format);
    NS_ABORT_MSG_IF(frame.format && found == m_formats.end(),
                    "HpccRanks: a frame carries a telemetry format that is not known");
    const uint32_t format =
        frame.format ? static_cast<uint32_t>(found - m_formats.begin()) : NO_FORMAT;
    const uint32_t packetBytes = frame.packet ? frame.packet->GetSerializedSize() : 0;
    const size_t stackBytes = frame.format ? STACK_HEAD_BYTES + 4 * UsedWords(frame) : 0;
    const size_t before = bytes.size();
    bytes.resize(before + sizeof(link) + sizeof(FrameHeaders) + sizeof(format) +
                 sizeof(packetBytes) + stackBytes + packetBytes);
    char* next = Put(&bytes[before], &link, sizeof(link));
    next = Put(next, static_cast<const FrameHeaders*>(&frame), sizeof(FrameHeaders));
    next = Put(next, &format, sizeof(format));
    next = Put(next, &packetBytes, sizeof(packetBytes));
    next = Put(next, &frame.telemetry, stackBytes);
    if (frame.packet)
    {
        frame.packet->Serialize(reinterpret_cast<uint8_t*>(next), packetBytes);
    }
}

void
HpccRanks::Announce(const char* bytes, const char* end, const std::vector<QbbNetDevice*>& links)
{
    while (bytes < end)
    {
        uint32_t link = 0;
        bytes = Get(bytes, &link, sizeof(link));
        QbbNetDevice& to = *links[link];
        Frame* frame = m_frames->Allocate();
        bytes = Read(bytes, *frame);
        to.AnnounceArrival(frame);
    }
}

const char*
HpccRanks::Read(const char* bytes, Frame& frame) const
{
    uint32_t format = 0;
    uint32_t packetBytes = 0;
    bytes = Get(bytes, static_cast<FrameHeaders*>(&frame), sizeof(FrameHeaders));
    bytes = Get(bytes, &format, sizeof(format));
    bytes = Get(bytes, &packetBytes, sizeof(packetBytes));
    frame.next = nullptr;
    frame.format = format == NO_FORMAT ? nullptr : m_formats.at(format);
    if (frame.format)
    {
        bytes = Get(bytes, &frame.telemetry, STACK_HEAD_BYTES);
        const size_t words = UsedWords(frame);
        bytes = Get(bytes, frame.telemetry.words.data(), 4 * words);
    }
    if (packetBytes > 0)
    {
        frame.packet = Create<Packet>(reinterpret_cast<const uint8_t*>(bytes), packetBytes, true);
    }
    return bytes + packetBytes;
}

void
HpccRanks::DoDispose()
{
    m_formats.clear();
    Object::DoDispose();
}

} // namespace ns3
