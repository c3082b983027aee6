/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONNECTOR_H
#define RDMA_CONNECTOR_H

#include "rdma-connection.h"
#include "rdma-host-core.h"
#include "rdma-queue-pair.h"
#include "rdma-receiver-policies.h"
#include "rdma-recovery.h"

#include "ns3/hpcc-feedback-authenticator.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Connects the queue pairs of a host, and sets up those that come into use. It checks what they
 * need before simulated time starts.
 */
class RdmaConnector
{
  public:
    /**
     * @param core state shared by the parts of the host
     * @param receivers policies at the receiver
     */
    RdmaConnector(RdmaHostCore& core, RdmaReceiverPolicies& receivers)
        : m_core(core),
          m_receivers(receivers)
    {
    }

    /**
     * Connects a queue pair, see RdmaHost::Connect().
     * @param peer of the other host; null is refused
     * @param config the configuration
     * @return index of the queue pair at this host
     */
    uint32_t Connect(RdmaConnector* peer, const RdmaQueuePairConfig& config);

    /**
     * Puts a queue pair to use.
     * @param index of a queue pair that has no slot
     * @return the queue pair
     */
    RdmaQueuePair& Open(uint32_t index);

    /**
     * Finds a queue pair for which a message is posted, and puts it to use if it has no slot.
     * Throws HpccInputError if there is none, or if it cannot send.
     * @param index of the queue pair
     * @return the queue pair
     */
    RdmaQueuePair& OpenForPost(uint32_t index);

    /// Forgets the objects of other modules.
    void Dispose()
    {
        m_recoveries.clear();
    }

  private:
    /**
     * Refuses a queue pair that cannot work.
     * @param peer of the other host
     * @param config the queue pair
     */
    void Check(const RdmaConnector* peer, const RdmaQueuePairConfig& config);

    /// Learns the addresses of another host.
    /// @param peer of that host
    void Know(const RdmaHostCore& peer);

    /**
     * Opens the ends of a new queue pair that are in this process.
     * @param index of the queue pair at this host
     * @param peer of the other host
     * @param peerIndex index of the queue pair there
     * @param readable it can answer READs
     */
    void OpenEnds(uint32_t index, RdmaConnector& peer, uint32_t peerIndex, bool readable);

    /**
     * Stores the roles of both ends of a connection.
     * @param sender properties of this end
     * @param own gets this end's role
     * @param peer of the other host
     * @param remote gets the other end's role
     */
    void KeepRoles(RdmaSenderRole sender, RdmaEnd& own, RdmaConnector& peer, RdmaEnd& remote);

    /**
     * @param policy of this end
     * @param config of the queue pair
     * @return properties of this end
     */
    RdmaSenderRole MakeSenderRole(Ptr<RdmaCongestionOps> policy, const RdmaQueuePairConfig& config);

    /**
     * @param sender properties of the other end
     * @return properties of this end
     */
    RdmaReceiverRole MakeReceiverRole(const RdmaSenderRole& sender) const;

    /**
     * @param config of a queue pair that sends from here
     * @return the parameters for its policy, except flowId and firstSeq
     */
    RdmaFlowInfo FlowInfoOf(const RdmaQueuePairConfig& config);

    /**
     * @param config of a sender here
     * @return DSCP of its packets
     */
    uint8_t DscpOf(const RdmaQueuePairConfig& config) const;

    /**
     * @param lineRateBps line rate of a port, bit/s
     * @param baseRttNs a base RTT, ns
     * @return full packets that the port sends in it
     */
    double PacketsPerRtt(uint64_t lineRateBps, int64_t baseRttNs) const;

    /**
     * Refuses an Mtu whose full packets do not fit a port.
     * @param format telemetry of the packets; may be null
     * @param opcode of most packets
     * @param port the port
     */
    void CheckMtu(const TelemetryFormat* format, uint8_t opcode, const QbbNetDevice& port) const;

    /**
     * Refuses entropy with a recovery that does not use SACKs, or with wrong attributes.
     * @param config of a queue pair that sends from here
     */
    void CheckSprayed(const RdmaQueuePairConfig& config);

    /**
     * @param config of a queue pair that sends from here
     * @return opcode of most packets of a long WRITE
     */
    uint8_t FullOpcode(const RdmaQueuePairConfig& config);

    /**
     * @param qp of this host
     * @param baseRttNs base RTT of the network, ns
     * @return the facts of the queue pair for a recovery
     */
    RdmaRecovery::Path PathOf(const RdmaQueuePair& qp, int64_t baseRttNs) const;

    /**
     * Sets up SACKs for a queue pair that sends.
     * @param qp of this host
     * @param recovery its recovery, which uses them
     * @param baseRttNs base RTT of the network, ns
     */
    void SetUpSacks(RdmaQueuePair& qp, const RdmaRecovery& recovery, int64_t baseRttNs);

    /**
     * Gives both ends of a queue pair an authenticator, if feedback is authenticated.
     * @param sender the queue pair at the sender
     * @param receiver its other end
     */
    void Authenticate(RdmaQueuePair& sender, RdmaQueuePair& receiver);

    /**
     * Sets up a queue pair that sends.
     * @param qp of this host
     * @param role its properties
     */
    void SetUpSender(RdmaQueuePair& qp, const RdmaSenderRole& role);

    /**
     * Sets up a queue pair that receives.
     * @param qp of this host
     * @param role its properties
     */
    void SetUpReceiver(RdmaQueuePair& qp, const RdmaReceiverRole& role);

    /**
     * @param name short name of a loss recovery
     * @return the recovery, which is made on first use
     */
    const RdmaRecovery& FindRecovery(const std::string& name);

    RdmaHostCore& m_core;                                  ///< state shared by the host's parts
    RdmaReceiverPolicies& m_receivers;                     ///< policies at the receiver
    std::map<std::string, Ptr<RdmaRecovery>> m_recoveries; ///< by short name
    std::deque<FeedbackAuthenticator> m_authenticators;    ///< of both ends of the queue pairs that
                                                           ///< this host has connected
};

} // namespace ns3

#endif // RDMA_CONNECTOR_H
