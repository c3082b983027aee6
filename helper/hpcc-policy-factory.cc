/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-policy-factory.h"

#include "hpcc-factory-attribute.h"

#include <sstream>

namespace ns3
{

void
HpccPolicyFactory::SetOne(const std::string& name, const AttributeValue& value)
{
    SetFactoryAttribute(m_factory, name, value);
    m_text.reset();
}

const std::shared_ptr<const std::string>&
HpccPolicyFactory::GetText() const
{
    if (!m_text)
    {
        std::ostringstream text;
        text << m_factory;
        m_text = std::make_shared<const std::string>(text.str());
    }
    return m_text;
}

bool
HpccPolicyFactory::HasTextOf(const HpccPolicyFactory& other) const
{
    if (*GetText() != *other.GetText())
    {
        return false;
    }
    m_text = other.m_text;
    return true;
}

} // namespace ns3
