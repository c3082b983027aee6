/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_RCP_FORMAT_H
#define HPCC_RCP_FORMAT_H

#include "hpcc-agent-format.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * RCP's congestion header, which contains the rate that the path grants and the sender's RTT
 * ("Processor Sharing Flows in the Internet", Dukkipati et al., IWQoS 2005). RCP puts this header
 * between the IP and the transport header and returns the rate in a second field. In this
 * implementation, the header is between UDP and BTH, and the reflection header returns the rate.
 * The short name is "rcp". The header has 8 bytes, big-endian:
 *
 * | bits | field | unit |
 * |---|---|---|
 * | 0-31 | highest rate that the sender would use, lowered by switches that grant less | kb/s |
 * | 32-63 | RTT measured by the sender | ns |
 *
 * In both fields 0 means "not given". A granted rate is rounded down, but is at least 1, so that it
 * is never read as "not given". The unit is kb/s, because Mb/s would be too coarse if many flows
 * share a link. The record has the field TELEMETRY_RATE.
 */
class RcpFormat : public AgentTelemetryFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RcpFormat();

    std::string GetSwitchAgent() const override;
    std::string Validate(const TelemetryNetwork& network) const override;
    HopTelemetry Read(const TelemetryStack& stack, uint32_t index) const override;

    static constexpr uint8_t REFLECTION_ID = 80; ///< identifies the format in the reflection header

    /// Words that the sender fills in.
    enum Word : uint8_t
    {
        RATE_KBPS, ///< highest rate that the sender would use, kb/s
        RTT_NS,    ///< the sender's RTT, ns
        WORDS      ///< number of words
    };

    /**
     * Returns the sender's RTT in a header, ns; 0 if unknown.
     * @param stack stack with the header
     */
    static uint32_t GetRttNs(const TelemetryStack& stack)
    {
        return stack.words[RTT_NS];
    }

    /**
     * Limits the rate in a header to the rate that a switch grants. If the header has no rate, sets
     * it to this rate.
     * @param stack stack with the header
     * @param rateBps rate that the switch grants to each flow, bit/s, above 0
     */
    static void Grant(TelemetryStack& stack, double rateBps);

    /**
     * Converts a rate to kb/s: rounds it down, and limits it to the range from 1 to 2^32 - 1.
     * @param rateBps a rate, bit/s
     * @return the rate, kb/s
     */
    static uint32_t ToKbps(double rateBps);
};

} // namespace ns3

#endif // HPCC_RCP_FORMAT_H
