/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CLOSED_LOOP_H
#define HPCC_CLOSED_LOOP_H

#include "hpcc-fabric-helper.h"

#include <cstdint>
#include <functional>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Posts messages in a closed loop: when a message on a queue pair completes, the next one is posted
 * in the same nanosecond. The loop must exist until the simulation ends. Nothing else may post on
 * the queue pair of the loop; a second loop on it throws HpccInputError. See
 * doc/tutorials/two-racks.cc.
 */
class HpccClosedLoop
{
  public:
    /// Returns the payload of the next message, bytes; 0 ends the loop.
    using NextBytes = std::function<uint64_t()>;

    /**
     * Starts a closed loop: schedules its first messages.
     * @param fabric the network after Install(); if the source is at another rank, the loop does
     * nothing
     * @param source host that posts
     * @param queuePair index returned by HpccFabricHelper::Connect(); a queue pair for a single
     * message throws HpccInputError
     * @param nextBytes returns the sizes of the messages, in the order of posting; an empty
     * function throws HpccInputError
     * @param start time at which the first messages are posted; see HpccFabricHelper::AddMessage()
     * for the times allowed
     * @param outstanding number of messages in flight; 0 throws HpccInputError
     * @param verb operation of the messages; READ requires a queue pair connected with reads
     */
    HpccClosedLoop(HpccFabricHelper& fabric,
                   uint32_t source,
                   uint32_t queuePair,
                   const NextBytes& nextBytes,
                   Time start = Time(0),
                   uint32_t outstanding = 1,
                   RdmaVerb verb = RdmaVerb::WRITE);

    HpccClosedLoop(const HpccClosedLoop&) = delete;
    HpccClosedLoop& operator=(const HpccClosedLoop&) = delete;

    /// Returns the number of messages completed so far.
    uint64_t GetCompleted() const
    {
        return m_completed;
    }

  private:
    /// Posts the next message.
    /// @param record the message that has completed
    void Next(const RdmaMessageRecord& record);

    Ptr<RdmaHost> m_host;    ///< RDMA stack of the source; null at other ranks
    uint32_t m_queuePair;    ///< index of the queue pair at the source
    NextBytes m_nextBytes;   ///< returns the payload of the next message, bytes
    RdmaVerb m_verb;         ///< operation of the messages
    bool m_ended{false};     ///< true once nextBytes has returned 0
    uint64_t m_completed{0}; ///< messages completed
};

} // namespace ns3

#endif // HPCC_CLOSED_LOOP_H
