/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_POLICY_VALUES_H
#define RDMA_POLICY_VALUES_H

#include "rdma-queue-pair.h"

#include "ns3/rdma-congestion-ops.h"

#include <cstdint>
#include <limits>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Checks the values that a policy sets before a host uses them. A value that the host cannot use
 * ends the run with an HpccInputError that names policy, queue pair, time and value.
 */
namespace RdmaPolicyValues
{

/// Lowest rate, bit/s: that of ns-3's DataRate. A packet then takes a day at most.
constexpr double MIN_RATE_BPS = 1;

/// Windows that a receiver sends are below it, bytes: RoceNotificationHeader has 47 bits for them.
constexpr double WINDOW_LIMIT_BYTES = 140737488355328;

/**
 * Checks window, rate and timer of a sender. Called for every packet, so it is branch-free.
 * @param set values that the policy has set
 * @param hasWindow the policy began with a finite window, so it may not become infinite
 * @param earliestNs the timer must not be earlier, ns
 * @return true if all of them can be used
 */
inline bool
AreSound(const RdmaCongestionState& set, bool hasWindow, int64_t earliestNs)
{
    constexpr double INFINITE = std::numeric_limits<double>::infinity();
    return (set.windowBytes > 0) & ((set.windowBytes < INFINITE) | !hasWindow) &
           (set.rateBps >= MIN_RATE_BPS) & (set.rateBps < INFINITE) & (set.timerNs >= earliestNs);
}

/**
 * Ends the run because of what the policy of a sender has set.
 * @param qp the queue pair, for which AreSound() is false
 * @param nowNs current time, ns
 * @param earliestNs as for AreSound()
 */
[[noreturn]] void Refuse(const RdmaQueuePair& qp, int64_t nowNs, int64_t earliestNs);

/**
 * Checks window, rate and timer of a sender. Ends the run if they cannot be used.
 * @param qp the queue pair
 * @param nowNs current time, ns
 * @param earliestNs the timer must not be earlier, ns
 */
inline void
Check(const RdmaQueuePair& qp, int64_t nowNs, int64_t earliestNs)
{
    if (!AreSound(*qp.cc, qp.hasWindow, earliestNs))
    {
        Refuse(qp, nowNs, earliestNs);
    }
}

/**
 * Raises an event of a sender's policy and checks what the policy has set. Hosts raise all events
 * after Open() through this function or RdmaPacer::Raise().
 * @param qp the queue pair
 * @param nowNs current time, ns
 * @param event the function of the policy that handles it
 * @param info of the event
 * @param aheadNs the timer must be at least this much later, ns
 */
template <typename Parameter, typename Info>
inline void
Raise(const RdmaQueuePair& qp,
      int64_t nowNs,
      void (RdmaCongestionOps::*event)(RdmaCongestionState*, Parameter),
      const Info& info,
      int64_t aheadNs = 0)
{
    (qp.ops->*event)(qp.cc, info);
    Check(qp, nowNs, nowNs + aheadNs);
}

/**
 * Checks timer and message of a policy's receiver part. Ends the run if they cannot be used.
 * @param policy the policy
 * @param qp the queue pair
 * @param notification the policy's notification for the sender
 * @param computed the message is a window or rate that the sender takes over
 * @param nowNs current time, ns
 * @param earliestNs the timer must not be earlier, ns
 */
void CheckReceiver(const RdmaCongestionOps& policy,
                   const RdmaQueuePair& qp,
                   const RdmaNotification& notification,
                   bool computed,
                   int64_t nowNs,
                   int64_t earliestNs);

} // namespace RdmaPolicyValues

} // namespace ns3

#endif // RDMA_POLICY_VALUES_H
