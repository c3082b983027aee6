/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_IOAM_TRACE_FORMAT_H
#define HPCC_IOAM_TRACE_FORMAT_H

#include "hpcc-stacked-format.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * IOAM trace (RFC 9197) in an IPv6 hop-by-hop option (RFC 9486), with the record of
 * draft-miao-ccwg-hpcc-info-04 section 2.2 (figure 2). The IPv6 header is followed by a hop-by-hop
 * header that contains only this option. The hop-by-hop header consists of Next Header and length
 * (2 bytes), a PadN (2 bytes), the option header (type 0x31, 4 bytes), the trace header (8 bytes),
 * the records (newest hop first), and padding (0 or 4 bytes), in this order. Frames with IOAM are
 * IPv6.
 *
 * - "ioam", the pre-allocated trace: the source reserves room for Hops records, and hops fill it
 *   from the end. The header keeps its size, by default 256 bytes for 12 records. "ioam:latency"
 *   sets HopLatency, so that a record has 24 bytes.
 * - "ioam-incremental", the incremental trace: each hop inserts its record after the trace header
 *   and pads the hop-by-hop header to a multiple of 8 bytes again. With 20-byte records the frame
 *   grows by 24 and 16 bytes alternately. This preset violates two RFCs. RFC 9486 defines only the
 *   pre-allocated trace for IPv6. RFC 8200 forbids routers to insert anything into forwarded
 *   packets.
 *
 * | bit | field | bytes | content |
 * |---|---|---|---|
 * | 0 | Hop_Lim and node_id | 1 + 3 | hop limit after the decrement; HopSnapshot::switchId |
 * | 1 | ingress and egress if id | 2 + 2 | ports |
 * | 3 | timestamp fraction | 4 | egress time, ns modulo 10^9; RFC 9197 specifies the arrival time |
 * | 4 | transit delay | 4 | ns, 0x80000000 above 2^31 - 1; only with HopLatency |
 * | 6 | queue depth | 4 | bytes, saturating at 0xFFFFFFFE; RFC 9197 specifies no unit |
 * | 12 | tx_bytes | 4 | modulo 2^32; only with TxBytes |
 *
 * The trace type is 0xD20800, or 0xDA0800 with HopLatency. Without TxBytes it is 0xD20000, or
 * 0xDA0000 with HopLatency. Bit 12 is an extension: draft-gafni-ippm-ioam-additional-data-fields-00
 * defines it, RFC 9197 does not. A node that does not support this bit writes all ones into the
 * field, or inserts no record. Timestamps have PTP's format, whose fraction is in ns.
 *
 * A field of all ones means that the value is not available; Read() then omits the field. Read()
 * also omits a timestamp fraction of 10^9 or more. If the byte counter itself is all ones, the
 * record contains a value that is lower by 1. The line rate is not on the wire. The host looks up
 * the line rate in its TelemetryInventory, by switch and port.
 *
 * A record that contains a node id, but no interfaces and no timestamp, was inserted by a domain
 * edge. The node id of this record is the tag of a path segment, and its queue depth is a load u'
 * in ppm.
 *
 * A hop that finds no room in the option, or at which the frame would exceed the egress MTU,
 * inserts nothing and sets the overflow flag (TELEMETRY_HOPS_EXCEEDED). IOAM has no other flag for
 * these cases.
 */
class IoamTraceFormat : public StackedTelemetryFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    IoamTraceFormat();

    uint8_t GetReflectionId() const override;

    /**
     * Refuses a network if one of these conditions is met:
     * - An id does not fit: the largest switch id is 2^24 - 2, the largest port id 2^16 - 2.
     * - The base RTT is above 0.5 s, half the range of timestamps.
     * - With TxBytes, a byte counter may wrap within a base RTT.
     *
     * @param network the network
     * @return an empty string, or one line that names the value that does not fit and the values
     * that fit
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
    uint32_t GetWireBytes(const TelemetryStack& stack) const override;
    void Serialize(const TelemetryStack& stack, uint8_t* out) const override;

    /**
     * Reads a hop-by-hop header. Refuses malformed bytes and options other than this trace and its
     * padding. Refuses a namespace, trace type or option type other than this object's, and the
     * flags loopback and active (RFC 9322). Refuses an option whose room is not a whole number of
     * records. Accepts an option with room for more or fewer records than Hops.
     * @param in the bytes from the hop-by-hop header on
     * @param size bytes available
     * @param stack receives the records on success
     * @return bytes consumed; 0 if refused
     */
    size_t Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const override;

    /// Returns the trace type, 24 bits.
    uint32_t GetTraceType() const;

  private:
    void DoOpen(TelemetryStack& stack) const override;
    QueueField GetQueueField() const override;

    /// Derives sizes and capabilities from the attributes, and checks that the attributes are
    /// consistent.
    void Configure();

    /**
     * Returns the number of words between the trace header and the padding.
     * @param hops number of records present
     * @param remainingHops number of records that may still be inserted
     */
    uint32_t GetDataWords(uint32_t hops, uint32_t remainingHops) const;

    bool m_incremental{false}; ///< whether the trace is incremental (option type 1)
    bool m_hopLatency{false};  ///< whether records contain the transit delay (trace type bit 4)
    bool m_txBytes{true};      ///< whether records contain the byte counter (trace type bit 12)
    bool m_figureOrder{false}; ///< whether the queue depth precedes the timestamp fraction in a
                               ///< record
    uint16_t m_namespace{0};   ///< Namespace-ID
    uint8_t m_hops{0};         ///< attribute Hops; 0: as many records as fit
    uint8_t m_fractionWord{0}; ///< position of the timestamp fraction in a record, words
    uint8_t m_delayWord{0};    ///< position of the transit delay in a record, words
    uint8_t m_queueWord{0};    ///< position of the queue depth in a record, words
    uint8_t m_txWord{0};       ///< position of the byte counter in a record, words
};

} // namespace ns3

#endif // HPCC_IOAM_TRACE_FORMAT_H
