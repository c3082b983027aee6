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
#include "ns3/integer.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

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

/// A default that records its use: ns-3 calls Copy() of a default for each new object, and this
/// Copy() sets a flag.
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

/// A default whose value is a pointer to an object. The default records its use. Each object that
/// is created with the default gets its own copy of the value.
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
 * Returns a copy of a default. The copy records its use. The result is null if the type of the
 * default is not among the template's arguments.
 * @param value value of the default
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
 * Returns the WatchedMark of a default, which records the use of the default; null if the use is
 * not observed.
 * @param value value of the default
 */
const WatchedMark*
MarkOf(const AttributeValue& value)
{
    return dynamic_cast<const WatchedMark*>(&value);
}

/**
 * Starts to observe whether objects use a default of a class.
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
                               ObjectFactoryValue,
                               IntEnumValue,
                               IntegerValue>(tid.GetAttribute(index).initialValue, seen);
    return watched && tid.SetAttributeInitialValue(index, watched);
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

bool
IsDefaultSet(const TypeId::AttributeInformation& attribute)
{
    Ptr<const AttributeValue> value = attribute.initialValue;
    while (value)
    {
        // If one attribute of a class is set, Set() observes all attributes of the class. Therefore
        // an observed value is not necessarily a value that was set.
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

bool
HpccAttributeDefaults::IsFullName(const std::string& option)
{
    const size_t colons = option.rfind("::");
    TypeId tid;
    return option.rfind("ns3::", 0) == 0 ||
           (colons != std::string::npos &&
            TypeId::LookupByNameFailSafe(option.substr(0, colons), &tid));
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
        // The program itself may later set the same default to the same value. ns-3 then stores a
        // new value object, whose use is not observed. In this case, the default counts as used
        // once an object of the class was created.
        const bool repeated = kept && *given.made && !MarkOf(*now.initialValue);
        if (!kept || (!*given.used && !repeated))
        {
            unused.push_back({name, given.text, given.tid, *given.made || !kept, given.known});
        }
    }
    return unused;
}

} // namespace ns3
