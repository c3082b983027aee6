/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-attribute-defaults.h"
#include "hpcc-topology.h"
#include "hpcc-word-reader.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * Reads the numbers of switches.
 * @param in the file
 * @param switches number of switches
 * @param isSwitch indexed by node; set to true for each switch
 */
void
ReadSwitches(HpccWordReader& in, uint32_t switches, std::vector<bool>& isSwitch)
{
    for (uint32_t i = 0; i < switches; ++i)
    {
        auto node = in.Read<uint32_t>("a switch");
        if (node >= isSwitch.size())
        {
            in.Refuse("switch " + std::to_string(node) + ": nodes are 0 to " +
                      std::to_string(isSwitch.size() - 1));
        }
        if (isSwitch[node])
        {
            in.Refuse("switch " + std::to_string(node) + " is listed twice");
        }
        isSwitch[node] = true;
    }
}

/**
 * Reads the links of a network.
 * @param in the file
 * @param links number of links
 * @param isSwitch true for switches, by node
 * @return the network
 */
HpccTopology
ReadLinks(HpccWordReader& in, uint32_t links, const std::vector<bool>& isSwitch)
{
    HpccTopology topology;
    for (const bool one : isSwitch)
    {
        topology.AddNode(one);
    }
    auto check = [&in](const auto& what) {
        try
        {
            what();
        }
        catch (const HpccInputError& error)
        {
            in.Refuse(error.what());
        }
    };
    for (uint32_t i = 0; i < links; ++i)
    {
        HpccTopology::Link link;
        link.a = in.Read<uint32_t>("one end of a link");
        link.b = in.Read<uint32_t>("the other end of a link");
        auto rate = in.Read<std::string>("the rate of a link");
        link.rate = ReadRate(in.GetPlace() + "the rate of a link", rate);
        auto delay = in.Read<std::string>("the delay of a link");
        if (!ReadTime(delay, link.delay))
        {
            in.Refuse("the delay of a link \"" + delay +
                      "\" is not a time in whole ns, such as 1000ns or 0.001ms");
        }
        link.errorRate = in.Read<double>("the error rate of a link");
        check([&] { topology.AddLink(link); });
    }
    if (in.HasSurplusNumber())
    {
        in.Refuse("there are more than the " + std::to_string(links) + " links announced");
    }
    check([&] { topology.Validate(); });
    return topology;
}

} // namespace

HpccTopology
HpccTopology::ReadFile(const std::string& path)
{
    HpccWordReader in(path);
    auto nodes = in.Read<uint32_t>("the number of nodes");
    auto switches = in.Read<uint32_t>("the number of switches");
    auto links = in.Read<uint32_t>("the number of links");
    if (nodes > HpccTopology::MAX_NODES || switches > nodes)
    {
        in.Refuse("at most " + std::to_string(HpccTopology::MAX_NODES) +
                  " nodes, and not more switches than nodes");
    }
    std::vector<bool> isSwitch(nodes, false);
    ReadSwitches(in, switches, isSwitch);
    return ReadLinks(in, links, isSwitch);
}

HpccTopology
HpccTopology::ReadSimAiFile(const std::string& path)
{
    HpccWordReader in(path);
    auto nodes = in.Read<uint32_t>("the number of nodes");
    auto gpus = in.Read<uint32_t>("the number of GPUs per server");
    auto inner = in.Read<uint32_t>("the number of switches in servers");
    auto switches = in.Read<uint32_t>("the number of other switches");
    auto links = in.Read<uint32_t>("the number of links");
    in.Read<std::string>("the type of GPU");
    if (nodes > HpccTopology::MAX_NODES || inner > nodes || switches > nodes - inner)
    {
        in.Refuse("at most " + std::to_string(HpccTopology::MAX_NODES) +
                  " nodes, and not more switches than nodes");
    }
    const uint32_t hosts = nodes - inner - switches;
    if (gpus == 0 || hosts % gpus != 0)
    {
        in.Refuse(std::to_string(hosts) + " GPUs are not servers of " + std::to_string(gpus));
    }
    std::vector<bool> isSwitch(nodes, false);
    ReadSwitches(in, inner + switches, isSwitch);
    return ReadLinks(in, links, isSwitch);
}

} // namespace ns3
