/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TYPE_ID_H
#define HPCC_TYPE_ID_H

#include "ns3/address.h"
#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * An attribute without its name and help: the three arguments of TypeId::AddAttribute() that depend
 * on the type of the data member. HpccField() and HpccProperty() create it.
 */
struct HpccAttribute
{
    Ptr<const AttributeValue> initial;     ///< default
    Ptr<const AttributeAccessor> accessor; ///< reads and writes the data member
    Ptr<const AttributeChecker> checker;   ///< allowed values
    std::string user{};                    ///< call that fixes the attribute, see FixedAfter()
    std::function<bool(const ObjectBase&)> isUsed{}; ///< true once the attribute is fixed, see
                                                     ///< FixedAfter(); empty: never fixed
    std::string condition{};                         ///< name of the other attribute, see OnlyIf();
                                                     ///< empty: none
    std::string conditionValue{};                    ///< value of the other attribute, see OnlyIf()
    std::function<void(ObjectBase&)> changed{};      ///< called after each change, see Then();
                                                     ///< empty: none

    /**
     * Fixes the attribute of an object once the object has used it. From then on, setting another
     * value throws HpccInputError, because the change would have no effect. Setting the present
     * value is allowed.
     * @tparam C the class with the attribute
     * @param call function that uses the attribute, for the message, such as "Install() of the
     * switch"
     * @param used function that takes a const C& and returns true after @p call
     * @return the attribute
     */
    template <typename C, typename Used>
    HpccAttribute FixedAfter(const std::string& call, Used used) const
    {
        HpccAttribute fixed(*this);
        fixed.user = call;
        fixed.isUsed = [used](const ObjectBase& object) {
            const auto* owner = dynamic_cast<const C*>(&object);
            return owner && used(*owner);
        };
        return fixed;
    }

    /**
     * Declares that the attribute has an effect only if another attribute of the class has a
     * certain value. If the other attribute has a different value, HpccExperiment refuses the
     * attribute on the command line.
     * @param other name of the other attribute
     * @param value value that the other attribute must have, as text
     * @return the attribute
     */
    HpccAttribute OnlyIf(const std::string& other, const std::string& value) const
    {
        HpccAttribute conditional(*this);
        conditional.condition = other;
        conditional.conditionValue = value;
        return conditional;
    }

    /**
     * Calls a function of the object after each change of the attribute. If the function throws
     * HpccInputError, the attribute keeps its previous value.
     * @param function derives other members from the attribute, or checks it
     * @return the attribute
     */
    template <typename C>
    HpccAttribute Then(void (C::*function)()) const
    {
        HpccAttribute followed(*this);
        followed.changed = [function](ObjectBase& object) {
            (dynamic_cast<C&>(object).*function)();
        };
        return followed;
    }

    /// Returns true if the attribute has a condition of FixedAfter(), OnlyIf() or Then().
    bool IsGuarded() const
    {
        return isUsed || changed || !condition.empty();
    }
};

/// True if MakeEnumAccessor() of this ns-3 version needs the enumeration as its first template
/// argument.
template <typename Enum, typename Member, typename = void>
struct HpccHasTypedEnumAccessor : std::false_type
{
};

/// Specialisation for ns-3.41 and later, where MakeEnumAccessor() needs the enumeration.
template <typename Enum, typename Member>
struct HpccHasTypedEnumAccessor<
    Enum,
    Member,
    std::void_t<decltype(MakeEnumAccessor<Enum, Member>(std::declval<Member>()))>> : std::true_type
{
};

/**
 * @ingroup hpcc
 *
 * Creates the value, accessor and checker that ns-3 requires for an attribute of type T.
 * @tparam T type of the value: bool, an unsigned integer, double, an unscoped enumeration,
 * std::string, Time, DataRate, Address, ObjectFactory, TypeId or Ptr
 */
template <typename T>
struct HpccAttributeKind
{
    /**
     * Creates the value that TypeId::AddAttribute() copies.
     * @param initial default of the attribute
     * @return the value
     */
    template <typename V>
    static Ptr<const AttributeValue> Value(const V& initial)
    {
        if constexpr (std::is_base_of_v<AttributeValue, V>)
        {
            return initial.Copy();
        }
        else if constexpr (std::is_same_v<T, bool>)
        {
            return Create<BooleanValue>(initial);
        }
        else if constexpr (std::is_enum_v<T>)
        {
            return EnumValue(initial).Copy();
        }
        else if constexpr (std::is_unsigned_v<T>)
        {
            return Create<UintegerValue>(initial);
        }
        else if constexpr (std::is_floating_point_v<T>)
        {
            return Create<DoubleValue>(initial);
        }
        else if constexpr (std::is_same_v<T, std::string>)
        {
            return Create<StringValue>(initial);
        }
        else if constexpr (std::is_same_v<T, Time>)
        {
            return Create<TimeValue>(initial);
        }
        else if constexpr (std::is_same_v<T, DataRate>)
        {
            return Create<DataRateValue>(initial);
        }
        else
        {
            static_assert(std::is_same_v<V, std::nullptr_t>, "pass an AttributeValue");
            return Create<PointerValue>();
        }
    }

    /**
     * Creates the accessor.
     * @param members a data member, or a setter and a getter
     * @return the accessor
     */
    template <typename... Members>
    static Ptr<const AttributeAccessor> Accessor(Members... members)
    {
        if constexpr (std::is_same_v<T, bool>)
        {
            return MakeBooleanAccessor(members...);
        }
        else if constexpr (std::is_enum_v<T>)
        {
            return EnumAccessor(members...);
        }
        else if constexpr (std::is_unsigned_v<T>)
        {
            return MakeUintegerAccessor(members...);
        }
        else if constexpr (std::is_floating_point_v<T>)
        {
            return MakeDoubleAccessor(members...);
        }
        else if constexpr (std::is_same_v<T, std::string>)
        {
            return MakeStringAccessor(members...);
        }
        else if constexpr (std::is_same_v<T, Time>)
        {
            return MakeTimeAccessor(members...);
        }
        else if constexpr (std::is_same_v<T, DataRate>)
        {
            return MakeDataRateAccessor(members...);
        }
        else if constexpr (std::is_same_v<T, Address>)
        {
            return MakeAddressAccessor(members...);
        }
        else if constexpr (std::is_same_v<T, ObjectFactory>)
        {
            return MakeObjectFactoryAccessor(members...);
        }
        else if constexpr (std::is_same_v<T, TypeId>)
        {
            return MakeTypeIdAccessor(members...);
        }
        else
        {
            return MakePointerAccessor(members...);
        }
    }

    /**
     * Creates the checker.
     * @param range arguments of the type's Make...Checker(): smallest and largest value, each
     * optional; for an enumeration its values and their names
     * @return the checker
     */
    template <typename... Range>
    static Ptr<const AttributeChecker> Checker(Range... range)
    {
        if constexpr (std::is_same_v<T, bool>)
        {
            return MakeBooleanChecker();
        }
        else if constexpr (std::is_enum_v<T>)
        {
            return MakeEnumChecker(range...);
        }
        else if constexpr (std::is_unsigned_v<T>)
        {
            return MakeUintegerChecker<T>(range...);
        }
        else if constexpr (std::is_floating_point_v<T>)
        {
            return MakeDoubleChecker<T>(range...);
        }
        else if constexpr (std::is_same_v<T, std::string>)
        {
            return MakeStringChecker();
        }
        else if constexpr (std::is_same_v<T, Time>)
        {
            return MakeTimeChecker(range...);
        }
        else if constexpr (std::is_same_v<T, DataRate>)
        {
            return MakeDataRateChecker();
        }
        else if constexpr (std::is_same_v<T, Address>)
        {
            return MakeAddressChecker();
        }
        else if constexpr (std::is_same_v<T, ObjectFactory>)
        {
            return MakeObjectFactoryChecker();
        }
        else if constexpr (std::is_same_v<T, TypeId>)
        {
            return MakeTypeIdChecker();
        }
        else
        {
            return PointerChecker(T());
        }
    }

  private:
    /**
     * Calls MakeEnumAccessor() as this version of ns-3 declares it.
     * @param member a data member or a setter
     * @param others the getter, if @p member is a setter
     * @return the accessor
     */
    template <typename Member, typename... Others>
    static Ptr<const AttributeAccessor> EnumAccessor(Member member, Others... others)
    {
        if constexpr (HpccHasTypedEnumAccessor<T, Member>::value)
        {
            return MakeEnumAccessor<T, Member, Others...>(member, others...);
        }
        else
        {
            return MakeEnumAccessor(member, others...);
        }
    }

    /// Returns the checker of pointers to an object of this type.
    template <typename Object>
    static Ptr<const AttributeChecker> PointerChecker(const Ptr<Object>&)
    {
        return MakePointerChecker<Object>();
    }
};

/**
 * Describes an attribute that is a data member.
 * @param place pointer to the member
 * @param initial default: a value of the member's type, or an AttributeValue that ns-3 converts
 * @param range smallest and largest value allowed, each optional; for an enumeration its values and
 * their names: ON, "On", OFF, "Off"
 * @return the attribute
 */
template <typename C, typename T, typename V, typename... Range>
HpccAttribute
HpccField(T C::*place, const V& initial, Range... range)
{
    using Kind = HpccAttributeKind<T>;
    return {Kind::Value(initial), Kind::Accessor(place), Kind::Checker(range...)};
}

/**
 * Describes an attribute that has a setter and a getter.
 * @param set the setter; if it returns bool, false means that it rejects the value
 * @param get const member function that returns the value
 * @param initial default, see HpccField()
 * @param range allowed values, see HpccField()
 * @return the attribute
 */
template <typename C, typename Result, typename T, typename R, typename V, typename... Range>
HpccAttribute
HpccProperty(Result (C::*set)(T), R (C::*get)() const, const V& initial, Range... range)
{
    using Kind = HpccAttributeKind<std::decay_t<T>>;
    return {Kind::Value(initial), Kind::Accessor(set, get), Kind::Checker(range...)};
}

/**
 * @ingroup hpcc
 *
 * A TypeId under construction. Each call adds one attribute or trace source:
 * @code
 * static TypeId tid = HpccTypeId::Of<Mine, RdmaCongestionOps>("ns3::Mine")
 *                         .Presets("mine;mine:small=Window:1000")
 *                         .Attribute("Window", "Window, bytes.", HpccField(&Mine::m_window, 4000))
 *                         .Trace("Cut", "A window is cut.", &Mine::m_cut,
 * "ns3::Mine::CutCallback");
 * @endcode
 */
class HpccTypeId : public TypeId
{
  public:
    /**
     * Wraps a TypeId in order to extend it.
     * @param tid the TypeId
     */
    HpccTypeId(TypeId tid)
        : TypeId(tid)
    {
    }

    /**
     * Creates the TypeId of a class of the group Hpcc, with a constructor if the class is
     * default-constructible.
     * @tparam C the class
     * @tparam Parent parent class
     * @param name name of the class in ns-3, such as "ns3::RdmaHost"
     * @return the TypeId
     */
    template <typename C, typename Parent>
    static HpccTypeId Of(const std::string& name)
    {
        // In ns-3.35, TypeId has no constructor that takes a std::string.
        TypeId tid = TypeId(name.c_str()).SetParent<Parent>().SetGroupName("Hpcc");
        if constexpr (std::is_default_constructible_v<C>)
        {
            tid.AddConstructor<C>();
        }
        return tid;
    }

    /**
     * Registers the short names and presets of the class, as a read-only attribute.
     * @param entries see HpccPresets
     * @return the TypeId
     */
    HpccTypeId Presets(const std::string& entries);

    /**
     * Adds an attribute.
     * @param name name of the attribute
     * @param help meaning and unit of the attribute
     * @param attribute default, accessor and allowed values
     * @param flags TypeId::AttributeFlag bits, which allow setting and reading the attribute
     * @return the TypeId
     */
    HpccTypeId Attribute(const std::string& name,
                         const std::string& help,
                         const HpccAttribute& attribute,
                         uint32_t flags = ATTR_SGC)
    {
        return AddAttribute(name,
                            help,
                            flags,
                            *attribute.initial,
                            attribute.IsGuarded() ? Guard(name, attribute) : attribute.accessor,
                            WithReader(name, attribute.checker));
    }

    /**
     * Adds a trace source.
     * @param name name of the trace source
     * @param help when the trace source fires
     * @param place the traced member
     * @param callback type of the functions that the trace source calls
     * @return the TypeId
     */
    template <typename Member>
    HpccTypeId Trace(const std::string& name,
                     const std::string& help,
                     Member place,
                     const std::string& callback)
    {
        return AddTraceSource(name, help, MakeTraceSourceAccessor(place), callback);
    }

    /**
     * Checks whether an attribute has no effect because a condition set by HpccAttribute::OnlyIf()
     * does not hold. The function compares the value that the other attribute must have with the
     * current default of that attribute.
     * @param tid the class
     * @param name the attribute
     * @return the reason, such as "ns3::X::Mode is Off; On is required"; empty if the attribute has
     * an effect
     */
    static std::string FindUnmetCondition(TypeId tid, const std::string& name);

  private:
    /**
     * Creates the accessor of an attribute with HpccAttribute::FixedAfter(), OnlyIf() or Then().
     * @param name name of the attribute
     * @param attribute attribute with its conditions
     * @return the accessor
     */
    Ptr<const AttributeAccessor> Guard(const std::string& name,
                                       const HpccAttribute& attribute) const;

    /**
     * Wraps the checker of a pointer attribute. The new checker refuses two kinds of text: a text
     * on which ns-3 would abort, such as "ns3::PriorityScheduler[Sharing=x]", and a text that
     * describes an object of another family. Attributes of other types keep their checker.
     * @param name name of the attribute
     * @param checker ns-3's checker of the attribute
     * @return the checker to be used
     */
    Ptr<const AttributeChecker> WithReader(const std::string& name,
                                           const Ptr<const AttributeChecker>& checker) const;
};

} // namespace ns3

#endif // HPCC_TYPE_ID_H
