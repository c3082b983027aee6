/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONNECTOR_H
#define RDMA_CONNECTOR_H

#include "rdma-connection.h"
#include "rdma-host-core.h"
#include "rdma-policy-checks.h"
#include "rdma-queue-pair.h"
#include "rdma-receiver-policies.h"
#include "rdma-recovery.h"

#include "ns3/hpcc-feedback-authenticator.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <deque>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Checks the configurations of a host's queue pairs and connects the queue pairs, before simulated
 * time starts. Creates the state of a queue pair when the queue pair is first used.
 */
class RdmaConnector
{
  public:
    /**
     * Creates the part that connects queue pairs.
     * @param core state shared by the parts of the host
     * @param receivers part that runs policies at the receiver
     */
    RdmaConnector(RdmaHostCore& core, RdmaReceiverPolicies& receivers)
        : m_core(core),
          m_receivers(receivers)
    {
    }

    /**
     * Connects a queue pair, see RdmaHost::Connect().
     * @param peer connector of the other host; null throws HpccInputError
     * @param config the configuration
     * @return index of the queue pair at this host
     */
    uint32_t Connect(RdmaConnector* peer, const RdmaQueuePairConfig& config);

    /**
     * Creates and initialises the state of a queue pair.
     * @param index index of a queue pair without state
     * @return the queue pair
     */
    RdmaQueuePair& Open(uint32_t index);

    /**
     * Returns a queue pair, and creates its state if this is the first use.
     * @param index index of a queue pair
     * @return the queue pair; null if it is not in use, see RdmaQueuePairConfig::singleMessage
     */
    RdmaQueuePair* FindInUse(uint32_t index)
    {
        RdmaConnections& connections = m_core.connections;
        RdmaQueuePair* qp = connections.Find(RdmaConnections::NumberOfIndex(index));
        return qp || connections.GetEnd(index).slot == RdmaEnd::NONE ? qp : &Open(index);
    }

    /// Creates the state of all connected queue pairs that have a slot. Called before an attribute
    /// of the host changes, so that connected queue pairs keep the previous value.
    void OpenAll();

    /**
     * Finds the responder to which a packet is addressed, and creates the state of the responder if
     * no such state exists yet.
     * @param frame the packet; dropped if no such responder exists
     * @return the queue pair; null if the frame was dropped
     */
    RdmaQueuePair* FindResponder(Frame* frame)
    {
        RdmaConnections& connections = m_core.connections;
        RdmaQueuePair* qp = connections.Find(frame->destinationQp);
        if (qp && qp->receives)
        {
            return qp;
        }
        const RdmaEnd* end = connections.FindEnd(frame->destinationQp);
        if (!end || end->receiver == RdmaEnd::NO_ROLE)
        {
            m_core.Drop(frame, DropReason::UNKNOWN_QUEUE_PAIR);
            return nullptr;
        }
        return &Open(RdmaConnections::IndexOfNumber(frame->destinationQp));
    }

    /// Returns true if the recovery of a queue pair uses SACKs.
    /// @param role properties of the queue pair at the end that sends
    bool UsesSacks(const RdmaSenderRole& role)
    {
        return FindRecovery(role.config.recovery).UsesSacks();
    }

    /// Returns the number of packets per ACK. If both hosts of a queue pair have the same
    /// AckInterval, they compute the same number.
    /// @param feedback feedback mode of the queue pair; null for the default mode
    uint32_t AckIntervalOf(const RdmaFeedback* feedback) const
    {
        const uint32_t own = feedback ? feedback->DescribeReturn().ackInterval : 0;
        return own > 0 ? own : m_core.settings.ackInterval;
    }

    /// Checks the policies of all queue pairs again before the run starts, see
    /// RdmaPolicyChecks::CheckAgain().
    void CheckPolicies()
    {
        m_policyChecks.CheckAgain(m_core);
    }

    /// Releases the objects in m_recoveries, m_policyChecks and m_last.
    void Dispose()
    {
        m_recoveries.clear();
        m_policyChecks.Dispose();
        m_last = {};
    }

  private:
    /**
     * Does the work of Connect(), except that it leaves the loss recoveries that it has created for
     * a refused queue pair.
     * @param peer see Connect()
     * @param config see Connect()
     * @return see Connect()
     */
    uint32_t Add(RdmaConnector* peer, const RdmaQueuePairConfig& config);

    /**
     * Refuses a configuration that cannot work.
     * @param peer connector of the other host
     * @param config the configuration of the queue pair
     * @return RdmaPolicyDescription of the policy with the telemetry format of the queue pair
     */
    RdmaPolicyDescription Check(const RdmaConnector* peer, const RdmaQueuePairConfig& config);

    /// Refuses a configuration that does not fit the settings of both hosts and their ports.
    /// @param peer connector of the other host
    /// @param config the configuration of the queue pair
    void CheckEnds(const RdmaConnector& peer, const RdmaQueuePairConfig& config);

    /**
     * Refuses a retransmission time-out that expires before the first acknowledgement can arrive,
     * because every packet would then be retransmitted.
     * @param recovery loss recovery of the queue pair
     * @param peer connector of the other host
     * @param config configuration of the queue pair; both of its ports must exist
     */
    void CheckTimeout(const RdmaRecovery& recovery,
                      const RdmaConnector& peer,
                      const RdmaQueuePairConfig& config) const;

    /// Makes the attributes of the feedback mode and of the host's RdmaEntropy unchangeable,
    /// because a new queue pair uses these objects.
    /// @param config configuration of the queue pair
    void FixParts(const RdmaQueuePairConfig& config) const;

    /// Stores the addresses of all ports of another host except the first.
    /// @param peer state of the other host
    void Know(const RdmaHostCore& peer)
    {
        for (size_t i = 1; i < peer.ports.size(); ++i)
        {
            m_core.connections.AddAddress(peer.ports[i].address, peer.address);
        }
    }

    /**
     * Reserves slots for those ends of a new queue pair that this process simulates. The state of
     * an end is created when the end is first used, because an application may never use most of
     * its connections. With RdmaHost::FeedbackKey, the state of both ends is created immediately.
     * @param index index of the queue pair at this host
     * @param peer connector of the other host
     * @param peerIndex index of the queue pair at the other host
     */
    void ReserveEnds(uint32_t index, RdmaConnector& peer, uint32_t peerIndex);

    /// Reserves a slot for an end of a new queue pair if this process simulates the end.
    /// @param index index of the queue pair at this host
    void ReserveEnd(uint32_t index);

    /**
     * Checks and stores the roles of both ends of a new queue pair, also those for READ responses.
     * @param config the configuration
     * @param needs description of the policy of this end
     * @param own record of this end; the function sets its roles
     * @param peer connector of the other host
     * @param remote record of the other end; the function sets its roles
     */
    void ConnectRoles(const RdmaQueuePairConfig& config,
                      const RdmaPolicyDescription& needs,
                      RdmaEnd& own,
                      RdmaConnector& peer,
                      RdmaEnd& remote);

    /**
     * Stores the roles of both ends of a connection.
     * @param sender properties of this end; the function sets echoForPolicy
     * @param needs description of the policy of the queue pair
     * @param own record of this end; the function sets its sender role
     * @param peer connector of the other host
     * @param remote record of the other end; the function sets its receiver role
     */
    void KeepRoles(RdmaSenderRole& sender,
                   const RdmaPolicyDescription& needs,
                   RdmaEnd& own,
                   RdmaConnector& peer,
                   RdmaEnd& remote);

    /**
     * Checks a queue pair at the end that sends: policy, RdmaEntropy and Mtu.
     * @param config configuration in the sender role of the queue pair
     * @param needs description of the policy
     */
    void CheckSender(const RdmaQueuePairConfig& config, const RdmaPolicyDescription& needs);

    /**
     * Returns true if a new queue pair has the same roles as the queue pair connected last. The
     * roles follow from the configuration, the description of the policy, the settings of both
     * hosts, and the members of the format and of DscpToPriority that are compared here.
     * @param peer connector of the other host
     * @param config configuration of the queue pair
     * @param needs description of the policy
     */
    bool RepeatsLast(const RdmaConnector& peer,
                     const RdmaQueuePairConfig& config,
                     const RdmaPolicyDescription& needs) const
    {
        const RdmaQueuePairConfig& c = m_last.config;
        const bool same =
            m_last.peer == &peer && m_last.changes == m_changes &&
            m_last.peerChanges == peer.m_changes && c.policy == config.policy &&
            !c.responderPolicy && !config.responderPolicy && c.telemetry == config.telemetry &&
            c.feedback == config.feedback && (!config.feedback || config.feedback->IsDefault()) &&
            c.baseRttNs == config.baseRttNs && c.networkBaseRttNs == config.networkBaseRttNs &&
            c.multipath == config.multipath && c.singleMessage == config.singleMessage &&
            c.thinned == config.thinned && c.recovery == config.recovery && c.dscp == config.dscp &&
            c.port == config.port && m_last.needs == NeedsOf(needs);
        if (!same)
        {
            return false;
        }
        const RdmaSenderRole& role = m_core.connections.SenderRoleOf(m_last.own);
        return role.ipv6 == m_core.packets.UsesIpv6(PeekPointer(role.config.telemetry)) &&
               role.priority == m_core.port->GetPriority(role.tos) &&
               role.flow.telemetryRequest == RequestOf(role.config, needs);
    }

    /// Members of RdmaPolicyDescription that roles depend on, see NeedsOf().
    using Needs =
        std::tuple<RdmaPolicyDescription::Ecn, bool, uint16_t, bool, bool, bool, bool, int64_t>;

    /// Returns the members of the description of a policy that roles depend on.
    /// @param needs description of a policy
    static Needs NeedsOf(const RdmaPolicyDescription& needs)
    {
        return {needs.ecn,
                needs.telemetry.empty(),
                needs.requests,
                needs.sentPackets,
                needs.receiverPart,
                needs.rttOfEachAck,
                needs.cnps,
                needs.cnpIntervalNs};
    }

    /**
     * Returns RdmaFlowInfo::telemetryRequest of a queue pair.
     * @param config configuration in the sender role of the queue pair
     * @param needs description of the policy
     */
    static uint16_t RequestOf(const RdmaQueuePairConfig& config, const RdmaPolicyDescription& needs)
    {
        const uint16_t requests = needs.requests;
        const bool one = (requests & (requests - 1)) == 0;
        return config.telemetry && one && config.telemetry->GetCapabilities().CarryOneOfSeveral()
                   ? requests
                   : 0;
    }

    /**
     * Returns the properties of the end that sends.
     * @param policy policy of this end
     * @param config configuration of the queue pair
     * @param needs description of the policy
     */
    RdmaSenderRole MakeSenderRole(Ptr<RdmaCongestionOps> policy,
                                  const RdmaQueuePairConfig& config,
                                  const RdmaPolicyDescription& needs);

    /**
     * Returns the properties of the end that receives.
     * @param sender properties of the other end
     * @param needs description of the policy of the other end
     */
    RdmaReceiverRole MakeReceiverRole(const RdmaSenderRole& sender,
                                      const RdmaPolicyDescription& needs) const;

    /**
     * Returns the parameters for the policy of a queue pair, except flowId and firstSeq.
     * @param config configuration of a queue pair whose sender is this host
     * @param needs description of the policy of the queue pair
     */
    RdmaFlowInfo FlowInfoOf(const RdmaQueuePairConfig& config, const RdmaPolicyDescription& needs);

    /**
     * Returns the DSCP of the packets of a queue pair.
     * @param config configuration of a queue pair whose sender is this host
     */
    uint8_t DscpOf(const RdmaQueuePairConfig& config) const;

    /**
     * Refuses the attribute Mtu if full packets would be too long for a port.
     * @param format telemetry format of the packets; may be null
     * @param port port that sends the packets
     */
    void CheckMtu(const TelemetryFormat* format, const QbbNetDevice& port) const;

    /**
     * Refuses the host's RdmaEntropy in three cases: its attributes are invalid, the recovery does
     * not use SACKs, or the policy does not compute the path shares that the RdmaEntropy needs.
     * @param config configuration of a queue pair whose sender is this host
     * @param needs description of the policy of the queue pair
     */
    void CheckSprayed(const RdmaQueuePairConfig& config, const RdmaPolicyDescription& needs);

    /**
     * Returns the opcode of the full packets of a long WRITE.
     * @param config configuration of a queue pair whose sender is this host
     */
    uint8_t FullOpcode(const RdmaQueuePairConfig& config)
    {
        return FindRecovery(config.recovery).UsesSacks() ? ROCE_WRITE_ONLY : ROCE_WRITE_MIDDLE;
    }

    /**
     * Returns the properties of a queue pair that its loss recovery depends on.
     * @param port port of the queue pair at this host
     * @param baseRttNs base RTT of the network, ns
     */
    RdmaRecovery::Path PathOf(uint32_t port, int64_t baseRttNs) const;

    /**
     * Sets up SACKs for a queue pair that sends.
     * @param qp a queue pair of this host
     * @param recovery loss recovery of the queue pair, which uses SACKs
     * @param config configuration of the queue pair
     */
    void SetUpSacks(RdmaQueuePair& qp,
                    const RdmaRecovery& recovery,
                    const RdmaQueuePairConfig& config);

    /**
     * Sets the authenticator of both ends of a queue pair if the sender uses telemetry and
     * RdmaHost::FeedbackKey is set.
     * @param sender the queue pair at the sender
     * @param receiver the same queue pair at the receiver
     */
    void Authenticate(RdmaQueuePair& sender, RdmaQueuePair& receiver);

    /**
     * Initialises the requester of a queue pair.
     * @param qp a queue pair of this host
     * @param role properties of the queue pair at this end
     */
    void SetUpSender(RdmaQueuePair& qp, const RdmaSenderRole& role);

    /**
     * Initialises the responder of a queue pair.
     * @param qp a queue pair of this host
     * @param role properties of the queue pair at this end
     */
    void SetUpReceiver(RdmaQueuePair& qp, const RdmaReceiverRole& role);

    /**
     * Returns the loss recovery that has a given short name. The first call with a name creates the
     * recovery. An unknown name throws HpccInputError.
     * @param name the short name
     */
    const RdmaRecovery& FindRecovery(const std::string& name)
    {
        for (const auto& [known, recovery] : m_recoveries)
        {
            if (known == name)
            {
                return *recovery;
            }
        }
        return MakeRecovery(name);
    }

    /// Creates a loss recovery, see FindRecovery().
    /// @param name the short name
    const RdmaRecovery& MakeRecovery(const std::string& name);

    /// The queue pair connected last. Applications often connect many equal queue pairs.
    struct Last
    {
        const RdmaConnector* peer{nullptr}; ///< connector of the other host; null: none
        RdmaQueuePairConfig config;         ///< the configuration
        Needs needs;                        ///< NeedsOf() the policy
        uint64_t changes{0};                ///< m_changes of this host
        uint64_t peerChanges{0};            ///< m_changes of the other host
        RdmaEnd own{};                      ///< record of this end; only its sender role is used
        uint16_t receiver{0};               ///< receiver role at the other host
    };

    RdmaHostCore& m_core;              ///< state shared by the host's parts
    RdmaReceiverPolicies& m_receivers; ///< part that runs policies at the receiver
    /// Loss recoveries in use, by short name. A linear search is fastest, because a host uses only
    /// a few recoveries.
    std::vector<std::pair<std::string, Ptr<RdmaRecovery>>> m_recoveries;
    Last m_last;           ///< the queue pair connected last, if it has no READs
    uint64_t m_changes{0}; ///< number of calls of OpenAll(), before each of which an attribute of
                           ///< the host may have had another value
    RdmaPolicyChecks m_policyChecks;                    ///< checks the policies of new queue pairs
    std::deque<FeedbackAuthenticator> m_authenticators; ///< authenticators, one for each queue pair
                                                        ///< on which this host sends packets with
                                                        ///< telemetry; empty without FeedbackKey
};

} // namespace ns3

#endif // RDMA_CONNECTOR_H
