/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_VICTIMS_STUDY_H
#define HPCC_VICTIMS_STUDY_H

#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-series.h"

#include <array>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Measures a victim: a flow that PFC pauses because of congestion that other flows cause. The
 * network follows figure 1 of "Re-architecting Congestion Management in Lossless Ethernet" (NSDI
 * 2020):
 *
 *     host 0 -- victim  --\                       /-- host 2, receives the victim
 *                          switch 0 == switch 1 --
 *     host 1 -- culprit --/           | | |       \-- host 3, receives the culprit and the bursts
 *                                hosts 4 and up: bursts
 *
 * Two endless flows share the uplink, which is the link between the switches. The uplink has enough
 * capacity for both flows, because the links of their source hosts are slower. Even after a pause,
 * the uplink does not overload the port to host 2, because both have the same rate. The bursts
 * overload the port to host 3, and no policy can prevent this, because a burst is so short that its
 * last packet is sent before feedback returns. Therefore switch 1 pauses the uplink. The pause also
 * stops the victim, although the victim does not pass the congested port. A policy should cut the
 * rate of the culprit, which ends the pauses. It should not cut the rate of the victim.
 *
 * The limit of a flow is the rate at which its policy lets it send. It is the smallest of three
 * rates: the policy's rate, the policy's window divided by the base RTT, and the rate of the host's
 * link. RdmaCongestionOps::Observe() returns the policy's rate and window at each acknowledgement.
 * A cut is counted when the limit is at most (1 - cutShare) times the highest limit since the last
 * cut.
 */
class HpccVictims
{
  public:
    static constexpr uint32_t VICTIM = 0;  ///< number of the host and of the flow
    static constexpr uint32_t CULPRIT = 1; ///< number of the host and of the flow

    /// The parameters of a run.
    struct Parameters
    {
        uint32_t bursters{14};        ///< number of hosts that send bursts, at least 1
        uint32_t bursts{10};          ///< number of bursts per such host, at least 1
        uint64_t burstBytes{64000};   ///< payload of a burst, bytes, at least 1
        Time gap{MicroSeconds(50)};   ///< time between the starts of successive bursts of a host
        Time from{MicroSeconds(500)}; ///< start of the first bursts
        Time end{MicroSeconds(3000)}; ///< end of the run, later than from
        DataRate source{"40Gbps"};    ///< rate of the links of victim and culprit
        DataRate rate{"100Gbps"};     ///< rate of all other links
        Time delay{MicroSeconds(1)};  ///< propagation delay of every link
        double cutShare{0.05};        ///< smallest relative decrease of the limit that counts as a
                                      ///< cut; above 0, below 1
    };

    /// The result of a flow from Parameters::from to the end.
    struct FlowOutcome
    {
        uint64_t cuts{0}; ///< number of cuts of the flow's limit
        double lowestBps{
            std::numeric_limits<double>::infinity()}; ///< lowest limit, bit/s; infinite if nothing
                                                      ///< was acknowledged
        double goodputBps{0};                         ///< rate of the payload received, bit/s
    };

    /// The result of all flows from Parameters::from to the end.
    struct Outcome
    {
        FlowOutcome victim;        ///< the flow that causes no congestion
        FlowOutcome culprit;       ///< the long flow to the congested port
        double burstCutsMean{0};   ///< mean number of cuts per burst
        double burstsBps{0};       ///< rate of the payload received from all bursts together, bit/s
        uint64_t pauses{0};        ///< number of pauses that have ended, sum over all ports
        int64_t uplinkPausedNs{0}; ///< time for which the uplink was paused, ns
        int64_t victimPausedNs{0}; ///< time for which the victim's host was paused, ns
        int64_t lastBurstNs{-1};   ///< time from Parameters::from until all bursts were
                                   ///< acknowledged, ns; -1 if some were not
    };

    /// Creates the study of a network.
    /// @param parameters parameters of the run; a value out of range throws HpccInputError
    explicit HpccVictims(const Parameters& parameters);

    /// Returns the network.
    HpccTopology MakeTopology() const;

    /// Returns the flows: victim, culprit, and one for each burst.
    std::vector<HpccFlowPlan> MakeFlows() const;

    /**
     * Discards earlier measurements and starts to measure. Call this function before the run.
     * @param fabric the network, installed; must outlive the run
     */
    void Watch(HpccFabricHelper& fabric);

    /**
     * Returns the outcomes of the flows.
     * @param fabric the network at the end of the run
     * @param monitor monitor of MakeFlows(), with series per flow
     */
    Outcome Collect(HpccFabricHelper& fabric, const HpccMonitor& monitor) const;

    /**
     * Returns the limit of a flow over time, bit/s, from its first acknowledgement; empty if
     * nothing was acknowledged. The resolution is LIMIT_NS; see HpccSeries.
     * @param flow VICTIM or CULPRIT
     */
    std::vector<HpccSeries::Sample> GetLimits(uint32_t flow) const;

  private:
    static constexpr uint32_t VICTIM_SINK = 2;      ///< number of the host
    static constexpr uint32_t CULPRIT_SINK = 3;     ///< number of the host
    static constexpr uint32_t FIRST_BURSTER = 4;    ///< number of the first host that sends bursts
    static constexpr uint32_t FIRST_QUEUE_PAIR = 2; ///< number of a host's first queue pair
    static constexpr int64_t LIMIT_NS = 10000;      ///< resolution of GetLimits(), ns

    /// The limit of a queue pair over time.
    struct Limit
    {
        double highestBps{0};        ///< highest limit since the last cut, bit/s
        FlowOutcome outcome;         ///< cuts and lowest limit
        int64_t sinceNs{0};          ///< time of the last acknowledgement, ns
        double nowBps{0};            ///< limit since the last acknowledgement, bit/s
        HpccSeries series{LIMIT_NS}; ///< limits before the last acknowledgement
    };

    /// Pauses from the start of the simulation.
    struct Pauses
    {
        uint64_t ended{0};   ///< number of pauses that have ended, sum over all ports
        int64_t uplinkNs{0}; ///< time for which the uplink was paused, ns
        int64_t victimNs{0}; ///< time for which the victim's host was paused, ns
    };

    /**
     * Updates the limit and the cuts of a flow when an ACK arrives.
     * @param victims this object
     * @param host host of the queue pair
     * @param qp a queue pair
     * @param nowNs time of an acknowledgement, ns
     */
    static void Note(HpccVictims* victims,
                     uint32_t host,
                     const RdmaQueuePair& qp,
                     int64_t nowNs,
                     int64_t);
    /**
     * Counts payload that arrives at or after Parameters::from.
     * @param victims this object
     * @param qp queue pair of the receiver
     * @param nowNs time of arrival, ns
     * @param bytes size of the payload, bytes
     * @param opcode unused
     */
    static void Receive(HpccVictims* victims,
                        const RdmaQueuePair& qp,
                        int64_t nowNs,
                        uint32_t bytes,
                        uint8_t opcode);
    /**
     * Returns the pauses from the start of the simulation until now.
     * @param fabric the network
     */
    static Pauses PausesOf(HpccFabricHelper& fabric);
    /**
     * Returns the outcome of a long flow.
     * @param flow a long flow
     */
    FlowOutcome OutcomeOf(uint32_t flow) const;
    /**
     * Returns the rate of the payload received from a source, bit/s.
     * @param source VICTIM, CULPRIT, or FIRST_BURSTER for all bursts
     */
    double GoodputBps(uint32_t source) const;

    Parameters m_parameters;                                 ///< parameters of the run
    std::map<std::pair<uint32_t, uint32_t>, Limit> m_limits; ///< limits by host and queue pair
                                                             ///< number
    std::array<uint64_t, FIRST_BURSTER + 1> m_received{};    ///< payload received, bytes, by
                                                             ///< source; the last element is the
                                                             ///< sum over all bursts
    Pauses m_pausesBefore;                                   ///< pauses from the start of the
                                                             ///< simulation to Parameters::from
};

} // namespace ns3

#endif // HPCC_VICTIMS_STUDY_H
