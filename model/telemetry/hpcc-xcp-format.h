/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_XCP_FORMAT_H
#define HPCC_XCP_FORMAT_H

#include "hpcc-agent-format.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * XCP's congestion header ("Congestion Control for High Bandwidth-Delay Product Networks", Katabi,
 * Handley, Rohrs, SIGCOMM 2002, section 3.2). In this implementation, the header is between UDP and
 * BTH, and the reflection header returns the XCP header. The short name is "xcp". The header has 12
 * bytes, big-endian:
 *
 * | bits | field | unit |
 * |---|---|---|
 * | 0-31 | H_cwnd: the sender's window | bytes on the link |
 * | 32-63 | H_rtt: the sender's RTT; 0 if unknown | ns |
 * | 64-95 | H_feedback: requested increase; switches write what they grant | 1/256 byte, signed |
 *
 * The unit of H_feedback is 1/256 byte, because a packet's share of a change of the window is often
 * less than a byte. H_feedback is rounded to the nearest unit and saturates at 8 MB. The record has
 * the field TELEMETRY_FEEDBACK unless H_rtt is 0. The sender's window is at most 2^32 - 1 bytes. A
 * network in which T times the rate of the fastest link exceeds this limit is refused. Switches
 * count packets with H_rtt 0 as traffic, but give them no feedback.
 */
class XcpFormat : public AgentTelemetryFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    XcpFormat();

    std::string GetSwitchAgent() const override;
    // Refuses a bandwidth-delay product that does not fit H_cwnd, and a T that does not fit H_rtt.
    std::string Validate(const TelemetryNetwork& network) const override;
    HopTelemetry Read(const TelemetryStack& stack, uint32_t index) const override;

    static constexpr uint8_t REFLECTION_ID = 81; ///< identifies the format in the reflection header

    /// Words that the sender fills in.
    enum Word : uint8_t
    {
        CWND_BYTES, ///< H_cwnd, bytes
        RTT_NS,     ///< H_rtt, ns
        FEEDBACK,   ///< H_feedback, units of 1/256 byte
        WORDS       ///< number of words
    };

    /**
     * Returns the value of H_feedback for a change of the window.
     * @param bytes a change of the window, bytes
     */
    static uint32_t FromBytes(double bytes);

    /**
     * Returns the change of the window in H_feedback, bytes.
     * @param feedback H_feedback
     */
    static double ToBytes(uint32_t feedback);
};

} // namespace ns3

#endif // HPCC_XCP_FORMAT_H
