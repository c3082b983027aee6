/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-policy-factory.h"

#include "hpcc-factory-attribute.h"

namespace ns3
{

void
HpccPolicyFactory::SetOne(const std::string& name, const AttributeValue& value)
{
    SetFactoryAttribute(m_factory, name, value);
    m_text.reset();
}

} // namespace ns3
