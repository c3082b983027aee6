/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SACK_RESPONDER_H
#define RDMA_SACK_RESPONDER_H

#include "rdma-host-core.h"
#include "rdma-queue-pair.h"
#include "rdma-reflections.h"
#include "rdma-responder.h"

#include "ns3/hpcc-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The responder's half of a host's queue pairs with SACKs: accepts packets in any order, answers
 * them with SACKs, and answers trimmed packets with NACKs. See RdmaSack.
 */
class RdmaSackResponder
{
  public:
    /**
     * Creates the responder's part for queue pairs with SACKs.
     * @param core state shared by the parts of the host
     * @param responder delivers packets in order
     * @param reflections writes returned telemetry into SACKs, in feedback modes other than the
     * default
     */
    RdmaSackResponder(RdmaHostCore& core, RdmaResponder& responder, RdmaReflections& reflections)
        : m_core(core),
          m_responder(responder),
          m_reflections(reflections)
    {
    }

    /**
     * Accepts a data packet, and sends a SACK if a SACK is due (see RdmaSack).
     * @param qp the queue pair
     * @param frame the packet
     * @param urgent true if the packet must be acknowledged immediately
     * @param nowNs current time, ns
     */
    void Sequence(RdmaQueuePair& qp, Frame* frame, bool urgent, int64_t nowNs);

    /**
     * Answers a trimmed packet with a NACK, or with a SACK if the packet has already arrived.
     * @param qp the queue pair
     * @param frame the packet
     * @param nowNs current time, ns
     */
    void ReceiveTrimmed(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);

    /**
     * Answers a probe of an RdmaSackRequester with a SACK.
     * @param qp the queue pair
     * @param frame the probe
     * @param nowNs current time, ns
     */
    void ReceiveProbe(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);

  private:
    /**
     * Returns true if a packet has already arrived.
     * @param qp a queue pair
     * @param psn sequence number of the packet
     */
    static bool HasArrived(RdmaQueuePair& qp, uint64_t psn);

    /**
     * Stores a packet that has not arrived before, and delivers the packets that are now in order.
     * @param qp the queue pair
     * @param frame the packet
     * @param psn sequence number of the packet
     * @param nowNs current time, ns
     * @return false if the packet is too far ahead to be stored
     */
    bool Accept(RdmaQueuePair& qp, const Frame& frame, uint64_t psn, int64_t nowNs);

    /**
     * Turns a received frame into a SACK or NACK, and sends this SACK or NACK.
     * @param qp the queue pair
     * @param frame the frame
     * @param syndrome syndrome of a SACK, or of a NACK for a trimmed packet
     * @param flags RoceSack::Flag bits
     * @param nowNs current time, ns
     */
    void Answer(RdmaQueuePair& qp, Frame* frame, uint8_t syndrome, uint8_t flags, int64_t nowNs);

    RdmaHostCore& m_core;           ///< state shared by the parts of the host
    RdmaResponder& m_responder;     ///< delivers packets in order
    RdmaReflections& m_reflections; ///< writes returned telemetry into SACKs, in feedback modes
                                    ///< other than the default
};

} // namespace ns3

#endif // RDMA_SACK_RESPONDER_H
