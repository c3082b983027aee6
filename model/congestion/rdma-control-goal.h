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
 * that its algorithm maintains at a bottleneck once flows have settled. Only the command ./hpcc
 * pairs uses it, to check a policy under every format, feedback mode and recovery. For a policy
 * without this interface, the command only checks that all data is delivered.
 */
class RdmaControlGoal
{
  public:
    /// A bottleneck and the flows that share it.
    struct Bottleneck
    {
        double rateBps;      ///< line rate, bit/s
        double baseRttNs;    ///< base RTT of the flows, ns
        double flows;        ///< number of flows, at least 1
        double markBytes;    ///< queue above which switches mark every packet, bytes
        double packetBytes;  ///< size of a full packet on the wire, bytes
        uint32_t switchHops; ///< number of switches on the path
        bool prompt; ///< true if all packets take the same path, if the sender computes the window,
                     ///< and if every ACK or notification returns telemetry, which all packets or
                     ///< every N-th packet collect
        bool everyPacket; ///< true if every packet carries telemetry that returns
        bool queueAsTime; ///< true if telemetry reports how long a packet waited, instead of the
                          ///< queue length
        /// average number of packets that a flow sends for each packet whose telemetry returns;
        /// infinity: telemetry of one packet per round trip returns
        double packetsPerSample{1};

        /// Returns the bandwidth-delay product, bytes.
        double GetBdp() const
        {
            return BytesIn(baseRttNs);
        }

        /**
         * Returns the number of bytes that the link sends in a time.
         * @param timeNs a time, ns
         */
        double BytesIn(double timeNs) const
        {
            return rateBps * timeNs / 8e9;
        }
    };

    /// The bounds that the algorithm maintains.
    struct Goal
    {
        /// 99th percentile of the queue once flows have settled, bytes; infinity if the algorithm
        /// does not bound the queue
        double queueBytes{std::numeric_limits<double>::infinity()};
        double utilization{0}; ///< smallest utilisation of the link, 0 to 1, once the flows have
                               ///< had 30 base RTTs to settle
        double fairness{0};    ///< smallest value of Jain's fairness index of flows that start
                               ///< together, 0 to 1
        /// longest time between two packets of a flow after several losses have slowed the flow
        /// down, ns
        double silenceNs{0};
    };

    virtual ~RdmaControlGoal() = default;

    /**
     * Returns the bounds that the algorithm maintains at a link.
     * @param bottleneck the link and its flows
     */
    virtual Goal GetGoal(const Bottleneck& bottleneck) const = 0;

  protected:
    /// Jain's index if a quarter of the flows starves. If k of n flows share the link equally and
    /// the others starve, the index is k/n.
    static constexpr double FAIR = 0.75;
};

} // namespace ns3

#endif // RDMA_CONTROL_GOAL_H
