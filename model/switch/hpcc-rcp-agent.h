/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_RCP_AGENT_H
#define HPCC_RCP_AGENT_H

#include "hpcc-rcp-law.h"
#include "hpcc-switch-agent.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * RCP at a switch: an RcpLaw for each port, whose rate is the most that a passing RcpFormat header
 * keeps. All admitted frames of the port count towards y, whatever their policy and priority, by
 * the bytes that they occupy on the link when they are queued; q is what waits in all queues.
 *
 * Names:
 *
 * - "rcp": alpha 0.4, beta 0.226. XCP's pair (SIGCOMM 2002, section 4), which a port of RCP to RDMA
 *   uses and finds uncritical.
 * - "rcp:fct": alpha 0.1, beta 1, as in the simulations of Stanford TR05-HPNG-112102 ("Why
 *   Flow-Completion Time is the Right Metric for Congestion Control"), reproduced at
 *   richardhsu/cs244-14-rcp.
 *
 * Attributes: Alpha, Beta, TargetShare, InitialShare, MinPacketsPerRtt, LongestInterval: see
 * RcpParameters. T: d until packets have told RTTs; 0 takes the network's base RTT.
 */
class RcpAgent : public SwitchAgent
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt) override;
    void OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;
    void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;
    bool WantsEnqueue() const override;

    /// @param port index of a port @return its law, as of the last frame
    const RcpLaw& GetLaw(uint32_t port) const
    {
        return m_laws[port];
    }

  private:
    double m_alpha;             ///< attribute
    double m_beta;              ///< attribute
    double m_targetShare;       ///< attribute
    double m_initialShare;      ///< attribute
    double m_minPacketsPerRtt;  ///< attribute
    Time m_longestInterval;     ///< attribute
    Time m_baseRtt;             ///< attribute T
    std::vector<RcpLaw> m_laws; ///< by port
};

} // namespace ns3

#endif // HPCC_RCP_AGENT_H
