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
 * Checks the values that a policy has set, before a host uses these values. A value that the host
 * cannot use ends the run with an HpccInputError that contains policy, queue pair, time and value.
 */
namespace RdmaPolicyValues
{

/// Lowest allowed rate, bit/s. ns-3's DataRate cannot represent a lower rate above 0. At this rate,
/// the transmission of a packet takes at most a day.
constexpr double MIN_RATE_BPS = 1;

/// A window that a receiver sends must be below this limit, bytes. The limit is 2^47, so that the
/// value in RoceNotificationHeader, which has units of 2^-16 bytes, fits into 63 bits.
constexpr double WINDOW_LIMIT_BYTES = 140737488355328;

/**
 * Returns true if window, rate and timer of a sender can be used. This function has no branches,
 * because it is called for every ACK.
 * @param set window, rate and timer that the policy has set
 * @param hasWindow true if the window was finite at the start; such a window must not become
 * infinite
 * @param earliestNs earliest allowed time of the timer, ns
 * @return true if all values can be used
 */
inline bool
AreSound(const RdmaCongestionState& set, bool hasWindow, int64_t earliestNs)
{
    constexpr double INFINITE = std::numeric_limits<double>::infinity();
    return (set.windowBytes > 0) & ((set.windowBytes < INFINITE) | !hasWindow) &
           (set.rateBps >= MIN_RATE_BPS) & (set.rateBps < INFINITE) & (set.timerNs >= earliestNs);
}

/**
 * Ends the run because a sender's policy has set a value that cannot be used.
 * @param qp the queue pair, for which AreSound() is false
 * @param nowNs current time, ns
 * @param earliestNs as for AreSound()
 */
[[noreturn]] void Refuse(const RdmaQueuePair& qp, int64_t nowNs, int64_t earliestNs);

/**
 * Checks window, rate and timer of a sender. Ends the run with an HpccInputError if one of them
 * cannot be used.
 * @param qp the queue pair
 * @param nowNs current time, ns
 * @param earliestNs earliest allowed time of the timer, ns
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
 * Raises an event of a sender's policy and checks the values that the policy has set. Hosts use
 * this function or RdmaPacer::Raise() for all events after Open().
 * @param qp the queue pair
 * @param nowNs current time, ns
 * @param event the function of the policy that handles the event
 * @param info argument of that function
 * @param aheadNs minimum time from now to the policy's timer, ns
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
 * Checks the timer and the notification that a policy has set at the receiver. Ends the run with an
 * HpccInputError if one of them cannot be used.
 * @param policy the policy
 * @param qp the queue pair
 * @param notification the policy's notification for the sender
 * @param computed true if the notification contains a window or rate that the sender must use
 * @param nowNs current time, ns
 * @param earliestNs earliest allowed time of the timer, ns
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
