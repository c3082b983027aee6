/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HOST_COUNTERS_H
#define RDMA_HOST_COUNTERS_H

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Counts of a host over all its queue pairs, from the start of the simulation. The parts of the
 * host increment them; RdmaHost documents them.
 */
struct RdmaHostCounts
{
    std::array<uint64_t, 2> rejectedFeedback{}; ///< by FeedbackRejection
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

} // namespace ns3

#endif // RDMA_HOST_COUNTERS_H
