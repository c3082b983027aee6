/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_NIC_PACKETS_H
#define HPCC_NIC_PACKETS_H

#include "hpcc-feedback-proof.h"

#include "ns3/address.h"
#include "ns3/hpcc-flow.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/packet.h"
#include "ns3/qbb-net-device.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The IP header of a packet that a NIC generates for a flow of ns-3's IP stack.
 */
struct HpccNicIp
{
    const Frame& like;       ///< a frame of the flow, which provides the addresses
    bool reverse;            ///< true to exchange source and destination
    uint8_t protocol;        ///< protocol number of the next header
    uint8_t tos;             ///< TOS
    uint8_t ttl;             ///< TTL
    uint16_t identification; ///< identification field of the IPv4 header

    /// Returns the source address.
    Address GetSource() const;
    /// Returns the destination address.
    Address GetDestination() const;
    /// Adds the IP header in front of a packet's transport header.
    /// @param packet the packet; the header is an IPv4 header with DF, or an IPv6 header
    void AddTo(Ptr<Packet> packet) const;
};

/**
 * @ingroup hpcc
 *
 * Code that the NICs for TCP and UDP share. It creates the frames of probes and answers, and
 * encodes and decodes the telemetry in answers.
 */
class HpccNicPackets
{
  public:
    using Hops = std::array<HopTelemetry, MAX_TELEMETRY_HOPS>; ///< records, first hop first

    /**
     * Checks whether packets of TCP and UDP can carry a format. The marking of the format must not
     * change addresses or ports. The marking may change the protocol only if the format stores the
     * original protocol.
     * @param format a format
     * @return an empty string if the packets can carry the format; otherwise one line with the
     * reason
     */
    static std::string Validate(const TelemetryFormat& format);

    /**
     * Initialises the object.
     * @param port the host's port
     * @param format telemetry format
     * @param inventory line rates, for formats that do not carry them
     */
    void Open(Ptr<QbbNetDevice> port,
              Ptr<const TelemetryFormat> format,
              Ptr<const TelemetryInventory> inventory);

    /**
     * Sets the inventory for the flows whose data has a given priority.
     * @param priority the priority, 0 to 7
     * @param inventory bandwidths of links: line rates, or the priority's shares of them
     */
    void SetInventory(uint8_t priority, Ptr<const TelemetryInventory> inventory);

    /// Discards everything that Open() and SetInventory() have set.
    void Close();

    /**
     * Appends a probe to the port's queue.
     * @param packet the packet, from the IP header on
     * @param ipv6 true for IPv6, false for IPv4
     * @param originalDscp DSCP of the flow's data
     * @param request signal that the probe requests, see TelemetryOrigin
     * @return size of the frame, without FCS, bytes
     */
    uint32_t SendProbe(Ptr<Packet> packet, bool ipv6, uint8_t originalDscp, uint16_t request) const;

    /**
     * Adds telemetry to a packet that leaves, and sets the new size of the frame.
     * @param frame the packet, without telemetry
     * @param originalDscp DSCP of the flow's data
     * @param request signal that the packet requests, see TelemetryOrigin
     * @return bytes added
     */
    uint32_t AddTelemetry(Frame& frame, uint8_t originalDscp, uint16_t request) const;

    /**
     * Sends an answer, into which switches do not insert records.
     * @param packet the packet, from the IP header on
     * @param ipv6 true for IPv6, false for IPv4
     * @return size of the frame, without FCS, bytes
     */
    uint32_t SendAnswer(Ptr<Packet> packet, bool ipv6) const;

    /// The content of an answer apart from its records.
    struct Note
    {
        uint16_t flows{0}; ///< number of flows on the last hop; 0 if they are not counted
        const HpccFeedbackProof* proof{nullptr}; ///< signs the answer; null without a key
        uint64_t number{0};                      ///< number of the message, if there is a proof
        std::vector<uint8_t> around{};           ///< further bytes that the signature covers
    };

    /**
     * Encodes the content of an answer: reflection header, authenticator (if any), records.
     * @param probe a probe, or data with telemetry
     * @param note further content
     * @return the encoded content
     */
    static std::vector<uint8_t> Reflect(const Frame& probe, const Note& note);

    /// The content of an answer.
    struct Reflection
    {
        HpccReflectionHeader header;  ///< reflection header
        FeedbackTag tag{};            ///< authenticator; zeros unless IsSigned()
        std::vector<uint8_t> message; ///< bytes that the authenticator covers, without Note::around
        Hops hops;                    ///< records
        TelemetryStack stack{};       ///< the records as the format stores them; stack.hops is 0 if
                                      ///< there are none

        /// Returns true if the reflection has an authenticator.
        bool IsSigned() const
        {
            return header.flags & REFLECTION_AUTHENTICATED;
        }
    };

    /**
     * Decodes the output of Reflect(), and adds line rates or shares to records that lack them.
     * @param in encoded content of an answer
     * @param size bytes available
     * @param priority priority of the flow's data
     * @param reflection filled on success
     * @param unknownLinks increased by the number of records whose link is not in the inventory
     * @return true if the bytes are well-formed and contain either records of the NIC's format or
     * no records
     */
    bool Read(const uint8_t* in,
              size_t size,
              uint8_t priority,
              Reflection& reflection,
              uint64_t& unknownLinks) const;

    /**
     * Checks the authenticator of an answer. Also checks whether the number of the answer is
     * greater than the numbers of all earlier genuine answers.
     * @param reflection the content of the answer
     * @param around further bytes that the signature covers
     * @param proof authentication state of the flow
     * @return the result
     */
    static HpccFeedbackProof::Verdict CheckProof(const Reflection& reflection,
                                                 const std::vector<uint8_t>& around,
                                                 HpccFeedbackProof& proof);

    /// The values that MakeSample() needs in addition to the answer.
    struct Reading
    {
        int64_t nowNs;   ///< current time, ns
        uint64_t ackSeq; ///< acknowledgement number of the answer
        uint64_t sndNxt; ///< next byte to be sent
    };

    /**
     * Converts an answer into a sample for the control law.
     * @param reflection the content of an answer; must outlive the result
     * @param reading the additional values
     * @return the sample
     */
    HpccSample MakeSample(const Reflection& reflection, const Reading& reading) const;

  private:
    /**
     * Makes a frame from a packet.
     * @param packet the packet
     * @param ipv6 true for IPv6, false for IPv4
     * @return frame of the packet, ready to be sent
     */
    Frame* MakeFrame(Ptr<Packet> packet, bool ipv6) const;

    Ptr<QbbNetDevice> m_port;            ///< the port
    Ptr<const TelemetryFormat> m_format; ///< telemetry format
    /// line rates, or shares of them, by priority of the data
    std::array<Ptr<const TelemetryInventory>, PRIORITIES> m_inventories;
};

} // namespace ns3

#endif // HPCC_NIC_PACKETS_H
