/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ATTRIBUTE_DEFAULTS_H
#define HPCC_ATTRIBUTE_DEFAULTS_H

#include "ns3/hpcc-attribute-text.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Returns true if HpccAttributeDefaults or ns-3's Config::SetDefault() has set the default of an
 * attribute, even if it was set to the value that it already had.
 * @param attribute description of the attribute in its TypeId
 */
bool IsDefaultSet(const TypeId::AttributeInformation& attribute);

/**
 * @ingroup hpcc
 *
 * Stores the attribute defaults that a user sets, such as ns3::RdmaHost::Mtu=4000. Also finds the
 * defaults that have no effect because no object has been created with them.
 */
class HpccAttributeDefaults
{
  public:
    /**
     * Returns true if an option is the full name of an attribute: it begins with "ns3::", or it is
     * CLASS::ATTRIBUTE and ns-3 knows the class.
     * @param option name of the option, without dashes
     */
    static bool IsFullName(const std::string& option);

    /**
     * Sets the default of an attribute.
     * @param name full name of the attribute, such as ns3::Class::Attribute; an unknown name throws
     * HpccInputError
     * @param text value of the attribute; an invalid value throws HpccInputError
     */
    void Set(const std::string& name, const std::string& text);

    /**
     * Returns true if @p names contains the full names of all defaults set so far.
     * @param names full names
     */
    bool IsWithin(const std::set<std::string>& names) const
    {
        return std::all_of(m_defaults.begin(), m_defaults.end(), [&names](const auto& given) {
            return names.count(given.first) > 0;
        });
    }

    /// Marks a default as used.
    /// @param name full name of the default
    void SetUsed(const std::string& name);

    /// Scope guard for code that creates objects only to describe their class. Such objects must
    /// not count as uses of defaults. Therefore the destructor of the guard marks all defaults as
    /// unused that were unused when the guard was created.
    class Unobserved
    {
      public:
        Unobserved();
        ~Unobserved();
        Unobserved(const Unobserved&) = delete;
        Unobserved& operator=(const Unobserved&) = delete;

      private:
        std::vector<std::shared_ptr<bool>> m_unseen; ///< flags of the defaults that were unused at
                                                     ///< construction
    };

    /// A default that has had no effect.
    struct Unused
    {
        std::string name; ///< full name
        std::string text; ///< value, as given
        TypeId tid;       ///< class with the attribute
        bool made;        ///< true if an object of the class was created, or if the program has
                          ///< replaced the default
        bool known;       ///< true if uses of the class's attributes can be observed
    };

    /// Returns the defaults that have had no effect on the objects made so far, in the order of
    /// their names.
    std::vector<Unused> GetUnused() const;

  private:
    /// A default that Set() has set.
    struct Default
    {
        TypeId tid;                 ///< class
        size_t index;               ///< index of the attribute in the class
        std::string text;           ///< value, as given
        std::string value;          ///< value in ns-3's notation
        bool known;                 ///< true if uses of the class's attributes can be observed
        std::shared_ptr<bool> used; ///< true once an object uses the default
        std::shared_ptr<bool> made; ///< true once an object of the class was created
    };

    std::map<std::string, Default> m_defaults; ///< defaults by full name
};

} // namespace ns3

#endif // HPCC_ATTRIBUTE_DEFAULTS_H
