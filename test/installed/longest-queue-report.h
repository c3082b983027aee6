/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LONGEST_QUEUE_REPORT_H
#define LONGEST_QUEUE_REPORT_H

#include "ns3/rdma-report.h"

/// Example of a user-defined RdmaReport. The receiver returns only the record of the hop with the
/// longest queue, and the previous record of the same hop.
class LongestQueueReport : public ns3::RdmaReport
{
  public:
    static ns3::TypeId GetTypeId();

    std::unique_ptr<Flow> Open(int64_t networkBaseRttNs) const override;
};

#endif // LONGEST_QUEUE_REPORT_H
