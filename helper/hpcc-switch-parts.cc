/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-switch-parts.h"

#include "hpcc-factory-attribute.h"
#include "hpcc-rate-lists.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-presets.h"
#include "ns3/string.h"

namespace ns3
{

namespace
{

/**
 * Finds a part of a switch by its short name. Throws an HpccInputError that lists the choices if
 * the name is unknown.
 * @param option option that chooses the part
 * @param name short name of the part
 * @param family base class
 * @return factory of the part
 */
ObjectFactory
FindPart(const std::string& option, const std::string& name, TypeId family)
{
    ObjectFactory factory;
    HPCC_REFUSE_IF(!HpccPresets::Find(family, name, factory),
                   DescribeUnknownPreset(option + ": unknown", name, family));
    return factory;
}

/**
 * Sets an attribute of a part of a switch. Throws HpccInputError if the attribute is unknown.
 * @param factory factory of the part
 * @param name the attribute
 * @param value value of the attribute
 * @param lists if the attribute is an HpccRateList, this function stores the value here, by full
 * name
 */
void
SetOfPart(ObjectFactory& factory,
          const std::string& name,
          const AttributeValue& value,
          std::map<std::string, std::string>& lists)
{
    TypeId::AttributeInformation info;
    HPCC_REFUSE_IF(!factory.GetTypeId().LookupAttributeByName(name, &info),
                   factory.GetTypeId().GetName() + " has no attribute " + name +
                       ", which this program sets; choose another class");
    SetFactoryAttribute(factory, name, value);
    const std::string full = factory.GetTypeId().GetName() + "::" + name;
    if (HpccRateList::All().count(full))
    {
        lists[full] = value.SerializeToString(info.checker);
    }
}

} // namespace

HpccSwitchParts::HpccSwitchParts()
{
    m_buffer.SetTypeId("ns3::SharedBuffer");
    m_marker.SetTypeId("ns3::EcnMarker");
}

void
HpccSwitchParts::Fix(uint32_t node)
{
    m_fixed = node;
}

void
HpccSwitchParts::RequireNotFixed(const char* function) const
{
    HPCC_REFUSE_IF(m_fixed,
                   std::string("ns3::HpccSwitchParts::") + function +
                       ": HpccFabricHelper::Install() has built switch " +
                       std::to_string(*m_fixed) + " already; call it before Install()");
}

void
HpccSwitchParts::SetBuffer(const std::string& name)
{
    RequireNotFixed("SetBuffer");
    m_buffer = FindPart("--buffer", name, BufferPolicy::GetTypeId());
    m_bufferLists.clear();
}

void
HpccSwitchParts::SetBufferAttribute(const std::string& name, const AttributeValue& value)
{
    RequireNotFixed("SetBufferAttribute");
    SetOfPart(m_buffer, name, value, m_bufferLists);
}

void
HpccSwitchParts::SetMarking(const std::string& name)
{
    RequireNotFixed("SetMarking");
    m_marker = FindPart("--marking", name, Marker::GetTypeId());
    m_markerLists.clear();
}

void
HpccSwitchParts::SetEcnAttribute(const std::string& name, const AttributeValue& value)
{
    RequireNotFixed("SetEcnAttribute");
    SetOfPart(m_marker, name, value, m_markerLists);
}

bool
HpccSwitchParts::SetThresholds(const std::string& thresholds)
{
    RequireNotFixed("SetThresholds");
    TypeId::AttributeInformation info;
    const bool known = m_marker.GetTypeId().LookupAttributeByName("Thresholds", &info);
    if (known)
    {
        m_marker.Set("Thresholds", StringValue(thresholds));
        m_markerLists.clear();
    }
    return known;
}

void
HpccSwitchParts::SetScheduler(const std::string& name)
{
    RequireNotFixed("SetScheduler");
    m_scheduler = FindPart("--scheduler", name, EgressScheduler::GetTypeId());
}

void
HpccSwitchParts::SetSchedulerAttribute(const std::string& name, const AttributeValue& value)
{
    RequireNotFixed("SetSchedulerAttribute");
    if (!m_scheduler.IsTypeIdSet())
    {
        SetScheduler("ring");
    }
    std::map<std::string, std::string> none; // no attribute of a scheduler is an HpccRateList
    SetOfPart(m_scheduler, name, value, none);
}

void
HpccSwitchParts::CheckRates(const std::string& ports, const std::set<uint64_t>& rates) const
{
    if (rates.empty())
    {
        return; // a network without switches has none of these parts
    }
    for (const auto* lists : {&m_bufferLists, &m_markerLists})
    {
        for (const auto& [name, text] : *lists)
        {
            const HpccRateList& list = HpccRateList::All().at(name);
            HPCC_REFUSE_IF(!list.Acts(text, rates),
                           name + " is \"" + text + "\", but " + list.DescribeRefusal(ports) +
                               "; allowed are the rates of these ports" +
                               (list.scaled ? ", or one entry" : ""));
        }
    }
}

HpccSwitchParts
HpccSwitchParts::Copy() const
{
    HpccSwitchParts copy = *this;
    copy.m_bufferLists.clear();
    copy.m_markerLists.clear();
    return copy;
}

Ptr<BufferPolicy>
HpccSwitchParts::MakeBuffer() const
{
    return m_buffer.Create<BufferPolicy>();
}

Ptr<Marker>
HpccSwitchParts::MakeMarker() const
{
    return m_marker.Create<Marker>();
}

Ptr<EgressScheduler>
HpccSwitchParts::MakeScheduler() const
{
    return m_scheduler.IsTypeIdSet() ? m_scheduler.Create<EgressScheduler>() : nullptr;
}

} // namespace ns3
