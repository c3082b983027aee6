/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FIFO_SCHEDULER_H
#define HPCC_FIFO_SCHEDULER_H

#include "hpcc-egress-scheduler.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * First in, first out over all priorities of a port, as in a switch with one queue: the frame that
 * has waited longest is sent first. If several frames joined their queues in the same ns, the frame
 * with the highest priority is sent first. A paused priority does not block the others.
 *
 * At a host, queued frames are sent before data for which the NIC has not built a frame yet,
 * because such data waits in no queue. If the NIC has such data in several priorities, the highest
 * of them is sent first.
 */
class FifoScheduler final : public EgressScheduler
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    uint8_t Choose(uint8_t candidates, const QbbNetDevice& port) override;

    /**
     * Returns the priority whose first frame has waited longest. If several first frames have
     * waited equally long, returns the highest of their priorities.
     * @param candidates priorities of a port, at least one
     * @param port port with the queues
     */
    static uint8_t Oldest(uint8_t candidates, const QbbNetDevice& port);
};

} // namespace ns3

#endif // HPCC_FIFO_SCHEDULER_H
