/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-factory-attribute.h"

#include "hpcc-attribute-defaults.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/string.h"

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
    const std::string what = tid.GetName() + "::" + name;
    if (const auto* text = dynamic_cast<const StringValue*>(&value))
    {
        factory.Set(name, *ReadAttribute(what, info.checker, text->Get()));
        return;
    }
    HPCC_REFUSE_IF(!info.checker->CreateValidValue(value),
                   what + ": \"" + value.SerializeToString(info.checker) + "\" is not allowed; " +
                       DescribeValues(*info.checker));
    factory.Set(name, value);
}

} // namespace ns3
