/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONTROL_GOAL_H
#define RDMA_CONTROL_GOAL_H

#include <cstdint>
#include <limits>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * An optional second interface of a congestion control policy: the queue, throughput and fairness
 * that its algorithm keeps at a bottleneck once flows have settled. Only the command ./hpcc pairs
 * uses it, which checks a policy against this goal under every format, feedback mode and recovery.
 * A policy without it is checked by delivery alone.
 */
class RdmaControlGoal
{
  public:
    /// A bottleneck and the flows that share it.
    struct Bottleneck
    {
        double rateBps;      ///< line rate, bit/s
        double baseRttNs;    ///< base RTT of the flows, ns
        double flows;        ///< flows, at least 1
        double markBytes;    ///< queue above which switches mark every packet, bytes
        double packetBytes;  ///< a full packet on the wire, bytes
        uint32_t switchHops; ///< switches of the path
        bool prompt;         ///< a sender sees telemetry of every few packets of one path at once
        bool everyPacket;    ///< every packet carries telemetry that returns
        bool queueAsTime;    ///< telemetry reports how long a packet waited, not the queue
        /// packets of a flow for each one whose telemetry comes back; infinity: one per round trip
        double packetsPerSample{1};

        /// @return bandwidth-delay product, bytes
        double GetBdp() const
        {
            return BytesIn(baseRttNs);
        }

        /**
         * @param timeNs a time, ns
         * @return bytes that the link sends in it
         */
        double BytesIn(double timeNs) const
        {
            return rateBps * timeNs / 8e9;
        }
    };

    /// The bounds that the algorithm keeps.
    struct Goal
    {
        /// 99th percentile of the queue once settled, bytes; infinity if the algorithm bounds none
        double queueBytes{std::numeric_limits<double>::infinity()};
        double utilization{0}; ///< least share of the line rate, with 30 base RTTs to settle
        double fairness{0};    ///< least index of Jain of flows that start together
        /// longest time between two packets of a flow that several losses have slowed down, ns
        double silenceNs{0};
    };

    virtual ~RdmaControlGoal() = default;

    /**
     * @param bottleneck the link, and how many flows share it
     * @return bounds that the algorithm keeps there
     */
    virtual Goal GetGoal(const Bottleneck& bottleneck) const = 0;

  protected:
    /// Jain's index of n flows of which a quarter starves: k active flows of n give k/n.
    static constexpr double FAIR = 0.75;
};

} // namespace ns3

#endif // RDMA_CONTROL_GOAL_H
