/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-attribute-defaults.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-object-text.h"
#include "ns3/integer.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

constexpr double UNLIMITED = 1e300; ///< limits above this value count as no limit

/// Value of an enumeration. In newer versions of ns-3, EnumValue is a template over the type of the
/// enumeration. With these versions, only attributes of type EnumValue<int> are observed.
using IntEnumValue = decltype(EnumValue(0));

/// Base class of values whose use is observed.
struct WatchedMark
{
    /// Creates the mark of a default.
    /// @param flag set to true when an object uses the default
    explicit WatchedMark(std::shared_ptr<bool> flag)
        : seen(std::move(flag))
    {
    }

    virtual ~WatchedMark() = default;

    /// Returns the default that the value replaces; null if it replaces none.
    virtual Ptr<const AttributeValue> GetInner() const
    {
        return nullptr;
    }

    std::shared_ptr<bool> seen; ///< true once an object uses the value
};

/// A default that records its use by an object: ns-3 copies a default for each new object.
template <typename Value>
class Watched : public Value, public WatchedMark
{
  public:
    /**
     * Creates a default whose use is recorded.
     * @param value the default in its original class
     * @param inner the default that this object replaces
     * @param seen set to true when an object uses it
     */
    Watched(const Value& value, Ptr<const AttributeValue> inner, std::shared_ptr<bool> seen)
        : Value(value),
          WatchedMark(seen),
          m_inner(inner)
    {
    }

    Ptr<AttributeValue> Copy() const override
    {
        *seen = true;
        return m_inner->Copy();
    }

    Ptr<const AttributeValue> GetInner() const override
    {
        return m_inner;
    }

  private:
    Ptr<const AttributeValue> m_inner; ///< the default
};

/// A default that is itself an object. Each object created with this default gets its own instance.
class WatchedPointer : public PointerValue, public WatchedMark
{
  public:
    /**
     * Creates a default object whose use is recorded.
     * @param value pointer to the default object
     * @param checker checker of the attribute
     * @param text description of the object
     * @param seen set to true when an object uses it
     */
    WatchedPointer(const PointerValue& value,
                   Ptr<const AttributeChecker> checker,
                   const std::string& text,
                   std::shared_ptr<bool> seen)
        : PointerValue(value),
          WatchedMark(seen),
          m_checker(checker),
          m_text(text)
    {
    }

    Ptr<AttributeValue> Copy() const override
    {
        *seen = true;
        return m_checker->CreateValidValue(StringValue(m_text));
    }

  private:
    Ptr<const AttributeChecker> m_checker; ///< checker of the attribute
    std::string m_text;                    ///< description of the object
};

/**
 * Returns a copy of a default that records its use; null if its type is none of the template's
 * types.
 * @param value a default
 * @param seen set to true when an object uses it
 */
template <typename Value, typename... Others>
Ptr<AttributeValue>
Watch(Ptr<const AttributeValue> value, std::shared_ptr<bool> seen)
{
    if (const auto* known = dynamic_cast<const Value*>(PeekPointer(value)))
    {
        return Create<Watched<Value>>(*known, value, seen);
    }
    if constexpr (sizeof...(Others) > 0)
    {
        return Watch<Others...>(value, seen);
    }
    return nullptr;
}

/**
 * Returns the part of a default that records its use; null if its use is not observed.
 * @param value a default
 */
const WatchedMark*
MarkOf(const AttributeValue& value)
{
    return dynamic_cast<const WatchedMark*>(&value);
}

/**
 * Observes the use of a default of a class.
 *
 * @param tid the class
 * @param index index of the attribute
 * @param seen set to true when an object uses it
 * @return false if values of the attribute's type cannot be observed
 */
bool
WatchDefault(TypeId tid, size_t index, std::shared_ptr<bool> seen)
{
    const auto watched = Watch<UintegerValue,
                               DoubleValue,
                               BooleanValue,
                               TimeValue,
                               DataRateValue,
                               StringValue,
                               TypeIdValue,
                               IntEnumValue,
                               IntegerValue>(tid.GetAttribute(index).initialValue, seen);
    return watched && tid.SetAttributeInitialValue(index, watched);
}

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

constexpr double MAX_SECONDS = 1e9; ///< longest time accepted; ns-3 would store a longer time, or
                                    ///< multiples of it, modulo 2^64 ns
constexpr double MAX_BPS = 1e18;    ///< highest rate accepted; ns-3 would store a higher rate
                                    ///< modulo 2^64

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
    return type == "DataRateValue" && *BpsOf(text) > MAX_BPS ? "1000000Tbps" : "";
}

/**
 * Returns false if ns-3 would abort on reading the description of an object.
 * @param text the description, such as ns3::ConstantRandomVariable[Constant=5]
 */
bool IsObject(const std::string& text);

/**
 * Returns false if ns-3 would abort on reading a value.
 * @param type class of the values, see TypeOf()
 * @param text the value
 */
bool
IsReadable(const std::string& type, const std::string& text)
{
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
    return type != "PointerValue" || IsObject(text);
}

bool
IsObject(const std::string& text)
{
    if (std::count(text.begin(), text.end(), '[') > 1)
    {
        return false; // ns-3 ends the list at the first ], so it cannot read a list in a list
    }
    const auto object = HpccObjectText::Read(text);
    return object && std::all_of(object->attributes.begin(),
                                 object->attributes.end(),
                                 [](const auto& attribute) {
                                     const std::string type = TypeOf(*attribute.check);
                                     return IsReadable(type, attribute.value) &&
                                            ExcessOf(type, attribute.value).empty();
                                 });
}

/**
 * Returns a limit as text; empty if the number means no limit.
 * @param limit a number as ns-3 writes it
 * @param unit unit of the number
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

/// Returns the names of all classes that have attributes.
std::vector<std::string>
ClassesWithAttributes()
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.GetAttributeN() > 0)
        {
            names.push_back(tid.GetName());
        }
    }
    return names;
}

/**
 * Returns the names of the settable attributes that a class itself defines.
 * @param tid a class
 */
std::vector<std::string>
AttributesOf(TypeId tid)
{
    std::vector<std::string> names;
    for (size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        if (tid.GetAttribute(i).flags & (TypeId::ATTR_SET | TypeId::ATTR_CONSTRUCT))
        {
            names.push_back(tid.GetAttribute(i).name);
        }
    }
    return names;
}

/**
 * Refuses an attribute that its class does not have.
 *
 * @param name full name
 * @param tid the class
 * @param attribute name of the attribute
 */
[[noreturn]] void
RefuseAttribute(const std::string& name, TypeId tid, const std::string& attribute)
{
    for (TypeId parent = tid; parent.HasParent();)
    {
        parent = parent.GetParent();
        const auto inherited = AttributesOf(parent);
        HPCC_REFUSE_IF(std::find(inherited.begin(), inherited.end(), attribute) != inherited.end(),
                       "--" + name + ": " + attribute + " belongs to " + parent.GetName() +
                           "; did you mean \"--" + parent.GetName() + "::" + attribute + "\"?");
    }
    const auto own = AttributesOf(tid);
    HPCC_REFUSE_IF(own.empty(),
                   "--" + name + ": " + tid.GetName() + " has no attributes of its own");
    throw HpccInputError(
        DescribeUnknown("--" + name + ": " + tid.GetName() + " has no attribute", attribute, own));
}

} // namespace

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
    if (const std::string type = TypeOf(*checker); IsReadable(type, text))
    {
        if (const std::string most = ExcessOf(type, text); !most.empty())
        {
            throw HpccInputError(what + ": \"" + text + "\" is not allowed; at most " + most);
        }
        value = checker->CreateValidValue(StringValue(text));
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

bool
IsDefaultSet(const TypeId::AttributeInformation& attribute)
{
    Ptr<const AttributeValue> value = attribute.initialValue;
    while (value)
    {
        // Once one attribute of a class is set, all attributes of the class are observed, so an
        // observed value need not have been set.
        const WatchedMark* mark = MarkOf(*value);
        if (!mark)
        {
            break;
        }
        value = mark->GetInner();
    }
    return PeekPointer(value) != PeekPointer(attribute.originalInitialValue);
}

HpccAttributeDefaults::Unobserved::Unobserved()
{
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        for (size_t j = 0; j < tid.GetAttributeN(); ++j)
        {
            if (const auto* mark = MarkOf(*tid.GetAttribute(j).initialValue); mark && !*mark->seen)
            {
                m_unseen.push_back(mark->seen);
            }
        }
    }
}

HpccAttributeDefaults::Unobserved::~Unobserved()
{
    for (const auto& flag : m_unseen)
    {
        *flag = false;
    }
}

void
HpccAttributeDefaults::Set(const std::string& name, const std::string& text)
{
    const size_t colons = name.rfind("::");
    const std::string className = name.substr(0, colons);
    const std::string attribute = name.substr(colons + 2);
    TypeId tid;
    HPCC_REFUSE_IF(!TypeId::LookupByNameFailSafe(className, &tid),
                   "--" + name + ": there is no class " + className +
                       SuggestNearest(className, ClassesWithAttributes()));
    const auto names = AttributesOf(tid);
    if (std::find(names.begin(), names.end(), attribute) == names.end())
    {
        RefuseAttribute(name, tid, attribute);
    }
    Default added{tid, 0, text, "", false, std::make_shared<bool>(), std::make_shared<bool>()};
    while (tid.GetAttribute(added.index).name != attribute)
    {
        ++added.index;
    }
    const auto checker = tid.GetAttribute(added.index).checker;
    const auto value = ReadAttribute("--" + name, checker, text);
    added.value = value->SerializeToString(checker);
    tid.SetAttributeInitialValue(added.index, value);
    for (size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        added.known = WatchDefault(tid, i, added.made) || added.known;
    }
    if (const auto* object = dynamic_cast<const PointerValue*>(PeekPointer(value)))
    {
        tid.SetAttributeInitialValue(added.index,
                                     Create<WatchedPointer>(*object, checker, text, added.used));
    }
    else if (!WatchDefault(tid, added.index, added.used))
    {
        added.used = added.made;
    }
    m_defaults[name] = added;
}

void
HpccAttributeDefaults::SetUsed(const std::string& name)
{
    m_defaults.erase(name);
}

std::vector<HpccAttributeDefaults::Unused>
HpccAttributeDefaults::GetUnused() const
{
    std::vector<Unused> unused;
    for (const auto& [name, given] : m_defaults)
    {
        const auto now = given.tid.GetAttribute(given.index);
        const bool kept = now.initialValue->SerializeToString(now.checker) == given.value;
        // If the program has set the same default itself, the observed value has been replaced, and
        // use of the default cannot be seen. The default then counts as used once an object of the
        // class was made.
        const bool repeated = kept && *given.made && !MarkOf(*now.initialValue);
        if (!kept || (!*given.used && !repeated))
        {
            unused.push_back({name, given.text, given.tid, *given.made || !kept, given.known});
        }
    }
    return unused;
}

} // namespace ns3
