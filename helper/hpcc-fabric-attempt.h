/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FABRIC_ATTEMPT_H
#define HPCC_FABRIC_ATTEMPT_H

#include "hpcc-fabric-network.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The policies, formats and switch agents that one call of HpccFabricHelper adds to its network.
 * They take effect in Keep(). If a check throws before, the destructor removes them, so that a
 * refused call leaves no policy, no format, no agent and no limit.
 */
class HpccFabricHelper::Attempt
{
  public:
    /// Begins a call.
    /// @param fabric the helper; must not be moved while this object is in use
    explicit Attempt(const HpccFabricHelper& fabric);

    /// Removes everything that was added, unless Keep() has been called.
    ~Attempt();

    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    /**
     * Makes an agent for every switch, unless agents of this name exist. Throws HpccInputError if
     * the switches cannot run the agent. The agents run once Keep() has been called.
     * @param name short name of the SwitchAgent
     */
    void AddAgent(const std::string& name);

    /**
     * Adds a policy to those in use.
     * @param known the policies in use of the same host and format
     * @param entry the policy
     */
    void AddPolicy(std::vector<Network::PolicyInUse>& known, Network::PolicyInUse entry);

    /// Checks a telemetry format as HpccFabricHelper::CheckFormat() does, and adds the format to
    /// those in use.
    /// @param spec the policy, with its format
    void AddFormat(const PolicySpec& spec);

    /// Returns the limits that Keep() sets. Checks add limits.
    Network::Limits& GetLimits()
    {
        return m_limits;
    }

    /// Makes everything that was added permanent: sets the limits, starts the agents, fixes the
    /// selection of packets that get records, and reports the format to other ranks and to
    /// OnFormat().
    void Keep();

  private:
    using Agents = std::pair<TypeId, Ptr<TelemetryFormat>>; ///< class of agents, and the format
                                                            ///< that responders share; null: none

    /// Starts the agents of a class, and assigns streams to them.
    /// @param agents the class
    void Start(const Agents& agents);

    const HpccFabricHelper& m_fabric;                        ///< the helper
    Network& m_network;                                      ///< network of the helper
    std::vector<Agents> m_agents;                            ///< added agents, in order
    std::vector<std::vector<Network::PolicyInUse>*> m_lists; ///< lists to whose ends a policy was
                                                             ///< added, in order
    Ptr<TelemetryFormat> m_format;                           ///< the added format; null: none
    Network::Limits m_limits;                                ///< see GetLimits()
    uint8_t m_dataPriorities; ///< Network::dataPriorities before the call
    uint8_t m_relyOnShare;    ///< Network::relyOnShare before the call
    size_t m_recoveries;      ///< size of Network::recoveries before the call
    bool m_kept{false};       ///< true once Keep() has been called
};

} // namespace ns3

#endif // HPCC_FABRIC_ATTEMPT_H
