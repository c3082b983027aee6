/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CLASS_METER_H
#define HPCC_CLASS_METER_H

#include "ns3/hpcc-egress-scheduler.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Measures the part of a port's line rate that each priority uses, once per measurement window.
 *
 * For a traffic class, the draft replaces the line rate by the guaranteed bandwidth, which is the
 * class's share of the line rate (draft-miao-tsv-hpcc-01, section 9.3). The bandwidth that the
 * other classes leave to a class is
 *
 *     max(share (line rate - tx of priorities ahead), line rate - tx of others)
 *
 * where tx is the sent rate. The priorities ahead are those that are always served before this
 * priority. "Others" are all other priorities, except those that are served only when this priority
 * has nothing to send. Without strict priorities, "others" are all other priorities, and the first
 * term is the guaranteed bandwidth. Under strict priority, EgressScheduler::GetShare() is 1,
 * because a class may use everything that the priorities ahead of it leave. Nevertheless, no part
 * of the line rate is guaranteed to a class with priorities ahead of it.
 */
class ClassMeter
{
  public:
    /// Bytes by priority.
    using Bytes = std::array<double, PRIORITIES>;

    /**
     * Creates the meter of a port.
     * @param scheduler scheduler of the port
     * @param rateBps line rate of the port, bit/s
     */
    ClassMeter(const EgressScheduler& scheduler, uint64_t rateBps);

    /**
     * Closes a window that has ended.
     * @param sent bytes sent in the window, as QbbPortCounters::GetTxBytes() counts them
     * @param windowNs length of the window, ns, above 0
     */
    void Close(const Bytes& sent, int64_t windowNs);

    /**
     * Returns the line rate times EgressScheduler::GetShare() of a priority, bit/s. This rate is
     * guaranteed unless other priorities are always served before this one.
     * @param priority the priority, 0 to 7
     */
    uint64_t GetShareBps(uint8_t priority) const
    {
        return m_classes[priority].shareBps;
    }

    /**
     * Returns the part of the line rate that the other priorities left to a priority in the last
     * window, bit/s. The result is at least the share that the priority has if all priorities send.
     * Before the first window has ended, the result is the whole line rate.
     * @param priority priority that may use the remaining rate, 0 to 7
     */
    uint64_t GetResidualBps(uint8_t priority) const
    {
        return m_classes[priority].residualBps;
    }

    /**
     * Returns the rate of a priority in the last window, bit/s.
     * @param priority priority of the sent frames, 0 to 7
     */
    double GetSentBps(uint8_t priority) const
    {
        return m_classes[priority].sentBps;
    }

  private:
    /// State of a priority.
    struct Class
    {
        uint8_t ahead;        ///< priorities that are served before this priority, one bit each
        uint8_t peers;        ///< other priorities of the same rank, one bit each
        double share;         ///< share of the rate that the priorities ahead leave
        uint64_t shareBps;    ///< see GetShareBps()
        uint64_t residualBps; ///< rate that other priorities left to this priority in the last
                              ///< window, bit/s
        double sentBps;       ///< rate of this priority in the last window, bit/s
    };

    double m_rateBps;                        ///< line rate
    std::array<Class, PRIORITIES> m_classes; ///< by priority
};

} // namespace ns3

#endif // HPCC_CLASS_METER_H
