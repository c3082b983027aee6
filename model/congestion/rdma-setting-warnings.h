/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SETTING_WARNINGS_H
#define RDMA_SETTING_WARNINGS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class ObjectBase;
class RdmaCongestionOps;

/**
 * @ingroup hpcc
 *
 * An optional second interface of a congestion control policy. The interface lists settings that
 * are allowed, but have less effect than a user may expect. HpccExperiment prints these settings as
 * warnings before a run.
 */
class RdmaSettingWarnings
{
  public:
    virtual ~RdmaSettingWarnings() = default;

    /// The flows that a policy controls.
    struct Flows
    {
        uint64_t slowestBps;  ///< line rate of the slowest sender, bit/s; 0: unknown
        uint32_t packetBytes; ///< largest payload of a packet, bytes; 0: unknown
        bool several;         ///< true if there may be several flows at a time
    };

    /**
     * Finds the warnings for a policy. The result contains the warnings of ListWarnings() and
     * FindOfAny().
     * @param policy the policy, for which SetNetworkBaseRtt() has been called
     * @param baseRttNs largest base RTT over all pairs of hosts, ns
     * @param countsFlows true if the receivers count flows
     * @param flows flows of the policy
     * @return warnings, one line each, which begin with the name of the attribute
     */
    static std::vector<std::string> Find(const RdmaCongestionOps& policy,
                                         int64_t baseRttNs,
                                         bool countsFlows,
                                         const Flows& flows);

    /**
     * Finds the warnings for an algorithm of any transport. The result contains the warnings of
     * FindUnused(). A further warning is added if the algorithm has an attribute T that is above 0,
     * but below the base RTT of the network.
     * @param algorithm an object with the attributes of the algorithm
     * @param baseRttNs largest base RTT over all pairs of hosts, ns
     * @param countsFlows true if the receivers count flows
     * @return warnings, one line each, which begin with the name of the attribute
     */
    static std::vector<std::string> FindOfAny(const ObjectBase& algorithm,
                                              int64_t baseRttNs,
                                              bool countsFlows);

    /**
     * Finds attributes that the user has set but that have no effect: CountedShare if the receivers
     * do not count flows, and FeedbackSlack if CheckFeedback is false. The algorithm may be of any
     * transport.
     * @param algorithm an object with the attributes of the algorithm; CountedShare and
     * FeedbackSlack may be missing
     * @param countsFlows true if the receivers count flows
     * @return warnings, one line each, which begin with the name of the attribute
     */
    static std::vector<std::string> FindUnused(const ObjectBase& algorithm, bool countsFlows);

    /**
     * Finds the warnings for the additive increase of the control law of HPCC and HPCC++ with any
     * transport: attributes that another attribute replaces, and a W_ai that is too small for equal
     * rates of several flows.
     * @param algorithm an object with the attributes of the algorithm, whose T is that of the flows
     * @param flows flows of the algorithm
     * @return warnings, one line each, which begin with the name of the attribute; none for another
     * algorithm
     */
    static std::vector<std::string> FindOfIncrease(const ObjectBase& algorithm, const Flows& flows);

  protected:
    /// Returns a time as text in microseconds, such as "13.000 us".
    /// @param timeNs a time, ns
    static std::string NameUs(int64_t timeNs);

    /**
     * Returns warnings about the attributes, one line each, which begin with the name of the
     * attribute.
     * @param baseRttNs largest base RTT over all pairs of hosts, ns
     * @param flows flows of the policy
     */
    virtual std::vector<std::string> ListWarnings(int64_t baseRttNs, const Flows& flows) const = 0;
};

} // namespace ns3

#endif // RDMA_SETTING_WARNINGS_H
