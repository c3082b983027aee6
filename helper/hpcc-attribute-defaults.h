/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ATTRIBUTE_DEFAULTS_H
#define HPCC_ATTRIBUTE_DEFAULTS_H

#include "ns3/attribute.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @param checker of an attribute
 * @return the form of its values, such as "a whole number from 1 to 9"
 */
std::string DescribeValues(const AttributeChecker& checker);

/**
 * Reads a value of an attribute. Unlike ns-3's own readers, it never aborts.
 * @param what the setting, for messages, such as "--mtu"
 * @param checker of the attribute
 * @param text the value; an invalid one throws HpccInputError with the allowed form
 * @return the value
 */
Ptr<AttributeValue> ReadAttribute(const std::string& what,
                                  const Ptr<const AttributeChecker>& checker,
                                  const std::string& text);

/**
 * @ingroup hpcc
 *
 * Defaults of attributes that a user gives, such as ns3::RdmaHost::Mtu=4000. Finds those that have
 * no effect because no object has been made with them.
 */
class HpccAttributeDefaults
{
  public:
    /**
     * Sets the default of an attribute.
     * @param name its full name, ns3::Class::Attribute; an unknown one throws HpccInputError
     * @param text its value; an invalid one throws HpccInputError
     */
    void Set(const std::string& name, const std::string& text);

    /**
     * @param names full names
     * @return true if no default was set except for some of these
     */
    bool IsWithin(const std::set<std::string>& names) const
    {
        return std::all_of(m_defaults.begin(), m_defaults.end(), [&names](const auto& given) {
            return names.count(given.first) > 0;
        });
    }

    /// Counts a default as used in any case.
    /// @param name its full name
    void SetUsed(const std::string& name);

    /// A default without effect.
    struct Unused
    {
        std::string name; ///< full name
        std::string text; ///< value, as given
        TypeId tid;       ///< class that has it
        bool made;        ///< there is an object of the class, which got another value
        bool known;       ///< false: it is unknown whether there is one
    };

    /// @return the defaults without effect on the objects made so far, by name
    std::vector<Unused> GetUnused() const;

  private:
    /// A default.
    struct Default
    {
        TypeId tid;                 ///< class
        size_t index;               ///< of the attribute in the class
        std::string text;           ///< value, as given
        std::string value;          ///< value, as ns-3 writes it
        bool known;                 ///< the class has attributes that can be watched
        std::shared_ptr<bool> used; ///< an object was made with it
        std::shared_ptr<bool> made; ///< an object of the class was made
    };

    std::map<std::string, Default> m_defaults; ///< by full name
};

} // namespace ns3

#endif // HPCC_ATTRIBUTE_DEFAULTS_H
