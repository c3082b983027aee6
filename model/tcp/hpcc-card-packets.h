/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CARD_PACKETS_H
#define HPCC_CARD_PACKETS_H

#include "ns3/address.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/hpcc-telemetry-inventory.h"
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
 * The IP header of a packet that a network card makes by itself, for a flow of ns-3's IP stack.
 */
struct HpccCardIp
{
    const Frame& like;       ///< a frame with its addresses
    bool reverse;            ///< with source and destination exchanged
    uint8_t protocol;        ///< what follows
    uint8_t tos;             ///< TOS
    uint8_t ttl;             ///< TTL
    uint16_t identification; ///< of IPv4

    /// @return source address
    Address GetSource() const;
    /// @return destination address
    Address GetDestination() const;
    /// @param packet gets the header, IPv4 with DF or IPv6, in front of its transport header
    void AddTo(Ptr<Packet> packet) const;
};

/**
 * @ingroup hpcc
 *
 * What the cards for TCP and UDP share: frames of probes and answers, and telemetry in answers.
 */
class HpccCardPackets
{
  public:
    using Hops = std::array<HopTelemetry, MAX_TELEMETRY_HOPS>; ///< records, first hop first

    /**
     * @param format a format @return an empty string, or one line that says why its bytes cannot
     * be put into packets of TCP or UDP: what marks it has to leave addresses and ports as they
     * are, and the protocol unless the format says which it was
     */
    static std::string Validate(const TelemetryFormat& format);

    /**
     * Begin.
     * @param port the host's port
     * @param format telemetry
     * @param inventory line rates, for formats that do not carry them
     */
    void Open(Ptr<QbbNetDevice> port,
              Ptr<const TelemetryFormat> format,
              Ptr<const TelemetryInventory> inventory);

    /// Forget all that Open() told.
    void Close();

    /**
     * Send a probe, behind what is in the port's queue.
     * @param packet the packet, from the IP header on
     * @param ipv6 which IP
     * @param originalDscp DSCP of the flow's data
     * @param request what it asks, see TelemetryOrigin
     * @return bytes on the wire, without FCS
     */
    uint32_t SendProbe(Ptr<Packet> packet, bool ipv6, uint8_t originalDscp, uint16_t request) const;

    /**
     * Send an answer; switches do not insert into it.
     * @param packet the packet, from the IP header on
     * @param ipv6 which IP
     * @return bytes on the wire, without FCS
     */
    uint32_t SendAnswer(Ptr<Packet> packet, bool ipv6) const;

    /// @param probe a probe, or data with telemetry @return its reflection header and records
    static std::vector<uint8_t> Reflect(const Frame& probe);

    /**
     * Read what Reflect() has made, and add line rates to what lacks them.
     * @param in the bytes
     * @param size bytes available
     * @param hops filled on success
     * @param stack the records on success; without any, its hops are 0
     * @param unknownLinks increased by the records whose link is not in the inventory
     * @return true if the bytes are well-formed, and of the format or without records
     */
    bool Read(const uint8_t* in,
              size_t size,
              Hops& hops,
              TelemetryStack& stack,
              uint64_t& unknownLinks) const;

  private:
    /// @param packet the packet @param ipv6 which IP @return its frame, ready to be sent
    Frame* MakeFrame(Ptr<Packet> packet, bool ipv6) const;

    Ptr<QbbNetDevice> m_port;                  ///< the port
    Ptr<const TelemetryFormat> m_format;       ///< telemetry
    Ptr<const TelemetryInventory> m_inventory; ///< line rates
};

} // namespace ns3

#endif // HPCC_CARD_PACKETS_H
