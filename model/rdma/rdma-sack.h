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
 * Loss recovery for queue pairs whose packets take several paths. The recovery works on RoCEv2 and
 * follows Ultra Ethernet 1.0 (section 3.5) and Multipath Reliable Connection (OCP MRC 1.0). Only
 * WRITEs are supported.
 *
 * - Each packet has the opcode WRITE ONLY and a RETH, so the responder can place packets in any
 *   order. The bit SE is set in the last packet of a message, and the bit FECN in a retransmission.
 * - The responder answers with SACKs (RoceSackHeader). It sends a SACK immediately after the first
 *   packet, a marked packet, a packet that requests a SACK, and a duplicate. If a packet has
 *   requested a SACK while packets were missing, the responder sends another SACK when the last
 *   missing packet arrives. Apart from these cases, the responder sends a SACK after every AckBytes
 *   bytes of payload. The requester requests a SACK with the last packet of a message, with each
 *   retransmission, and when its window is full. If its packets collect telemetry, the requester
 *   also requests a SACK when it has sent B/8 bytes since its last request. B is the smaller of two
 *   values: the window, and the number of bytes that the requester can send per base RTT. Without
 *   these requests, a small window or a low rate would leave too few telemetry samples.
 * - The responder answers a trimmed packet with a NACK, and the requester then retransmits the
 *   packet.
 * - A packet in flight is regarded as lost if no answer arrives within Rto of its departure.
 *   However, the responder does not always answer a packet immediately: the SACK that answers it
 *   may have to wait for the arrival of a later packet. If the sender is slow or AckBytes is large,
 *   the later packet may leave long after the unanswered packet. The unanswered packet is then
 *   regarded as lost only two round-trip times (at most Rto) after the departure of the later
 *   packet. Retransmitting a packet restarts its Rto. The time-out has no backoff. Queues may be
 *   longer than assumed in the value of Rto. Therefore, until a packet of the queue pair has been
 *   trimmed, the time-out is at least twice the last round-trip time.
 * - Sleek is an option for networks that do not trim. An out-of-order packet waits at the responder
 *   until the missing packets before it arrive. The requester infers losses when the number of
 *   waiting packets reaches a threshold. The threshold is 1.5 windows, but at most 1.5
 *   bandwidth-delay products, and at least 5 packets. The requester then retransmits all
 *   unacknowledged packets sent so far, even if the window is full. It marks each of these packets
 *   as lost as soon as the packet is within one window of the first unacknowledged packet. The
 *   requester sends a probe if no answer arrives within 3 base RTTs of the last answer, or within 2
 *   base RTTs if no new packet is left to send. If the answer to the probe arrives within 2 base
 *   RTTs, the requester retransmits all unacknowledged packets sent before the probe in the same
 *   way, even those that it has retransmitted since the probe was sent. Until these packets are
 *   acknowledged, only the first unacknowledged packet has a time-out. When this time-out expires,
 *   the next answer starts the retransmissions again.
 *
 * Lost packets are retransmitted before new packets are sent, lowest number first. OnLoss()
 * notifies the policy of each trimmed packet, of each time-out outside a Sleek recovery, and of
 * each start of a Sleek recovery.
 *
 * Attributes:
 *
 * - AckBytes: payload per SACK, bytes, at least 1. An AckInterval above 1 has precedence, see
 *   SackBytes().
 * - Rto: time-out. The default, 0, selects the larger of two times. The first is 15 us plus 6 *
 *   QueueBdps base RTTs. The second is a base RTT plus the time that it takes to send AckBytes at
 *   line rate. If the base RTT is unknown, 0 selects RdmaHost::RetransmitTimeout.
 * - QueueBdps: longest queue of a port that the default of Rto assumes, in bandwidth-delay
 *   products, 0 or more.
 * - TimeoutRtts: lower limit of the time-out, in units of the last round-trip time, until a packet
 *   of the queue pair has been trimmed. 0: no such limit.
 * - Sleek: whether losses are also inferred from packets that wait at the responder.
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
    bool DropsOutOfOrder(const Path& path) const override;
    std::unique_ptr<RdmaSackTerms> GetSackTerms(const Path& path) const override;
    std::string GetTimeoutName() const override;

  private:
    uint32_t m_ackBytes;    ///< attribute AckBytes
    Time m_rto;             ///< attribute Rto
    double m_queueBdps;     ///< attribute QueueBdps
    uint32_t m_timeoutRtts; ///< attribute TimeoutRtts
    bool m_sleek;           ///< attribute Sleek
};

} // namespace ns3

#endif // RDMA_SACK_H
