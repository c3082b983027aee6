/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FORGERS_H
#define RDMA_FORGERS_H

#include "rdma-host-settings.h"
#include "rdma-queue-pair.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-idle-path-forger.h"

#include <cstdint>
#include <map>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Forges the telemetry that a dishonest host returns. From the time DishonestFrom on, all returned
 * records describe idle links. Used only for queue pairs whose RdmaQueuePair::responderUses
 * contains USES_FORGER.
 */
class RdmaForgers
{
  public:
    /// Creates the forgers of a host.
    /// @param settings the host's attributes
    explicit RdmaForgers(const RdmaHostSettings& settings)
        : m_settings(settings)
    {
    }

    /**
     * Forges the telemetry of a packet if DishonestFrom has been reached.
     * @param qp queue pair of the packet
     * @param frame the packet, with telemetry
     * @param nowNs current time, ns
     */
    void Forge(const RdmaQueuePair& qp, Frame& frame, int64_t nowNs)
    {
        if (nowNs >= m_settings.dishonestFrom.GetNanoSeconds())
        {
            m_forgers[qp.number].Forge(*frame.format, frame.telemetry);
        }
    }

  private:
    const RdmaHostSettings& m_settings;           ///< attributes
    std::map<uint32_t, IdlePathForger> m_forgers; ///< forgers, by queue pair number
};

} // namespace ns3

#endif // RDMA_FORGERS_H
