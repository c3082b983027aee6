/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-roce-headers.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace ns3
{

using namespace boost::endian;

namespace
{

constexpr uint16_t PFC_OPCODE = 0x0101;   ///< IEEE 802.3 Annex 31D
constexpr uint16_t PAUSE_OPCODE = 0x0001; ///< IEEE 802.3 Annex 31B

} // namespace

void
RoceBthHeader::Serialize(uint8_t* out) const
{
    out[0] = opcode;
    out[1] = (solicited << 7) | (migrated << 6) | ((padBytes & 3) << 4) | (version & 0xf);
    store_big_u16(out + 2, partition);
    out[4] = (fecn << 7) | (becn << 6);
    store_big_u24(out + 5, destinationQp & 0xffffff);
    out[8] = (ackRequest << 7) | (note & 0x7f);
    store_big_u24(out + 9, psn & 0xffffff);
}

void
RoceBthHeader::Deserialize(const uint8_t* in)
{
    opcode = in[0];
    solicited = in[1] & 0x80;
    migrated = in[1] & 0x40;
    padBytes = in[1] >> 4 & 3;
    version = in[1] & 0xf;
    partition = load_big_u16(in + 2);
    fecn = in[4] & 0x80;
    becn = in[4] & 0x40;
    destinationQp = load_big_u24(in + 5);
    ackRequest = in[8] & 0x80;
    note = in[8] & 0x7f;
    psn = load_big_u24(in + 9);
}

void
RoceRethHeader::Serialize(uint8_t* out) const
{
    store_big_u64(out, address);
    store_big_u32(out + 8, key);
    store_big_u32(out + 12, length);
}

void
RoceRethHeader::Deserialize(const uint8_t* in)
{
    address = load_big_u64(in);
    key = load_big_u32(in + 8);
    length = load_big_u32(in + 12);
}

void
RoceAethHeader::Serialize(uint8_t* out) const
{
    out[0] = syndrome;
    store_big_u24(out + 1, msn & 0xffffff);
}

void
RoceAethHeader::Deserialize(const uint8_t* in)
{
    syndrome = in[0];
    msn = load_big_u24(in + 1);
}

void
RoceNamedPsnHeader::Serialize(uint8_t* out) const
{
    store_big_u32(out, psn);
}

void
RoceNamedPsnHeader::Deserialize(const uint8_t* in)
{
    psn = load_big_u32(in);
}

void
RoceSackHeader::Serialize(uint8_t* out) const
{
    store_big_u32(out, uint32_t{sack.flags} << 24 | (sack.psn & 0xffffff));
    store_big_u32(out + 4, sack.basePsn & 0xffffff);
    store_big_u64(out + 8, sack.bitmap);
    store_big_u64(out + 16, uint64_t{sack.outOfOrder} << 48 | (sack.receivedBytes & COUNT_MASK));
}

void
RoceSackHeader::Deserialize(const uint8_t* in)
{
    const uint32_t first = load_big_u32(in);
    sack.flags = static_cast<uint8_t>(first >> 24);
    sack.psn = first & 0xffffff;
    sack.basePsn = load_big_u32(in + 4) & 0xffffff;
    sack.bitmap = load_big_u64(in + 8);
    const uint64_t last = load_big_u64(in + 16);
    sack.outOfOrder = static_cast<uint16_t>(last >> 48);
    sack.receivedBytes = last & COUNT_MASK;
}

void
RoceSwitchResponseHeader::Serialize(uint8_t* out) const
{
    store_big_u32(out, uint32_t{VERSION} << 28 | (forReceiver ? FOR_RECEIVER << 24 : 0));
    store_big_u32(out + 4, switchId);
}

bool
RoceSwitchResponseHeader::Deserialize(const uint8_t* in)
{
    forReceiver = in[0] & FOR_RECEIVER;
    switchId = load_big_u32(in + 4);
    return in[0] >> 4 == VERSION;
}

void
RoceNotificationHeader::Serialize(uint8_t* out) const
{
    std::fill_n(out, BYTES, 0);
    out[0] = kind;
    out[1] = (congested << 7) | (authenticated << 6);
    store_big_u16(out + 2, number);
    store_big_u64(out + 8, value);
}

void
RoceNotificationHeader::Deserialize(const uint8_t* in)
{
    kind = in[0];
    congested = in[1] & 0x80;
    authenticated = in[1] & 0x40;
    number = load_big_u16(in + 2);
    value = load_big_u64(in + 8);
}

void
PfcHeader::Serialize(uint8_t* out) const
{
    store_big_u16(out, PFC_OPCODE);
    store_big_u16(out + 2, classEnable);
    for (size_t i = 0; i < quanta.size(); ++i)
    {
        store_big_u16(out + 4 + 2 * i, quanta[i]);
    }
}

bool
PfcHeader::Deserialize(const uint8_t* in, size_t size, std::string& why)
{
    uint16_t opcode = size < PAUSE_BYTES ? 0 : load_big_u16(in);
    if (opcode == PAUSE_OPCODE)
    {
        classEnable = 0xff;
        quanta.fill(load_big_u16(in + 2));
        return true;
    }
    if (opcode != PFC_OPCODE)
    {
        why = "MAC control opcode " + std::to_string(opcode) + " is neither PFC nor PAUSE";
        return false;
    }
    if (size < PFC_BYTES)
    {
        why = "PFC frame is cut off";
        return false;
    }
    classEnable = in[3];
    for (size_t i = 0; i < quanta.size(); ++i)
    {
        quanta[i] = load_big_u16(in + 4 + 2 * i);
    }
    return true;
}

void
PfcHeader::SerializePause(uint16_t quanta, uint8_t* out)
{
    store_big_u16(out, PAUSE_OPCODE);
    store_big_u16(out + 2, quanta);
}

} // namespace ns3
