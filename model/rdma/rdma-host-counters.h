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

/// Why reflected telemetry, or a window that the receiver has computed, was ignored.
enum class FeedbackRejection : uint8_t
{
    FORGED,   ///< no authenticator, or a wrong one: forged or altered
    REPLAYED, ///< its message number is not new: replayed, or overtaken on its way
};

/**
 * @ingroup hpcc
 *
 * Counters of an RdmaHost over all its queue pairs, from the start of the simulation.
 */
class RdmaHostCounters
{
  public:
    /// @return responses by switches to packets in flight, that policies have seen
    uint64_t GetSwitchResponses() const
    {
        return m_switchResponses;
    }

    /// @return responses by switches to packets that were acknowledged by then
    uint64_t GetLateSwitchResponses() const
    {
        return m_lateSwitchResponses;
    }

    /// @return CNPs sent
    uint64_t GetCnpsSent() const
    {
        return m_cnpsSent;
    }

    /// @return bytes of ACKs, NAKs, CNPs, probes and notifications sent, without FCS
    uint64_t GetFeedbackBytes() const
    {
        return m_feedbackBytes;
    }

    /// @return probes sent
    uint64_t GetProbesSent() const
    {
        return m_probesSent;
    }

    /// @return bytes of probes sent, as they leave this host, without FCS
    uint64_t GetProbeBytes() const
    {
        return m_probeBytes;
    }

    /// @return notifications sent
    uint64_t GetNotificationsSent() const
    {
        return m_notificationsSent;
    }

    /// @return time-outs
    uint64_t GetTimeouts() const
    {
        return m_timeouts;
    }

    /// @return NAKs sent
    uint64_t GetNaksSent() const
    {
        return m_naksSent;
    }

    /**
     * @param why a reason
     * @return reflections whose telemetry was ignored for it, and computed windows
     */
    uint64_t GetRejectedFeedback(FeedbackRejection why) const
    {
        return m_rejectedFeedback[static_cast<size_t>(why)];
    }

    /// @return packets repeated to measure other paths
    uint64_t GetScouts() const
    {
        return m_scouts;
    }

    /// @return flows held back before their first packet
    uint64_t GetHeldFlows() const
    {
        return m_heldFlows;
    }

    /// @return telemetry records whose link was not in the inventory
    uint64_t GetUnknownLinks() const
    {
        return m_unknownLinks;
    }

  protected:
    /// Protected, because the counters are destroyed only as part of a host.
    ~RdmaHostCounters() = default;

    uint64_t m_heldFlows{0};                      ///< see GetHeldFlows()
    uint64_t m_scouts{0};                         ///< see GetScouts()
    std::array<uint64_t, 2> m_rejectedFeedback{}; ///< by FeedbackRejection
    uint64_t m_cnpsSent{0};                       ///< see GetCnpsSent()
    uint64_t m_naksSent{0};                       ///< see GetNaksSent()
    uint64_t m_switchResponses{0};                ///< see GetSwitchResponses()
    uint64_t m_lateSwitchResponses{0};            ///< see GetLateSwitchResponses()
    uint64_t m_probesSent{0};                     ///< see GetProbesSent()
    uint64_t m_probeBytes{0};                     ///< see GetProbeBytes()
    uint64_t m_notificationsSent{0};              ///< see GetNotificationsSent()
    uint64_t m_feedbackBytes{0};                  ///< see GetFeedbackBytes()
    uint64_t m_timeouts{0};                       ///< see GetTimeouts()
    uint64_t m_unknownLinks{0};                   ///< see GetUnknownLinks()
};

} // namespace ns3

#endif // RDMA_HOST_COUNTERS_H
