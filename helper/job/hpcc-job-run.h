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
 * The times of a job that its graph does not give.
 */
struct HpccJobSettings
{
    int64_t startNs{0};               ///< when its ranks start, ns
    double computeScale{1};           ///< factor of all computations, at least 0
    int64_t sendDelayNs{0};           ///< from the start of a send until its message is posted, ns
    int64_t receiveDelayNs{0};        ///< from a message's arrival to the end of its receive, ns
    double jitter{0};                 ///< mean of an exponential share added to each computation
    int64_t stream{0};                ///< first random stream of the jitter; one per rank
    std::map<uint32_t, double> slow;  ///< further factor of the computations of a rank
    std::map<uint32_t, int64_t> late; ///< how much later a rank starts, ns
};

/**
 * @ingroup hpcc
 *
 * Runs a job on a transport: starts each operation in the nanosecond in which what it waits for is
 * over. A send is over when its message is complete at the source, a receive when the matching
 * message is complete at its rank. A message to the own rank takes 1 ns.
 */
class HpccJobRun : public HpccJobTransport::Client
{
  public:
    /// When an operation began and ended.
    struct Times
    {
        int64_t beginNs{-1}; ///< ns; -1: has not begun
        int64_t endNs{-1};   ///< ns; -1: has not ended
    };

    /**
     * @param graph the job, finished; must outlive this object
     * @param transport carries the messages; must outlive the run
     * @param settings times
     */
    HpccJobRun(const HpccJobGraph& graph,
               HpccJobTransport& transport,
               const HpccJobSettings& settings);

    ~HpccJobRun() override;

    /// Starts the ranks of this process; before simulated time starts.
    void Start();

    /// @return operations of this process that have not ended
    uint64_t GetUnfinished() const
    {
        return m_unfinished;
    }

    /// @return false if nothing will happen at the ranks of this process until a message arrives
    bool IsBusy() const
    {
        return m_busy > 0;
    }

    /// @return when each operation began and ended; those of other processes never did
    const std::vector<Times>& GetTimes() const
    {
        return m_times;
    }

    /**
     * Describes what keeps a job from ending.
     * @param graph the job
     * @param times of its operations, from all processes
     * @return one line per rank that waits: which operation, and since when if it has begun
     */
    static std::vector<std::string> DescribeWaiting(const HpccJobGraph& graph,
                                                    const std::vector<Times>& times);

    void Delivered(const HpccJobTransport::Message& message, int64_t nowNs) override;
    void Sent(uint32_t source, uint64_t id, int64_t nowNs) override;
    void Wake(uint32_t rank, int64_t nowNs) override;

  private:
    /// What is due at a rank.
    enum class What : uint8_t
    {
        START,  ///< the job
        POST,   ///< the message of a send
        FINISH, ///< an operation
    };

    struct Rank;

    /**
     * Lets something happen later.
     * @param rank where
     * @param atNs when, ns
     * @param operation to which operation
     * @param what what
     */
    void Note(uint32_t rank, int64_t atNs, uint32_t operation, What what);
    /// Begins all that may begin at a rank.
    /// @param rank the rank
    /// @param nowNs the time, ns
    void Advance(Rank& rank, int64_t nowNs);
    /// Begins an operation.
    /// @param operation the operation
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
    /// @param operation the operation
    /// @param nowNs the time, ns
    void Finish(uint32_t operation, int64_t nowNs);
    /**
     * Counts down what waits for an operation.
     * @param operation the operation
     * @param start true: it has begun; false: it has ended
     */
    void Release(uint32_t operation, bool start);

    const HpccJobGraph& m_graph;   ///< the job
    HpccJobTransport& m_transport; ///< carries the messages
    HpccJobSettings m_settings;    ///< times
    std::vector<Rank> m_ranks;     ///< by rank
    std::vector<uint32_t> m_open;  ///< dependencies left, by operation
    std::vector<Times> m_times;    ///< by operation
    uint64_t m_unfinished{0};      ///< operations of this process
    uint64_t m_busy{0};            ///< due, or sent and not complete at the source
};

} // namespace ns3

#endif // HPCC_JOB_RUN_H
