/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-ip-checks.h"

#include "ns3/data-rate.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/simulator.h"

#include <sstream>

namespace ns3
{

void
RequireNetwork(const std::string& function, const HpccFabricHelper& fabric)
{
    HPCC_REFUSE_IF(fabric.GetNodes().GetN() == 0,
                   "ns3::" + function +
                       ": the fabric has no network yet; call HpccFabricHelper::Install() first");
    fabric.RequireComplete(function);
}

void
RequireBeforeInstall(const std::string& function, bool installed)
{
    HPCC_REFUSE_IF(installed,
                   "ns3::" + function +
                       ": installed already; call it before Install(), or use another helper for "
                       "another network");
}

void
RequireNode(const std::string& function, Ptr<const Node> node)
{
    HPCC_REFUSE_IF(!node, "ns3::" + function + ": the node is null; pass a node");
}

void
RequireStart(const std::string& function, Time start)
{
    HPCC_REFUSE_IF(start < Simulator::Now(),
                   "ns3::" + function + ": the start is " + std::to_string(start.GetNanoSeconds()) +
                       " ns; allowed is at least " +
                       std::to_string(Simulator::Now().GetNanoSeconds()) + " ns");
}

void
StartAt(Ptr<Node> node, Ptr<Application> application, Time start)
{
    application->SetStartTime(start - Simulator::Now()); // ns-3 counts this time from the call of
                                                         // AddApplication()
    node->AddApplication(application);
}

void
RequireNotSetBy(const std::string& function,
                const std::string& name,
                const std::map<std::string, std::string>& setters)
{
    const auto found = setters.find(name);
    HPCC_REFUSE_IF(found != setters.end(),
                   "ns3::" + function + ": " + name + " is not allowed; " + found->second +
                       " sets it");
}

void
RequireMinRateBelow(const std::string& name,
                    double minRateBps,
                    const std::string& line,
                    uint64_t lineRateBps)
{
    const auto least = static_cast<uint64_t>(minRateBps);
    if (least >= lineRateBps)
    {
        std::ostringstream message;
        message << name << " is " << DataRate(least) << ", allowed is below the line rate of "
                << line << ", " << DataRate(lineRateBps)
                << "; otherwise the control law cannot reduce the rate";
        throw HpccInputError(message.str());
    }
}

} // namespace ns3
