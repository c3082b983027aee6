/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TCP_SEGMENT_H
#define HPCC_TCP_SEGMENT_H

#include "ns3/hpcc-frame-sizes.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/tcp-header.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A parsed TCP segment over IPv4 or IPv6.
 */
struct TcpSegment
{
    bool ipv6;               ///< which header is meant
    Ipv4Header ipv4;         ///< if not ipv6
    Ipv6Header ipv6Header;   ///< if ipv6
    TcpHeader tcp;           ///< with its options
    Ptr<Packet> payload;     ///< bytes behind the header
    bool isChecksumOk{true}; ///< of TCP; true where checksums are off (Node::ChecksumEnabled())
    uint32_t headerBytes{0}; ///< of IP and TCP

    /**
     * @param packet from the IP header on; unchanged
     * @param isIpv6 true for IPv6, false for IPv4
     * @param segment filled on success
     * @return true if it is TCP right behind one IP header without options, no fragment, and its
     * headers are well-formed
     */
    static bool Parse(Ptr<const Packet> packet, bool isIpv6, TcpSegment& segment);

    /// @return the packet, its lengths and, where they are on, its checksums made anew
    Ptr<Packet> Pack() const;

    /**
     * Cuts it into segments, as a NIC with segmentation offload does. Sequence numbers and IPv4
     * identifications go on from segment to segment; FIN and PSH are on the last only, CWR on the
     * first (RFC 3168, 6.1.2: it acknowledges one ECE); everything else, options included, is as in
     * the original.
     * @param limit payload of a segment, bytes; all segments except the last have this much
     * @return the segments as packets
     */
    std::vector<Ptr<Packet>> Cut(uint32_t limit) const;
};

/**
 * @ingroup hpcc
 *
 * Joins consecutive TCP segments of one connection to one, so that joining what TcpSegment::Cut()
 * has made gives the packet that was cut, IPv4's identification included.
 *
 * A segment is joined if it has the next sequence number and differs only in that, in IPv4's
 * identification and, if it is the last one, in PSH and FIN: same TOS with the ECN field, TTL,
 * acknowledgement, window, options, ECE. None is larger than the first, and a smaller one is the
 * last. A segment is not joined if it has a wrong checksum, CWR without being the first, SYN, RST
 * or URG, or no payload.
 */
class TcpJoiner
{
  public:
    /**
     * @param segment the first
     * @param limit largest packet to be made, bytes from the IP header on
     * @return false if it can never be joined; then nothing has changed
     */
    bool Begin(const TcpSegment& segment, uint32_t limit = MAX_OFFLOAD_BYTES);

    /**
     * @param segment the next; to be called after Begin() and before IsComplete()
     * @return false if it does not fit; then nothing has changed
     */
    bool Add(const TcpSegment& segment);

    /// @return true if nothing may follow
    bool IsComplete() const
    {
        return m_complete;
    }

    /// @return number of segments that have been joined
    uint32_t GetSegments() const
    {
        return static_cast<uint32_t>(m_payloads.size());
    }

    /// @return the joined segments as one packet; this object is empty afterwards
    Ptr<Packet> Finish();

  private:
    /**
     * @param segment the segment
     * @return true if its flags and size allow no other behind it
     */
    bool Ends(const TcpSegment& segment) const;

    TcpSegment m_first;                  ///< headers of the first
    uint32_t m_limit{0};                 ///< see Begin()
    uint32_t m_bytes{0};                 ///< payload so far
    uint32_t m_segmentBytes{0};          ///< payload of the first
    uint8_t m_lastFlags{0};              ///< flags of the last
    bool m_complete{false};              ///< see IsComplete()
    std::vector<Ptr<Packet>> m_payloads; ///< in order
};

} // namespace ns3

#endif // HPCC_TCP_SEGMENT_H
