/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_IFA_FORMAT_H
#define HPCC_IFA_FORMAT_H

#include "hpcc-stacked-format.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Inband Flow Analyzer 2.0 (draft-kumar-ippm-ifa-08) with the hop record of
 * draft-miao-ccwg-hpcc-info-04, section 2.1 (figure 1). Preset "ifa".
 *
 * An IP protocol number marks IFA. The IFA header (4 bytes), which stores the original protocol,
 * follows the IP header. The metadata header (4 bytes) and the records, newest hop first, follow
 * the UDP header, or the TCP header with its options. The UDP length and the UDP or TCP checksum
 * are not changed.
 *
 * | header | bits | content |
 * |---|---|---|
 * | IFA | 4 | version, 2 |
 * | | 4 | GNS (global name space), 15: none; each record names a local one |
 * | | 8 | original protocol |
 * | | 8 | flags: 0x04, inband live traffic. 0x10 and 0x01 are refused, other flags are ignored |
 * | | 8 | Max Length of the stack, words |
 * | metadata | 8 | request vector, all ones; ignored by hops |
 * | | 8 | action vector, 0; ignored by hops |
 * | | 8 | Hop Limit: records that may still be inserted |
 * | | 8 | Current Length of the stack, words |
 *
 * | word of a record | bits | content |
 * |---|---|---|
 * | 0 | 4, 20, 8 | LNS (local name space); device id: HopSnapshot::switchId; TTL |
 * | 1 | 4, 2, 6, 20 | speed code; congestion: ECN; queue id; seconds of the receive time |
 * | 2 | 16, 16 | egress port; ingress port |
 * | 3 | 32 | ns of the receive time, below 10^9 |
 * | 4 | 32 | residence time, ns |
 * | 5 | 32 | sent bytes, wraps |
 * | 6 | 16, 16 | 0; queue length in cells of CellBytes, rounded up, saturating at 65535 |
 * | 7 | 32 | 0; in the record of a domain edge: u' in ppm, plus 1, saturating |
 *
 * - Figure 1 of the draft omits the TTL, congestion and queue id. This format keeps these three
 *   fields at the positions that IFA defines. The text of the draft mentions congestion.
 * - The egress time is the receive time plus the residence time, modulo 2^20 s (12 days).
 * - Speed codes 0 to 6 are 10, 25, 40, 50, 100, 200 and 400 Gbit/s. 15 is sent for any other line
 *   rate. For codes above 6, Read() returns no line rate, and the host looks up the line rate in
 *   its TelemetryInventory.
 * - Sent bytes wrap at 2^32: in 344 ms at 100 Gbit/s, 86 ms at 400 Gbit/s. Two records can be
 *   compared only if they are less than this time apart. The algorithm checks this by
 *   TelemetryCapabilities::txBytesModulus. Validate() refuses a network whose T is at least this
 *   time.
 * - IFA has no value for "not available". If a switch id exceeds 20 bits or a port id exceeds 16
 *   bits, the hop inserts nothing; Validate() refuses a network with such ids. A record of another
 *   LNS, whose layout is unknown, is read as a record without fields. If the ns of the receive time
 *   are 10^9 or more, the record is read as a record without a timestamp.
 * - If the last word of a record is not 0, a domain edge has inserted the record
 *   (TelemetryFormat::AppendLoad()). The device id of this record is the tag of a path segment, and
 *   its only other content is the load.
 * - A hop inserts nothing if the Hop Limit is 0, or if its record would exceed Max Length, the
 *   capacity of a TelemetryStack or the egress MTU. IFA has no flag for these cases; only
 *   TelemetryStack::skippedHops and the trace of the switch show them.
 */
class IfaFormat : public StackedTelemetryFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    IfaFormat();

    uint8_t GetReflectionId() const override;

    /**
     * Refuses a network in which ids do not fit, or in which sent bytes may wrap within T. Also
     * refuses an attribute Protocol that is the number of another protocol.
     * @param network the network
     * @return see TelemetryFormat
     */
    std::string Validate(const TelemetryNetwork& network) const override;

    int32_t Insert(TelemetryStack& stack,
                   const HopSnapshot& hop,
                   uint32_t roomBytes) const override;
    HopTelemetry Read(const TelemetryStack& stack, uint32_t index) const override;
    bool CarriesLoad() const override;
    void AppendLoad(TelemetryStack& stack, double load, uint32_t tag) const override;
    uint32_t GetBaseBytes() const override;
    uint32_t GetHopBytes() const override;
    void Serialize(const TelemetryStack& stack, uint8_t* out) const override;

    /**
     * Reads both headers and the records. Refuses malformed bytes, a Max Length other than this
     * object's, a checksum or fragment header (flags 0x01 and 0x10), and more records than a
     * TelemetryStack has room for.
     * @param in the IFA header, followed by the bytes after the UDP or TCP header
     * @param size bytes available
     * @param stack receives the records on success
     * @return bytes consumed; 0 if refused
     */
    size_t Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const override;

    static constexpr uint32_t RECORD_WORDS = 8; ///< size of a record, 32-bit words

  private:
    void DoOpen(TelemetryStack& stack) const override;
    QueueField GetQueueField() const override;

    /**
     * Sets the IP protocol that marks IFA.
     * @param protocol the protocol number; Validate() refuses the number of another protocol
     */
    void SetProtocol(uint8_t protocol);

    /// Returns the IP protocol that marks IFA.
    uint8_t GetProtocol() const;

    uint8_t m_hopLimit;   ///< Hop Limit at the source
    uint8_t m_maxLength;  ///< Max Length, words
    uint8_t m_lns;        ///< local name space of the record
    uint32_t m_cellBytes; ///< unit of queue lengths, bytes
};

} // namespace ns3

#endif // HPCC_IFA_FORMAT_H
