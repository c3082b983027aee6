/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ATTRIBUTE_TEXT_H
#define HPCC_ATTRIBUTE_TEXT_H

#include "ns3/attribute.h"
#include "ns3/data-rate.h"

#include <optional>
#include <string>

namespace ns3
{

/**
 * Returns the description of the values of an attribute, such as "a whole number from 1 to 9".
 * @param checker checker of an attribute
 */
std::string DescribeValues(const AttributeChecker& checker);

/**
 * Reads a rate. Unlike ns-3, which may store 33299999999 bit/s for 33.3Gbps, the function rounds to
 * the nearest bit/s.
 * @param text number and unit, such as "33.3Gbps"; spaces before and after it are ignored
 * @return the rate; no value if the text does not begin with a digit or a point, if ns-3 cannot
 * read it, or if it is above 10^18 bit/s
 */
std::optional<DataRate> FindRate(const std::string& text);

/**
 * Reads a rate. Throws HpccInputError if the rate is not a whole number of bit/s.
 * @param what the setting, for messages, such as "--rate"
 * @param text the rate; a rate that is invalid, or that ns-3 cannot store, throws HpccInputError
 * @return the rate
 */
DataRate ReadRate(const std::string& what, const std::string& text);

/**
 * Reads a value of an attribute. Unlike the functions of ns-3 that read values, this function never
 * aborts.
 * @param what the setting, for messages, such as "--mtu"
 * @param checker checker of the attribute
 * @param text the value; an invalid value throws HpccInputError with the allowed form
 * @return the value
 */
Ptr<AttributeValue> ReadAttribute(const std::string& what,
                                  const Ptr<const AttributeChecker>& checker,
                                  const std::string& text);

} // namespace ns3

#endif // HPCC_ATTRIBUTE_TEXT_H
