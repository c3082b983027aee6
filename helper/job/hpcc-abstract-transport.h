/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ABSTRACT_TRANSPORT_H
#define HPCC_ABSTRACT_TRANSPORT_H

#include "hpcc-job-transport.h"
#include "hpcc-timed-queue.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Carries the messages of a job without a packet network: a function returns the arrival time of
 * each message. The transport has its own clock, independent of ns-3's clock. When a message
 * arrives, both its send and its receive complete in the same nanosecond, the send first. A message
 * from a rank to itself takes 1 ns.
 */
class HpccAbstractTransport : public HpccJobTransport
{
  public:
    /// Returns the arrival time of a message, ns; its arguments are the message and the time of
    /// sending, ns.
    using ArrivalNs = std::function<int64_t(const Message&, int64_t)>;

    /// Creates a transport over an abstract network.
    /// @param arrivalNs function that returns the arrival time of a message
    explicit HpccAbstractTransport(ArrivalNs arrivalNs);

    /**
     * Makes a network with a separate link from each rank to each other rank. The messages on a
     * link are sent one after another.
     * @param latencyNs latency of a link, ns, at least 0
     * @param bytesPerSecond rate of a link, above 0. Transmission times are rounded down to whole
     * ns
     * @return the network
     */
    static ArrivalNs Constant(int64_t latencyNs, double bytesPerSecond);

    /// Runs until no event is left.
    void Run();

    /// Returns the simulated time, ns.
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
    /// A future event of the transport.
    struct Event
    {
        bool arrival;    ///< true: the message arrives; false: the rank message.source is woken
        Message message; ///< the message
    };

    ArrivalNs m_arrivalNs;          ///< returns the arrival time of a message
    HpccTimedQueue<Event> m_events; ///< future events
    int64_t m_nowNs{0};             ///< simulated time, ns
};

} // namespace ns3

#endif // HPCC_ABSTRACT_TRANSPORT_H
