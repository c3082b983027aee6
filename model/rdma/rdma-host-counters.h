/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HOST_COUNTERS_H
#define RDMA_HOST_COUNTERS_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3
{

enum class FeedbackRejection : uint8_t;

/**
 * @ingroup hpcc
 *
 * Counts of a host over all its queue pairs, from the start of the simulation. The parts of the
 * host increment the counters; RdmaHostCounters documents them.
 */
struct RdmaHostCounts
{
    std::array<uint64_t, 2> rejectedFeedback{}; ///< see GetRejectedFeedback()
    uint64_t heldFlows{0};                      ///< see GetHeldFlows()
    uint64_t pathProbes{0};                     ///< see GetPathProbes()
    uint64_t cnpsSent{0};                       ///< see GetCnpsSent()
    uint64_t naksSent{0};                       ///< see GetNaksSent()
    uint64_t sacksSent{0};                      ///< see GetSacksSent()
    uint64_t trimNacksSent{0};                  ///< see GetTrimNacksSent()
    uint64_t trimsReceived{0};                  ///< see GetTrimsReceived()
    uint64_t switchResponses{0};                ///< see GetSwitchResponses()
    uint64_t lateSwitchResponses{0};            ///< see GetLateSwitchResponses()
    uint64_t probesSent{0};                     ///< see GetProbesSent()
    uint64_t probeBytes{0};                     ///< see GetProbeBytes()
    uint64_t notificationsSent{0};              ///< see GetNotificationsSent()
    uint64_t feedbackBytes{0};                  ///< see GetFeedbackBytes()
    uint64_t timeouts{0};                       ///< see GetTimeouts()
    uint64_t unknownLinks{0};                   ///< see GetUnknownLinks()
};

/**
 * @ingroup hpcc
 *
 * Counters of an RdmaHost over all its queue pairs, from the start of the simulation.
 */
class RdmaHostCounters
{
  public:
    /// Returns the number of switch responses that were passed to policies.
    uint64_t GetSwitchResponses() const
    {
        return m_counts.switchResponses;
    }

    /// Returns the number of switch responses that arrived after the packets that triggered them
    /// had been acknowledged.
    uint64_t GetLateSwitchResponses() const
    {
        return m_counts.lateSwitchResponses;
    }

    /// Returns the number of CNPs sent.
    uint64_t GetCnpsSent() const
    {
        return m_counts.cnpsSent;
    }

    /// Returns the total size of all ACKs, NAKs, CNPs, notifications, probes, path probes and
    /// repeated READ requests sent, without FCS, bytes.
    uint64_t GetFeedbackBytes() const
    {
        return m_counts.feedbackBytes;
    }

    /// Returns the number of probes sent.
    uint64_t GetProbesSent() const
    {
        return m_counts.probesSent;
    }

    /// Returns the total size of all probes sent, without FCS, bytes. The size of a probe is
    /// counted before switches insert records.
    uint64_t GetProbeBytes() const
    {
        return m_counts.probeBytes;
    }

    /// Returns the number of notifications sent.
    uint64_t GetNotificationsSent() const
    {
        return m_counts.notificationsSent;
    }

    /// Returns the number of retransmission time-outs.
    uint64_t GetTimeouts() const
    {
        return m_counts.timeouts;
    }

    /// Returns the number of NAKs sent.
    uint64_t GetNaksSent() const
    {
        return m_counts.naksSent;
    }

    /// Returns the number of SACKs sent.
    uint64_t GetSacksSent() const
    {
        return m_counts.sacksSent;
    }

    /// Returns the number of NACKs sent for trimmed packets.
    uint64_t GetTrimNacksSent() const
    {
        return m_counts.trimNacksSent;
    }

    /// Returns the number of trimmed packets received on queue pairs with SACKs.
    uint64_t GetTrimsReceived() const
    {
        return m_counts.trimsReceived;
    }

    /**
     * Returns the number of reflections, receiver-computed windows and switch responses rejected
     * for a given reason.
     * @param why reason of the rejection
     */
    uint64_t GetRejectedFeedback(FeedbackRejection why) const
    {
        return m_counts.rejectedFeedback[static_cast<size_t>(why)];
    }

    /// Returns the number of path probes sent.
    uint64_t GetPathProbes() const
    {
        return m_counts.pathProbes;
    }

    /// Returns the number of flows that were held back before their first packet.
    uint64_t GetHeldFlows() const
    {
        return m_counts.heldFlows;
    }

    /// Returns the number of telemetry records whose link was not in the inventory.
    uint64_t GetUnknownLinks() const
    {
        return m_counts.unknownLinks;
    }

  protected:
    /// Protected, because counters are destroyed only as part of a host.
    ~RdmaHostCounters() = default;

    RdmaHostCounts m_counts; ///< the counts
};

} // namespace ns3

#endif // RDMA_HOST_COUNTERS_H
