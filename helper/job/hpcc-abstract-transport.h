/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ABSTRACT_TRANSPORT_H
#define HPCC_ABSTRACT_TRANSPORT_H

#include "hpcc-job-transport.h"

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Carries the messages of a job without a packet network: a function says when each arrives. It has
 * its own clock, independent of ns-3's. A message is complete at the source when it arrives, just
 * before it is complete at the destination. A message from a rank to itself takes 1 ns.
 */
class HpccAbstractTransport : public HpccJobTransport
{
  public:
    /// Says when a message arrives, ns, given the message and the time at which it is sent.
    using ArrivalNs = std::function<int64_t(const Message&, int64_t)>;

    /// @param arrivalNs the network
    explicit HpccAbstractTransport(ArrivalNs arrivalNs);

    /**
     * Makes a network in which each ordered pair of ranks has a link of its own, where messages
     * wait for one another.
     * @param latencyNs of a link, ns, at least 0
     * @param bytesPerSecond rate of a link, above 0. The time for a message is rounded down to
     * whole ns
     * @return the network
     */
    static ArrivalNs Constant(int64_t latencyNs, double bytesPerSecond);

    /// Runs until nothing is left to happen.
    void Run();

    /// @return the time, ns
    int64_t NowNs() const
    {
        return m_nowNs;
    }

    bool IsHere(uint32_t) const override
    {
        return true;
    }

    void Send(const Message& message) override;
    void WakeAt(uint32_t rank, int64_t atNs) override;

  private:
    /// Something that happens.
    struct Event
    {
        int64_t atNs;    ///< when
        uint64_t order;  ///< number of the event
        bool arrival;    ///< of the message; false: a rank is woken, the message's source
        Message message; ///< which

        /**
         * @param other another event
         * @return true if the other one comes first
         */
        bool operator>(const Event& other) const
        {
            return atNs != other.atNs ? atNs > other.atNs : order > other.order;
        }
    };

    ArrivalNs m_arrivalNs;                                                        ///< network
    std::priority_queue<Event, std::vector<Event>, std::greater<Event>> m_events; ///< to come
    uint64_t m_order{0};                                                          ///< next event
    int64_t m_nowNs{0};                                                           ///< the time
};

} // namespace ns3

#endif // HPCC_ABSTRACT_TRANSPORT_H
