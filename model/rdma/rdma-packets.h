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
    /// Creates the part that fills headers and computes sizes.
    /// @param settings the host's attributes
    explicit RdmaPackets(const RdmaHostSettings& settings)
        : m_settings(settings)
    {
    }

    /// Sets the first port of the host, which maps DSCPs to priorities.
    /// @param port first port of the host
    void SetPort(const QbbNetDevice& port)
    {
        m_port = &port;
    }

    /**
     * Returns true if packets with a given telemetry format use IPv6.
     * @param format the telemetry format; may be null
     */
    bool UsesIpv6(const TelemetryFormat* format) const
    {
        return m_settings.ipv6 || (format && format->GetMarking().ipv6);
    }

    /**
     * Returns the size of a data packet as the host sends it, before switches insert records,
     * without FCS, bytes.
     * @param payloadBytes payload of the packet, bytes
     * @param opcode opcode of the packet
     * @param format telemetry format of the packet; may be null
     * @param ipv6 true if the queue pair uses IPv6, see UsesIpv6(). All packets of a queue pair
     * have the same IP version, even if only some of them carry telemetry
     */
    uint32_t DataBytes(uint32_t payloadBytes,
                       uint8_t opcode,
                       const TelemetryFormat* format,
                       bool ipv6) const;

    /**
     * Returns the size of an ACK or NAK without FCS, bytes.
     * @param format format of the telemetry that the ACK returns; may be null
     * @param hops number of records that the ACK returns
     * @param syndrome syndrome of the AETH, such as ROCE_SYNDROME_SACK
     */
    uint32_t AckBytes(const TelemetryFormat* format,
                      uint32_t hops,
                      uint8_t syndrome = ROCE_SYNDROME_ACK) const;

    /**
     * Returns the size of an ACK or NAK without FCS, bytes.
     * @param ack an ACK or NAK whose size is not set
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
     * @param opcode opcode of the acknowledgement
     * @param syndrome syndrome of the AETH of the acknowledgement
     */
    void FillAcknowledgement(const RdmaQueuePair& qp,
                             Frame& frame,
                             uint8_t opcode,
                             uint8_t syndrome) const;

    /**
     * Initialises the telemetry of a packet and sets the header fields that the telemetry format
     * uses.
     * @param qp the queue pair
     * @param frame a packet of the queue pair
     */
    static void OpenTelemetry(const RdmaQueuePair& qp, Frame& frame);

  private:
    /// Returns the size of a data packet without FCS in a wire profile other than Roce, bytes.
    /// @param bytes payload and telemetry of the packet, bytes
    uint32_t ProfileDataBytes(uint32_t bytes) const;

    /// Returns the size of an ACK or NAK without FCS in a wire profile other than Roce, bytes.
    /// @param ack an ACK or NAK whose size is not set
    uint32_t ProfileAckBytes(const Frame& ack) const;

    const RdmaHostSettings& m_settings;  ///< attributes
    const QbbNetDevice* m_port{nullptr}; ///< first port of the host
};

} // namespace ns3

#endif // RDMA_PACKETS_H
