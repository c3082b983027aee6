/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ASTRA_NETWORK_H
#define HPCC_ASTRA_NETWORK_H

#include "hpcc-job-transport.h"
#include "hpcc-message-matcher.h"
#include "hpcc-timed-queue.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Implements the calls of ASTRA-sim's network interface (AstraNetworkAPI: sim_send, sim_recv,
 * sim_schedule, sim_get_time, sim_notify_finished) on a transport. No type of ASTRA-sim is needed.
 *
 * Send(), Receive() and Schedule() return before any handler is called. The k-th send of a source
 * to a destination with a given tag matches the k-th receive of this destination for the same
 * source and tag. Functions may be called from a handler of any rank, and before the run.
 */
class HpccAstraNetwork : public HpccJobTransport::Client
{
  public:
    using Handler = void (*)(void*); ///< a callback; its argument may be null

    /**
     * Creates the network of a job.
     * @param transport carries the messages; must outlive this object
     * @param ranks number of ranks
     * @param clock returns the current time of all ranks, ns
     */
    HpccAstraNetwork(HpccJobTransport& transport, uint32_t ranks, std::function<int64_t()> clock);

    ~HpccAstraNetwork() override;

    /**
     * Sends a message.
     * @param rank rank that sends
     * @param bytes size of the message
     * @param destination rank that receives
     * @param tag tag of the message
     * @param handler called when the message is complete at the source; may be null
     * @param argument argument of the handler
     */
    void Send(uint32_t rank,
              uint64_t bytes,
              uint32_t destination,
              int tag,
              Handler handler,
              void* argument);

    /**
     * Posts a receive for a message.
     * @param rank rank that receives
     * @param bytes size of the message
     * @param source rank that sends
     * @param tag tag of the message
     * @param handler called when the message is complete at the rank; may be null
     * @param argument argument of the handler
     */
    void Receive(uint32_t rank,
                 uint64_t bytes,
                 uint32_t source,
                 int tag,
                 Handler handler,
                 void* argument);

    /**
     * Calls a function later.
     * @param rank rank that schedules the call
     * @param deltaNs delay from now, ns, at least 0
     * @param handler the function
     * @param argument argument of the handler
     */
    void Schedule(uint32_t rank, int64_t deltaNs, Handler handler, void* argument);

    /// Returns the current time, ns.
    int64_t NowNs() const
    {
        return m_clock();
    }

    /// Records that a rank has finished its workload.
    /// @param rank number of the rank that has finished
    void NotifyFinished(uint32_t rank);

    /// Returns true if all ranks have finished.
    bool IsFinished() const
    {
        return m_finished == m_ranks.size();
    }

    /// Returns true as long as an action is scheduled, or a message is not yet complete at its
    /// source.
    bool IsBusy() const
    {
        return m_busy > 0;
    }

    /// Returns one line per rank that has not finished. The line describes the first message for
    /// which the rank waits.
    std::vector<std::string> DescribeWaiting() const;

    void Delivered(const HpccJobTransport::Message& message, int64_t nowNs) override;
    void Sent(uint32_t source, uint64_t id, int64_t nowNs) override;
    void Wake(uint32_t rank, int64_t nowNs) override;

  private:
    /// A handler and its argument.
    struct Call
    {
        Handler handler; ///< may be null
        void* argument;  ///< may be null

        /// Calls the handler, if it is not null.
        void Fire() const
        {
            if (handler)
            {
                handler(argument);
            }
        }
    };

    /// A posted receive.
    struct Posted
    {
        Call call;       ///< called when the message is complete
        uint64_t number; ///< key in Rank::open
    };

    /// An action scheduled at a rank.
    struct Due
    {
        bool post;                         ///< true: posts the message; false: performs the call
        HpccJobTransport::Message message; ///< message to post
        Call call;                         ///< call to perform
    };

    /// The state of a rank.
    struct Rank
    {
        HpccTimedQueue<Due> due;                  ///< scheduled actions
        HpccMessageMatcher<bool, Posted> matcher; ///< matches receives and messages
        std::map<uint64_t, std::string> open;     ///< descriptions of open receives
        bool finished{false};                     ///< true after
                                                  ///< NotifyFinished()
    };

    /**
     * Schedules an action.
     * @param rank rank of the action
     * @param atNs time of the action, ns
     * @param due action to run
     */
    void ScheduleAction(uint32_t rank, int64_t atNs, const Due& due);

    HpccJobTransport& m_transport;     ///< carries the messages
    std::function<int64_t()> m_clock;  ///< returns the time, ns
    std::vector<Rank> m_ranks;         ///< states by rank
    std::map<uint64_t, Call> m_onSent; ///< calls to make when a message is complete at its source,
                                       ///< by message id
    uint64_t m_messages{0};            ///< number of the next message
    uint64_t m_receives{0};            ///< number of the next receive
    uint64_t m_busy{0};                ///< number of scheduled actions, plus number of messages not
                                       ///< yet complete at their source
    size_t m_finished{0};              ///< number of ranks that have finished
};

} // namespace ns3

#endif // HPCC_ASTRA_NETWORK_H
