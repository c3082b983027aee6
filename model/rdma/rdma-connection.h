/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONNECTION_H
#define RDMA_CONNECTION_H

#include "rdma-feedback.h"

#include "ns3/hpcc-hop-telemetry.h"
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
 * The configuration of a queue pair. Both ends agree on it when they connect.
 */
struct RdmaQueuePairConfig
{
    Ptr<RdmaCongestionOps> policy;          ///< policy of the end that calls Connect()
    Ptr<RdmaCongestionOps> responderPolicy; ///< policy of the other end, which sends the READ
                                            ///< responses; null if there are no READs. Use another
                                            ///< object than policy, so that the trace sources of
                                            ///< an object concern one host
    Ptr<const TelemetryFormat> telemetry;   ///< telemetry format of the packets; null without
                                            ///< telemetry
    Ptr<const RdmaFeedback> feedback;       ///< feedback mode; null for the default mode, in which
                                            ///< every packet collects telemetry and its ACK returns
                                            ///< this telemetry
    uint16_t udpSourcePort{0};     ///< UDP source port; 0: derived from the queue pair number
    int64_t baseRttNs{0};          ///< base RTT for the policy, ns; 0 if unknown
    int64_t responderBaseRttNs{0}; ///< base RTT for responderPolicy, ns; 0 to use baseRttNs
    Multipath multipath{Multipath::NONE}; ///< how switches choose the paths of the packets
    /// True if the connection carries only one message. Before and after this message, a host
    /// stores only a short record of its end, without congestion state. singleMessage has no effect
    /// with RdmaHost::FeedbackKey or READs.
    bool singleMessage{false};
    TelemetryThinning thinned{NOT_THINNED}; ///< rule by which switches select the packets into
                                            ///< which they insert records
    std::string recovery;        ///< short name of the loss recovery; if empty, the host's recovery
                                 ///< is used
    int8_t dscp{-1};             ///< DSCP of data packets, 0 to 63; -1 for RdmaHost::DataDscp
    int64_t networkBaseRttNs{0}; ///< largest base RTT of the network, ns; 0 if unknown
    uint8_t port{0};             ///< port of the end that calls Connect()
    uint8_t peerPort{0};         ///< port of the other end
    uint32_t switches{0}; ///< number of switches on the longest path that packets may ever take;
                          ///< the TTL of packets must exceed this number
};

/**
 * @ingroup hpcc
 *
 * Properties of queue pairs at the end that sends messages, without the address of the other end.
 * Queue pairs of a host share one object if their properties are equal.
 */
struct RdmaSenderRole
{
    RdmaQueuePairConfig config; ///< configuration, with the policy of this end; udpSourcePort,
                                ///< peerPort and responderPolicy are not set
    RdmaFlowInfo flow;   ///< parameters for the policy, derived from the configuration; flowId and
                         ///< firstSeq are not set
    bool ipv6;           ///< packets use IPv6
    bool repaths;        ///< this host may move the queue pairs to other paths
    bool probesPaths;    ///< this host sends path probes to choose paths
    bool sprays;         ///< this host chooses an entropy value for each packet
    uint8_t tos{0};      ///< TOS of data packets
    uint8_t priority{0}; ///< priority of data packets
    bool reportsSent{false};   ///< the policy gets OnSent() for each data packet
    bool receiverPart{false};  ///< the policy has a part that runs at the receiver
    bool rttOfEachAck{false};  ///< the policy needs an RTT sample from each ACK
    bool readable{false};      ///< the other end can answer READs
    bool echoForPolicy{false}; ///< ACKs echo marks, and the policy gets these echoes

    /**
     * Returns true if this role equals another.
     * @param other role to compare with
     */
    bool operator==(const RdmaSenderRole& other) const;
};

/**
 * @ingroup hpcc
 *
 * Properties of queue pairs at the end that receives messages. Queue pairs of a host share one
 * object if their properties are equal.
 */
struct RdmaReceiverRole
{
    Ptr<RdmaCongestionOps> policy;    ///< policy that runs at this end; null if there is none
    Ptr<const RdmaFeedback> feedback; ///< feedback mode; null for the default mode, in which every
                                      ///< packet collects telemetry and its ACK returns this
                                      ///< telemetry
    int64_t networkBaseRttNs;         ///< T of the network for the feedback mode, ns; 0 if unknown
    RdmaFlowInfo flow;                ///< parameters of the sender's policy, except flowId and
                                      ///< firstSeq; set only if policy is not null
    int64_t countWindowNs;            ///< time for which a flow is counted after its last packet,
                                      ///< ns; 0 if flows are not counted
    std::string recovery;             ///< short name of the loss recovery
    int64_t cnpIntervalNs;            ///< minimum time between two CNPs, ns
    bool sendsCnp;                    ///< answers marks with CNPs
    bool echoForPolicy;               ///< echoes marks in ACKs for the policy
    bool congestionEcho;              ///< echoes marks in ACKs, for the policy or for the choice of
                                      ///< paths
    bool ipv6;                        ///< packets use IPv6
    bool singleMessage;               ///< see RdmaQueuePairConfig
    bool answersPathProbes;           ///< answers path probes with ACKs that return their telemetry
    uint8_t dataPriority{0};          ///< priority of the sender's data packets

    /**
     * Returns true if this role equals another.
     * @param other role to compare with
     */
    bool operator==(const RdmaReceiverRole& other) const;
};

/**
 * @ingroup hpcc
 *
 * The record of one end of a connected queue pair. The host of this end always stores this record,
 * even while it stores no other state of the queue pair.
 */
struct RdmaEnd
{
    static constexpr uint32_t NONE = UINT32_MAX;    ///< no slot
    static constexpr uint16_t NO_ROLE = UINT16_MAX; ///< index that means no role

    uint32_t peer;              ///< IPv4 address of the other end's port
    uint32_t peerNumber;        ///< queue pair number at the other end
    uint16_t udpSourcePort;     ///< UDP source port of the packets that this end sends
    uint16_t sender{NO_ROLE};   ///< index of the RdmaSenderRole of this end
    uint16_t receiver{NO_ROLE}; ///< index of the RdmaReceiverRole of this end
    bool done{false};           ///< the single message is complete
    uint8_t port{0};            ///< port of this end at its host
    uint32_t slot{NONE};        ///< slot of the queue pair; NONE if no slot is assigned
    uint32_t donePsn{0};        ///< next expected PSN at the time when the slot was freed
};

} // namespace ns3

#endif // RDMA_CONNECTION_H
