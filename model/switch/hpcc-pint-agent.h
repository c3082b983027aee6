/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PINT_AGENT_H
#define HPCC_PINT_AGENT_H

#include "hpcc-port-load.h"
#include "hpcc-switch-agent.h"

#include "ns3/random-variable-stream.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * HPCC-PINT at a switch. The agent has a PortLoad for each port, which measures all frames and
 * queues of the port. PintFormat chooses a share of the packets. The agent writes the digest of its
 * load into the PintFormat header of a chosen packet if the digest in the header is smaller. Each
 * port has its own random stream, by which it rounds digests up or down. Name "pint".
 *
 * Attribute T: base RTT over which the load is averaged; 0 selects the network's base RTT.
 */
class PintAgent : public SwitchAgent
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt) override;
    int64_t AssignStreams(int64_t stream) override;
    int64_t CountStreams(uint32_t ports) const override;
    void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;

  protected:
    void DoDispose() override;

  private:
    /// The state of a port.
    struct Port
    {
        PortLoad load;                     ///< U
        Ptr<UniformRandomVariable> random; ///< random numbers for rounding
    };

    Time m_baseRtt;            ///< attribute T
    std::vector<Port> m_ports; ///< states of the ports, by index
};

} // namespace ns3

#endif // HPCC_PINT_AGENT_H
