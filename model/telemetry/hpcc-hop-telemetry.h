/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_HOP_TELEMETRY_H
#define HPCC_HOP_TELEMETRY_H

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The exact state of a switch port at the moment when the transmission of a frame starts. Wire
 * formats round these values. The snapshot is consistent: the queue and the byte counter both
 * exclude the frame itself.
 */
struct HopSnapshot
{
    uint64_t timestampNs; ///< the switch's clock at the start of transmission, ns
    uint64_t txBytes; ///< bytes sent so far by the port, or by queue queueId if telemetry is per
                      ///< class; QbbNetDevice::CountOverhead determines whether preamble and gap
                      ///< are counted
    uint64_t bandwidthBps;   ///< line rate of the port, or the class's share of it, bit/s
    uint64_t queueBytes;     ///< bytes waiting in the queue, this frame excluded
    uint32_t switchId;       ///< id of the switch
    uint32_t egressPort;     ///< id of the egress port
    uint32_t ingressPort;    ///< id of the ingress port
    uint32_t hopLatencyNs;   ///< time from arrival to start of transmission, ns
    uint32_t utilizationPpm; ///< share of bandwidthBps used in the last full measurement window,
                             ///< ppm
    uint8_t queueId;         ///< priority of the egress queue
    uint8_t ttl;             ///< the frame's TTL after the decrement
    uint8_t ecn{0};          ///< the frame's ECN codepoint after marking
};

/// Degree of multipath: how often switches change the path of a flow's packets, in ascending order.
/// The degree determines how many consecutive packets of a flow carry records of the same hops.
enum class Multipath : uint8_t
{
    NONE,        ///< one path
    OCCASIONAL,  ///< one path at a time, which changes occasionally
    EVERY_PACKET ///< each packet may take a different path
};

/// The rule by which a switch selects, from the packets that collect telemetry, those into which it
/// inserts a record.
enum TelemetryThinning : uint8_t
{
    NOT_THINNED,     ///< all packets
    THINNED_BY_LOAD, ///< packets that find a long queue; a packet without a record has found no
                     ///< long queue
    THINNED_BY_TIME  ///< one packet per interval; a packet without a record may have found a long
                     ///< queue
};

/// Bits of HopTelemetry::fields and TelemetryCapabilities::fields.
enum TelemetryField : uint16_t
{
    TELEMETRY_SWITCH_ID = 1 << 0,   ///< switchId is valid
    TELEMETRY_PORT_ID = 1 << 1,     ///< portId is valid
    TELEMETRY_TIMESTAMP = 1 << 2,   ///< timestampNs is valid
    TELEMETRY_TX_BYTES = 1 << 3,    ///< txBytes is valid
    TELEMETRY_UTILIZATION = 1 << 4, ///< utilization is valid
    TELEMETRY_QUEUE = 1 << 5,       ///< queueBytes is valid
    TELEMETRY_BANDWIDTH = 1 << 6,   ///< bandwidthBps is valid
    TELEMETRY_HOP_LATENCY = 1 << 7, ///< hopLatencyNs is valid
    TELEMETRY_QUEUE_DELAY = 1 << 8, ///< queueDelayNs is valid
    TELEMETRY_LOAD = 1 << 9,        ///< load is valid
    TELEMETRY_RATE = 1 << 10,       ///< rateBps is valid
    TELEMETRY_FEEDBACK = 1 << 11,   ///< feedbackBytes is valid
};

/**
 * @ingroup hpcc
 *
 * One hop's record as decoded from the wire format. Values are quantised, wrapped or absent, as the
 * format prescribes. Without TELEMETRY_SWITCH_ID and TELEMETRY_PORT_ID, a hop is identified only by
 * its position on the path, which portId then contains. In a record of CSIG, portId contains the
 * locator field of the tag.
 */
struct HopTelemetry
{
    uint64_t timestampNs;  ///< egress time, ns, modulo TelemetryCapabilities::timestampModulus
    uint64_t txBytes;      ///< sent bytes, modulo TelemetryCapabilities::txBytesModulus
    uint64_t bandwidthBps; ///< line rate, or the class's share of it, bit/s
    uint64_t queueBytes;   ///< bytes waiting in the queue
    /// share of bandwidthBps used in the switch's last measurement window, 0 to 1; above 1 if a
    /// class has exceeded its share
    double utilization;
    double queueDelayNs; ///< transmission time of the waiting bytes at the line rate, ns

    union {
        double load;          ///< normalised bytes in flight u' = qlen/(B T) + rate/B
        double rateBps;       ///< rate that the path grants to each flow, bit/s
        double feedbackBytes; ///< bytes by which the path changes the sender's window
    };

    uint32_t switchId;     ///< id of the switch
    uint32_t portId;       ///< id of the egress port
    uint32_t hopLatencyNs; ///< sojourn time in the switch, ns
    uint16_t fields;       ///< TelemetryField bits of the valid members
};

/**
 * @ingroup hpcc
 *
 * The capabilities of a format. An algorithm adapts to the capabilities without knowing the
 * format's name.
 */
struct TelemetryCapabilities
{
    uint16_t fields;           ///< TelemetryField bits that a record carries
    uint64_t timestampModulus; ///< timestamps are modulo this many ns; 0 means 2^64
    uint64_t txBytesModulus;   ///< byte counters are modulo this many bytes; 0 means 2^64
    bool pathIdentified;       ///< true if TelemetryStack::pathId identifies the path
    bool pathExtreme{false};   ///< true if each packet has a single record, in which the bottleneck
                               ///< hop has written one quantity. If `fields` has several bits, the
                               ///< sender requests one of these quantities by
                               ///< TelemetryOrigin::request. If the quantity is a load
                               ///< (TELEMETRY_LOAD), the switches have averaged it
    uint8_t senderWords{0};    ///< number of 32-bit words in TelemetryOrigin::words, which the
                               ///< sender writes into the header

    /// Returns true if each packet carries one of several quantities, which the sender requests.
    bool CarryOneOfSeveral() const
    {
        return pathExtreme && (fields & (fields - 1)) != 0;
    }
};

/**
 * @ingroup hpcc
 *
 * Properties that the sending host passes to a format when it adds telemetry to a packet. The
 * properties include the header fields that the marking replaces, so that the receiver can restore
 * these fields.
 */
struct TelemetryOrigin
{
    uint16_t port;       ///< destination port of UDP or TCP
    uint8_t protocol;    ///< IPv4 protocol or IPv6 next header
    uint8_t dscp;        ///< DSCP, 0 to 63
    uint16_t request{0}; ///< TelemetryField bit of the requested quantity, for formats that carry
                         ///< one quantity at a time; if 0, the format chooses
    const uint32_t* words{nullptr}; ///< TelemetryCapabilities::senderWords words; null if none
};

/// Maximum number of records that any format can carry and that an algorithm must be able to store.
constexpr uint32_t MAX_TELEMETRY_HOPS = 16;

/// Maximum number of 32-bit words of hop records that a frame can carry.
constexpr uint32_t MAX_TELEMETRY_WORDS = 80;

/**
 * @ingroup hpcc
 *
 * The hop records of one frame, as words of the wire format in host byte order, oldest hop first.
 * Only the format that wrote the records can read them.
 */
struct TelemetryStack
{
    uint8_t hops;             ///< number of records present
    uint8_t remainingHops;    ///< number of records that may still be inserted
    uint8_t flags;            ///< the format's own flags, TelemetryStackFlag bits
    uint8_t skippedHops;      ///< number of hops that could not insert a record; for traces,
                              ///< usually not on the wire
    uint16_t pathId;          ///< the format's path identifier, if it has one
    uint16_t originalPort;    ///< original destination port, which the mark of the format may
                              ///< replace
    uint8_t originalProtocol; ///< original IPv4 protocol or IPv6 next header, which the mark of the
                              ///< format may replace
    uint8_t originalDscp;     ///< original DSCP, which the mark of the format may replace
    uint16_t request; ///< TelemetryField bit of the carried quantity, in formats that carry one of
                      ///< several quantities
    std::array<uint32_t, MAX_TELEMETRY_WORDS>
        words; ///< records; words beyond those present are undefined
};

/// Bits of TelemetryStack::flags.
enum TelemetryStackFlag : uint8_t
{
    TELEMETRY_NO_FLAG = 0,            ///< no flag is set, or the format has no flags
    TELEMETRY_HOPS_EXCEEDED = 1 << 0, ///< a hop found no room left in the format (INT-MD E bit)
    TELEMETRY_MTU_EXCEEDED = 1 << 1,  ///< the record of a hop would have made the frame exceed the
                                      ///< egress MTU (INT-MD M bit)
    TELEMETRY_SUBSCRIBED = 1 << 2, ///< the sender requests responses from switches; only in formats
                                   ///< whose TelemetryFormat::CarriesSubscription() returns true
};

/// Truncated HMAC of a reflection, see FeedbackAuthenticator.
using FeedbackTag = std::array<uint8_t, 12>;

/// Bits of HpccReflectionHeader::flags.
enum ReflectionFlag : uint8_t
{
    REFLECTION_AUTHENTICATED = 1 << 0,  ///< a FeedbackTag follows
    REFLECTION_BOTTLENECK_HOP = 1 << 1, ///< an HpccBottleneckHop replaces the records
    REFLECTION_BARE_HOP = 1 << 2, ///< queue length, timestamp, and sent bytes or utilisation of the
                                  ///< bottleneck hop replace the records, see HpccBottleneckHop
};

/**
 * Returns the difference of two counters that wrap.
 * @param newer the later reading
 * @param older the earlier reading
 * @param modulus modulus of the counter; 0 means 2^64
 * @return newer - older in [0, modulus)
 */
inline uint64_t
ModularDifference(uint64_t newer, uint64_t older, uint64_t modulus)
{
    return newer >= older || modulus == 0 ? newer - older : newer + (modulus - older);
}

} // namespace ns3

#endif // HPCC_HOP_TELEMETRY_H
