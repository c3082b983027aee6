/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GROWING_QUEUE_RETURN_H
#define GROWING_QUEUE_RETURN_H

#include "ns3/rdma-return.h"

/**
 * Example of a user-defined RdmaReturn, which determines when telemetry is returned. One ACK per
 * Interval packets returns telemetry. In addition, a packet is acknowledged at once if the longest
 * queue in its records is more than twice as long as that of the previous packet.
 */
class GrowingQueueReturn : public ns3::RdmaReturn
{
  public:
    static ns3::TypeId GetTypeId();

    Description Describe() const override;
    std::unique_ptr<Flow> Open(int64_t networkBaseRttNs) const override;

  private:
    uint32_t m_interval; ///< attribute Interval
};

#endif // GROWING_QUEUE_RETURN_H
