/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_USER_SCHEDULER_H
#define HPCC_USER_SCHEDULER_H

#include "ns3/hpcc-egress-scheduler.h"

namespace hpcctest
{

/// An example of a user-defined scheduler: it serves the longest queue. Of several queues with this
/// length, it serves the one with the highest priority.
class LongestQueue : public ns3::EgressScheduler
{
  public:
    static ns3::TypeId GetTypeId();

    uint8_t Choose(uint8_t candidates, const ns3::QbbNetDevice& port) override;
};

} // namespace hpcctest

#endif // HPCC_USER_SCHEDULER_H
