/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_READS_H
#define RDMA_READS_H

#include "rdma-host-core.h"
#include "rdma-queue-pair.h"
#include "rdma-recovery.h"
#include "rdma-requester.h"

#include "ns3/hpcc-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Handles the READs of a host's queue pairs at both ends: sends the responses to READ requests that
 * arrive, and completes the READs that the host has posted. Used only for READ requests and READ
 * responses.
 */
class RdmaReads
{
  public:
    /**
     * Creates the part that handles READs.
     * @param core state shared by the parts of the host
     * @param requester sends the responses
     */
    RdmaReads(RdmaHostCore& core, RdmaRequester& requester)
        : m_core(core),
          m_requester(requester)
    {
    }

    /**
     * Posts a READ.
     * @param qp the queue pair
     * @param bytes number of bytes to read, 1 to 2^32 - 1
     * @param postedNs time at which the application posted the READ, ns
     * @param nowNs current time, ns
     */
    void Post(RdmaQueuePair& qp, uint64_t bytes, int64_t postedNs, int64_t nowNs);

    /**
     * Returns true if a queue pair can answer a READ request.
     * @param qp a queue pair
     * @param request a READ request that has arrived
     */
    static bool CanAnswer(const RdmaQueuePair& qp, const Frame& request)
    {
        return qp.ops && request.reth.length > 0;
    }

    /**
     * Returns true if a packet is part of a READ response.
     * @param opcode opcode of the packet
     */
    static bool IsResponse(uint8_t opcode)
    {
        return opcode >= ROCE_READ_RESPONSE_FIRST && opcode <= ROCE_READ_RESPONSE_ONLY;
    }

    /**
     * Handles a READ request or the last packet of a READ response, after all preceding packets
     * have arrived.
     * @param qp the queue pair
     * @param arrival the packet
     * @param nowNs current time, ns
     */
    void Deliver(RdmaQueuePair& qp, const RdmaArrival& arrival, int64_t nowNs);

    /// Repeats the request of the oldest incomplete READ, limited to the data that have not
    /// arrived.
    /// @param qp the queue pair
    void RequestRest(const RdmaQueuePair& qp);

    /**
     * Retransmits a READ response from the first byte that a repeated request asks for. Does
     * nothing if this byte is not in the oldest unacknowledged message.
     * @param qp the queue pair
     * @param request a repeated request for a READ response that has begun
     * @param nowNs current time, ns
     */
    void Retransmit(RdmaQueuePair& qp, const Frame& request, int64_t nowNs);

  private:
    /**
     * Completes the oldest READ, whose last byte has arrived.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void Complete(RdmaQueuePair& qp, int64_t nowNs);

    RdmaHostCore& m_core;       ///< state shared by the parts of the host
    RdmaRequester& m_requester; ///< sends the responses
};

} // namespace ns3

#endif // RDMA_READS_H
