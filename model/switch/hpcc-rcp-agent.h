/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_RCP_AGENT_H
#define HPCC_RCP_AGENT_H

#include "hpcc-port-law-agent.h"
#include "hpcc-rcp-law.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * RCP at a switch. The agent has an RcpLaw for each port and limits the rate in passing RcpFormat
 * headers to the rate of this RcpLaw. In the equation of RcpLaw, the traffic y includes all frames,
 * of every policy and priority, that are admitted to the queues of the port. The traffic is counted
 * in bytes on the link. The queue q is the sum of all queues of the port.
 *
 * Names:
 *
 * - "rcp": alpha 0.4, beta 0.226. These are the gains of XCP (SIGCOMM 2002, section 4). An
 *   implementation of RCP for RDMA uses these gains, and reports that the gains have little effect
 *   on the results.
 * - "rcp:fct": alpha 0.1, beta 1, as in the simulations of Stanford TR05-HPNG-112102 ("Why
 *   Flow-Completion Time is the Right Metric for Congestion Control"), reproduced at
 *   richardhsu/cs244-14-rcp.
 *
 * RcpParameters describes the attributes Alpha, Beta, TargetShare, InitialShare, MinPacketsPerRtt
 * and LongestInterval. The attribute T is the initial value of the average RTT d, used until a
 * packet has carried an RTT; 0 selects the network's base RTT.
 */
class RcpAgent : public PortLawAgent<RcpLaw>
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;
    void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;

  private:
    RcpParameters GetParameters() const override;

    double m_targetShare;      ///< attribute TargetShare
    double m_initialShare;     ///< attribute InitialShare
    double m_minPacketsPerRtt; ///< attribute MinPacketsPerRtt
};

} // namespace ns3

#endif // HPCC_RCP_AGENT_H
