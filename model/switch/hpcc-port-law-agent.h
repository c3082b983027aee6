/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PORT_LAW_AGENT_H
#define HPCC_PORT_LAW_AGENT_H

#include "hpcc-switch-agent.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-egress.h"
#include "ns3/qbb-net-device.h"

#include <limits>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Base of agents that run a control law at each port of a switch. The control law counts all frames
 * that are admitted to the queues of its port, of every policy and priority. The frames are counted
 * in bytes that they occupy on the link. The queue in the control law is the sum of all queues of
 * the port. The control law has no timer: when a frame arrives or leaves, the intervals that have
 * ended are closed.
 *
 * Attributes of every derived class:
 *
 * - Alpha, Beta: gains of the spare rate and of the queue.
 * - LongestInterval: longest time between two updates.
 * - T: initial value of the average RTT, used until a packet has carried an RTT. 0 selects the
 *   network's base RTT.
 *
 * @tparam LAW class of the control law. LAW must have a type Parameters, a function CatchUp(nowNs,
 * queueBytes), and a constructor. The arguments of the constructor are Parameters, the line rate in
 * bit/s and the average RTT in ns
 */
template <typename LAW>
class PortLawAgent : public SwitchAgent
{
  public:
    /// @copydoc ns3::SwitchAgent::Install
    void Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt) override
    {
        const Time rtt = m_baseRtt.IsZero() ? baseRtt : m_baseRtt;
        for (const auto* port : ports)
        {
            m_laws.emplace_back(GetParameters(),
                                static_cast<double>(port->GetRateBps()),
                                static_cast<double>(rtt.GetNanoSeconds()));
        }
    }

    /// Returns true, because the control law counts arriving bytes.
    bool WantsEnqueue() const override
    {
        return true;
    }

    /**
     * Returns the control law of a port, as updated by the last frame.
     * @param port index of a port
     */
    const LAW& GetLaw(uint32_t port) const
    {
        return m_laws[port];
    }

  protected:
    /**
     * Adds the common attributes.
     * @param tid the TypeId under construction
     * @param longestInterval default of LongestInterval
     * @return the TypeId
     */
    static HpccTypeId AddParameters(HpccTypeId tid, Time longestInterval)
    {
        return tid
            .Attribute("Alpha",
                       "Gain of the spare rate in the control law of the port, above 0.",
                       HpccField(&PortLawAgent::m_alpha, 0.4, std::numeric_limits<double>::min()))
            .Attribute("Beta",
                       "Gain of the queue in the control law of the port.",
                       HpccField(&PortLawAgent::m_beta, 0.226, 0))
            .Attribute("LongestInterval",
                       "Longest time between two updates of the control law. If the average RTT is "
                       "shorter, there is one update per average RTT.",
                       HpccField(&PortLawAgent::m_longestInterval, longestInterval, NanoSeconds(1)))
            .Attribute(
                "T",
                "Average RTT to use until packets have carried RTTs. 0: the network's base RTT.",
                HpccField(&PortLawAgent::m_baseRtt, Time(0), Time(0)));
    }

    /// Returns the values of the attributes.
    virtual typename LAW::Parameters GetParameters() const = 0;

    /**
     * Closes all control intervals of a port that have ended.
     * @param port egress port
     * @param nowNs time, ns
     * @param leavingBytes bytes that have just left the queue of the port
     * @return the control law of the port
     */
    LAW& CatchUp(const QbbNetDevice& port, int64_t nowNs, uint32_t leavingBytes = 0)
    {
        LAW& law = m_laws[port.GetPortIndex()];
        law.CatchUp(nowNs, port.GetEgress().GetQueueBytes() + leavingBytes);
        return law;
    }

    double m_alpha;         ///< attribute Alpha
    double m_beta;          ///< attribute Beta
    Time m_longestInterval; ///< attribute LongestInterval

  private:
    Time m_baseRtt;          ///< attribute T
    std::vector<LAW> m_laws; ///< control laws of the ports, by index of the port
};

} // namespace ns3

#endif // HPCC_PORT_LAW_AGENT_H
