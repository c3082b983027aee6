/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-factory-attribute.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-input-error.h"

#include <vector>

namespace ns3
{

void
SetFactoryAttribute(ObjectFactory& factory, const std::string& name, const AttributeValue& value)
{
    const TypeId tid = factory.GetTypeId();
    TypeId::AttributeInformation info;
    if (!tid.LookupAttributeByName(name, &info))
    {
        std::vector<std::string> names;
        for (TypeId of = tid; of != of.GetParent(); of = of.GetParent())
        {
            for (size_t i = 0; i < of.GetAttributeN(); ++i)
            {
                names.push_back(of.GetAttribute(i).name);
            }
        }
        throw HpccInputError(DescribeUnknown(tid.GetName() + " has no attribute", name, names));
    }
    if (!info.checker->CreateValidValue(value))
    {
        throw HpccInputError(tid.GetName() + "::" + name + ": \"" +
                             value.SerializeToString(info.checker) + "\" is not allowed; " +
                             info.checker->GetUnderlyingTypeInformation());
    }
    factory.Set(name, value);
}

} // namespace ns3
