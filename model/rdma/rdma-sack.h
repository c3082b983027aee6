/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SACK_H
#define RDMA_SACK_H

#include "rdma-recovery.h"

#include "ns3/nstime.h"

#include <memory>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Recovery of queue pairs whose packets take several paths, as in Ultra Ethernet 1.0 (section 3.5)
 * and in Multipath Reliable Connection (OCP MRC 1.0), on RoCEv2. Only WRITEs.
 *
 * - Each packet is a WRITE ONLY with a RETH of its own, so that the responder can place it in any
 *   order; SE marks the last packet of a message and FECN a retransmission.
 * - The responder answers with SACKs (RoceSackHeader): at once to the first packet, marked packets,
 *   packets that request it, duplicates, and the packet that closes the gaps before a requesting
 *   one; otherwise after AckBytes of payload. The requester asks for one when its window is full,
 *   and with telemetry eight times per window and per base RTT, so that small windows and low
 *   rates get enough samples.
 * - A packet that arrives trimmed is answered by a NACK, and retransmitted.
 * - The lowest-numbered packet in flight counts as lost if no answer arrives for Rto after it left;
 *   then the next one is the lowest. A retransmitted packet can hide older ones above it. There is
 *   no backoff. Until a packet of the queue pair has been trimmed, queues may be longer than the
 *   scheme assumes: the time-out is then at least twice the last round-trip time.
 * - With Sleek, for networks that do not trim: once 1.5 windows of packets (at most 1.5
 *   bandwidth-delay products, at least 5 packets) wait at the responder for one before them, all
 *   unacknowledged packets sent by that time count as lost. They are retransmitted regardless of
 *   the window. If no answer arrives for 3 base RTTs (2 if nothing is left to send), a probe is
 *   sent; an answer to it within 2 base RTTs has the same effect.
 *
 * Retransmissions go first, lowest number first. A policy is notified by OnLoss() of each trimmed
 * packet, of each time-out, and of each start of a Sleek recovery.
 *
 * Short names: sack, and sack:sleek with Sleek and a time-out for buffers of 5 bandwidth-delay
 * products.
 */
class RdmaSack : public RdmaRecovery
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    bool ToleratesReordering() const override;
    std::unique_ptr<RdmaRetransmission> MakeRetransmission() const override;
    std::unique_ptr<RdmaSequencing> MakeSequencing() const override;
    RdmaSendLimits GetLimits(const Path& path) const override;
    std::unique_ptr<RdmaSackTerms> GetSackTerms(const Path& path) const override;

  private:
    uint32_t m_ackBytes; ///< attribute
    Time m_rto;          ///< attribute
    double m_queueBdps;  ///< attribute
    bool m_sleek;        ///< attribute
};

} // namespace ns3

#endif // RDMA_SACK_H
