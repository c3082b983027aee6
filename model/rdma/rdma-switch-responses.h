/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SWITCH_RESPONSES_H
#define RDMA_SWITCH_RESPONSES_H

#include "rdma-connector.h"
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
 * Receives the responses that switches send to a host. The host may be the sender or the receiver
 * of the queue pair to which a response refers.
 */
class RdmaSwitchResponses
{
  public:
    /**
     * Creates the part that handles switch responses.
     * @param core state shared by the parts of the host
     * @param pacer timers of the host's requesters
     * @param feedback counts rejected responses
     * @param receivers runs policies at the receiver
     * @param connector finds the queue pairs of the host
     */
    RdmaSwitchResponses(RdmaHostCore& core,
                        RdmaPacer& pacer,
                        RdmaSenderFeedback& feedback,
                        RdmaReceiverPolicies& receivers,
                        RdmaConnector& connector)
        : m_core(core),
          m_pacer(pacer),
          m_feedback(feedback),
          m_receivers(receivers),
          m_connector(connector)
    {
    }

    /**
     * Handles a switch response.
     * @param frame the response
     * @param trust checks that a switch has sent the response
     * @param nowNs current time, ns
     */
    void Receive(Frame* frame, RdmaSwitchTrust& trust, int64_t nowNs);

  private:
    /**
     * Handles a response to the sender.
     * @param qp the queue pair
     * @param frame a response to a packet of the queue pair
     * @param trust checks that a switch has sent the response
     * @param nowNs current time, ns
     * @return true if the response refers to a packet that was sent
     */
    bool TakeAtSender(RdmaQueuePair& qp, const Frame& frame, RdmaSwitchTrust& trust, int64_t nowNs);

    /**
     * Handles a response to the receiver.
     * @param qp a queue pair whose policy has state at this host
     * @param frame a response to a packet of the queue pair
     * @param trust checks that a switch has sent the response
     * @param nowNs current time, ns
     */
    void TakeAtReceiver(RdmaQueuePair& qp,
                        const Frame& frame,
                        RdmaSwitchTrust& trust,
                        int64_t nowNs);

    /**
     * Checks a response to a sender or receiver. Counts and traces a response that is not genuine.
     * @param qp the queue pair
     * @param frame the response
     * @param trust checks that a switch has sent the response
     * @return true if the response is genuine, or if authentication is off
     */
    bool IsGenuine(const RdmaQueuePair& qp, const Frame& frame, RdmaSwitchTrust& trust);

    /**
     * Returns the index of a queue pair; RdmaEnd::NONE if there is none.
     * @param peer address of the other end
     * @param number queue pair number at the other end
     */
    uint32_t FindByPeer(uint32_t peer, uint32_t number);

    RdmaHostCore& m_core;                            ///< state shared by the parts of the host
    RdmaPacer& m_pacer;                              ///< timers of the host's requesters
    RdmaSenderFeedback& m_feedback;                  ///< counts rejected responses
    RdmaReceiverPolicies& m_receivers;               ///< runs policies at the receiver
    RdmaConnector& m_connector;                      ///< finds the queue pairs of the host
    std::unordered_map<uint64_t, uint32_t> m_byPeer; ///< indices of queue pairs, by the other end;
                                                     ///< filled only when a response needs a
                                                     ///< look-up
    uint32_t m_knownByPeer{0}; ///< number of queue pairs that have been added to m_byPeer
};

} // namespace ns3

#endif // RDMA_SWITCH_RESPONSES_H
