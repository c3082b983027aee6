/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PACKETS_H
#define RDMA_PACKETS_H

#include "rdma-host-settings.h"
#include "rdma-queue-pair.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/qbb-net-device.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Fills the headers of a host's packets and computes their sizes.
 */
class RdmaPackets
{
  public:
    /// @param settings the host's attributes
    explicit RdmaPackets(const RdmaHostSettings& settings)
        : m_settings(settings)
    {
    }

    /// @param port first port of the host
    void SetPort(const QbbNetDevice& port)
    {
        m_port = &port;
    }

    /**
     * @param format telemetry; may be null
     * @return true if packets with this telemetry use IPv6
     */
    bool UsesIpv6(const TelemetryFormat* format) const;

    /**
     * @param payloadBytes payload of a data packet
     * @param opcode its opcode
     * @param format its telemetry; may be null
     * @param ipv6 true if its queue pair uses IPv6, see UsesIpv6(); a packet without telemetry has
     * the IP version of those with telemetry
     * @return size of the packet without FCS when the host sends it
     */
    uint32_t DataBytes(uint32_t payloadBytes,
                       uint8_t opcode,
                       const TelemetryFormat* format,
                       bool ipv6) const;

    /**
     * @param format telemetry that an ACK returns; may be null
     * @param hops number of records that it returns
     * @param syndrome syndrome of its AETH, such as ROCE_SYNDROME_SACK
     * @return size of the ACK or NAK without FCS
     */
    uint32_t AckBytes(const TelemetryFormat* format,
                      uint32_t hops,
                      uint8_t syndrome = ROCE_SYNDROME_ACK) const;

    /**
     * @param ack an ACK or NAK whose size is not set
     * @return size of the ACK or NAK without FCS
     */
    uint32_t AckBytes(const Frame& ack) const;

    /**
     * Fills the addresses and headers of a packet of a queue pair.
     * @param qp the queue pair
     * @param frame the packet
     */
    void FillHeaders(const RdmaQueuePair& qp, Frame& frame) const;

    /**
     * Fills the headers of an acknowledgement.
     * @param qp the queue pair
     * @param frame the acknowledgement, which still has the headers of the packet that it answers
     * @param opcode its opcode
     * @param syndrome syndrome of its AETH
     */
    void FillAcknowledgement(const RdmaQueuePair& qp,
                             Frame& frame,
                             uint8_t opcode,
                             uint8_t syndrome) const;

    /**
     * Initialises the telemetry of a packet and sets the header fields that the telemetry format
     * uses.
     * @param qp the queue pair
     * @param frame one of its packets
     */
    static void OpenTelemetry(const RdmaQueuePair& qp, Frame& frame);

  private:
    /// @param bytes payload and telemetry of a data packet
    /// @return size of the packet without FCS in a wire profile other than Roce
    uint32_t ProfileDataBytes(uint32_t bytes) const;

    /// @param ack an ACK or NAK whose size is not set
    /// @return its size without FCS in a wire profile other than Roce
    uint32_t ProfileAckBytes(const Frame& ack) const;

    const RdmaHostSettings& m_settings;  ///< attributes
    const QbbNetDevice* m_port{nullptr}; ///< first port of the host
};

} // namespace ns3

#endif // RDMA_PACKETS_H
