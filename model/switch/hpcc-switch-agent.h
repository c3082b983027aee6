/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SWITCH_AGENT_H
#define HPCC_SWITCH_AGENT_H

#include "ns3/hpcc-port-agent.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The switch's side of a policy. One object serves all ports of a switch. A policy, a telemetry
 * format or a subscription to switch responses requests the agent by its short name
 * (RdmaCongestionOps::Describe(), TelemetryFormat::GetSwitchAgent() and
 * RdmaSubscription::GetSwitchAgent()). A program can also pass the short name to
 * HpccFabricHelper::AddSwitchAgent(). HpccFabricHelper creates one object per switch as soon as a
 * queue pair needs the agent.
 *
 * To add an agent, derive a class in a file pair or in your own program, implement Install(),
 * register a TypeId and its short names with HpccTypeId::Presets(), and add
 * NS_OBJECT_ENSURE_REGISTERED. An agent is called for the frames of every policy, so that it can
 * measure the link. The agent recognises the frames of its policy by Frame::format.
 */
class SwitchAgent : public Object, public PortAgent
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Installs the agent at a switch, before simulated time starts.
     * @param ports ports of the switch in the order of their index
     * @param baseRtt the network's base RTT
     */
    virtual void Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt) = 0;

    /**
     * Replaces the base RTT that was passed to Install(). Called before simulated time starts.
     * @param baseRtt the network's base RTT
     * @return false if the agent uses the base RTT but cannot replace it; otherwise true
     */
    virtual bool SetBaseRtt(Time baseRtt);

    /**
     * Returns the number of bytes of a priority that a port may hold before packets of this
     * priority are trimmed. The bytes include the arriving frame and the frame being sent. Default:
     * 0, for agents that do not trim.
     * @param port index of the port
     */
    virtual uint64_t GetTrimThreshold(uint32_t port) const;

    /**
     * Uses fixed random streams.
     * @param stream first stream
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream);

    /**
     * Returns the number of streams that AssignStreams() uses at a switch owned by another rank.
     * Default: 0.
     * @param ports number of ports of the switch
     */
    virtual int64_t CountStreams(uint32_t ports) const;
};

} // namespace ns3

#endif // HPCC_SWITCH_AGENT_H
