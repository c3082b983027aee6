/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PINT_FORMAT_H
#define HPCC_PINT_FORMAT_H

#include "hpcc-agent-format.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The digest that HPCC-PINT carries ("PINT: Probabilistic In-band Network Telemetry", Ben Basat et
 * al., SIGCOMM 2020). The digest encodes the largest load U of the path's ports in 1 byte, which is
 * between UDP and BTH:
 *
 * - 0: no load. The packet was not chosen to carry a load, or has passed no switch.
 * - k from 1 to 255: U = 0.001 LogBase^(k-1), 0.001 to 241 with LogBase 1.05. A load between two
 *   values is rounded up or down at random, so that the mean of the decoded values is the load. The
 *   simulator that PINT's authors published rounds in the same way (pint.cc). A load outside the
 *   range of the digest is clamped to this range.
 *
 * SimulatorLayout selects the digest of that simulator instead: 2 bytes, big-endian, where k from 1
 * to 65535 means U = LogBase^(k-1)/512. A load is rounded up to a multiple of 1/512 before it is
 * encoded, so the smallest load is 1/512. LogBase may then be as small as 1.0002. In this layout,
 * the largest digest that is used is the digest of a load of 512, even if this digest is below
 * 65535.
 *
 * A packet is chosen if a hash of its constant fields, scaled to the range from 0 to 1, is below
 * Probability. Therefore all switches choose the same packets without communication. Packets that
 * are not chosen also carry the byte, because other queries of PINT use it.
 *
 * If the digest is not 0, the record has the field TELEMETRY_LOAD, a load that the switches
 * average.
 *
 * Names: "pint" chooses every packet; "pint:16" and "pint:256" choose one packet in 16 or in 256,
 * as in the paper's comparison; "pint:authors" sets SimulatorLayout and UDP port 61473.
 *
 * Attributes:
 *
 * - Probability: p, in (0, 1].
 * - LogBase: (1 + eps)^2, 1.0001 to 2. LogBase must be large enough to encode a load of 64, as in
 *   an incast of 64 senders. The paper's eps of 0.025 gives 1.05.
 * - SimulatorLayout: see above.
 */
class PintFormat : public AgentTelemetryFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    PintFormat();

    uint8_t GetReflectionId() const override;
    std::string GetSwitchAgent() const override;
    std::string Validate(const TelemetryNetwork& network) const override;
    bool CrossesBorder() const override;
    HopTelemetry Read(const TelemetryStack& stack, uint32_t index) const override;

    /// Number that identifies the format in the reflection header. With SimulatorLayout, the next
    /// larger number identifies the format.
    static constexpr uint8_t REFLECTION_ID = 82;

    /**
     * Returns true if a packet is chosen.
     * @param hash hash of the packet's constant fields, uniform over 32 bits
     */
    bool Chooses(uint32_t hash) const
    {
        return hash < m_chosenBelow;
    }

    /**
     * Returns the digest of a load, from 1 to the largest.
     * @param load U, 0 or more
     * @param random a number from 0 to below 1
     */
    uint32_t Encode(double load, double random) const;

    /**
     * Returns the load U of a digest.
     * @param digest a digest, from 1 to the largest
     */
    double Decode(uint32_t digest) const
    {
        return m_loads[digest];
    }

    /**
     * Writes a digest into a header, unless the header contains a larger one.
     * @param stack stack with the header
     * @param digest digest to write
     */
    void Raise(TelemetryStack& stack, uint32_t digest) const;

  private:
    /// Derives the share of chosen packets and the loads of all digests from the attributes.
    void Configure();
    double m_logBase{1.05};        ///< attribute LogBase
    double m_perLog{0};            ///< 1 / log(LogBase)
    bool m_simulatorLayout{false}; ///< attribute SimulatorLayout
    uint32_t m_digestShift{0};     ///< position of the digest in the header's first word, bits
    double m_probability{0};       ///< attribute Probability
    uint64_t m_chosenBelow{0};     ///< a packet is chosen if its hash is below this value
    std::vector<double> m_loads;   ///< load of each digest; 0 for digest 0
};

} // namespace ns3

#endif // HPCC_PINT_FORMAT_H
