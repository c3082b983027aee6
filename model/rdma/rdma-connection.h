/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONNECTION_H
#define RDMA_CONNECTION_H

#include "rdma-feedback.h"

#include "ns3/hpcc-path-spread.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/ptr.h"
#include "ns3/rdma-congestion-ops.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The configuration of a queue pair. Both ends know it from the exchange that connects them.
 */
struct RdmaQueuePairConfig
{
    Ptr<RdmaCongestionOps> policy;          ///< policy of the end that calls Connect()
    Ptr<RdmaCongestionOps> responderPolicy; ///< of the other end, an object of its own host, for
                                            ///< the responses to READs; null: no READs
    Ptr<const TelemetryFormat> telemetry;   ///< telemetry on its packets; null without
    Ptr<const RdmaFeedback> feedback; ///< how telemetry travels; null: on every packet, in its ACK
    uint16_t udpSourcePort{0};        ///< UDP source port; 0 derives one from the queue pair number
    int64_t baseRttNs{0};             ///< RTT of the empty network, ns; 0 if unknown
    PathSpread spread{PathSpread::NONE}; ///< how far switches spread its packets over paths
    /// The connection carries one message. Before and after it, each end is only a short record,
    /// without congestion state. Has no effect with RdmaHost::FeedbackKey or with READs.
    bool singleMessage{false};
    bool thinned{false};         ///< switches insert telemetry into some packets only
    std::string recovery;        ///< short name of the loss recovery; empty takes the host's
    int8_t dscp{-1};             ///< DSCP of data packets; -1 takes RdmaHost::DataDscp
    int64_t networkBaseRttNs{0}; ///< largest RTT of the empty network, ns; 0 if unknown
    uint8_t port{0};             ///< port of the end that calls Connect()
    uint8_t peerPort{0};         ///< port of the other end
};

/**
 * @ingroup hpcc
 *
 * Properties of queue pairs at an end that sends messages, except their partner. Equal queue pairs
 * of a host share one object.
 */
struct RdmaSenderRole
{
    RdmaQueuePairConfig config; ///< with the policy of this end, without UDP source port
    RdmaFlowInfo flow;          ///< for the policy, except flowId and firstSeq; follows from the
                                ///< configuration
    bool ipv6;                  ///< their packets travel in IPv6
    bool repaths;               ///< this host moves them to other paths
    bool probesPaths;           ///< and sends path probes for that
    bool sprays;                ///< this host chooses the entropy of each packet
    bool echoForPolicy{false};  ///< the policy sees marks echoed in ACKs

    /**
     * @param other another role
     * @return true if it is the same
     */
    bool operator==(const RdmaSenderRole& other) const;
};

/**
 * @ingroup hpcc
 *
 * Properties of queue pairs at an end that receives messages. Equal queue pairs of a host share one
 * object.
 */
struct RdmaReceiverRole
{
    Ptr<RdmaCongestionOps> policy;    ///< runs at this end; null without
    Ptr<const RdmaFeedback> feedback; ///< the sender's; null: telemetry on every packet, in its
                                      ///< ACK
    int64_t networkBaseRttNs;         ///< for that
    RdmaFlowInfo flow;                ///< the sender's, except its flowId, if there is a policy
    int64_t countWindowNs;            ///< CountWindow in force, ns
    std::string recovery;             ///< short name of the loss recovery
    int64_t cnpIntervalNs;            ///< shortest time between two CNPs, ns
    bool sendsCnp;                    ///< answers marks with CNPs
    bool echoForPolicy;               ///< echoes marks in ACKs for the policy
    bool congestionEcho;              ///< echoes marks in ACKs, whatever for
    bool ipv6;                        ///< their packets travel in IPv6
    bool singleMessage;               ///< see RdmaQueuePairConfig
    bool answersPathProbes;           ///< returns the telemetry of path probes in their ACKs
    uint8_t dataPriority{0};          ///< of what the sender sends

    /**
     * @param other another role
     * @return true if it is the same
     */
    bool operator==(const RdmaReceiverRole& other) const;
};

/**
 * @ingroup hpcc
 *
 * One end of a queue pair, as its host stores it before and after its use.
 */
struct RdmaEnd
{
    static constexpr uint32_t NONE = UINT32_MAX;    ///< no slot
    static constexpr uint16_t NO_ROLE = UINT16_MAX; ///< does not send, or receive

    uint32_t peer;              ///< IPv4 address of the other end's port
    uint32_t peerNumber;        ///< queue pair number there
    uint16_t udpSourcePort;     ///< of its packets
    uint16_t sender{NO_ROLE};   ///< index of its properties as a sender
    uint16_t receiver{NO_ROLE}; ///< index of its properties as a receiver
    bool done{false};           ///< its single message is over
    uint8_t port{0};            ///< its port at this host
    uint32_t slot{NONE};        ///< where it is in use
    uint32_t donePsn{0};        ///< packets received before it left its slot
};

} // namespace ns3

#endif // RDMA_CONNECTION_H
