/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SWITCH_RESPONSES_H
#define RDMA_SWITCH_RESPONSES_H

#include "rdma-host-core.h"
#include "rdma-pacer.h"
#include "rdma-queue-pair.h"
#include "rdma-receiver-policies.h"
#include "rdma-sender-feedback.h"
#include "rdma-switch-trust.h"

#include "ns3/hpcc-frame.h"

#include <cstdint>
#include <unordered_map>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Receives the responses of switches to the packets of a host's queue pairs, at either end. Only
 * responses reach it.
 */
class RdmaSwitchResponses
{
  public:
    /**
     * @param core state shared by the parts of the host
     * @param pacer the times of its requesters
     * @param feedback counts rejected responses
     * @param receivers policies at the receiver
     */
    RdmaSwitchResponses(RdmaHostCore& core,
                        RdmaPacer& pacer,
                        RdmaSenderFeedback& feedback,
                        RdmaReceiverPolicies& receivers)
        : m_core(core),
          m_pacer(pacer),
          m_feedback(feedback),
          m_receivers(receivers)
    {
    }

    /**
     * Handles a switch response.
     * @param frame the response
     * @param trust checks which switch has sent it
     * @param nowNs current time, ns
     */
    void Receive(Frame* frame, RdmaSwitchTrust& trust, int64_t nowNs);

  private:
    /**
     * Handles a response to the sender.
     * @param qp the queue pair
     * @param frame a response to one of its packets
     * @param trust checks which switch has sent it
     * @param nowNs current time, ns
     * @return true if it is about a packet that was sent
     */
    bool TakeAtSender(RdmaQueuePair& qp, const Frame& frame, RdmaSwitchTrust& trust, int64_t nowNs);

    /**
     * Handles a response to the receiver.
     * @param qp a queue pair whose policy has state here
     * @param frame a response to one of its packets
     * @param trust checks which switch has sent it
     * @param nowNs current time, ns
     */
    void TakeAtReceiver(RdmaQueuePair& qp,
                        const Frame& frame,
                        RdmaSwitchTrust& trust,
                        int64_t nowNs);

    /**
     * Checks a response, the same for senders and receivers. Counts and traces one that is not
     * genuine.
     * @param qp the queue pair
     * @param frame the response
     * @param trust checks which switch has sent it
     * @return true if it is genuine, or need not be authenticated
     */
    bool IsGenuine(const RdmaQueuePair& qp, const Frame& frame, RdmaSwitchTrust& trust);

    /**
     * @param peer the other end's address
     * @param number the queue pair's number there
     * @return index of the queue pair; RdmaEnd::NONE if there is none
     */
    uint32_t FindByPeer(uint32_t peer, uint32_t number);

    RdmaHostCore& m_core;                            ///< state shared by the parts of the host
    RdmaPacer& m_pacer;                              ///< the times of its requesters
    RdmaSenderFeedback& m_feedback;                  ///< counts rejected responses
    RdmaReceiverPolicies& m_receivers;               ///< policies at the receiver
    std::unordered_map<uint64_t, uint32_t> m_byPeer; ///< indices by the other end, filled as far as
                                                     ///< responses have needed it
    uint32_t m_knownByPeer{0};                       ///< queue pairs in it
};

} // namespace ns3

#endif // RDMA_SWITCH_RESPONSES_H
