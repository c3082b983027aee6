/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-attribute-text.h"

#include "hpcc-choices.h"
#include "hpcc-input-error.h"
#include "hpcc-object-text.h"

#include "ns3/pointer.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace ns3
{

namespace
{

constexpr double UNLIMITED = 1e300; ///< a limit above this value means no limit

/**
 * Returns true if a text is not empty and consists of allowed characters only.
 * @param text text to check
 * @param digits the allowed characters
 */
bool
IsMadeOf(const std::string& text, const char* digits)
{
    return !text.empty() && text.find_first_not_of(digits) == std::string::npos;
}

/**
 * Returns the number that a text describes; the largest double if the number is larger.
 * @param text a number
 */
double
NumberOf(const std::string& text)
{
    std::istringstream in(text);
    double number = 0;
    in >> number;
    return number;
}

/**
 * Returns true if a text is a number, without further characters.
 * @param text text to check
 */
bool
IsNumber(const std::string& text)
{
    std::istringstream in(text);
    double number = 0;
    return IsMadeOf(text, "+-.0123456789eE") && in >> number && in.eof();
}

constexpr double MAX_SECONDS = 1e9; ///< longest time allowed, s. ns-3 stores a time as a 64-bit
                                    ///< number of ns, and small multiples of the longest time must
                                    ///< fit into it, too
constexpr double MAX_BPS = 1e18;    ///< highest rate allowed, bit/s; ns-3 computes rates modulo
                                    ///< 2^64 bit/s

/**
 * Returns the time that ns-3 reads from a text, s; no value if ns-3 cannot read it.
 * @param text number and unit, such as "10us"; without a unit, seconds
 */
std::optional<double>
SecondsOf(const std::string& text)
{
    static const std::map<std::string, double> units = {{"", 1},
                                                        {"s", 1},
                                                        {"ms", 1e-3},
                                                        {"us", 1e-6},
                                                        {"ns", 1e-9},
                                                        {"ps", 1e-12},
                                                        {"fs", 1e-15},
                                                        {"min", 60},
                                                        {"h", 3600},
                                                        {"d", 86400},
                                                        {"y", 365 * 86400.0}};
    const size_t end = std::min(text.find_first_not_of("+-.0123456789eE"), text.size());
    const auto unit = units.find(text.substr(end));
    if (!IsNumber(text.substr(0, end)) || unit == units.end())
    {
        return {};
    }
    return NumberOf(text.substr(0, end)) * unit->second;
}

/**
 * Returns the rate that ns-3 reads from a text, bit/s; no value if ns-3 cannot read it.
 * @param text number and unit, such as "100Gbps"
 */
std::optional<double>
BpsOf(const std::string& text)
{
    std::istringstream in(text);
    DataRate rate;
    if (text.empty() || !IsMadeOf(text.substr(0, 1), ".0123456789") || !(in >> rate) || !in.eof())
    {
        return {};
    }
    const size_t end = std::min(text.find_first_not_of(".0123456789"), text.size());
    const auto ofOne = static_cast<double>(DataRate("1" + text.substr(end)).GetBitRate());
    return NumberOf(text.substr(0, end)) * ofOne;
}

/**
 * Returns the class of an attribute's values, without the namespace that ns-3 adds for some
 * classes.
 * @param checker checker of the attribute
 */
std::string
TypeOf(const AttributeChecker& checker)
{
    const std::string name = checker.GetValueTypeName();
    return name.rfind("ns3::", 0) == 0 ? name.substr(5) : name;
}

/**
 * Finds the limit that a value exceeds. The limit exists because ns-3 stores times and rates in 64
 * bits.
 * @param type class of the values, see TypeOf()
 * @param text a value that ns-3 can read
 * @return the limit; empty if the value exceeds none
 */
std::string
ExcessOf(const std::string& type, const std::string& text)
{
    if (type == "TimeValue" && std::abs(*SecondsOf(text)) > MAX_SECONDS)
    {
        return "1000000000s";
    }
    return type == "DataRateValue" && *BpsOf(text) > MAX_BPS ? "1000000000Gbps" : "";
}

/**
 * Returns true if ns-3 would round a value: a time to a whole number of ns, or a rate to a whole
 * number of bit/s. Rounding errors of double precision are ignored.
 * @param type class of the values, see TypeOf()
 * @param text a value that ns-3 can read and that exceeds no limit
 */
bool
HasFraction(const std::string& type, const std::string& text)
{
    const double value = type == "TimeValue"       ? *SecondsOf(text) * 1e9
                         : type == "DataRateValue" ? *BpsOf(text)
                                                   : 0;
    return std::abs(value - std::round(value)) > 1e-12 * std::abs(value);
}

/**
 * Returns the value that a text describes; null if ns-3 cannot read it or the checker refuses it.
 * @param checker checker of an attribute
 * @param text the value
 */
Ptr<AttributeValue>
ReadValue(const AttributeChecker& checker, const std::string& text)
{
    try
    {
        return checker.CreateValidValue(StringValue(text));
    }
    catch (const std::logic_error&) // thrown by a function of the standard library that reads
                                    // numbers
    {
        return nullptr;
    }
}

/**
 * Returns the names of the values of an enum.
 * @param checker checker of an enum
 */
std::vector<std::string>
NamesOf(const AttributeChecker& checker)
{
    std::vector<std::string> names;
    std::istringstream in(checker.GetUnderlyingTypeInformation());
    std::string name;
    while (std::getline(in, name, '|'))
    {
        names.push_back(name);
    }
    return names;
}

/**
 * Returns true if the values of an attribute have names.
 * @param checker checker of an attribute
 */
bool
IsEnum(const AttributeChecker& checker)
{
    return TypeOf(checker).rfind("EnumValue", 0) == 0;
}

/**
 * Returns false in each of three cases: ns-3 would abort on reading the description of an object,
 * the object is of another family, or the value of an attribute is not allowed.
 * @param text the description, such as ns3::ConstantRandomVariable[Constant=5]
 * @param family base of the allowed classes
 */
bool IsObject(const std::string& text, TypeId family);

/**
 * Returns false if ns-3 would abort on reading a value.
 * @param checker checker of the attribute
 * @param text the value
 */
bool
IsReadable(const AttributeChecker& checker, const std::string& text)
{
    const std::string type = TypeOf(checker);
    if (IsEnum(checker))
    {
        const auto names = NamesOf(checker);
        return std::find(names.begin(), names.end(), text) != names.end();
    }
    if (type == "UintegerValue")
    {
        return IsMadeOf(text, "0123456789");
    }
    if (type == "IntegerValue" || type == "DoubleValue")
    {
        return IsNumber(text);
    }
    if (type == "TimeValue")
    {
        return SecondsOf(text).has_value();
    }
    if (type == "DataRateValue")
    {
        return BpsOf(text).has_value();
    }
    const auto* pointer = dynamic_cast<const PointerChecker*>(&checker);
    return !pointer || IsObject(text, pointer->GetPointeeTypeId());
}

bool
IsObject(const std::string& text, TypeId family)
{
    if (std::count(text.begin(), text.end(), '[') > 1)
    {
        return false; // ns-3 ends the list at the first ], so it cannot read nested lists
    }
    const auto object = HpccObjectText::Read(text);
    if (!object || (object->tid != family && !object->tid.IsChildOf(family)))
    {
        return false;
    }
    return std::all_of(object->attributes.begin(),
                       object->attributes.end(),
                       [](const auto& attribute) {
                           return IsReadable(*attribute.check, attribute.value) &&
                                  ExcessOf(TypeOf(*attribute.check), attribute.value).empty() &&
                                  (TypeOf(*attribute.check) == "PointerValue" ||
                                   attribute.check->CreateValidValue(StringValue(attribute.value)));
                       });
}

/**
 * Returns a limit as text; empty if the number means no limit.
 * @param limit a number as ns-3 writes it
 * @param unit unit of a time; otherwise empty
 */
std::string
LimitOf(const std::string& limit, const std::string& unit)
{
    std::istringstream in(limit);
    double number = 0;
    const bool known = static_cast<bool>(in >> number);
    const double most = unit.empty() ? UNLIMITED : 9.2e18;
    return !known || std::abs(number) > most ? "" : limit.substr(limit[0] == '+' ? 1 : 0);
}

/**
 * Returns a description of values and their range in words.
 * @param what kind of the values, such as "a number"
 * @param range LOW:HIGH, as ns-3 writes it
 * @param unit unit of a time; otherwise empty
 */
std::string
DescribeRange(const std::string& what, const std::string& range, const std::string& unit)
{
    const size_t colon = range.find(':');
    if (colon == std::string::npos)
    {
        return what;
    }
    const std::string low = LimitOf(range.substr(0, colon), unit);
    const std::string high = LimitOf(range.substr(colon + 1), unit);
    if (!low.empty() && !high.empty())
    {
        return what + " from " + low + " to " + high;
    }
    return what + (low.empty() ? "" : ", at least " + low) +
           (high.empty() ? "" : ", at most " + high);
}

} // namespace

std::optional<DataRate>
FindRate(const std::string& text)
{
    const size_t begin = std::min(text.find_first_not_of(' '), text.size());
    const auto bps = BpsOf(text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
    return bps && *bps <= MAX_BPS
               ? std::optional(DataRate(static_cast<uint64_t>(std::llround(*bps))))
               : std::nullopt;
}

std::string
DescribeValues(const AttributeChecker& checker)
{
    const std::string type = TypeOf(checker);
    const std::string text = checker.GetUnderlyingTypeInformation();
    const size_t space = text.find(' ');
    const std::string range = space == std::string::npos ? "" : text.substr(space + 1);
    if (type == "UintegerValue" || type == "IntegerValue")
    {
        return DescribeRange("a whole number", range, "");
    }
    if (type == "DoubleValue")
    {
        return DescribeRange("a number", range, "");
    }
    if (type == "TimeValue")
    {
        return DescribeRange("a time such as 4.16us", range, "ns");
    }
    if (type == "DataRateValue")
    {
        return "a rate such as 100Gbps";
    }
    if (type == "BooleanValue")
    {
        return "true or false";
    }
    if (IsEnum(checker))
    {
        std::string choices;
        for (const auto& name : NamesOf(checker))
        {
            choices += (choices.empty() ? "one of " : ", ") + name;
        }
        return choices;
    }
    if (type == "PointerValue")
    {
        return "the name of a class, with attributes such as [A=1|B=2], none with attributes of "
               "its own";
    }
    return type == "StringValue" ? "a text" : text;
}

Ptr<AttributeValue>
ReadAttribute(const std::string& what,
              const Ptr<const AttributeChecker>& checker,
              const std::string& text)
{
    Ptr<AttributeValue> value;
    if (IsReadable(*checker, text))
    {
        if (const std::string most = ExcessOf(TypeOf(*checker), text); !most.empty())
        {
            throw HpccInputError(what + ": \"" + text + "\" is not allowed; at most " + most);
        }
        HPCC_REFUSE_IF(HasFraction(TypeOf(*checker), text),
                       what + ": \"" + text + "\" is not a whole number of " +
                           (TypeOf(*checker) == "TimeValue" ? "ns" : "bit/s"));
        value = ReadValue(*checker, text);
        if (auto rate = DynamicCast<DataRateValue>(value); rate != nullptr)
        {
            rate->Set(*FindRate(text));
        }
    }
    HPCC_REFUSE_IF(!value,
                   what + ": \"" + text + "\" is not allowed; " + DescribeValues(*checker) +
                       (IsEnum(*checker) ? SuggestNearest(text, NamesOf(*checker)) : ""));
    return value;
}

DataRate
ReadRate(const std::string& what, const std::string& text)
{
    const auto value = ReadAttribute(what, MakeDataRateChecker(), text);
    return DynamicCast<DataRateValue>(value)->Get();
}

} // namespace ns3
