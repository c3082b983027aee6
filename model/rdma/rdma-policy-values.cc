/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-policy-values.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/ipv4-address.h"

#include <sstream>

namespace ns3
{

namespace
{

/// Ends the run with an HpccInputError because of an invalid value.
/// @param policy the policy that has set the value
/// @param qp the queue pair
/// @param nowNs current time, ns
/// @param name name of the value
/// @param value invalid value
/// @param allowed description of the allowed values
template <typename Value>
[[noreturn]] void
Throw(const RdmaCongestionOps& policy,
      const RdmaQueuePair& qp,
      int64_t nowNs,
      const char* name,
      Value value,
      const std::string& allowed)
{
    std::ostringstream line;
    line << policy.GetInstanceTypeId().GetName() << " sets the " << name << " of queue pair "
         << qp.number << " at " << Ipv4Address(qp.local) << " to " << value << " at " << nowNs
         << " ns; allowed is " << allowed;
    throw HpccInputError(line.str());
}

/**
 * Returns a description of the allowed values of a timer, for error messages.
 * @param earliestNs earliest allowed time, ns
 */
std::string
AllowedTimer(int64_t earliestNs)
{
    return "a time from " + std::to_string(earliestNs) + " ns on";
}

} // namespace

void
RdmaPolicyValues::Refuse(const RdmaQueuePair& qp, int64_t nowNs, int64_t earliestNs)
{
    const RdmaCongestionState& set = *qp.cc;
    RdmaCongestionState trial;
    trial.windowBytes = set.windowBytes;
    trial.rateBps = MIN_RATE_BPS;
    if (!AreSound(trial, qp.hasWindow, earliestNs))
    {
        Throw(*qp.ops,
              qp,
              nowNs,
              "window",
              set.windowBytes,
              qp.hasWindow ? "a finite number of bytes above 0"
                           : "a number of bytes above 0, or none");
    }
    if (set.timerNs < earliestNs)
    {
        Throw(*qp.ops, qp, nowNs, "timer", set.timerNs, AllowedTimer(earliestNs));
    }
    Throw(*qp.ops, qp, nowNs, "rate", set.rateBps, "a finite rate of at least 1 bit/s");
}

void
RdmaPolicyValues::CheckReceiver(const RdmaCongestionOps& policy,
                                const RdmaQueuePair& qp,
                                const RdmaNotification& notification,
                                bool computed,
                                int64_t nowNs,
                                int64_t earliestNs)
{
    if (qp.receiver->timerNs < earliestNs)
    {
        Throw(policy,
              qp,
              nowNs,
              "receiver's timer",
              qp.receiver->timerNs,
              AllowedTimer(earliestNs));
    }
    if (!computed || !notification.given)
    {
        return;
    }
    if (!(notification.windowBytes > 0 && notification.windowBytes < WINDOW_LIMIT_BYTES))
    {
        Throw(policy,
              qp,
              nowNs,
              "window notified by the receiver",
              notification.windowBytes,
              "a number of bytes above 0 and below 2^47");
    }
    if (notification.rateBps == 0)
    {
        Throw(policy,
              qp,
              nowNs,
              "rate notified by the receiver",
              notification.rateBps,
              "a rate of at least 1 bit/s");
    }
}

} // namespace ns3
