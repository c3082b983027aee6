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
    uint32_t offset;       ///< where its payload begins, bytes from the IP header on
    uint32_t headerBytes;  ///< TCP header
    uint32_t payloadBytes; ///< payload
    uint8_t flags;         ///< flags

    /**
     * Reads a packet.
     * @param frame a frame of ns-3's IP stack
     * @param fields filled on success
     * @return true if it is a well-formed packet of TCP
     */
    static bool Parse(const Frame& frame, HpccTcpFields& fields);

    /**
     * Makes a TCP packet with the ACK flag, the sequence number and the acknowledgement number.
     * @param ip its IP header, and the ports
     * @param payload its payload, to which the headers are added
     * @return the packet
     */
    Ptr<Packet> Pack(const HpccNicIp& ip, Ptr<Packet> payload) const;

    /// @return the sequence and acknowledgement numbers as bytes, which the authenticator of an
    /// answer covers
    std::vector<uint8_t> GetNumbers() const;
};

/**
 * @param low a sequence number of TCP
 * @param near a number of 64 bits
 * @return the number nearest to it that has low as its lower 32 bits
 */
inline uint64_t
UnwrapTcpSequence(uint32_t low, uint64_t near)
{
    return near + static_cast<uint64_t>(static_cast<int64_t>(
                      static_cast<int32_t>(low - static_cast<uint32_t>(near))));
}

} // namespace ns3

#endif // HPCC_TCP_FIELDS_H
