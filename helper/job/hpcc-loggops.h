/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_LOGGOPS_H
#define HPCC_LOGGOPS_H

#include "hpcc-job-graph.h"
#include "hpcc-job-run.h"
#include "hpcc-timed-queue.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Runs a job with the LogGOPS model instead of a packet network (T. Hoefler, T. Schneider, A.
 * Lumsdaine, "LogGOPSim", HPDC 2010). For a message of s bytes:
 * - the sender's CPU is busy for o + (s - 1) O, its NIC for g + (s - 1) G;
 * - its first byte arrives o + L after the sender has started, or when the receiver's CPU and NIC
 * are free if that is later;
 * - then the receiver's CPU is busy for o + max((s - 1) O, (s - 1) G), its NIC for g + (s - 1) G.
 *
 * A send of at most S bytes ends when its CPU time ends. A larger send ends when it is matched with
 * its receive. A receive is posted when its CPU is free. It ends when the receiver's CPU has
 * processed the message, or when it is posted if that is later. The stream of an operation selects
 * its CPU.
 *
 * Operations and messages get a CPU or NIC in the order in which they became known, as in
 * LogGOPSim. An operation becomes known when the end of its last dependency is known. A message
 * becomes known when it is sent.
 */
class HpccLogGops
{
  public:
    /// The parameters of the model.
    struct Parameters
    {
        int64_t latencyNs{2500};     ///< L, ns
        int64_t overheadNs{1500};    ///< o, ns per message
        int64_t gapNs{1000};         ///< g, ns per message
        double overheadPerByteNs{0}; ///< O, ns
        double gapPerByteNs{6};      ///< G, ns
        uint64_t eagerBytes{65535};  ///< S, bytes
    };

    /**
     * Prepares the model of a job.
     * @param graph the job, finished; must outlive this object
     * @param parameters parameters of the model
     * @param settings the model uses only startNs, computeScale, slow and late; the other settings
     * are only checked
     */
    HpccLogGops(const HpccJobGraph& graph,
                const Parameters& parameters,
                const HpccJobSettings& settings);

    ~HpccLogGops();

    /// Runs the job until no event is left.
    void Run();

    /// Returns the times at which each operation began and ended.
    const std::vector<HpccJobRun::Times>& GetTimes() const
    {
        return m_times;
    }

    /**
     * Returns the time from which all CPUs of a rank are free, ns.
     * @param rank number of the rank
     */
    int64_t GetEndNs(uint32_t rank) const;

  private:
    /// A future event of the model.
    struct Event
    {
        uint32_t operation; ///< the operation; for an arrival, its send
        bool arrives; ///< true: the message of the send arrives, and waits for the receiver's CPU
                      ///< and NIC. false: the operation begins: a send waits for CPU and NIC, a
                      ///< computation for the CPU; a receive does not wait
    };

    using Entry = HpccTimedQueue<Event>::Entry; ///< an event and its time

    /// The state of a rank.
    struct Rank;

    /// Adds events for the operations of a rank that have become ready: sends first, then receives,
    /// then computations.
    /// @param number number of the rank
    void Schedule(uint32_t number);
    /// Begins an operation.
    /// @param begin event and time of the start of the operation
    void Begin(const Entry& begin);
    /// Handles the arrival of a message.
    /// @param arrival event and time of the arrival
    void Arrive(const Entry& arrival);
    /**
     * Ends a receive. Also ends its send if the message is larger than S.
     * @param send number of the send
     * @param receive the matching receive
     * @param nowNs time of the match, ns
     * @param completeNs time of the message's completion, ns
     */
    void Match(uint32_t send, uint32_t receive, int64_t nowNs, int64_t completeNs);
    /**
     * Records the end of an operation. The end may be in the future.
     * @param operation number of the operation
     * @param endNs the end, ns
     */
    void Finish(uint32_t operation, int64_t endNs);
    /**
     * Decrements the number of open dependencies of each operation that depends on @p operation.
     * @param operation number of the operation that has begun or ended
     * @param start true: dependencies on the beginning of the operation; false: dependencies on its
     * end
     * @param fromNs time of the operation's beginning or end, ns
     */
    void Release(uint32_t operation, bool start, int64_t fromNs);
    /**
     * Returns the time that the bytes of a message after its first byte take, ns.
     * @param bytes size of the message
     * @param perByteNs ns per byte after the first
     */
    static int64_t PerByte(uint64_t bytes, double perByteNs);

    const HpccJobGraph& m_graph;            ///< the job
    Parameters m_parameters;                ///< parameters of the model
    HpccJobSettings m_settings;             ///< settings of the job
    std::vector<Rank> m_ranks;              ///< states by rank
    std::vector<uint32_t> m_open;           ///< number of dependencies that are not met yet, by
                                            ///< operation
    std::vector<int64_t> m_readyNs;         ///< end of the last dependency, by operation, ns
    std::vector<HpccJobRun::Times> m_times; ///< times by operation
    HpccTimedQueue<Event> m_events;         ///< future events
    std::set<uint32_t> m_changed;           ///< ranks with operations to schedule
};

} // namespace ns3

#endif // HPCC_LOGGOPS_H
