/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MAX_LOAD_AGENT_H
#define HPCC_MAX_LOAD_AGENT_H

#include "hpcc-port-load.h"
#include "hpcc-switch-agent.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The switch's side of the telemetry format MaxLoadFormat. The agent has a PortLoad for each port,
 * or for each queue of a port. The agent writes this load into the option of a passing frame if the
 * load in the option is smaller. The agent needs a few words of memory per port or queue, and none
 * per flow. Short names: max-load, max-load:queue.
 *
 * Attributes:
 *
 * - T: base RTT over which the load is averaged; 0 selects the network's base RTT.
 * - Scope: Port measures all bytes and all queues of a port; Queue measures the bytes and the queue
 *   of the frame's priority. With either Scope, B in the formula of PortLoad is the port's line
 *   rate.
 */
class MaxLoadAgent : public SwitchAgent
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Where a load is measured.
    enum Scope
    {
        PORT, ///< a port
        QUEUE ///< each queue of a port
    };

    void Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt) override;
    void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;

  private:
    Time m_baseRtt;                ///< attribute T
    Scope m_scope;                 ///< attribute Scope
    std::vector<PortLoad> m_loads; ///< measured loads, by port or by port and priority
};

} // namespace ns3

#endif // HPCC_MAX_LOAD_AGENT_H
