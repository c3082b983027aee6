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
 * - The responder answers by SACKs (RoceSackHeader): at once to the first packet, to a marked one,
 *   to one that asks for it or has arrived before, and when that one's gaps are filled; otherwise
 *   once AckBytes of payload have arrived.
 * - A packet that arrives trimmed is answered by a NACK, and retransmitted.
 * - Rto after the lowest-numbered packet in flight has left without an answer it counts as lost;
 *   then the next one is the lowest. One that was retransmitted can hide older ones above it.
 *   There is no backoff.
 * - With Sleek, for networks that do not trim: once more than 1.5 windows of packets wait at the
 *   responder for one before them, at most 1.5 bandwidth-delay products and at least 5, all packets
 *   that were sent by then and are not acknowledged count as lost. They may leave whatever the
 *   window. After 3 base RTTs without an answer, 2 if nothing is left to send, a probe follows the
 *   data; if its answer took less than 2 base RTTs, the same happens.
 *
 * Retransmissions go first, lowest number first. A policy is notified of each trimmed packet and of
 * each time-out by OnLoss(), and of the beginning of what Sleek does.
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
