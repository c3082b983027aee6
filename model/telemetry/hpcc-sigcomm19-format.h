/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SIGCOMM19_FORMAT_H
#define HPCC_SIGCOMM19_FORMAT_H

#include "hpcc-telemetry-format.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The telemetry of the HPCC paper (Li et al., "HPCC: High Precision Congestion Control", SIGCOMM
 * 2019) and, as a variant, of the simulator that its authors published
 * (alibaba-edu/High-Precision-Congestion-Control).
 *
 * The header of both variants is between UDP and BTH. When the source sends a packet, the header
 * already has its full size of 42 bytes, including zero-filled room for five hops. A hop therefore
 * does not change the size of the frame. A dedicated UDP port marks the header. The original port
 * is not stored, because it is always 4791 (RoCEv2).
 *
 * | | "sigcomm19", from the most significant bit | "sigcomm19:authors", from the least |
 * |---|---|---|
 * | path | nHop 4, pathID 12; before the records | nhop 16; after the records |
 * | record | B 4, TS 24, txBytes 20, qLen 16 | lineRate 3, time 24, bytes 20, qlen 17 |
 * | byte order | big-endian | little-endian, as that simulator writes it |
 *
 * - time stamp: ns, wraps at 2^24 (16.8 ms), so that differences of up to 8.4 ms are unambiguous;
 * - sent bytes: units of 128 bytes times UnitMultiplier, rounded down, wraps at 2^20 units;
 * - queue: units of 80 bytes times UnitMultiplier, rounded down, so less than a unit is read as 0.
 *   The value saturates at 2^16 - 1 units (5.2 MB) or, in the authors' layout, at 2^17 - 1 units
 *   (10.5 MB). In the authors' simulator the value wraps instead, so that a long queue is reported
 *   as a short queue;
 * - line rate: a code. The paper does not publish its codes; ours are 0 to 10 for 10, 25, 40, 50,
 *   100, 200, 400, 800, 1, 1600, 3200 Gbit/s. The authors' are 0 to 4 for 25, 50, 100, 200, 400
 *   Gbit/s; we add 5 for 10 and 6 for 800. The paper's layout has four spare codes, the authors'
 *   layout one. The spare codes, from all ones downwards, represent the network's other line rates
 *   in ascending order. Learn() stores these rates before the simulation starts. If records carry
 *   class bandwidths, spare codes are not used: a bandwidth without a code is sent as all ones and
 *   read as a record without TELEMETRY_BANDWIDTH;
 * - load: in the paper's layout, a record with code 11 was inserted by a domain edge. The lower 32
 *   bits of such a record are a load u' in ppm; the other bits are 0. The domain edge also replaces
 *   the pathID by an opaque value. The authors' layout has no free code for a load;
 * - pathID: XOR of the lower 12 bits of the ids of all switches on the path, even of switches that
 *   inserted no record.
 *
 * The sixth hop and all later hops insert no record and set TELEMETRY_HOPS_EXCEEDED. These hops
 * still increment the hop count on the wire (up to 15 in 4 bits), so that the receiver can detect
 * them. Records do not contain the time spent in a switch.
 */
class Sigcomm19Format : public TelemetryFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Sigcomm19Format();

    uint8_t GetReflectionId() const override;
    // Refuses a base RTT within which timestamps or sent bytes may wrap. Timestamps may wrap if the
    // base RTT is above 8.4 ms. In a network of 400 Gb/s, sent bytes may wrap if the base RTT is at
    // least 2.7 ms times UnitMultiplier. Also refuses a network with too many line rates that are
    // not in the layout's table, because each of them needs a spare code.
    std::string Validate(const TelemetryNetwork& network) const override;
    void Learn(const TelemetryNetwork& network) override;
    int32_t Insert(TelemetryStack& stack,
                   const HopSnapshot& hop,
                   uint32_t roomBytes) const override;
    HopTelemetry Read(const TelemetryStack& stack, uint32_t index) const override;
    bool CarriesLoad() const override;
    // Does not change pathID. A domain edge then calls AppendLoad(), which makes pathID opaque.
    void Truncate(TelemetryStack& stack, uint32_t hops) const override;
    void AppendLoad(TelemetryStack& stack, double load, uint32_t tag) const override;
    uint32_t GetBaseBytes() const override;
    uint32_t GetHopBytes() const override;
    uint32_t GetReflectedBytes(const TelemetryStack& stack) const override;
    void Serialize(const TelemetryStack& stack, uint8_t* out) const override;
    size_t Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const override;
    void SerializeRecords(const TelemetryStack& stack, uint8_t* out) const override;
    size_t DeserializeRecords(const uint8_t* in,
                              size_t size,
                              uint8_t hops,
                              TelemetryStack& stack) const override;

    static constexpr uint32_t MAX_HOPS = 5; ///< maximum number of records
    static constexpr uint32_t BYTES = 42;   ///< size on the wire, bytes

  private:
    void DoOpen(TelemetryStack& stack) const override;

    struct Layout;

    static const Layout PAPER;   ///< layout of the record in the paper
    static const Layout AUTHORS; ///< layout of the record in the authors' simulator

    /**
     * Chooses the layout.
     * @param simulator true for the layout of the authors' simulator
     */
    void SetSimulatorLayout(bool simulator);

    /// Returns true if the layout is that of the authors' simulator.
    bool HasSimulatorLayout() const;

    /**
     * Sets the multiplier of both units.
     * @param multiplier the multiplier, 1 to 4096
     */
    void SetUnitMultiplier(uint32_t multiplier);

    /// Returns the multiplier of both units.
    uint32_t GetUnitMultiplier() const;

    /// Sets the capabilities to those of the configured layout.
    void UpdateCapabilities();

    /**
     * Returns the line rates of a network that are not in the layout's table, ascending, bit/s;
     * none if records carry class bandwidths.
     * @param network a network
     */
    std::vector<uint64_t> OtherRates(const TelemetryNetwork& network) const;

    /**
     * Returns the code of a line rate; all ones if the line rate has no code.
     * @param bps a line rate, bit/s
     */
    uint64_t EncodeRate(uint64_t bps) const;

    /**
     * Returns the line rate of a code, bit/s; 0 if the code represents no known line rate.
     * @param code speed code in a record
     */
    uint64_t DecodeRate(uint64_t code) const;

    const Layout* m_layout;             ///< layout of a record
    uint32_t m_multiplier{1};           ///< factor by which the units of 128 and 80 bytes are
                                        ///< multiplied
    std::vector<uint64_t> m_otherRates; ///< line rates that the spare codes represent, bit/s; the
                                        ///< first rate has the code all ones, each further rate the
                                        ///< next lower code
};

} // namespace ns3

#endif // HPCC_SIGCOMM19_FORMAT_H
