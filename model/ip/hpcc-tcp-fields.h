/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TCP_FIELDS_H
#define HPCC_TCP_FIELDS_H

#include "hpcc-nic-packets.h"

#include "ns3/hpcc-frame.h"
#include "ns3/packet.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The fields of a TCP packet that a NIC uses.
 */
struct HpccTcpFields
{
    uint32_t sequence;     ///< sequence number
    uint32_t acknowledged; ///< acknowledgement number
    uint32_t offset;       ///< start of the payload, bytes from the start of the IP header
    uint32_t headerBytes;  ///< size of the TCP header, bytes
    uint32_t payloadBytes; ///< size of the payload, bytes
    uint8_t flags;         ///< flags

    /**
     * Reads a packet.
     * @param frame a frame of ns-3's IP stack
     * @param fields filled on success
     * @return true if the frame contains a well-formed TCP packet, and not a fragment of one
     */
    static bool Parse(const Frame& frame, HpccTcpFields& fields);

    /**
     * Reads the ports of a TCP packet that IP has fragmented.
     * @param frame a frame of ns-3's IP stack
     * @param source filled on success
     * @param destination filled on success
     * @return true if the frame is the first of several fragments of a TCP packet
     */
    static bool ReadFragment(const Frame& frame, uint16_t& source, uint16_t& destination);

    /**
     * Creates a TCP packet with the ACK flag and with the sequence and acknowledgement numbers of
     * this object.
     * @param ip IP header and ports of the packet
     * @param payload payload of the packet, as an ns-3 packet; the headers are added in front of
     * the payload
     * @return the packet
     */
    Ptr<Packet> Pack(const HpccNicIp& ip, Ptr<Packet> payload) const;

    /// Returns the bytes of the sequence and acknowledgement numbers, which the authenticator of an
    /// answer covers.
    std::vector<uint8_t> GetNumbers() const;
};

/**
 * Returns the number nearest to @p near whose lower 32 bits are @p low.
 * @param low a sequence number of TCP
 * @param near a 64-bit number
 */
inline uint64_t
UnwrapTcpSequence(uint32_t low, uint64_t near)
{
    return near + static_cast<uint64_t>(static_cast<int64_t>(
                      static_cast<int32_t>(low - static_cast<uint32_t>(near))));
}

} // namespace ns3

#endif // HPCC_TCP_FIELDS_H
