/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REQUESTER_H
#define RDMA_REQUESTER_H

#include "rdma-host-core.h"
#include "rdma-loss-recovery.h"
#include "rdma-pacer.h"
#include "rdma-path-mover.h"
#include "rdma-queue-pair.h"
#include "rdma-sack-requester.h"
#include "rdma-sender-feedback.h"

#include "ns3/hpcc-cache-lines.h"
#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/rdma-congestion-ops.h"

#include <array>
#include <boost/pool/pool.hpp>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The requesters of a host. This class splits the messages of queue pairs into packets, handles
 * acknowledgements, and calls the policy of a queue pair at each event.
 */
class RdmaRequester
{
  public:
    /**
     * Creates the part that sends messages.
     * @param core state shared by the parts of the host
     * @param pacer timers of the host's requesters
     * @param recovery handles losses
     * @param feedback handles feedback modes other than the default
     * @param paths moves queue pairs to other paths
     * @param sacks handles queue pairs with SACKs
     */
    RdmaRequester(RdmaHostCore& core,
                  RdmaPacer& pacer,
                  RdmaLossRecovery& recovery,
                  RdmaSenderFeedback& feedback,
                  RdmaPathMover& paths,
                  RdmaSackRequester& sacks);

    /**
     * Appends a message to a queue pair.
     * @param qp a queue pair
     * @param verb operation of the message
     * @param bytes payload, bytes; for a READ, the requested payload
     * @param address for a READ, value of RdmaMessage::address
     * @param nowNs current time, ns
     * @return number of the message on the queue pair
     */
    uint32_t Append(RdmaQueuePair& qp,
                    RdmaVerb verb,
                    uint64_t bytes,
                    uint64_t address,
                    int64_t nowNs);

    /**
     * Creates the next packet of a queue pair, which is sent now.
     * @param qp a queue pair that may send
     * @param nowNs current time, ns
     * @return the packet
     */
    Frame* MakePacket(RdmaQueuePair& qp, int64_t nowNs);

    /**
     * Handles an ACK or NAK.
     * @param qp a queue pair with congestion state
     * @param frame the ACK or NAK
     * @param nowNs current time, ns
     */
    void ReceiveAck(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
    {
        Acknowledge(qp, frame, nullptr, nowNs);
    }

    /**
     * Applies an ACK, NAK or notification to a queue pair.
     * @param qp a queue pair with congestion state
     * @param frame an ACK, NAK or notification
     * @param answered for a notification, the value for RdmaAckInfo::ackSeq; the telemetry of the
     * notification has already been accepted. Null for other frames
     * @param nowNs current time, ns
     */
    void Acknowledge(RdmaQueuePair& qp, Frame* frame, const uint64_t* answered, int64_t nowNs);

    /**
     * Goes back to a packet that the other end has requested again, as after a NAK.
     * @param qp a queue pair with congestion state
     * @param psn number of the packet
     * @param request the frame that requests the packet
     * @param nowNs current time, ns
     */
    void GoBackTo(RdmaQueuePair& qp, uint64_t psn, const Frame& request, int64_t nowNs);

    /**
     * Handles a CNP.
     * @param qp a queue pair with congestion state
     * @param frame the CNP
     * @param nowNs current time, ns
     */
    void ReceiveCnp(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);

  private:
    using Hops = std::array<HopTelemetry, MAX_TELEMETRY_HOPS>; ///< telemetry of a packet

    /**
     * Creates the congestion state of a queue pair. Called when the first message is posted.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void OpenPolicy(RdmaQueuePair& qp, int64_t nowNs);

    /**
     * Advances the state of a queue pair when packet sndNxtPsn is sent.
     * @param qp the queue pair
     * @param bytes number of bytes that the packet occupies in the byte sequence of the queue pair
     * @param last true if the packet is the last of its message
     * @param nowNs current time, ns
     */
    void AdvanceNext(RdmaQueuePair& qp, uint16_t bytes, bool last, int64_t nowNs);

    /**
     * Handles a NACK for a trimmed packet. The policy is first notified of the loss. If the NACK
     * returns records, the policy then gets them in a negative acknowledgement of 0 bytes.
     * @param qp a queue pair with SACKs
     * @param frame the NACK
     * @param nowNs current time, ns
     */
    void AcknowledgeTrimmed(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);

    /**
     * Begins to handle an acknowledgement: samples the round-trip time and calls Advance().
     * @param qp the queue pair
     * @param psn one more than the number of the last packet acknowledged
     * @param frame the acknowledgement, or a frame that is treated as an acknowledgement
     * @param ack receives the results; nowNs and negative are already set
     */
    void BeginAck(RdmaQueuePair& qp, uint64_t psn, const Frame& frame, RdmaAckInfo& ack);

    /**
     * Ends the handling of an acknowledgement: raises the event of the policy and applies the
     * values that the policy sets.
     * @param qp the queue pair
     * @param ack content of the acknowledgement
     */
    void EndAck(RdmaQueuePair& qp, const RdmaAckInfo& ack);

    /**
     * Samples the round-trip time from an acknowledgement.
     * @param qp a queue pair; Advance() has not yet been called for this acknowledgement
     * @param psn one more than the number of the last packet acknowledged
     * @param negative true if the acknowledgement is a NAK
     * @param nowNs current time, ns
     * @return the sample, ns; -1 if there is none
     */
    static int64_t SampleRtt(RdmaQueuePair& qp, uint64_t psn, bool negative, int64_t nowNs);

    /**
     * Advances the first unacknowledged packet (sndUnaPsn) and byte (sndUnaByte) of a queue pair.
     * @param qp a queue pair
     * @param psn one more than the number of the last packet acknowledged
     * @param nowNs current time, ns
     * @return payload newly acknowledged, bytes
     */
    uint64_t Advance(RdmaQueuePair& qp, uint64_t psn, int64_t nowNs);

    /**
     * Removes the messages that have been acknowledged completely, and reports them.
     * @param qp a queue pair
     * @param nowNs current time, ns
     */
    void FinishMessages(RdmaQueuePair& qp, int64_t nowNs);

    RdmaHostCore& m_core;           ///< state shared by the parts of the host
    RdmaPacer& m_pacer;             ///< timers of the host's requesters
    RdmaLossRecovery& m_recovery;   ///< handles losses
    RdmaSenderFeedback& m_feedback; ///< handles feedback modes other than the default
    RdmaPathMover& m_paths;         ///< moves queue pairs to other paths
    RdmaSackRequester& m_sacks;     ///< handles queue pairs with SACKs
    /// Memory pool for messages; each block is twice as large as the previous block.
    boost::pool<HpccCacheLines> m_messages{HpccCacheLines::RoundUp(sizeof(RdmaMessage)), 1};
};

} // namespace ns3

#endif // RDMA_REQUESTER_H
