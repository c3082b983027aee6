/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_JOB_RUN_H
#define HPCC_JOB_RUN_H

#include "hpcc-job-graph.h"
#include "hpcc-job-transport.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Settings of a job that its graph does not contain.
 */
struct HpccJobSettings
{
    int64_t startNs{0};        ///< start of the ranks, ns
    double computeScale{1};    ///< factor for the times of all computations, 0 to 1000000
    int64_t sendDelayNs{0};    ///< delay from the start of a send until its message is posted, ns
    int64_t receiveDelayNs{0}; ///< delay from the arrival of a message until its receive ends, ns
    double jitter{0};  ///< mean of the exponentially distributed time added to a computation,
                       ///< relative to the computation, 0 to 1000
    int64_t stream{0}; ///< first random stream of the jitter; each rank has its own stream
    std::map<uint32_t, double> slow;  ///< additional factor for the computations of a rank, 0 to
                                      ///< 1000000
    std::map<uint32_t, int64_t> late; ///< additional start delay of a rank, ns

    /**
     * Throws HpccInputError if a value is out of range or a rank does not exist. Times are from 0
     * to HpccJobGraph::MAX_NS.
     * @param ranks number of ranks of the job
     */
    void Check(uint32_t ranks) const;
};

/**
 * @ingroup hpcc
 *
 * Runs a job on a transport. Each operation starts in the nanosecond in which its last dependency
 * is met. A send ends when its message is complete at the source; a receive ends when the matching
 * message is complete at its rank. A message from a rank to itself takes 1 ns.
 */
class HpccJobRun : public HpccJobTransport::Client
{
  public:
    /// The times at which an operation began and ended.
    struct Times
    {
        int64_t beginNs{-1}; ///< time of the beginning, ns; -1: has not begun
        int64_t endNs{-1};   ///< time of the end, ns; -1: has not ended
    };

    /**
     * Prepares the run of a job.
     * @param graph the job, finished; must outlive this object
     * @param transport carries the messages; must outlive the run
     * @param settings settings of the job; bad values throw HpccInputError
     */
    HpccJobRun(const HpccJobGraph& graph,
               HpccJobTransport& transport,
               const HpccJobSettings& settings);

    ~HpccJobRun() override;

    /// Starts the ranks of this process. Call it once, before simulated time starts.
    void Start();

    /// Returns the number of operations of this process that have not ended.
    uint64_t GetUnfinished() const
    {
        return m_unfinished;
    }

    /// Returns false if the ranks of this process have nothing to do until a message arrives.
    bool IsBusy() const
    {
        return m_busy > 0;
    }

    /// Returns the times of each operation; -1 for operations of other processes.
    const std::vector<Times>& GetTimes() const
    {
        return m_times;
    }

    /**
     * Describes the operations that prevent a job from ending.
     * @param graph the job
     * @param times times of the job's operations, from all processes
     * @return one line per rank that waits, with the operation and, if the operation has begun, its
     * start
     */
    static std::vector<std::string> DescribeWaiting(const HpccJobGraph& graph,
                                                    const std::vector<Times>& times);

    void Delivered(const HpccJobTransport::Message& message, int64_t nowNs) override;
    void Sent(uint32_t source, uint64_t id, int64_t nowNs) override;
    void Wake(uint32_t rank, int64_t nowNs) override;

  private:
    /// An action scheduled at a rank.
    enum class What : uint8_t
    {
        START,  ///< starts the job at the rank
        POST,   ///< posts the message of a send
        FINISH, ///< ends an operation
    };

    struct Rank;

    /**
     * Schedules an action.
     * @param rank rank of the action
     * @param atNs time of the action, ns
     * @param operation operation to which the action applies
     * @param what action to schedule
     */
    void ScheduleAction(uint32_t rank, int64_t atNs, uint32_t operation, What what);
    /// Begins all operations of a rank that are ready.
    /// @param rank rank whose operations begin
    /// @param nowNs the time, ns
    void Advance(Rank& rank, int64_t nowNs);
    /// Begins an operation.
    /// @param operation number of the operation
    /// @param nowNs the time, ns
    void Begin(uint32_t operation, int64_t nowNs);
    /// Runs a computation whose stream is idle.
    /// @param operation the computation
    /// @param nowNs the time, ns
    void RunComputation(uint32_t operation, int64_t nowNs);
    /// Posts the message of a send.
    /// @param operation the send
    void Post(uint32_t operation);
    /// Ends a receive whose message is complete.
    /// @param operation the receive
    /// @param nowNs the time, ns
    void Receive(uint32_t operation, int64_t nowNs);
    /// Ends an operation.
    /// @param operation number of the operation
    /// @param nowNs the time, ns
    void Finish(uint32_t operation, int64_t nowNs);
    /**
     * Decrements the number of open dependencies of each operation that depends on @p operation.
     * @param operation number of the operation that has begun or ended
     * @param start true if it has begun, false if it has ended
     */
    void Release(uint32_t operation, bool start);

    const HpccJobGraph& m_graph;   ///< the job
    HpccJobTransport& m_transport; ///< carries the messages
    HpccJobSettings m_settings;    ///< settings of the job
    std::vector<Rank> m_ranks;     ///< states by rank
    std::vector<uint32_t> m_open;  ///< number of dependencies that are not met yet, by operation
    std::vector<Times> m_times;    ///< times by operation
    bool m_started{false};         ///< true after Start()
    uint64_t m_unfinished{0};      ///< number of unfinished operations of this process
    uint64_t m_busy{0};            ///< number of scheduled actions, plus number of messages not yet
                                   ///< complete at their source
};

} // namespace ns3

#endif // HPCC_JOB_RUN_H
