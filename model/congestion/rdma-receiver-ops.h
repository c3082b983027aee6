/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RECEIVER_OPS_H
#define RDMA_RECEIVER_OPS_H

#include "rdma-congestion-events.h"

#include <cstdint>
#include <limits>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The fields of a policy's receiver-side state that the responder reads. A policy derives the type
 * of its own state from this struct.
 */
struct RdmaReceiverState
{
    int64_t timerNs{std::numeric_limits<int64_t>::max()}; ///< time of the next OnReceiverTimer(),
                                                          ///< ns; max(): never
};

/**
 * @ingroup hpcc
 *
 * Parameters that a receiver part gets with the first data packet. They are assumed to be exchanged
 * at connection set-up, which is not simulated.
 */
struct RdmaReceiverInfo
{
    /// The condition under which a receiver that computes windows may commit one.
    enum CommitRule : uint8_t
    {
        EPOCH, ///< T has passed since the last commit, and a packet has arrived that the sender
               ///< sent after it had applied the last window. The wait for this packet is limited,
               ///< see RdmaCommitRule
        TIME,  ///< T has passed since the last commit, as in the draft
    };

    RdmaFlowInfo flow;            ///< the sender's parameters, including its flowId
    CommitRule commitRule{EPOCH}; ///< rule that decides when a window may be committed
    bool computes{false};         ///< true if the receiver computes the window and returns no
                                  ///< telemetry
};

/**
 * @ingroup hpcc
 *
 * A data packet that has arrived, as reported to a policy at the receiver. The packet may be out of
 * order or a retransmission.
 */
struct RdmaArrivalInfo
{
    int64_t nowNs;              ///< local time, ns
    uint32_t linkBytes;         ///< bytes that the packet occupied on the receiver's link
    bool congestionExperienced; ///< true if the packet carries a congestion mark
    // The remaining fields are set only if the receiver computes the window.
    /// true if the packet was sent after the sender had applied the newest window from this
    /// receiver
    bool current{false};
    bool newPath{false};       ///< true if the sender moved the flow to another path before it sent
                               ///< this packet
    int64_t idleNs{0};         ///< time without a packet since the last message was complete, ns; 0
                               ///< within a message
    uint16_t reportedFlows{0}; ///< number of flows on the last hop as counted by the host; 0 if the
                               ///< host does not count flows
    uint16_t pathId{0};        ///< path identifier if TelemetryCapabilities::pathIdentified
    uint32_t hopCount{0};      ///< number of records in hops; 0 without telemetry
    const HopTelemetry* hops{nullptr}; ///< records of the path, first hop first
    const TelemetryCapabilities* telemetry{
        nullptr}; ///< capabilities of the format; null without telemetry
};

/**
 * @ingroup hpcc
 *
 * The part of a congestion control policy that runs at the receiver of a queue pair. The part is
 * optional: a policy that has such a part usually derives from this class as well, and returns
 * itself from RdmaCongestionOps::GetReceiver(). The sender gets the messages of this part in
 * RdmaCongestionOps::OnCongestionMessage().
 */
class RdmaReceiverOps
{
  public:
    virtual ~RdmaReceiverOps() = default;

    /**
     * Checks whether this part can compute the window from the telemetry of arriving data packets.
     * If so, OnArrival() uses RdmaArrivalInfo::hops, and the policy's OnCongestionMessage() applies
     * the result at the sender.
     * @return an empty string if the part can compute the window; otherwise one line with the
     * reason
     */
    virtual std::string ValidateCompute() const = 0;

    /**
     * Allocates the state at the receiver, when the first data packet arrives.
     * @param info parameters of the queue pair
     * @return the state; this object owns it until CloseReceiver()
     */
    virtual RdmaReceiverState* OpenReceiver(const RdmaReceiverInfo& info) = 0;

    /**
     * Frees the state at the receiver.
     * @param state the state that OpenReceiver() has returned
     */
    virtual void CloseReceiver(RdmaReceiverState* state) = 0;

    /**
     * Handles a data packet that has arrived.
     * @param state the queue pair's state at the receiver
     * @param arrival properties of the packet
     * @return the notification for the sender; RdmaNotification::given is false if there is none
     */
    virtual RdmaNotification OnArrival(RdmaReceiverState* state,
                                       const RdmaArrivalInfo& arrival) = 0;

    /**
     * Handles a response of a switch, if the switches respond to the receiver. Ignored by default.
     * @param state the queue pair's state at the receiver
     * @param response contents of the response; ackSeq and sndNxt are 0
     * @return the notification for the sender; RdmaNotification::given is false if there is none
     */
    virtual RdmaNotification OnReceiverResponse(RdmaReceiverState* state,
                                                const RdmaAckInfo& response);

    /**
     * Handles the expiry of the timer RdmaReceiverState::timerNs, and must set the timer to its
     * next time. By default, stops the timer.
     * @param state the queue pair's state at the receiver
     * @param nowNs local time, ns
     * @return the notification for the sender; RdmaNotification::given is false if there is none
     */
    virtual RdmaNotification OnReceiverTimer(RdmaReceiverState* state, int64_t nowNs);
};

} // namespace ns3

#endif // RDMA_RECEIVER_OPS_H
