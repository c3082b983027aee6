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
 * and in Multipath Reliable Connection (OCP MRC 1.0), on RoCEv2. Only WRITEs are supported.
 *
 * - Each packet is a WRITE ONLY with a RETH, so that the responder can place packets in any order;
 *   SE marks the last packet of a message and FECN a retransmission.
 * - The responder answers with SACKs (RoceSackHeader): at once to the first packet, to marked
 *   packets, to packets that request a SACK, to duplicates, and to the packet that fills all gaps
 *   before a packet that requested a SACK; otherwise after AckBytes of payload. The requester
 *   requests a SACK when its window is full. With telemetry it also does so after every eighth of
 *   its window or of the bytes that it sends per base RTT, whichever is less, so that small windows
 *   and low rates get enough samples.
 * - A packet that arrives trimmed is answered by a NACK and then retransmitted.
 * - The lowest-numbered packet in flight counts as lost if no answer arrives within Rto of its
 *   departure; the check then applies to the next packet in flight. Retransmitting a packet starts
 *   its Rto again, so packets with higher numbers that were sent before the retransmission may
 *   count as lost later than Rto after their departure. There is no backoff. Until a packet of the
 *   queue pair has been trimmed, queues may be longer than the scheme assumes, so the time-out is
 *   at least twice the last round-trip time.
 * - With Sleek, for networks that do not trim: once 1.5 windows of packets (at most 1.5
 *   bandwidth-delay products, at least 5 packets) wait at the responder for a preceding packet, all
 *   unacknowledged packets sent by that time count as lost. They are retransmitted regardless of
 *   the window. If no answer arrives for 3 base RTTs (2 if nothing is left to send), a probe is
 *   sent. If its answer arrives within 2 base RTTs, all unacknowledged packets sent before the
 *   probe count as lost.
 *
 * Retransmissions go first, lowest number first. OnLoss() notifies a policy of each trimmed packet,
 * each time-out, and each start of a Sleek recovery.
 *
 * Short names: sack; sack:sleek, which sets Sleek and a time-out for queues of up to 5
 * bandwidth-delay products.
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
