/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-pairs-row.h"

#include "../hpcc-ip-flows.h"

#include "ns3/hpcc-buffer-policy.h"
#include "ns3/hpcc-egress-scheduler.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-marker.h"
#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/hpcc-path-selector.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-split-at.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-feedback-part.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-recovery.h"
#include "ns3/rdma-repathing.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <sstream>

namespace ns3
{

namespace
{

/// Returns the names of all wrapped policies: the name of a policy, followed by the suffix of a
/// wrapper that extends this policy. Leaves out policies that the wrapper refuses.
std::vector<std::string>
WrappedPolicies()
{
    const TypeId base = RdmaCongestionOps::GetTypeId();
    constexpr int64_t anyRttNs = 10000;
    std::vector<std::string> wrapped;
    std::istringstream choices(HpccPresets::Choices(base));
    std::string choice;
    while (std::getline(choices >> std::ws, choice, ','))
    {
        if (choice.rfind("NAME", 0) != 0)
        {
            continue;
        }
        for (const auto& inner : HpccPresets::Names(base))
        {
            const std::string name = inner + choice.substr(4);
            const auto spec = HpccFabricHelper::MakePolicy(name);
            auto policy = spec.policy.Create<RdmaCongestionOps>();
            policy->SetNetworkBaseRtt(anyRttNs);
            TelemetryCapabilities carried{};
            carried = spec.format ? spec.format->GetCapabilities() : carried;
            if (policy->Validate(anyRttNs, spec.format ? &carried : nullptr).empty())
            {
                wrapped.push_back(name);
            }
        }
    }
    return wrapped;
}

/// Returns the class names of the loss recoveries of ns-3's TCP, without "ns3::".
std::vector<std::string>
TcpRecoveries()
{
    std::vector<std::string> names;
    const TypeId base = TypeId::LookupByName("ns3::TcpRecoveryOps");
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type != base && type.IsChildOf(base) && type.HasConstructor())
        {
            names.push_back(type.GetName().substr(5));
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// Returns the values that --paths may have.
std::vector<std::string>
Paths()
{
    std::vector<std::string> names{"ecmp"};
    for (TypeId base : {PathSelector::GetTypeId(), RdmaRepathing::GetTypeId()})
    {
        for (const auto& name : HpccPresets::Names(base))
        {
            names.push_back(name);
        }
    }
    return names;
}

} // namespace

std::map<std::string, HpccPairsFamilies>
HpccPairsRow::ListFamilies()
{
    const std::vector<std::string> formats = HpccPresets::Names(TelemetryFormat::GetTypeId());
    const HpccPairsFamilies shared{{"paths", Paths()},
                                   {"flow_control", {"pfc", "lossy"}},
                                   {"fault", {NOTHING, LOSS, FAILURE}},
                                   {"buffer", HpccPresets::Names(BufferPolicy::GetTypeId())},
                                   {"marking", HpccPresets::Names(Marker::GetTypeId())},
                                   {"scheduler", HpccPresets::Names(EgressScheduler::GetTypeId())}};
    std::vector<std::string> trimming = HpccPresets::Names(PacketTrimmer::GetTypeId());
    trimming.push_back(NOTHING);
    std::vector<std::string> entropy = HpccPresets::Names(RdmaEntropy::GetTypeId());
    entropy.push_back(NOTHING);
    std::map<std::string, HpccPairsFamilies> all;
    std::vector<std::string> policies = HpccPresets::Names(RdmaCongestionOps::GetTypeId());
    for (const auto& name : WrappedPolicies())
    {
        policies.push_back(name);
    }
    all[RDMA] = {{"policy", policies},
                 {"telemetry", formats},
                 {"feedback", HpccPresets::Names(RdmaFeedbackPart::GetTypeId())},
                 {"recovery", HpccPresets::Names(RdmaRecovery::GetTypeId())},
                 {"trimming", trimming},
                 {"ports", {ONE, "hash", "turns", "first", "1" + MOVE}},
                 {"entropy", entropy},
                 {"nic", HpccPresets::Names(RdmaNic::GetTypeId())}};
    std::map<std::string, std::set<std::string>> names;
    std::map<std::string, std::set<std::string>> feedbacks;
    for (const auto& [name, policy] : HPCC_IP_POLICIES)
    {
        const std::string transport = name.substr(0, name.find('-'));
        names[transport].insert(name);
        feedbacks[transport].insert(policy.feedbacks.begin(), policy.feedbacks.end());
    }
    for (const auto& [transport, some] : names)
    {
        std::vector<std::string> telemetry = formats;
        telemetry.push_back(OWN);
        const auto& ways = feedbacks[transport];
        all[transport] = {
            {"policy", {some.begin(), some.end()}},
            {"telemetry", telemetry},
            {"feedback", {ways.begin(), ways.end()}},
            {"recovery", transport == "udp" ? std::vector<std::string>{NOTHING} : TcpRecoveries()},
            {"trimming", {NOTHING}},
            {"ports", {ONE}},
            {"entropy", {NOTHING}},
            {"nic", {IDEAL}}};
    }
    for (auto& [transport, families] : all)
    {
        families.insert(families.end(), shared.begin(), shared.end());
    }
    return all;
}

void
HpccPairsRow::PrintFamilies(std::ostream& out)
{
    const char* outer = "";
    out << "{";
    for (const auto& [transport, families] : ListFamilies())
    {
        out << outer << "\"" << transport << "\": {";
        const char* middle = "";
        for (const auto& [family, names] : families)
        {
            out << middle << "\n  \"" << family << "\": [";
            const char* inner = "";
            for (const auto& name : names)
            {
                out << inner << "\"" << name << "\"";
                inner = ", ";
            }
            out << "]";
            middle = ",";
        }
        out << "}";
        outer = ",\n";
    }
    out << "}" << std::endl;
}

void
HpccPairsRow::Check() const
{
    const auto families = ListFamilies();
    if (families.count(transport) == 0)
    {
        std::vector<std::string> choices;
        for (const auto& [name, names] : families)
        {
            choices.push_back(name);
        }
        throw HpccInputError("--transport: unknown \"" + transport +
                             "\"; choices: " + JoinNames(choices));
    }
    HPCC_REFUSE_IF(fault != NOTHING && fault != LOSS && fault != FAILURE,
                   "--fault: unknown \"" + fault + "\"; choices: " + NOTHING + ", " + LOSS + ", " +
                       FAILURE);
}

bool
HpccPairsRow::HasTwoPaths() const
{
    return (fault == FAILURE && ports == ONE) || paths != "ecmp" || entropy != NOTHING;
}

HpccTopology
HpccPairsRow::MakeTopology(uint32_t senders,
                           const HpccTopology::LinkSpeeds& across,
                           const HpccTopology::LinkSpeeds& star) const
{
    if (ports != ONE)
    {
        return HasTwoPaths() ? HpccTopology::Planes(2 * senders, 2, 2, 2, across)
                             : HpccTopology::Planes(senders + 1, 2, 1, 0, star);
    }
    return HasTwoPaths() ? HpccTopology::LeafSpine(2, 2, senders, across)
                         : HpccTopology::Star(senders + 1, star);
}

double
HpccPairsRow::GetSackBytes() const
{
    ObjectFactory factory;
    if (!HpccPresets::Find(RdmaRecovery::GetTypeId(), recovery, factory))
    {
        return 0;
    }
    const auto terms = factory.Create<RdmaRecovery>()->GetSackTerms({1, 1, 0, 1});
    return terms ? terms->ackBytes : 0;
}

bool
HpccPairsRow::ChangesPaths() const
{
    ObjectFactory factory;
    return entropy != NOTHING || HpccPresets::Find(RdmaRepathing::GetTypeId(), paths, factory) ||
           (HpccPresets::Find(PathSelector::GetTypeId(), paths, factory) &&
            factory.Create<PathSelector>()->GetMultipath() != Multipath::NONE);
}

bool
HpccPairsRow::RestartsMessages() const
{
    ObjectFactory factory;
    return transport == RDMA && HpccPresets::Find(RdmaRecovery::GetTypeId(), recovery, factory) &&
           factory.Create<RdmaRecovery>()->RestartsMessages();
}

bool
HpccPairsRow::MayLivelock() const
{
    return ChangesPaths() && RestartsMessages();
}

} // namespace ns3
