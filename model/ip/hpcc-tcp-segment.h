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
    bool ipv6;               ///< true for IPv6, false for IPv4
    Ipv4Header ipv4;         ///< IP header if not ipv6
    Ipv6Header ipv6Header;   ///< IP header if ipv6
    TcpHeader tcp;           ///< TCP header with its options
    Ptr<Packet> payload;     ///< bytes after the TCP header
    bool isChecksumOk{true}; ///< TCP's checksum is correct or disabled (Node::ChecksumEnabled())
    uint32_t headerBytes{0}; ///< size of the IP and TCP headers, bytes

    /**
     * Reads a packet.
     * @param packet the packet, from the IP header on; it is not changed
     * @param isIpv6 true for IPv6, false for IPv4
     * @param segment filled on success
     * @return true if the packet consists of one IP header without options and a TCP segment, is
     * not a fragment, and has well-formed headers
     */
    static bool Parse(Ptr<const Packet> packet, bool isIpv6, TcpSegment& segment);

    /// Returns the segment as a packet, with new lengths and, if checksums are enabled, new
    /// checksums.
    Ptr<Packet> Pack() const;

    /**
     * Cuts this segment into smaller segments, as a NIC with segmentation offload does. Sequence
     * numbers and IPv4 identifications increase from segment to segment. FIN and PSH are set in the
     * last segment only. CWR is set in the first segment only, because one CWR acknowledges one ECE
     * (RFC 3168, 6.1.2). All other fields and the options are those of the original segment.
     * @param limit payload of each segment except the last, bytes
     * @return the segments as packets
     */
    std::vector<Ptr<Packet>> Cut(uint32_t limit) const;
};

/**
 * @ingroup hpcc
 *
 * Joins consecutive TCP segments of one connection into one segment. If the segments come from
 * TcpSegment::Cut(), joining them restores the original packet, including the IPv4 identification.
 *
 * A segment is joined under these conditions:
 * - It has the next sequence number, a correct checksum, a payload and the ACK flag, but none of
 *   the flags SYN, RST and URG. Only the first segment may have CWR.
 * - TOS (including the ECN field), TTL, acknowledgement number, window, options and ECE flag are
 *   the same in all segments. IPv4's identification may differ; in the last segment, PSH and FIN
 *   may differ, too.
 * - It is not larger than the first segment, and no previous segment is smaller than the first.
 */
class TcpJoiner
{
  public:
    /**
     * Sets the first segment.
     * @param segment the first segment
     * @param limit largest size of the joined packet, bytes from the IP header on
     * @return false if the segment can never be joined; this object is then unchanged
     */
    bool Begin(const TcpSegment& segment, uint32_t limit = MAX_OFFLOAD_BYTES);

    /**
     * Joins a segment to the previous segments.
     * @param segment the next segment; Begin() must have returned true, and IsComplete() must be
     * false
     * @return false if the segment cannot be joined; this object is then unchanged
     */
    bool Add(const TcpSegment& segment);

    /// Returns true if no further segment can be joined.
    bool IsComplete() const
    {
        return m_complete;
    }

    /// Returns the number of segments that have been joined.
    uint32_t GetSegments() const
    {
        return static_cast<uint32_t>(m_payloads.size());
    }

    /// Joins the segments to one packet. This object is empty afterwards.
    /// @return the packet
    Ptr<Packet> Finish();

  private:
    /**
     * Returns true if the flags or the size of a segment do not allow further segments to be
     * joined.
     * @param segment the segment
     */
    bool Ends(const TcpSegment& segment) const;

    TcpSegment m_first;                  ///< headers of the first segment
    uint32_t m_limit{0};                 ///< see Begin()
    uint32_t m_bytes{0};                 ///< total payload of the segments so far, bytes
    uint32_t m_segmentBytes{0};          ///< payload of the first segment, bytes
    uint8_t m_lastFlags{0};              ///< flags of the last segment
    bool m_complete{false};              ///< see IsComplete()
    std::vector<Ptr<Packet>> m_payloads; ///< payloads in order
};

} // namespace ns3

#endif // HPCC_TCP_SEGMENT_H
