/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-attribute-defaults.h"
#include "hpcc-drop-report.h"
#include "hpcc-experiment-checks.h"
#include "hpcc-rate-lists.h"

#include "ns3/double.h"
#include "ns3/hpcc-buffer-policy.h"
#include "ns3/hpcc-egress-scheduler.h"
#include "ns3/hpcc-presets.h"
#include "ns3/pointer.h"
#include "ns3/qbb-net-device.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-fixed-rate.h"
#include "ns3/rdma-host.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-recovery.h"
#include "ns3/rdma-sampling.h"
#include "ns3/rdma-subscription.h"
#include "ns3/string.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <vector>

// The part of HpccExperiment that refuses two kinds of attributes of hosts: those that have no
// effect on any run, and those with a value that no run can use.

namespace ns3
{

namespace
{

constexpr const char* NAK_INTERVAL = "ns3::RdmaHost::NakInterval";
constexpr const char* COUNT_FLOWS = "CountFlows";
constexpr const char* QUANTUM = "ns3::QbbNetDevice::Quantum";
const std::string HEADROOM =
    "::Headroom"; ///< start of the attributes of a BufferPolicy for headroom

/// Attributes of a port that have an effect only on packets of ns-3's IP stack.
constexpr std::array<const char*, 4> OF_STACK{"ns3::QbbNetDevice::Gro",
                                              "ns3::QbbNetDevice::QueueLimit",
                                              "ns3::QbbNetDevice::QueueStop",
                                              "ns3::QbbNetDevice::Tso"};

/// An attribute of an object at a node. It has an effect only if another attribute of the object
/// has a certain value.
struct Dependent
{
    const char* owner;     ///< class of both attributes
    const char* attribute; ///< the attribute
    const char* other;     ///< the other attribute
    const char* needed;    ///< value that the other attribute must have
};

constexpr std::array<Dependent, 3> DEPENDENT{
    {{"ns3::RdmaHost", "AuthorsHeaderBytes", "WireProfile", "Authors"},
     {"ns3::HpccTcpNic", "CountWindow", COUNT_FLOWS, "true"},
     {"ns3::HpccUdpNic", "CountWindow", COUNT_FLOWS, "true"}}};

/// Returns the option that sets a dependent attribute.
std::string
OptionOf(const Dependent& dependent)
{
    return std::string(dependent.owner) + "::" + dependent.attribute;
}

/**
 * Returns true if an object of some node has the value that a dependent attribute needs.
 * @param fabric the network
 * @param dependent the attribute
 */
bool
IsConditionMet(const HpccFabricHelper& fabric, const Dependent& dependent)
{
    TypeId owner;
    if (!TypeId::LookupByNameFailSafe(dependent.owner, &owner))
    {
        return false;
    }
    const NodeContainer& nodes = fabric.GetNodes();
    return std::any_of(nodes.Begin(), nodes.End(), [&](const Ptr<Node>& node) {
        StringValue value;
        const auto object = node->GetObject<Object>(owner);
        return object && object->GetAttributeFailSafe(dependent.other, value) &&
               value.Get() == dependent.needed;
    });
}

/**
 * Returns true if some node has ns-3's IP stack.
 * @param fabric the network
 */
bool
HasStack(const HpccFabricHelper& fabric)
{
    const NodeContainer& nodes = fabric.GetNodes();
    return std::any_of(nodes.Begin(), nodes.End(), [](const Ptr<Node>& node) {
        TypeId layer;
        return (TypeId::LookupByNameFailSafe("ns3::Ipv4", &layer) &&
                node->GetObject<Object>(layer)) ||
               (TypeId::LookupByNameFailSafe("ns3::Ipv6", &layer) &&
                node->GetObject<Object>(layer));
    });
}

/**
 * Returns true if the quantum of a port may have an effect. This is the case if priorities have
 * weights, if the scheduler's attribute Sharing is All, or if the scheduler has no attribute
 * Sharing.
 * @param device the port; may be null
 */
bool
UsesQuantum(const Ptr<QbbNetDevice>& device)
{
    if (!device)
    {
        return false;
    }
    StringValue weights;
    device->GetAttribute("Weights", weights);
    StringValue sharing;
    const bool shares =
        !device->GetScheduler().GetAttributeFailSafe("Sharing", sharing) || sharing.Get() == "All";
    return shares || !weights.Get().empty();
}

/// Returns the rates of all ports that this process simulates, bit/s.
std::set<uint64_t>
RatesOf(const HpccFabricHelper& fabric)
{
    std::set<uint64_t> rates;
    for (const auto& device : fabric.GetDevices())
    {
        if (device)
        {
            rates.insert(device->GetRateBps());
        }
    }
    return rates;
}

} // namespace

HpccExperiment::Checks::Specs
HpccExperiment::Checks::ListSpecs(const std::vector<Plan>& plans, const Scenario& scenario) const
{
    Specs specs;
    for (size_t i = 0; !scenario.drive && i < plans.size(); ++i)
    {
        const size_t flows = scenario.tunePolicy ? scenario.flows.size() : 0;
        for (size_t flow = 0; flow < flows; ++flow)
        {
            specs.push_back(plans[i].spec);
            scenario.tunePolicy(flow, specs.back().policy);
        }
        if (!scenario.tunePolicy)
        {
            specs.push_back(plans[i].spec);
        }
    }
    for (const std::string& policy : scenario.beside)
    {
        specs.push_back(m_experiment.RdmaSpecOf(policy));
    }
    return specs;
}

bool
HpccExperiment::Checks::HasUnnamedPolicies(const Scenario& scenario) const
{
    return m_values.besideRdma && scenario.beside.empty();
}

void
HpccExperiment::Checks::CheckHosts(const Specs& specs, Time stop, bool repaths) const
{
    const std::string host = RdmaHost::GetTypeId().GetName();
    const std::string recovery = m_experiment.GetRecovery();
    bool sacks = false;
    if (ObjectFactory factory; HpccPresets::Find(RdmaRecovery::GetTypeId(), recovery, factory))
    {
        constexpr RdmaRecovery::Path path{1000000000, 1000, 10000, 1};
        constexpr RdmaRecovery::Path later{1000000000, 1000, 10000, 2};
        const auto scheme = factory.Create<RdmaRecovery>();
        if (scheme->GetLimits(path).timeoutNs == scheme->GetLimits(later).timeoutNs)
        {
            m_experiment.RefuseGiven({host + "::RetransmitTimeout"},
                                     "--recovery " + recovery + " has its own time-out");
        }
        sacks = scheme->UsesSacks();
        if (sacks)
        {
            m_experiment.RefuseGiven({host + "::AckDelay"},
                                     "--recovery " + recovery + " does not delay its SACKs");
        }
    }
    using Spec = HpccFabricHelper::PolicySpec;
    const auto none = [&specs](const std::function<bool(const Spec&)>& uses) {
        return std::none_of(specs.begin(), specs.end(), uses);
    };
    if (!repaths &&
        none([](const Spec& spec) { return spec.feedback && spec.feedback->SendsProbes(); }))
    {
        m_experiment.RefuseGiven({host + "::ProbeDscp", host + "::ProbeSpacing"},
                                 "no feedback of this run sends probes");
    }
    const std::string from = host + "::DishonestFrom";
    if (none([](const Spec& spec) { return spec.format != nullptr; }))
    {
        m_experiment.RefuseGiven({host + "::FeedbackKey", from},
                                 "no policy of this run reads telemetry");
    }
    if (m_experiment.IsGiven(from) && Time(m_experiment.m_given.at(from)) >= stop)
    {
        m_experiment.RefuseGiven({from}, "the run ends before");
    }
    const std::string interval = host + "::AckInterval";
    const auto given = m_experiment.m_given.find(interval);
    const bool several = given != m_experiment.m_given.end() && std::stoull(given->second) > 1;
    const auto counts = [several](const Spec& spec) {
        const auto& feedback = spec.feedback;
        const uint32_t own = feedback ? feedback->DescribeReturn().ackInterval : 0;
        return own == 0 ? several : own > 1;
    };
    if (std::all_of(specs.begin(), specs.end(), counts))
    {
        m_experiment.RefuseGiven({"ns3::RdmaSack::AckBytes"},
                                 "AckInterval gives the packets per SACK");
    }
    const std::string atOnce = "every packet is acknowledged at once; give --" + interval + " too";
    if (none(counts))
    {
        m_experiment.RefuseGiven({host + "::AckDelay"}, atOnce);
    }
    CheckFeedbacks(specs, none(counts) && !sacks, atOnce);
    CheckPacing(specs);
    CheckDelays();
}

void
HpccExperiment::Checks::CheckFeedbacks(const Specs& specs,
                                       bool acksAtOnce,
                                       const std::string& why) const
{
    const auto any = [&specs](const std::function<bool(const RdmaFeedback&)>& has) {
        return std::any_of(specs.begin(), specs.end(), [&has](const auto& spec) {
            return spec.feedback && has(*spec.feedback);
        });
    };
    const auto setsInterval = [](const auto& spec) {
        return spec.feedback && spec.feedback->DescribeReturn().ackInterval > 0;
    };
    if (std::all_of(specs.begin(), specs.end(), setsInterval))
    {
        m_experiment.RefuseGiven({RdmaHost::GetTypeId().GetName() + "::AckInterval"},
                                 "the feedback sets ns3::RdmaAckReturn::AckInterval");
    }
    const std::string asks = "ns3::RdmaSampling::AsksForAck";
    if (any([](const RdmaFeedback& feedback) { return feedback.SendsProbes(); }) &&
        !any([](const RdmaFeedback& feedback) {
            return feedback.GetSampling() && !feedback.SendsProbes();
        }))
    {
        m_experiment.RefuseGiven({asks}, "probes collect the telemetry");
    }
    if (acksAtOnce &&
        any([](const RdmaFeedback& feedback) { return feedback.GetSampling() != nullptr; }))
    {
        m_experiment.RefuseGiven({asks}, why);
    }
    const auto byDscp = [](const RdmaFeedback& feedback) {
        const auto& subscription = feedback.GetSubscription();
        return subscription && subscription->GetDscp() != RdmaSubscription::NO_DSCP;
    };
    if (any([](const RdmaFeedback& feedback) { return feedback.GetSubscription() != nullptr; }))
    {
        if (!any(byDscp))
        {
            m_experiment.RefuseGiven({"ns3::SwitchResponder::SubscribedDscp"},
                                     "packets subscribe by a flag");
        }
        if (!any([&byDscp](const RdmaFeedback& feedback) {
                return byDscp(feedback) && feedback.GetSampling();
            }))
        {
            m_experiment.RefuseGiven({"ns3::SwitchResponder::Format"},
                                     "every packet that subscribes carries telemetry, and the "
                                     "response has its format");
        }
    }
}

void
HpccExperiment::Checks::CheckDelays() const
{
    const std::string nic = RdmaNic::GetTypeId().GetName() + "::";
    for (const auto& [option, value] : m_experiment.m_given)
    {
        for (TypeId filled :
             {DeterministicRandomVariable::GetTypeId(), EmpiricalRandomVariable::GetTypeId()})
        {
            HPCC_REFUSE_IF(option.rfind(nic, 0) == 0 &&
                               value.find(filled.GetName()) != std::string::npos,
                           "--" + option + ": " + filled.GetName() +
                               " takes its values from a program, not from attributes; "
                               "allowed are other random variables");
        }
    }
}

void
HpccExperiment::Checks::RefuseOfPolicies(const Specs& specs,
                                         const std::string& attribute,
                                         const std::string& why) const
{
    const HpccAttributeDefaults::Unobserved unobserved;
    for (const auto& spec : specs)
    {
        const auto policy = spec.policy.Create<RdmaCongestionOps>();
        PointerValue inner; // the policy that a wrapper uses
        const bool wraps = policy->GetAttributeFailSafe("Inner", inner) && inner.GetObject();
        const TypeId tid =
            wraps ? inner.GetObject()->GetInstanceTypeId() : policy->GetInstanceTypeId();
        m_experiment.RefuseGiven({tid.GetName() + "::" + attribute}, why);
    }
}

void
HpccExperiment::Checks::CheckCnps(const Specs& specs) const
{
    const std::string host = RdmaHost::GetTypeId().GetName();
    const std::string turnaround = RdmaNic::GetTypeId().GetName() + "::CnpTurnaround";
    const std::string echo = host + "::CongestionEcho";
    const bool answered = std::any_of(specs.begin(), specs.end(), [](const auto& spec) {
        return spec.Describe().cnps;
    });
    const bool notified = std::any_of(specs.begin(), specs.end(), [](const auto& spec) {
        return spec.Describe().receiverPart ||
               (spec.feedback && spec.feedback->ComputesAtReceiver());
    });
    std::string why;
    if (!answered)
    {
        why = "no policy of this run uses CNPs";
        m_experiment.RefuseGiven({echo}, why);
    }
    else if (!m_values.returnsByCnp)
    {
        why = echo + "=Ack returns marks without CNPs";
    }
    if (!why.empty())
    {
        m_experiment.RefuseGiven({host + "::CnpInterval"}, why);
    }
    if (!m_values.returnsByAck)
    {
        RefuseOfPolicies(specs, "EchoInterval", echo + "=Cnp returns marks without ACKs");
    }
    const auto given = m_experiment.m_given.find(host + "::CnpInterval");
    if (given != m_experiment.m_given.end() && Time(given->second).IsStrictlyPositive())
    {
        RefuseOfPolicies(specs, "CnpInterval", "--" + given->first + " sets it");
    }
    else if (!why.empty())
    {
        RefuseOfPolicies(specs, "CnpInterval", why);
    }
    if (!why.empty() && !notified)
    {
        m_experiment.RefuseGiven({turnaround}, why);
        if (m_values.ackPriority != "high")
        {
            m_experiment.RefuseGiven({host + "::CnpDscp"}, why);
        }
    }
}

void
HpccExperiment::Checks::CheckPacing(const Specs& specs) const
{
    const HpccAttributeDefaults::Unobserved unobserved;
    if (std::all_of(specs.begin(), specs.end(), [](const auto& spec) {
            const auto policy = spec.policy.template Create<RdmaCongestionOps>();
            const auto* fixed = dynamic_cast<const RdmaFixedRate*>(PeekPointer(policy));
            return fixed && fixed->KeepsLineRate();
        }))
    {
        const std::string host = RdmaHost::GetTypeId().GetName();
        m_experiment.RefuseGiven({host + "::PaceByRate", host + "::RetimePending"},
                                 "no policy of this run sets a rate");
    }
}

void
HpccExperiment::Checks::NoteDependents(const HpccFabricHelper& fabric)
{
    const auto note = [this](const std::string& option, const std::function<bool()>& acts) {
        if (m_experiment.IsGiven(option) && m_values.acting.count(option) == 0 && acts())
        {
            m_values.acting.insert(option);
        }
    };
    for (const Dependent& dependent : DEPENDENT)
    {
        note(OptionOf(dependent), [&] { return IsConditionMet(fabric, dependent); });
    }
    note(QUANTUM, [&fabric] {
        const auto& devices = fabric.GetDevices();
        return std::any_of(devices.begin(), devices.end(), UsesQuantum);
    });
    for (const char* option : OF_STACK)
    {
        // In a distributed run, a process may simulate only switches. Such a process cannot find
        // out whether hosts have a stack. Therefore assume that they have one.
        note(option, [&] { return m_experiment.GetRanks() || HasStack(fabric); });
    }
    for (const auto& [option, list] : HpccRateList::All())
    {
        note(option, [&, &name = option, &kind = list] {
            return kind.Acts(m_experiment.m_given.at(name), RatesOf(fabric));
        });
    }
}

void
HpccExperiment::Checks::CheckDependents() const
{
    const auto check = [this](const std::string& option, const std::string& why) {
        if (m_values.acting.count(option) == 0)
        {
            m_experiment.RefuseGiven({option}, why);
        }
    };
    for (const Dependent& dependent : DEPENDENT)
    {
        check(OptionOf(dependent),
              std::string("no ") + dependent.owner + " of this run has " + dependent.other + " " +
                  dependent.needed);
    }
    check(QUANTUM, "no port has Weights or a scheduler that shares it by bytes");
    for (const char* option : OF_STACK)
    {
        check(option, "no host of this run has ns-3's IP stack");
    }
    for (const auto& [option, list] : HpccRateList::All())
    {
        check(option, list.DescribeRefusal(""));
    }
}

void
HpccExperiment::Checks::Warn(const std::vector<std::string>& warnings) const
{
    for (const std::string& warning : warnings)
    {
        std::cerr << m_values.name << ": warning: " << warning << std::endl;
    }
}

void
HpccExperiment::Checks::WarnOfHeadroom(const HpccFabricHelper& fabric) const
{
    // Programs set a small headroom only to do as another simulator does.
    bool given = false; // the same at all ranks, which must all call DescribeHeadroom()
    for (const auto& [option, value] : m_experiment.m_given)
    {
        const size_t colons = option.rfind("::");
        TypeId tid;
        given = given || (colons != std::string::npos &&
                          option.compare(colons, HEADROOM.size(), HEADROOM) == 0 &&
                          TypeId::LookupByNameFailSafe(option.substr(0, colons), &tid) &&
                          tid.IsChildOf(BufferPolicy::GetTypeId()));
    }
    const std::string warning = given ? HpccDropReport::DescribeHeadroom(fabric) : "";
    if (!warning.empty() && m_values.warns)
    {
        Warn({warning});
    }
}

void
HpccExperiment::Checks::WarnOfTimeout(const HpccFabricHelper& fabric) const
{
    ObjectFactory factory;
    if (!m_values.warns ||
        !HpccPresets::Find(RdmaRecovery::GetTypeId(), m_experiment.GetRecovery(), factory))
    {
        return;
    }
    const HpccAttributeDefaults::Unobserved unobserved;
    const auto scheme = factory.Create<RdmaRecovery>();
    const int64_t baseRttNs = fabric.GetNetworkBaseRttNs();
    const auto limits = scheme->GetLimits({1000000000, 1000, baseRttNs, INT64_MAX});
    if (limits.fewPackets > 0 && limits.shortTimeoutNs <= baseRttNs)
    {
        Warn({factory.GetTypeId().GetName() + ": the time-out for at most " +
              std::to_string(limits.fewPackets) + " packets in flight, " +
              std::to_string(limits.shortTimeoutNs) +
              " ns, does not exceed the largest base RTT of the network, " +
              std::to_string(baseRttNs) +
              " ns, so packets may be retransmitted although none is lost"});
    }
}

RdmaSettingWarnings::Flows
HpccExperiment::Checks::DescribeFlows(const HpccFabricHelper& fabric, bool several)
{
    RdmaSettingWarnings::Flows flows{};
    flows.several = several;
    for (uint32_t host : fabric.GetTopology().GetHosts())
    {
        if (fabric.IsHere(host))
        {
            const auto own = fabric.GetHost(host);
            const uint64_t rate = own->GetPort().GetRateBps();
            flows.slowestBps = flows.slowestBps ? std::min(flows.slowestBps, rate) : rate;
            flows.packetBytes = std::max(flows.packetBytes, own->GetMtu());
        }
    }
    return flows;
}

void
HpccExperiment::Checks::WarnOfOther(const Plan& plan,
                                    const HpccFabricHelper& fabric,
                                    bool several) const
{
    const auto other = m_values.otherPolicies.find(plan.policy);
    if (!m_values.warns || other == m_values.otherPolicies.end())
    {
        return;
    }
    const HpccAttributeDefaults::Unobserved unobserved; // no flow uses the object that is created
                                                        // below
    ObjectFactory factory;
    factory.SetTypeId(other->second.className);
    const auto algorithm = factory.Create<Object>();
    const int64_t baseRttNs = fabric.GetNetworkBaseRttNs();
    const TypeId tid = factory.GetTypeId();
    TypeId::AttributeInformation info;
    if (tid.LookupAttributeByName("T", &info) &&
        DynamicCast<const TimeValue>(info.initialValue)->Get().IsZero())
    {
        // Flows get T of the network from the NIC.
        algorithm->SetAttribute("T", TimeValue(NanoSeconds(baseRttNs)));
    }
    DoubleValue wai;
    if (tid.LookupAttributeByName("N", &info) && !m_experiment.IsGiven(tid.GetName() + "::N") &&
        !m_experiment.IsGiven("expected-flows") && algorithm->GetAttributeFailSafe("Wai", wai) &&
        wai.Get() > 0)
    {
        // Not the user but the program has set N, so do not warn that Wai replaces N.
        algorithm->SetAttribute("N", *info.originalInitialValue);
    }
    const bool countsFlows =
        std::any_of(DEPENDENT.begin(), DEPENDENT.end(), [&fabric](const Dependent& dependent) {
            return std::string(dependent.other) == COUNT_FLOWS && IsConditionMet(fabric, dependent);
        });
    Warn(RdmaSettingWarnings::FindOfAny(*algorithm, baseRttNs, countsFlows));
    Warn(RdmaSettingWarnings::FindOfIncrease(*algorithm,
                                             DescribeFlows(fabric, several && !countsFlows)));
}

void
HpccExperiment::Checks::NoteHosts(const HpccFabricHelper& fabric)
{
    m_values.assumesQuiet = m_values.assumesQuiet || fabric.GetThinning() != THINNED_BY_TIME;
    for (uint32_t host : fabric.GetTopology().GetHosts())
    {
        StringValue echo;
        if (fabric.IsHere(host) && !(m_values.returnsByCnp && m_values.returnsByAck))
        {
            fabric.GetHost(host)->GetAttribute("CongestionEcho", echo);
            (echo.Get() == "Ack" ? m_values.returnsByAck : m_values.returnsByCnp) = true;
        }
    }
    if (!m_experiment.IsGiven(NAK_INTERVAL))
    {
        return;
    }
    const HpccTopology& topology = fabric.GetTopology();
    uint64_t fastestBps = 0;
    for (const auto& link : topology.GetLinks())
    {
        fastestBps =
            std::max({fastestBps, link.rate.GetBitRate(), link.GetRateBack().GetBitRate()});
    }
    for (uint32_t node = 0; node < topology.GetNodes(); ++node)
    {
        StringValue name;
        ObjectFactory factory;
        if (topology.IsSwitch(node) || m_values.sendsNaks ||
            !fabric.GetHost(node)->GetAttributeFailSafe("Recovery", name) ||
            !HpccPresets::Find(RdmaRecovery::GetTypeId(), name.Get(), factory))
        {
            continue;
        }
        const uint32_t mtu = fabric.GetHost(node)->GetMtu();
        m_values.sendsNaks = factory.Create<RdmaRecovery>()->DropsOutOfOrder(
            {fastestBps, mtu, fabric.GetNetworkBaseRttNs(), 1});
    }
}

void
HpccExperiment::Checks::CheckNoted(const std::vector<Plan>& plans, const Scenario& scenario) const
{
    const Specs specs = HasUnnamedPolicies(scenario) ? Specs{} : ListSpecs(plans, scenario);
    if (!specs.empty())
    {
        CheckCnps(specs);
        if (!m_values.assumesQuiet)
        {
            RefuseOfPolicies(specs, "QuietLoad", "switches insert records at intervals");
        }
    }
    if (!m_values.sendsNaks)
    {
        m_experiment.RefuseGiven({NAK_INTERVAL},
                                 "--recovery " + m_experiment.GetRecovery() +
                                     " drops no out-of-order packet");
    }
}

} // namespace ns3
