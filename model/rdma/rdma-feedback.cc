/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-feedback.h"

#include "rdma-feedback-state.h"
#include "rdma-flow-count.h"
#include "rdma-receiver-computation.h"
#include "rdma-report.h"
#include "rdma-sampling.h"
#include "rdma-subscription.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-object-text.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-probes.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/string.h"

#include <array>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFeedback);

namespace
{

/**
 * Reads the value of an attribute. This function also checks the names of enumerators, which ns-3
 * does not check.
 * @param checker checker of the attribute
 * @param text the value as text
 * @return the value; null if the text is not allowed
 */
Ptr<AttributeValue>
ReadValue(const AttributeChecker& checker, const std::string& text)
{
    if (checker.GetValueTypeName().rfind("ns3::EnumValue", 0) == 0)
    {
        const std::string names = "|" + checker.GetUnderlyingTypeInformation() + "|";
        if (names.find("|" + text + "|") == std::string::npos)
        {
            return nullptr;
        }
    }
    return checker.CreateValidValue(StringValue(text));
}

/**
 * Finds the class of a choice and sets its attributes.
 * @param text short name, or a class with attributes
 * @param base base class of the family
 * @param factory receives the class and its attributes
 * @return false if @p text names no class of the family or contains an invalid attribute
 */
bool
FindPart(const std::string& text, TypeId base, ObjectFactory& factory)
{
    const auto object = HpccObjectText::Read(text);
    if (!object)
    {
        return HpccPresets::Find(base, text, factory);
    }
    if (object->tid != base && !object->tid.IsChildOf(base))
    {
        return false;
    }
    factory.SetTypeId(object->tid);
    for (const auto& attribute : object->attributes)
    {
        const auto value = ReadValue(*attribute.check, attribute.value);
        if (!value)
        {
            return false;
        }
        factory.Set(attribute.name, *value);
    }
    return true;
}

/**
 * Returns the name of the attribute of RdmaFeedback that selects a part of a given class.
 * @param type class of the part
 */
const char*
AttributeOf(TypeId type)
{
    const std::array<std::pair<TypeId, const char*>, 6> families{
        {{RdmaSampling::GetTypeId(), "Sampling"},
         {RdmaReturn::GetTypeId(), "Return"},
         {RdmaReport::GetTypeId(), "Report"},
         {RdmaReceiverComputation::GetTypeId(), "Computation"},
         {RdmaSubscription::GetTypeId(), "Subscription"},
         {RdmaFlowCount::GetTypeId(), "FlowCount"}}};
    for (const auto& [family, attribute] : families)
    {
        if (type == family || type.IsChildOf(family))
        {
            return attribute;
        }
    }
    throw HpccInputError(
        type.GetName() +
        " derives from RdmaFeedbackPart directly; allowed are classes derived from RdmaSampling, "
        "RdmaReturn, RdmaReport, RdmaReceiverComputation, RdmaSubscription or RdmaFlowCount");
}

} // namespace

template <typename Part, RdmaFeedback::Choice<Part> RdmaFeedback::*choice>
void
RdmaFeedback::Set(std::string text)
{
    Choice<Part>& chosen = this->*choice;
    chosen = {text, nullptr};
    if (text.empty())
    {
        return;
    }
    ObjectFactory factory;
    HPCC_REFUSE_IF(!FindPart(text, Part::GetTypeId(), factory),
                   DescribeUnknownPreset(std::string("ns3::RdmaFeedback::") +
                                             AttributeOf(Part::GetTypeId()) + ": unknown",
                                         text,
                                         Part::GetTypeId(),
                                         {"ns3::CLASS[ATTRIBUTE=VALUE|...]"}));
    chosen.part = factory.Create<Part>();
}

template <typename Part, RdmaFeedback::Choice<Part> RdmaFeedback::*choice>
std::string
RdmaFeedback::Get() const
{
    return (this->*choice).text;
}

template <typename Part, RdmaFeedback::Choice<Part> RdmaFeedback::*choice>
HpccTypeId
RdmaFeedback::AddChoice(HpccTypeId tid, const std::string& help)
{
    return tid.Attribute(
        AttributeOf(Part::GetTypeId()),
        help + " A short name, or a class with attributes.",
        HpccProperty(&RdmaFeedback::Set<Part, choice>, &RdmaFeedback::Get<Part, choice>, "")
            .template FixedAfter<RdmaFeedback>(
                "the first Connect() with the object",
                [](const RdmaFeedback& feedback) { return feedback.m_fixed; }));
}

TypeId
RdmaFeedback::GetTypeId()
{
    static TypeId tid = [] {
        TypeId made =
            HpccTypeId::Of<RdmaFeedback, RdmaFeedbackPart>("ns3::RdmaFeedback")
                .Presets("packet;switch:per-rtt=Sampling:per-rtt,Subscription:switch:dscp;"
                         "receiver:n=Computation:receiver,FlowCount:packet:n;"
                         "receiver:switch=Computation:receiver,Subscription:switch;"
                         "roce-reference=Sampling:probe,Report:packet:worst-hop;"
                         "roce-reference:strict=Sampling:probe,Report:ns3::RdmaBottleneckReport["
                         "Bare=true]");
        made = AddChoice<RdmaSampling, &RdmaFeedback::m_sampling>(
            made,
            "Which data packets collect telemetry; empty: all.");
        made = AddChoice<RdmaReturn, &RdmaFeedback::m_return>(
            made,
            "Which messages return telemetry; empty: each ACK.");
        made = AddChoice<RdmaReport, &RdmaFeedback::m_report>(
            made,
            "Hop whose record is returned; empty: all hops.");
        made = AddChoice<RdmaReceiverComputation, &RdmaFeedback::m_computation>(
            made,
            "How the receiver computes; empty: the sender computes.");
        made = AddChoice<RdmaSubscription, &RdmaFeedback::m_subscription>(
            made,
            "How data packets subscribe to responses by switches; empty: no subscription.");
        return AddChoice<RdmaFlowCount, &RdmaFeedback::m_flowCount>(
            made,
            "How the receiver counts flows; empty: flows are not counted.");
    }();
    return tid;
}

RdmaFeedback::RdmaFeedback() = default;

RdmaFeedback::~RdmaFeedback() = default;

bool
RdmaFeedback::Find(const std::string& name, ObjectFactory& factory)
{
    ObjectFactory found;
    if (!HpccPresets::Find(RdmaFeedbackPart::GetTypeId(), name, found))
    {
        return false;
    }
    if (found.GetTypeId() == GetTypeId() || found.GetTypeId().IsChildOf(GetTypeId()))
    {
        factory = found;
        return true;
    }
    factory = ObjectFactory();
    factory.SetTypeId(GetTypeId());
    factory.Set(AttributeOf(found.GetTypeId()), StringValue(name));
    return true;
}

std::string
RdmaFeedback::GetSwitchAgent() const
{
    return m_subscription.part ? m_subscription.part->GetSwitchAgent(ComputesAtReceiver()) : "";
}

uint8_t
RdmaFeedback::GetReportFlag() const
{
    if (!m_report.part)
    {
        return 0;
    }
    return m_report.part->IsBare() ? REFLECTION_BARE_HOP : REFLECTION_BOTTLENECK_HOP;
}

std::string
RdmaFeedback::CheckFormat(const TelemetryFormat& format) const
{
    const std::array<const RdmaFeedbackPart*, 6> parts{PeekPointer(m_sampling.part),
                                                       PeekPointer(m_return.part),
                                                       PeekPointer(m_report.part),
                                                       PeekPointer(m_computation.part),
                                                       PeekPointer(m_subscription.part),
                                                       PeekPointer(m_flowCount.part)};
    for (const auto* part : parts)
    {
        if (const std::string why = part ? part->CheckFormat(format) : ""; !why.empty())
        {
            return why;
        }
    }
    return "";
}

std::string
RdmaFeedback::ValidateFor(RdmaCongestionOps& policy,
                          const TelemetryCapabilities& telemetry,
                          int64_t networkBaseRttNs) const
{
    if (IsDefault())
    {
        return {}; // every flow is checked, and most use the default
    }
    const RdmaReturn::Description returns = DescribeReturn();
    const bool inAcks = returns.returnInterval != 1 || returns.largestQueue || returns.measures;
    if (ComputesAtReceiver())
    {
        // The receiver uses the telemetry itself and does not return it.
        const std::string returned = SendsProbes()                ? "Sampling " + m_sampling.text
                                     : returns.notifies || inAcks ? "Return " + m_return.text
                                     : m_report.part              ? "Report " + m_report.text
                                                                  : "";
        if (!returned.empty())
        {
            return "ns3::RdmaFeedback::" + returned + " is not allowed with Computation " +
                   m_computation.text + ", which returns no telemetry";
        }
        if (const std::string why = policy.ValidateReceiver(); !why.empty())
        {
            return "ns3::RdmaFeedback::Computation is " + m_computation.text + ": " + why;
        }
    }
    if (SendsProbes() && m_subscription.part &&
        m_subscription.part->GetDscp() == RdmaSubscription::NO_DSCP)
    {
        return "ns3::RdmaFeedback::Subscription is " + m_subscription.text +
               ", which requires telemetry in data packets, but with Sampling " + m_sampling.text +
               " data packets carry none; allowed is switch:dscp";
    }
    if (IsNotified() && inAcks)
    {
        return "ns3::RdmaFeedback::Return is " + m_return.text +
               ", but probes are answered by notifications; allowed are notification, and an "
               "ns3::RdmaAckReturn that sets only AckInterval, such as packet:delayed-ack";
    }
    if (CountsFlows() && telemetry.pathExtreme)
    {
        return "ns3::RdmaFeedback::FlowCount is " + m_flowCount.text +
               ", but with a telemetry format that does not identify the last hop, flows cannot "
               "be counted; allowed is an empty value";
    }
    if (CountsFlows() && GetCountWindowNs(networkBaseRttNs) == 0)
    {
        return "ns3::RdmaFlowCount::Window is 0 and the base RTT of the network is unknown; "
               "allowed is above 0";
    }
    return "";
}

int64_t
RdmaFeedback::GetCountWindowNs(int64_t networkBaseRttNs) const
{
    return m_flowCount.part ? m_flowCount.part->GetWindowNs(networkBaseRttNs) : 0;
}

bool
RdmaFeedback::SampleAsksForAck() const
{
    return m_sampling.part && !IsNotified() && m_sampling.part->AsksForAck();
}

bool
RdmaFeedback::ReportsBareHop() const
{
    return m_report.part && m_report.part->IsBare();
}

bool
RdmaFeedback::SendsProbes() const
{
    return m_sampling.part && m_sampling.part->Describe().probes;
}

bool
RdmaFeedback::IsPrompt() const
{
    return DescribeReturn().returnInterval == 1 &&
           (!m_sampling.part || m_sampling.part->Describe().interval > 0);
}

bool
RdmaFeedback::IsSparse(double packetsPerRtt) const
{
    if (DescribeReturn().returnInterval > 1)
    {
        return true;
    }
    const uint32_t interval = m_sampling.part ? m_sampling.part->Describe().interval : 1;
    return m_sampling.part && (interval == 0 || interval > packetsPerRtt);
}

uint32_t
RdmaFeedback::PacketsPerRecord(uint32_t hostAckInterval) const
{
    const bool all = !m_sampling.part;
    if (IsNotified() || ComputesAtReceiver())
    {
        return all ? 0 : 1;
    }
    const RdmaReturn::Description returns = DescribeReturn();
    const uint32_t perAck = returns.ackInterval > 0 ? returns.ackInterval : hostAckInterval;
    const uint32_t packets = (SampleAsksForAck() ? 1 : perAck) * returns.returnInterval;
    return all && packets == 1 ? 0 : packets;
}

std::string
RdmaFeedback::ValidateForPathProbes() const
{
    if (m_sampling.part && m_sampling.part->Describe().byChance)
    {
        return "ns3::RdmaFeedback::Sampling is " + m_sampling.text +
               ", so flows would use up their moves at random; allowed are samplings that do not "
               "decide at random, such as every-8 and per-rtt";
    }
    if (m_computation.part && m_computation.part->GetCommitRule() == RdmaReceiverInfo::TIME)
    {
        return "ns3::RdmaReceiverComputation::CommitRule is Time, so a flow does not converge to "
               "its share of a new path; allowed is Epoch";
    }
    return "";
}

void
RdmaFeedback::Open(RdmaFeedbackState& state, int64_t networkBaseRttNs) const
{
    state.how = this;
    if (SendsProbes())
    {
        state.probes = std::make_unique<HpccProbes>();
        state.probes->Open(networkBaseRttNs);
    }
    else if (m_sampling.part)
    {
        state.sampling = m_sampling.part->Open(networkBaseRttNs);
    }
}

} // namespace ns3
