/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_PORT_COUNTERS_H
#define QBB_PORT_COUNTERS_H

#include "hpcc-drop-reason.h"
#include "hpcc-frame.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Counts of a port since the start of the simulation. The parts of the port update the counts;
 * QbbPortCounters documents their meaning.
 */
struct QbbPortCounts
{
    uint64_t txBytes{0};                             ///< see GetTxBytes()
    uint64_t txFrames{0};                            ///< see GetTxFrames()
    std::array<uint64_t, PRIORITIES> classTxBytes{}; ///< see GetTxBytes(), by priority
    std::array<uint64_t, static_cast<size_t>(DropReason::COUNT)> drops{}; ///< see GetDrops()
    uint64_t pauses{0};                                                   ///< see GetPauses()
    uint64_t pausesEnded{0};                                              ///< see GetPausesEnded()
    int64_t pausedNs{0};                                                  ///< see GetPausedNs()
};

/**
 * @ingroup hpcc
 *
 * Counters of a port, from the start of the simulation.
 */
class QbbPortCounters
{
  public:
    /// Returns the number of bytes sent so far. The attribute CountOverhead determines whether
    /// preamble and gap are included.
    uint64_t GetTxBytes() const
    {
        return m_counts.txBytes;
    }

    /**
     * Returns the number of bytes sent in frames of a priority since
     * QbbPortSettings::CountClasses() was called, counted as in GetTxBytes().
     * @param priority priority of the frames, 0 to 7
     */
    uint64_t GetTxBytes(uint8_t priority) const
    {
        return m_counts.classTxBytes[priority];
    }

    /// Returns the number of frames sent so far, excluding PFC frames. This number is the port's
    /// packet-hops.
    uint64_t GetTxFrames() const
    {
        return m_counts.txFrames;
    }

    /**
     * Returns the number of frames dropped at this device for a reason. If a switch refuses a
     * frame, the drop is counted at the port by which the frame arrived.
     * @param reason reason for the drops, other than COUNT
     */
    uint64_t GetDrops(DropReason reason) const
    {
        return m_counts.drops[static_cast<size_t>(reason)];
    }

    /// Returns the number of frames dropped at this device.
    uint64_t GetDrops() const
    {
        return std::accumulate(m_counts.drops.begin(), m_counts.drops.end(), uint64_t{0});
    }

    /// Returns the number of pauses of this port that have started.
    uint64_t GetPauses() const
    {
        return m_counts.pauses;
    }

    /// Returns the number of pauses of this port that have ended.
    uint64_t GetPausesEnded() const
    {
        return m_counts.pausesEnded;
    }

    /// Returns the total duration of the pauses that have ended, ns, summed over the priorities.
    int64_t GetPausedNs() const
    {
        return m_counts.pausedNs;
    }

  protected:
    /// Protected, because counters are destroyed only as part of a port.
    ~QbbPortCounters() = default;

    QbbPortCounts m_counts; ///< the counts
};

} // namespace ns3

#endif // QBB_PORT_COUNTERS_H
