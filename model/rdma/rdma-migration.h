/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_MIGRATION_H
#define RDMA_MIGRATION_H

#include "rdma-path-loads.h"
#include "rdma-repathing.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Path migration by telemetry (draft-miao-tsv-hpcc-01, section 9.4, which mentions "path selection
 * and traffic admission" without details). For each known path to another host, a host stores the
 * load of the path and a UDP source port that selects the path. All flows to the same host share
 * these data. The host moves a flow from a full path to a path with more available bandwidth.
 *
 * A comparison of two paths ignores the links that both paths contain, such as the link to the
 * receiver. The load of a path is the largest load of its links. A path is crowded if its load is
 * at least Full, and the load without the flow is at least Hysteresis. A flow explores other paths
 * and compares them only while its present path is crowded. A path is a candidate if its load with
 * the flow added would be lower than the load of the present path by at least Hysteresis. In its
 * first comparison, the flow selects one of k paths: the candidates and the present path. The k
 * paths are sorted by an identifier, and the flow selects the path with index s modulo k. Here s is
 * the sum of the base-k digits of the host's address and of the queue pair number. Therefore flows
 * of the same host, and flows of hosts with successive addresses (such as the hosts of a rack),
 * usually select different paths without coordination. The flow moves to the selected path with
 * probability 2 (a - b)/a. Here a is the load of the present path, and b is the load of the
 * selected path with the flow added. Later comparisons take place every 4 T. In each of them, the
 * flow selects one of the candidates or the present path at random, and moves with probability
 * (a - b)/(2 a). After a move, the flow does not move for the time Rest, so that its policy can
 * converge. The same pause follows if there are candidates but the first comparison selects the
 * present path, because other flows may then be leaving this path. A flow moves at most Moves times
 * in a Period.
 *
 * Other paths are explored by path probes. A path probe repeats the header of the last acknowledged
 * packet, with another UDP source port and without payload. Any responder answers the path probe
 * with an ACK that has the same UDP source port. Apart from this answer, the responder ignores the
 * path probe. The ACK returns the records of all hops. In two cases, a flow also probes its present
 * path, every 2 T. In the first case, the flow's own feedback does not return the records of all
 * hops, for example because the receiver computes the window. In the second case, the flow's own
 * feedback returns these records so rarely that the load of the present path is older than Fresh.
 * The second case ends when the flow's own feedback has measured this load again. Exploration of
 * other paths begins with three rounds at intervals of T. In each round, the number of path probes
 * is the attribute PathProbes: one on each known path except the present path, and the rest with
 * random UDP source ports. After these rounds, the flow sends path probes every 4 T: one on each
 * known path except the present path, and one with a random port. If every known path contains the
 * full links of the present path, exploration is of little use, and the interval is 16 T, even in
 * the first three rounds. A load is measured by two path probes, because a rate is computed from
 * two records. Loads older than Fresh are not used.
 *
 * The policy of a flow gets telemetry of the flow's present path only.
 * RdmaCongestionOps::OnPathChange() notifies the policy of a move before the policy gets the first
 * telemetry of the new path.
 *
 * If the recovery treats overtaken packets as lost, a flow moves only when none of its packets is
 * in flight. With other recoveries, the flow moves immediately.
 *
 * Admission: a path is full if one of its links has a load of at least Target. A new flow waits
 * while all paths with a fresh load (not older than Fresh) are full. The flow waits at most
 * AdmissionHold. If no path has a fresh load, flows do not wait.
 *
 * The telemetry must contain a record with switch id and port id for each hop of a path. T is the
 * queue pair's base RTT.
 *
 * Short names: "migrate"; "migrate:admission" with an AdmissionHold of 100 us.
 */
class RdmaMigration : public RdmaRepathing
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Advice OnAck(RdmaPathState& state, const Progress& progress) override;
    void OnTimeout(RdmaPathState& state, int64_t nowNs) override;
    bool SendsPathProbes() const override;
    std::unique_ptr<RdmaPathState> MakeState() const override;
    int64_t HoldUntilNs(uint32_t destination, int64_t sinceNs, int64_t nowNs) const override;
    std::string Validate(const TelemetryCapabilities* telemetry) const override;
    std::string ValidateEta(double eta) const override;

  private:
    struct State;
    using Path = RdmaPathLoads::Path; ///< a path

    /// The paths to a host, as measured by records of one kind. Clocks and byte counters in records
    /// of different kinds cannot be compared.
    struct Destination
    {
        TelemetryCapabilities kind; ///< kind of the records
        int64_t baseRttNs;          ///< T, ns
        RdmaPathLoads loads;        ///< loads of the paths
    };

    /**
     * Returns the paths to the host that sent an acknowledgement. The loads of these paths have
     * been measured by records of the same kind as the records in the acknowledgement. If there is
     * no Destination for this host and kind, this function creates an empty one.
     * @param progress an acknowledgement with records
     */
    Destination& FindDestination(const Progress& progress);
    /**
     * Returns true if the present path of a queue pair must be probed now. The present path must be
     * probed if the queue pair's own acknowledgements return records of this path too rarely.
     * @param state state of the queue pair
     * @param progress an acknowledgement without records
     * @return true if a path probe is due
     */
    bool NeedsOwnProbe(State& state, const Progress& progress) const;
    /**
     * Returns the duration of the pause in which a flow does not move, ns. The pause follows a
     * move, or a first comparison that selects the present path.
     * @param t T, ns
     */
    int64_t GetRestNs(int64_t t) const;
    /**
     * Returns the maximum age at which a measured load is used, ns.
     * @param t T, ns
     */
    int64_t GetFreshnessNs(int64_t t) const;
    /**
     * Returns true if the load of a path is known and recent enough.
     * @param path a path
     * @param t T, ns
     * @param nowNs current time, ns
     */
    bool IsFresh(const Path& path, int64_t t, int64_t nowNs) const;
    /**
     * Returns true if a queue pair may move. Resets the number of its moves if the present period
     * has ended.
     * @param state state of the queue pair
     * @param nowNs current time, ns
     */
    bool MayMove(State& state, int64_t nowNs) const;
    /**
     * Returns the relative gain (a - b)/a of a move, see the class; 0 if the present path is not
     * crowded or if a - b is less than Hysteresis.
     * @param own present path of a flow
     * @param other path to which the flow could move
     * @param rateBps rate of the flow, bit/s
     */
    double GetGain(const Path& own, const Path& other, double rateBps) const;
    /**
     * Returns true if a path is crowded, see the class.
     * @param own present path of a flow
     * @param except path whose links are ignored; may be null
     * @param rateBps rate of the flow, bit/s
     */
    bool IsCrowded(const Path& own, const Path* except, double rateBps) const;
    /**
     * Decides whether a queue pair moves now.
     * @param state state of the queue pair
     * @param destination paths to the other end of the queue pair
     * @param progress acknowledgement of a packet of the queue pair
     * @param advice receives the decision if the flow moves
     */
    void Consider(State& state,
                  Destination& destination,
                  const Progress& progress,
                  Advice& advice) const;
    /**
     * Returns the UDP source ports of the path probes to send.
     * @param state state of the queue pair
     * @param destination paths to the other end of the queue pair
     * @param progress acknowledgement of a packet of the queue pair
     */
    std::vector<uint16_t> Explore(State& state,
                                  Destination& destination,
                                  const Progress& progress) const;

    double m_full;         ///< attribute Full
    double m_target;       ///< attribute Target
    double m_hysteresis;   ///< attribute Hysteresis
    uint32_t m_pathProbes; ///< attribute PathProbes
    Time m_rest;           ///< attribute Rest
    Time m_freshness;      ///< attribute Fresh
    uint32_t m_moves;      ///< attribute Moves
    Time m_period;         ///< attribute Period
    Time m_admissionHold;  ///< attribute AdmissionHold
    /// Paths, by IPv4 address of the other host.
    std::map<uint32_t, std::vector<std::unique_ptr<Destination>>> m_destinations;
};

} // namespace ns3

#endif // RDMA_MIGRATION_H
