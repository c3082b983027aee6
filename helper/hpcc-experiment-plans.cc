/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-experiment-plans.h"

#include "ns3/config.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-split-at.h"
#include "ns3/string.h"

#include <algorithm>
#include <map>

// The part of HpccExperiment that derives the simulations from policies, formats and feedback
// modes.

namespace ns3
{

std::vector<HpccExperiment::Plan>
HpccExperiment::Planner::MakePlans() const
{
    std::vector<std::string> formats = SplitAt(m_values.telemetry, ',');
    if (formats.empty())
    {
        formats.emplace_back();
    }
    std::vector<Plan> plans;
    for (const auto& policy : m_values.policies)
    {
        for (const auto& format : formats)
        {
            for (const auto& feedback : m_values.feedbacks)
            {
                Plan plan{policy, SpecOf(policy, format, feedback), policy, format, ""};
                const bool first =
                    &format == &formats.front() && &feedback == &m_values.feedbacks.front();
                const bool varies = plan.spec.feedbackName != "none";
                if (!varies && !first)
                {
                    continue;
                }
                if (varies)
                {
                    plan.label += formats.size() > 1 ? "/" + format : "";
                    plan.label += m_values.feedbacks.size() > 1 ? "/" + feedback : "";
                }
                for (const auto& variant : m_values.variants)
                {
                    if (variant.telemetryOnly && !varies)
                    {
                        continue;
                    }
                    plans.push_back(plan);
                    plans.back().variant = variant.name;
                    plans.back().label += variant.name.empty() ? "" : "/" + variant.name;
                    SetAttributes(policy, plans.back().spec, variant.attributes);
                }
            }
        }
    }
    return plans;
}

HpccFabricHelper::PolicySpec
HpccExperiment::Planner::SpecOf(const std::string& policy,
                                const std::string& telemetry,
                                const std::string& feedback) const
{
    if (!m_values.otherPolicies.empty())
    {
        return OtherSpecOf(policy, telemetry, feedback);
    }
    auto spec = HpccFabricHelper::MakePolicy(policy, telemetry, feedback);
    SetAttributes(policy, spec, GetShared());
    return spec;
}

HpccFabricHelper::PolicySpec
HpccExperiment::RdmaSpecOf(const std::string& policy,
                           const std::string& telemetry,
                           const std::map<std::string, std::string>& attributes) const
{
    ObjectFactory known;
    HPCC_REFUSE_IF(!HpccPresets::Find(RdmaCongestionOps::GetTypeId(), policy, known),
                   DescribeUnknownPreset(m_values->name + ": unknown policy",
                                         policy,
                                         RdmaCongestionOps::GetTypeId()));
    m_values->besideRdma = true;
    auto spec = HpccFabricHelper::MakePolicy(policy, telemetry);
    auto values = Planner(*this).GetShared();
    values.insert(attributes.begin(), attributes.end());
    for (auto& [attribute, value] : values)
    {
        value = Planner(*this).IsGivenAlone(spec.policy.GetTypeId(), attribute) ? "" : value;
    }
    Planner(*this).SetAttributes(policy, spec, values);
    return spec;
}

HpccFabricHelper::PolicySpec
HpccExperiment::Planner::OtherSpecOf(const std::string& policy,
                                     const std::string& telemetry,
                                     const std::string& feedback) const
{
    auto found = m_values.otherPolicies.find(policy);
    if (found == m_values.otherPolicies.end())
    {
        std::vector<std::string> names;
        for (const auto& entry : m_values.otherPolicies)
        {
            names.push_back(entry.first);
        }
        throw HpccInputError(DescribeUnknown("--cc: unknown policy", policy, names));
    }
    const OtherPolicy& other = found->second;
    const auto& allowed = other.feedbacks;
    HPCC_REFUSE_IF(!allowed.empty() &&
                       std::find(allowed.begin(), allowed.end(), feedback) == allowed.end(),
                   DescribeUnknown("--feedback: " + policy + " has no", feedback, allowed));
    const TypeId tid = TypeId::LookupByName(other.className);
    for (const auto& [attribute, value] : GetShared())
    {
        TypeId::AttributeInformation info;
        if (!value.empty() && tid.LookupAttributeByName(attribute, &info) &&
            !IsGivenAlone(tid, attribute))
        {
            Config::SetDefault(other.className + "::" + attribute,
                               *ReadAttribute(policy + ": " + attribute, info.checker, value));
            m_values.taken.insert(attribute);
        }
    }
    HpccFabricHelper::PolicySpec spec = HpccFabricHelper::MakePolicy("none");
    const auto own = other.ownTelemetry.find(feedback);
    spec.telemetryName = own != other.ownTelemetry.end()        ? own->second
                         : allowed.empty() || telemetry.empty() ? other.telemetry
                                                                : telemetry;
    spec.feedbackName = allowed.empty() ? "none" : feedback;
    HPCC_REFUSE_IF(own != other.ownTelemetry.end() && !telemetry.empty() &&
                       telemetry != own->second,
                   "--feedback " + feedback + " with --telemetry " + telemetry +
                       ": this mode carries nothing but " + own->second + "; omit --telemetry");
    if (!allowed.empty() && !telemetry.empty() && other.checkTelemetry)
    {
        other.checkTelemetry(telemetry);
    }
    return spec;
}

void
HpccExperiment::Planner::SetAttributes(const std::string& policy,
                                       HpccFabricHelper::PolicySpec& spec,
                                       const std::map<std::string, std::string>& values) const
{
    for (const auto& [attribute, value] : values)
    {
        TypeId::AttributeInformation info;
        if (value.empty() || !spec.policy.GetTypeId().LookupAttributeByName(attribute, &info))
        {
            continue;
        }
        ReadAttribute(policy + ": " + attribute, info.checker, value);
        RefuseGivenName(spec.policy.GetTypeId(), attribute, value);
        spec.policy.Set(attribute, StringValue(value));
        m_values.taken.insert(attribute);
    }
}

void
HpccExperiment::Planner::SetMarking(const Plan& plan,
                                    const std::vector<std::string>& beside,
                                    HpccFabricHelper& fabric) const
{
    const std::string thresholds = ThresholdsOf(plan, beside);
    const std::string given = "ns3::EcnMarker::Thresholds";
    const std::string enabled = "ns3::EcnMarker::Enabled";
    std::string why;
    if (m_experiment.m_given.count(given))
    {
        why = "--" + given + " gives the thresholds";
    }
    else if (!thresholds.empty() && !fabric.SetThresholds(thresholds))
    {
        why = "--marking " + m_values.marking + " has no Thresholds";
    }
    else if (m_experiment.IsGiven(enabled) && !ParseBool(enabled, m_experiment.m_given.at(enabled)))
    {
        why = "--" + enabled + "=false marks nothing";
    }
    if (why.empty())
    {
        return;
    }
    std::vector<TypeId> policies{plan.spec.policy.GetTypeId()};
    for (const auto& policy : beside)
    {
        policies.push_back(m_experiment.RdmaSpecOf(policy).policy.GetTypeId());
    }
    for (const TypeId& policy : policies)
    {
        m_experiment.RefuseGiven({GivenName(policy, "Marking")}, why);
    }
}

std::string
HpccExperiment::Planner::ThresholdsOf(const Plan& plan,
                                      const std::vector<std::string>& beside) const
{
    const auto other = m_values.otherPolicies.find(plan.policy);
    if (other != m_values.otherPolicies.end())
    {
        return other->second.marking;
    }
    const auto own = plan.spec.Describe();
    std::string thresholds = own.marking;
    std::string marked = own.ecn == RdmaPolicyDescription::ECT0 ? plan.policy : "";
    for (const auto& policy : beside)
    {
        const auto needs = m_experiment.RdmaSpecOf(policy).Describe();
        if (needs.ecn != RdmaPolicyDescription::ECT0)
        {
            continue;
        }
        if (!marked.empty() && needs.marking != thresholds &&
            !m_experiment.m_given.count("ns3::EcnMarker::Thresholds"))
        {
            const auto name = [](const std::string& text) {
                return text.empty() ? "those of EcnMarker" : text;
            };
            throw HpccInputError(marked + " and " + policy +
                                 " share ports, but need different marking thresholds, " +
                                 name(thresholds) + " and " + name(needs.marking) +
                                 "; --ns3::EcnMarker::Thresholds chooses");
        }
        thresholds = needs.marking;
        marked = policy;
    }
    return thresholds;
}

std::map<std::string, std::string>
HpccExperiment::Planner::GetShared() const
{
    std::map<std::string, std::string> values = m_values.policyAttributes;
    values.insert({{"T", m_values.baseRtt == Values::PATH ? "" : m_values.baseRtt},
                   {"Eta", m_values.eta},
                   {"MaxStage", m_values.maxStage},
                   {"Wai", m_values.wai}});
    return values;
}

std::string
HpccExperiment::Planner::GivenName(TypeId tid, const std::string& attribute) const
{
    const std::string name = tid.GetName() + "::" + attribute;
    return m_experiment.m_given.count(name) ? name
           : tid.HasParent()                ? GivenName(tid.GetParent(), attribute)
                                            : "";
}

bool
HpccExperiment::Planner::IsGivenAlone(TypeId tid, const std::string& attribute) const
{
    const auto shared = GetShared();
    const auto option = shared.find(attribute);
    if (option != shared.end() && !option->second.empty() &&
        m_values.policyAttributes.count(attribute) == 0)
    {
        RefuseGivenName(tid, attribute, option->second);
    }
    return !GivenName(tid, attribute).empty();
}

void
HpccExperiment::Planner::RefuseGivenName(TypeId tid,
                                         const std::string& attribute,
                                         const std::string& value) const
{
    const std::string name = GivenName(tid, attribute);
    HPCC_REFUSE_IF(!name.empty(),
                   "--" + name + "=" + m_experiment.m_given.at(name) +
                       " has no effect: another option or " + m_values.name + " sets " + attribute +
                       " to " + value);
}

} // namespace ns3
