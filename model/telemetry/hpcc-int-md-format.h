/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_INT_MD_FORMAT_H
#define HPCC_INT_MD_FORMAT_H

#include "hpcc-stacked-format.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * INT-MD of the P4.org In-band Network Telemetry specification, version 2.1 (2020-11-11), with the
 * record of draft-miao-ccwg-hpcc-info-04 section 2.3 (figure 3). The UDP header is followed by the
 * shim (4 bytes), the INT-MD header (12 bytes), the records (newest hop first) and the original
 * payload. INT-MD is marked by a dedicated UDP port or DSCP. The shim stores the original value:
 * the port in bytes 2 and 3 (NPT 1), or the DSCP in the upper 6 bits of byte 3 (NPT 0).
 *
 * | bit | metadata | bytes | content |
 * |---|---|---|---|
 * | 0 | node id | 4 | HopSnapshot::switchId |
 * | 1 | L1 interface ids | 2 + 2 | ingress and egress port; all ones if above 0xFFFE |
 * | 2 | hop latency | 4 | ns; only with HopLatency |
 * | 3 | queue id and occupancy | 1 + 3 | priority; bytes, saturating at 0xFFFFFE (16.8 MB) |
 * | 5 | egress timestamp | 8 | ns; only with EgressTimestamp |
 * | 7 | egress interface Tx utilisation | 4 | ppm of the line rate, at most 10^6, or of a share |
 *
 * The specification does not define the units; those in the table are ours. A field of all ones
 * means that the value is not available; Read() then omits the field. Records contain no line rate
 * and no byte counter. The host looks up the line rate in its TelemetryInventory, by switch and
 * port.
 *
 * | preset | marked by | instruction bitmap | with HopLatency |
 * |---|---|---|---|
 * | "int-md" | UDP port | 0xD500, 24 bytes a hop | "int-md:latency": 0xF500, 28 bytes a hop |
 * | "int-md:dscp" | DSCP | 0xD500, 24 bytes a hop | 0xF500, 28 bytes a hop |
 * | "int-md-no-ts" | UDP port | 0xD100, 16 bytes a hop | 0xF100, 20 bytes a hop |
 *
 * A record that contains a node id and a utilisation, but no interfaces and no queue, was inserted
 * by a domain edge. Its node id is an opaque tag. Its utilisation is the largest load of the hops
 * that the edge hides, in ppm, up to a load of 4294.
 *
 * A hop that finds a Remaining Hop Count of 0 sets the E bit (TELEMETRY_HOPS_EXCEEDED). Otherwise,
 * if the record would make the frame exceed the egress MTU, the hop sets the M bit
 * (TELEMETRY_MTU_EXCEEDED). A hop that sets the E bit or the M bit inserts nothing and does not
 * change the Remaining Hop Count. The format never sets the D bit, and refuses packets in which it
 * is set.
 *
 * The domain specific id, the DS instruction and the DS flags are 0. With TELEMETRY_SUBSCRIBED, the
 * domain specific id is DOMAIN_ID and the DS flags are 0x8000. A node of that domain may then
 * respond to the sender directly.
 */
class IntMdFormat : public StackedTelemetryFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// The values of the attribute Marking: how packets with INT are marked.
    enum MarkedBy
    {
        UDP_PORT, ///< a UDP destination port
        DSCP,     ///< a DSCP that nothing else uses
    };

    IntMdFormat();

    uint8_t GetReflectionId() const override;
    int32_t Insert(TelemetryStack& stack,
                   const HopSnapshot& hop,
                   uint32_t roomBytes) const override;
    HopTelemetry Read(const TelemetryStack& stack, uint32_t index) const override;
    bool CarriesLoad() const override;
    bool CarriesSubscription() const override;
    void Learn(const TelemetryNetwork& network) override;
    void AppendLoad(TelemetryStack& stack, double load, uint32_t tag) const override;
    uint32_t GetBaseBytes() const override;
    uint32_t GetHopBytes() const override;
    void Serialize(const TelemetryStack& stack, uint8_t* out) const override;

    /**
     * Reads shim, header and records. Refuses malformed bytes, an instruction bitmap other than
     * this object's, the D bit, and a Remaining Hop Count for which a TelemetryStack has no room.
     * @param in the bytes from the shim on
     * @param size bytes available
     * @param stack receives the records on success
     * @return bytes consumed; 0 if refused
     */
    size_t Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const override;

    static constexpr uint16_t DOMAIN_ID = 0x4850; ///< domain specific id of a subscription

    /// Returns the instruction bitmap.
    uint16_t GetInstructionBitmap() const;

  private:
    void DoOpen(TelemetryStack& stack) const override;
    QueueField GetQueueField() const override;

    /**
     * Derives marking, sizes and capabilities from the attributes, and checks that the attributes
     * are consistent.
     */
    void Configure();

    MarkedBy m_markedBy{UDP_PORT}; ///< how packets with INT are marked
    uint16_t m_port;               ///< UDP destination port, with UDP_PORT
    uint8_t m_dscp;                ///< DSCP, with MarkedBy DSCP
    bool m_egressTimestamp{true};  ///< whether records contain the egress timestamp (instruction
                                   ///< bit 5)
    bool m_hopLatency{false};      ///< whether records contain the hop latency (instruction bit 2)
    uint8_t m_remainingHops{0};    ///< Remaining Hop Count set by the source; 0: as many as fit
    uint32_t m_mostPpm{1000000};   ///< largest utilisation that Read() returns, ppm
};

} // namespace ns3

#endif // HPCC_INT_MD_FORMAT_H
