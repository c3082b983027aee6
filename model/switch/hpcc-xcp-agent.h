/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_XCP_AGENT_H
#define HPCC_XCP_AGENT_H

#include "hpcc-port-law-agent.h"
#include "hpcc-xcp-law.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * XCP at a switch. The agent has an XcpLaw for each port, which changes the feedback in passing
 * XcpFormat headers. The input traffic includes all frames, of every policy and priority, that are
 * admitted to the queues of the port. The input traffic is counted in bytes on the link. The
 * persistent queue Q of XcpLaw is measured for the sum of all queues of the port. Name "xcp".
 *
 * XcpParameters describes the attributes Alpha, Beta, Gamma and LongestInterval. The attribute T is
 * the initial value of the average RTT d, used until a packet has carried an RTT; 0 selects the
 * network's base RTT.
 */
class XcpAgent : public PortLawAgent<XcpLaw>
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
    XcpParameters GetParameters() const override;

    double m_gamma; ///< attribute Gamma
};

} // namespace ns3

#endif // HPCC_XCP_AGENT_H
