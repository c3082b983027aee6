/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CODEL_MARKER_H
#define HPCC_CODEL_MARKER_H

#include "hpcc-marker.h"

#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A variant of CoDel (RFC 8289) that marks frames instead of dropping them. CoDelMarker keeps a
 * separate state for each port and priority. Marking begins when every frame that has left during
 * an Interval has spent at least Target in the switch. The time until the next mark is
 * Interval/sqrt(n), where n counts the marks since marking began. If marking had ended only
 * recently, n may start above 1 (Queue::count). Marking ends when a frame has spent less than
 * Target in the switch, or when the bytes left in its queue do not exceed the largest frame so far.
 *
 * The RFC's defaults, 5 ms and 100 ms, are for the Internet. The defaults here are a thousandth of
 * these, for round trips of microseconds. Only ECN-capable frames change the state, because
 * MustMark() is called only for these frames.
 */
class CoDelMarker final : public Marker
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void AddPort(uint64_t rateBps) override;
    bool MustMark(const QbbNetDevice& port, const Frame& frame, int64_t nowNs) override;

  private:
    /// State of a queue, with the names of RFC 8289, section 5.
    struct Queue
    {
        int64_t firstAboveNs{0};   ///< earliest time at which marking may begin, ns. Reset to 0
                                   ///< when a frame has spent less than Target in the switch, or
                                   ///< when the bytes left in the queue do not exceed the largest
                                   ///< frame
        int64_t dropNextNs{0};     ///< time of the next mark
        uint32_t count{0};         ///< number n of ControlLaw(). Usually starts at 1. If the
                                   ///< previous phase of marking ended recently, starts at the
                                   ///< number of marks of that phase, the first excluded. Each
                                   ///< further mark adds 1
        uint32_t lastCount{0};     ///< count when marking began
        uint32_t maxFrameBytes{0}; ///< largest frame so far
        bool dropping{false};      ///< true while marking
    };

    /**
     * Updates the state of a queue for a frame that leaves it.
     * @param queue state of the frame's queue
     * @param port egress port
     * @param frame frame that leaves the queue
     * @param nowNs simulated time, ns
     * @return true if, for at least an Interval, every frame has spent at least Target in the
     * switch and the queue has been longer than the largest frame: the RFC's ok_to_drop
     */
    bool IsStanding(Queue& queue,
                    const QbbNetDevice& port,
                    const Frame& frame,
                    int64_t nowNs) const;
    /**
     * Returns the time of the next mark, ns: the RFC's control_law.
     * @param fromNs time from which the wait for the next mark is counted, ns
     * @param count n of the class description
     */
    int64_t ControlLaw(int64_t fromNs, uint32_t count) const;

    Time m_target;                                       ///< attribute Target
    Time m_interval;                                     ///< attribute Interval
    std::vector<std::array<Queue, PRIORITIES>> m_queues; ///< by port and priority
};

} // namespace ns3

#endif // HPCC_CODEL_MARKER_H
