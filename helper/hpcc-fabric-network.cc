/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-network.h"

#include "ns3/rdma-entropy.h"
#include "ns3/rdma-repathing.h"

namespace ns3
{

namespace
{

/// Returns the full name of a function for a message.
/// @param function function of HpccFabricHelper, or "CLASS::FUNCTION"
std::string
NameOf(const std::string& function)
{
    return (function.find("::") == std::string::npos ? "ns3::HpccFabricHelper::" : "ns3::") +
           function;
}

} // namespace

bool
HpccFabricHelper::Network::IsHere(uint32_t node) const
{
    return !ranks || rankOf[node] == ranks->GetRank();
}

void
HpccFabricHelper::Network::RequireNotInstalled(const char* function) const
{
    HPCC_REFUSE_IF(nodes.GetN() != 0,
                   std::string("ns3::HpccFabricHelper::") + function +
                       ": Install() has built a network of " + std::to_string(nodes.GetN()) +
                       " nodes already; call it before Install()");
}

void
HpccFabricHelper::Network::RequireInstalled(const char* function) const
{
    HPCC_REFUSE_IF(nodes.GetN() == 0,
                   NameOf(function) + ": there is no network yet; call it after Install()");
}

void
HpccFabricHelper::Network::RequireNotRemoved(const char* function) const
{
    HPCC_REFUSE_IF(devices.front() && !devices.front()->GetNode(),
                   NameOf(function) +
                       ": Simulator::Destroy() has removed the network; build another one with "
                       "another HpccFabricHelper");
}

void
HpccFabricHelper::Network::RequireComplete(const char* function) const
{
    if (!complete)
    {
        RequireInstalled(function);
        throw HpccInputError(NameOf(function) +
                             ": Install() has refused the network; build another one with another "
                             "HpccFabricHelper");
    }
    RequireNotRemoved(function);
}

void
HpccFabricHelper::Network::RequireUnconnected(const char* function) const
{
    for (const auto& [source, queuePairs] : turns)
    {
        HPCC_REFUSE_IF(queuePairs > 0,
                       std::string("ns3::HpccFabricHelper::") + function + ": host " +
                           std::to_string(source) + " has connected " + std::to_string(queuePairs) +
                           " queue pairs already; call it before Connect()");
    }
}

std::string
HpccFabricHelper::Network::SetBaseRttOfAgents(int64_t rttNs) const
{
    for (const auto& [kind, running] : switchAgents)
    {
        for (const auto& [agent, node] : running.agents)
        {
            if (!agent->SetBaseRtt(NanoSeconds(rttNs)))
            {
                return kind.GetName();
            }
        }
    }
    return "";
}

void
HpccFabricHelper::Network::RefuseNode(const char* function, uint32_t node) const
{
    RequireInstalled(function);
    throw HpccInputError(std::string("ns3::HpccFabricHelper::") + function + ": node " +
                         std::to_string(node) + " does not exist; nodes are 0 to " +
                         std::to_string(nodes.GetN() - 1));
}

void
HpccFabricHelper::Network::RefuseHosts(const char* function,
                                       uint32_t source,
                                       uint32_t destination) const
{
    const std::string why =
        source == destination
            ? "both ends are node " + std::to_string(source)
            : "node " + std::to_string(topology.IsSwitch(source) ? source : destination) +
                  " is a switch";
    throw HpccInputError(std::string("ns3::HpccFabricHelper::") + function + ": " + why +
                         "; allowed are two different hosts of the topology");
}

const HpccSwitchParts&
HpccFabricHelper::Network::FindParts(uint32_t node) const
{
    const auto own = partsOf.find(node);
    return own == partsOf.end() ? parts : own->second;
}

std::optional<uint32_t>
HpccFabricHelper::Network::GetFixedPort() const
{
    if (!ports.empty() && ports.front() > '9')
    {
        return std::nullopt; // most names begin with a letter; this saves time for each flow
    }
    return ports.find_first_not_of("0123456789") == std::string::npos
               ? std::optional<uint32_t>(static_cast<uint32_t>(std::stoul(ports)))
               : std::nullopt;
}

Multipath
HpccFabricHelper::Network::GetMultipath() const
{
    return sprays ? Multipath::EVERY_PACKET : multipath;
}

bool
HpccFabricHelper::Network::SendsPathProbes() const
{
    return repaths && repathingFactory.Create<RdmaRepathing>()->SendsPathProbes();
}

int64_t
HpccFabricHelper::Network::AssignStreams(const RunningAgent& running, int64_t stream) const
{
    return IsHere(running.node)
               ? running.agent->AssignStreams(stream)
               : running.agent->CountStreams(static_cast<uint32_t>(edges[running.node].size()));
}

std::string
HpccFabricHelper::Network::NameMultipath() const
{
    return entropyFactory.IsTypeIdSet() ? "--entropy " + entropyName : "--paths " + pathsName;
}

std::string
HpccFabricHelper::Network::NameGrading() const
{
    return entropyFactory.IsTypeIdSet() && entropyFactory.Create<RdmaEntropy>()->NeedsShares()
               ? " under " + NameMultipath()
               : "";
}

HpccFabricHelper::Network::~Network()
{
    for (const auto& [format, name] : formats)
    {
        format->Release();
    }
}

NodeAgenda&
HpccFabricHelper::Network::AgendaOf(uint32_t node) const
{
    NodeAgenda& agenda = *NodeAgenda::Of(nodes.Get(node));
    if (!IsHere(node))
    {
        agenda.SetForeign();
    }
    return agenda;
}

std::vector<std::string>
HpccFabricHelper::Network::ExchangeBytes(const std::string& mine) const
{
    return ranks ? ranks->Exchange(mine) : std::vector{mine};
}

} // namespace ns3
