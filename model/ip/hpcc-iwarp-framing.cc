/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-iwarp-framing.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cstring>

namespace ns3
{

using namespace boost::endian;

namespace
{

constexpr uint32_t KEY_BYTES = 16;
constexpr char REQUEST_KEY[] = "MPA ID Req Frame";
constexpr char REPLY_KEY[] = "MPA ID Rep Frame";
constexpr uint8_t FLAG_MARKERS = 0x80;
constexpr uint8_t FLAG_CRC = 0x40;
constexpr uint8_t FLAG_REJECTED = 0x20;

constexpr uint32_t LENGTH_BYTES = 2;
constexpr uint32_t CRC_BYTES = 4;
constexpr uint32_t ALIGNMENT = 4;
constexpr uint8_t TAGGED = 0x80;
constexpr uint8_t LAST = 0x40;
constexpr uint8_t DDP_VERSION_MASK = 0x03;
constexpr uint8_t DDP_VERSION = 0x01;
constexpr uint8_t RDMAP_VERSION_MASK = 0xc0;
constexpr uint8_t RDMAP_VERSION = 0x40;
constexpr uint8_t OPCODE_MASK = 0x0f;

/**
 * Returns @p size rounded up to whole words of 4 bytes.
 * @param size size, bytes
 */
size_t
Align(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/**
 * Returns the CRC-32C of some bytes.
 * @param bytes the bytes
 * @param size number of bytes
 */
uint32_t
CrcOf(const uint8_t* bytes, size_t size)
{
    Crc32c crc;
    crc.process_bytes(bytes, size);
    return crc.checksum();
}

/**
 * Returns the key of a start-up frame.
 * @param reply true for a reply, false for a request
 */
const char*
KeyOf(bool reply)
{
    return reply ? REPLY_KEY : REQUEST_KEY;
}

} // namespace

const char*
ToString(HpccIwarpError error)
{
    constexpr const char* names[] = {"none",
                                     "tcp",
                                     "ended-early",
                                     "bad-key",
                                     "bad-revision",
                                     "markers",
                                     "rejected",
                                     "bad-private-data",
                                     "bad-length",
                                     "bad-crc",
                                     "bad-version",
                                     "bad-opcode",
                                     "bad-stag",
                                     "out-of-region",
                                     "bad-message",
                                     "region-too-small",
                                     "different-content"};
    return names[static_cast<size_t>(error)];
}

std::vector<uint8_t>
EncodeMpaStart(const MpaStart& start)
{
    std::vector<uint8_t> bytes(MpaStart::HEADER_BYTES + start.privateData.size());
    std::memcpy(bytes.data(), KeyOf(start.reply), KEY_BYTES);
    bytes[16] = (start.markers ? FLAG_MARKERS : 0) | (start.crc ? FLAG_CRC : 0) |
                (start.rejected ? FLAG_REJECTED : 0);
    bytes[17] = start.revision;
    store_big_u16(&bytes[18], static_cast<uint16_t>(start.privateData.size()));
    std::copy(start.privateData.begin(),
              start.privateData.end(),
              bytes.begin() + MpaStart::HEADER_BYTES);
    return bytes;
}

std::vector<uint8_t>
EncodeFpdu(const DdpSegment& segment, const uint8_t* payload, size_t size, bool crc)
{
    const size_t ulpduBytes = segment.GetHeaderBytes() + size;
    const size_t covered = Align(LENGTH_BYTES + ulpduBytes);
    std::vector<uint8_t> bytes(covered + CRC_BYTES);
    store_big_u16(bytes.data(), static_cast<uint16_t>(ulpduBytes));
    uint8_t* ulpdu = &bytes[LENGTH_BYTES];
    const bool tagged = segment.opcode == DdpSegment::RDMA_WRITE;
    ulpdu[0] = (tagged ? TAGGED : 0) | (segment.last ? LAST : 0) | DDP_VERSION;
    ulpdu[1] = RDMAP_VERSION | segment.opcode;
    if (tagged)
    {
        store_big_u32(ulpdu + 2, segment.stag);
        store_big_u64(ulpdu + 6, segment.offset);
    }
    else
    {
        store_big_u32(ulpdu + 6, segment.queue);
        store_big_u32(ulpdu + 10, segment.message);
        store_big_u32(ulpdu + 14, segment.messageOffset);
    }
    std::copy_n(payload, size, ulpdu + segment.GetHeaderBytes());
    if (crc)
    {
        store_little_u32(&bytes[covered], CrcOf(bytes.data(), covered));
    }
    return bytes;
}

uint32_t
GetMaxTaggedPayload(uint32_t emss)
{
    const uint32_t fpdu = std::min(emss, UINT32_C(65536)) / ALIGNMENT * ALIGNMENT;
    return fpdu - LENGTH_BYTES - CRC_BYTES - DdpSegment::TAGGED_BYTES;
}

void
MpaReader::Append(const uint8_t* bytes, size_t size)
{
    m_bytes.erase(m_bytes.begin(), m_bytes.begin() + static_cast<std::ptrdiff_t>(m_next));
    m_next = 0;
    m_bytes.insert(m_bytes.end(), bytes, bytes + size);
}

MpaReader::Item
MpaReader::Refuse(HpccIwarpError error)
{
    m_error = error;
    return Item::ERROR;
}

MpaReader::Item
MpaReader::Next()
{
    if (m_error != HpccIwarpError::NONE)
    {
        return Item::ERROR;
    }
    return m_started ? NextFpdu() : NextStart();
}

MpaReader::Item
MpaReader::NextStart()
{
    const size_t size = m_bytes.size() - m_next;
    const uint8_t* at = m_bytes.data() + m_next;
    if (size > 0 && std::memcmp(at, KeyOf(m_reply), std::min<size_t>(size, KEY_BYTES)) != 0)
    {
        return Refuse(HpccIwarpError::BAD_KEY);
    }
    if (size < MpaStart::HEADER_BYTES)
    {
        return Item::NONE;
    }
    if (at[17] != MpaStart::REVISION)
    {
        return Refuse(HpccIwarpError::BAD_REVISION);
    }
    const size_t privateBytes = load_big_u16(at + 18);
    if (privateBytes > MpaStart::MAX_PRIVATE_BYTES)
    {
        return Refuse(HpccIwarpError::BAD_PRIVATE_DATA);
    }
    if (size < MpaStart::HEADER_BYTES + privateBytes)
    {
        return Item::NONE;
    }
    m_start.reply = m_reply;
    m_start.markers = at[16] & FLAG_MARKERS;
    m_start.crc = at[16] & FLAG_CRC;
    m_start.rejected = at[16] & FLAG_REJECTED;
    m_start.privateData.assign(at + MpaStart::HEADER_BYTES,
                               at + MpaStart::HEADER_BYTES + privateBytes);
    m_next += MpaStart::HEADER_BYTES + privateBytes;
    m_started = true;
    return Item::START;
}

MpaReader::Item
MpaReader::NextFpdu()
{
    const size_t size = m_bytes.size() - m_next;
    const uint8_t* at = m_bytes.data() + m_next;
    if (size < LENGTH_BYTES)
    {
        return Item::NONE;
    }
    const uint32_t ulpduBytes = load_big_u16(at);
    const size_t covered = Align(LENGTH_BYTES + ulpduBytes);
    if (ulpduBytes < DdpSegment::TAGGED_BYTES)
    {
        return Refuse(HpccIwarpError::BAD_LENGTH);
    }
    if (size < covered + CRC_BYTES)
    {
        return Item::NONE;
    }
    if (m_crc && CrcOf(at, covered) != load_little_u32(at + covered))
    {
        return Refuse(HpccIwarpError::BAD_CRC);
    }
    const HpccIwarpError error = ReadSegment(at + LENGTH_BYTES, ulpduBytes);
    if (error != HpccIwarpError::NONE)
    {
        return Refuse(error);
    }
    m_next += covered + CRC_BYTES;
    return Item::SEGMENT;
}

HpccIwarpError
MpaReader::ReadSegment(const uint8_t* ulpdu, uint32_t size)
{
    if ((ulpdu[0] & DDP_VERSION_MASK) != DDP_VERSION ||
        (ulpdu[1] & RDMAP_VERSION_MASK) != RDMAP_VERSION)
    {
        return HpccIwarpError::BAD_VERSION;
    }
    const bool tagged = ulpdu[0] & TAGGED;
    const uint8_t opcode = ulpdu[1] & OPCODE_MASK;
    if (opcode != (tagged ? DdpSegment::RDMA_WRITE : DdpSegment::SEND))
    {
        return HpccIwarpError::BAD_OPCODE;
    }
    m_segment = {};
    m_segment.opcode = static_cast<DdpSegment::Opcode>(opcode);
    m_segment.last = ulpdu[0] & LAST;
    const uint32_t headerBytes = m_segment.GetHeaderBytes();
    if (size < headerBytes)
    {
        return HpccIwarpError::BAD_LENGTH;
    }
    if (tagged)
    {
        m_segment.stag = load_big_u32(ulpdu + 2);
        m_segment.offset = load_big_u64(ulpdu + 6);
    }
    else
    {
        m_segment.queue = load_big_u32(ulpdu + 6);
        m_segment.message = load_big_u32(ulpdu + 10);
        m_segment.messageOffset = load_big_u32(ulpdu + 14);
    }
    m_payload = ulpdu + headerBytes;
    m_payloadBytes = size - headerBytes;
    return HpccIwarpError::NONE;
}

} // namespace ns3
