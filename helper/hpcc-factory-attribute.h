/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FACTORY_ATTRIBUTE_H
#define HPCC_FACTORY_ATTRIBUTE_H

#include "ns3/attribute.h"
#include "ns3/object-factory.h"

#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Sets an attribute of the objects that a factory creates. Throws HpccInputError if the class has
 * no such attribute, or if the value is not allowed; ObjectFactory::Set() aborts instead.
 * @param factory the factory, whose class is set
 * @param name the attribute
 * @param value value of the attribute
 */
void SetFactoryAttribute(ObjectFactory& factory,
                         const std::string& name,
                         const AttributeValue& value);

} // namespace ns3

#endif // HPCC_FACTORY_ATTRIBUTE_H
