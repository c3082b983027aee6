/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_POLICY_FACTORY_H
#define HPCC_POLICY_FACTORY_H

#include "ns3/object-factory.h"

#include <memory>
#include <string>
#include <utility>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * An ObjectFactory of a policy that can be compared with others; ObjectFactory itself has no
 * comparison. The first comparison creates a text that contains the type and the attributes. Copies
 * of the factory that are made afterwards share this text, because creating it for each flow would
 * take half of the flow's set-up time.
 */
class HpccPolicyFactory
{
  public:
    HpccPolicyFactory() = default;

    /// Creates the factory of a policy.
    /// @param factory type and attributes of the policy
    HpccPolicyFactory(ObjectFactory factory)
        : m_factory(std::move(factory)),
          m_isSet(m_factory.IsTypeIdSet())
    {
    }

    /// Returns true if the factory has a type. The type never changes.
    bool IsSet() const
    {
        return m_isSet;
    }

    /**
     * Sets attributes of the objects to be created. Throws HpccInputError if the class has no such
     * attribute, or if the value is not allowed.
     * @param name name of an attribute
     * @param value value of the attribute
     * @param more names and values of further attributes
     */
    template <typename... Attributes>
    void Set(const std::string& name, const AttributeValue& value, Attributes&&... more)
    {
        SetOne(name, value);
        if constexpr (sizeof...(more) > 0)
        {
            Set(std::forward<Attributes>(more)...);
        }
    }

    /// Returns the type of the objects.
    TypeId GetTypeId() const
    {
        return m_factory.GetTypeId();
    }

    /// Creates an object.
    /// @tparam T class of the object, or a base of this class
    /// @return the object
    template <typename T>
    Ptr<T> Create() const
    {
        return m_factory.Create<T>();
    }

    /// Returns the type and the attributes.
    operator const ObjectFactory&() const
    {
        return m_factory;
    }

    /**
     * Compares type and attributes.
     * @param other another factory
     * @return true if both create objects of the same type with the same attributes
     */
    bool operator==(const HpccPolicyFactory& other) const
    {
        return (m_text && m_text == other.m_text) || HasTextOf(other);
    }

  private:
    /// Sets one attribute, see Set().
    /// @param name the attribute
    /// @param value value of the attribute
    void SetOne(const std::string& name, const AttributeValue& value);

    /// Returns the type and the attributes as text. The first call creates the text; copies of the
    /// factory that are made afterwards share it.
    const std::shared_ptr<const std::string>& GetText() const;

    /**
     * Compares the texts of two factories. If they are equal, this factory shares the text of the
     * other one afterwards, so that the next comparison of the two is fast.
     * @param other another factory
     * @return true if the texts are equal
     */
    bool HasTextOf(const HpccPolicyFactory& other) const;

    ObjectFactory m_factory;                           ///< type and attributes
    bool m_isSet{false};                               ///< true if m_factory has a type
    mutable std::shared_ptr<const std::string> m_text; ///< type and attributes as text; null until
                                                       ///< GetText() is called
};

} // namespace ns3

#endif // HPCC_POLICY_FACTORY_H
