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
 * Path migration by telemetry (draft-miao-tsv-hpcc-01, section 9.4, which names "path selection and
 * traffic admission" and leaves both open). A host keeps the loads of the paths to each other host,
 * a UDP source port per path, shared by all its flows to there, and moves a flow from a full path
 * to one that has more to give.
 *
 * When two paths are compared, links that both have, such as the one to the receiver, do not count.
 * A flow looks for another path if its path has a link with a load of at least Full, and of at
 * least Hysteresis without the flow itself. A path is a candidate if with the flow it would be less
 * loaded than the present one by at least Hysteresis. At the first comparison a flow selects one of
 * the candidates and the present path, k in all: number s modulo k, s being the sum of the digits
 * to base k of the host's address and of the queue pair's number. So flows of one host, and of
 * hosts with successive addresses, as in a rack, select different paths without knowing of each
 * other. The flow moves there with probability 2 (a - b)/a, a being the load of its path and b that
 * of the other one with the flow. Every 4 T from then on it draws one of the candidates, and moves
 * with probability (a - b)/a. After a move it does not move again for Rest, so that its policy can
 * find its share. The same applies if the first comparison selects its present path, since other
 * flows may then be leaving it. It moves at most Moves times in a Period.
 *
 * Other paths are explored by path probes: the header of the packet acknowledged last is repeated
 * with another UDP source port, without its payload. Any responder acknowledges it, under that
 * port, and ignores it otherwise; its ACK returns the records of all hops. A path that the flow's
 * own feedback does not report with all hops, as where the receiver computes, is probed in the same
 * way every 2 T. Exploration begins with three rounds of PathProbes path probes, T apart: in each,
 * one goes to each known path and the rest to new ports. Then every 4 T one goes to each known path
 * and one to a new port. A load takes two path probes, because a rate takes two records. If the
 * full links are common to all known paths, path probes wait for 16 T. Loads older than Fresh are
 * not used.
 *
 * Telemetry of another path than the flow's is kept from its policy, which is notified of a move by
 * RdmaCongestionOps::OnPathChange() before it sees the first telemetry of the new path.
 *
 * With a recovery that treats overtaken packets as lost, a flow that moves first waits until
 * nothing is in flight; otherwise it moves at once.
 *
 * Admission: with AdmissionHold above 0 a new flow waits while all paths with a known and fresh
 * load have a link at Target or above, for at most that time. Without a known and fresh load, flows
 * do not wait.
 *
 * Needs telemetry whose records have the ids of switch and port, on all hops of a path. T is the
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

  private:
    struct State;
    using Path = RdmaPathLoads::Path; ///< a path

    /// The paths to a host.
    struct Destination
    {
        int64_t baseRttNs;   ///< T, ns
        RdmaPathLoads loads; ///< their loads
    };

    /**
     * @param progress an acknowledgement
     * @return the paths to where it comes from
     */
    Destination& FindDestination(const Progress& progress);
    /**
     * @param t T, ns
     * @return how long a flow rests after a choice, ns
     */
    int64_t GetRestNs(int64_t t) const;
    /**
     * @param t T, ns
     * @return age up to which a load is used, ns
     */
    int64_t GetFreshnessNs(int64_t t) const;
    /**
     * @param path a path
     * @param t T, ns
     * @param nowNs current time
     * @return true if its load is known
     */
    bool IsFresh(const Path& path, int64_t t, int64_t nowNs) const;
    /**
     * @param state the queue pair's
     * @param nowNs current time
     * @return true if it may move
     */
    bool MayMove(State& state, int64_t nowNs) const;
    /**
     * @param own path of a flow
     * @param other another one
     * @param rateBps rate of the flow
     * @return the share of the load by which the other path would be better; 0 if that is not
     * enough to move
     */
    double GetGain(const Path& own, const Path& other, double rateBps) const;
    /**
     * @param own path of a flow
     * @param except links that do not count; may be null
     * @param rateBps rate of the flow
     * @return true if the path is full, and not merely because of this flow
     */
    bool IsCrowded(const Path& own, const Path* except, double rateBps) const;
    /**
     * @param state the queue pair's
     * @param destination its paths
     * @param progress its acknowledgement
     * @param advice set if it moves
     */
    void Consider(State& state,
                  Destination& destination,
                  const Progress& progress,
                  Advice& advice) const;
    /**
     * @param state the queue pair's
     * @param destination its paths
     * @param progress its acknowledgement
     * @return ports of path probes
     */
    std::vector<uint16_t> Explore(State& state,
                                  Destination& destination,
                                  const Progress& progress) const;

    double m_full;                                                   ///< attribute
    double m_target;                                                 ///< attribute
    double m_hysteresis;                                             ///< attribute
    uint32_t m_pathProbes;                                           ///< attribute
    Time m_rest;                                                     ///< attribute
    Time m_freshness;                                                ///< attribute
    uint32_t m_moves;                                                ///< attribute
    Time m_period;                                                   ///< attribute
    Time m_admissionHold;                                            ///< attribute
    std::map<uint32_t, std::unique_ptr<Destination>> m_destinations; ///< by IPv4 address
};

} // namespace ns3

#endif // RDMA_MIGRATION_H
