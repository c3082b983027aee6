/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PRESETS_H
#define HPCC_PRESETS_H

#include "ns3/object-factory.h"
#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Short names of exchangeable classes: policies, telemetry formats, feedback modes, loss recovery,
 * parts of a switch, NICs. A class registers its names next to its TypeId by HpccTypeId::Presets().
 * The entries are separated by ';'. Each entry is "name" or "name=Attribute:Value,Attribute:Value".
 * Options of the examples, such as --cc or --telemetry, accept the name. The object created for a
 * name gets the attribute values of its entry. A class in a user's own program needs only this
 * registration, because names are looked up in ns-3's type database.
 *
 * A variant of a name, such as a parameter set, is written "name:variant".
 *
 * A short name must be unique among the classes derived from one base. A look-up throws
 * HpccInputError if two of these classes have entries of the same name. A look-up also throws if
 * the requested name matches both the entry of a wrapper and another entry.
 *
 * A wrapper is a class that wraps another class of the same base. It has an entry
 * "*SUFFIX=Attribute:*", which matches every known NAME followed by SUFFIX. The attribute is an
 * ObjectFactory and is set to the factory of NAME. Example: RdmaWindowed has the entry
 * "*+win=Policy:*", so "dcqcn+win" is an RdmaWindowed that wraps dcqcn.
 */
class HpccPresets
{
  public:
    /**
     * Finds a preset.
     * @param base base type; this type and the types derived from it are searched
     * @param name the short name
     * @param factory set up to create objects of this preset
     * @return false if no class derived from base has that name
     */
    static bool Find(TypeId base, const std::string& name, ObjectFactory& factory);

    /**
     * Returns the short names of @p base and of the classes derived from it, sorted, without the
     * entries of wrappers.
     * @param base the base type
     */
    static std::vector<std::string> Names(TypeId base);

    /**
     * Returns the short names of Names() whose objects satisfy a condition.
     * @tparam T the base class
     * @param fits function that returns true if an object of T satisfies the condition
     */
    template <class T, class Condition>
    static std::vector<std::string> NamesWhere(Condition fits)
    {
        std::vector<std::string> names;
        for (const std::string& name : Names(T::GetTypeId()))
        {
            ObjectFactory factory;
            Find(T::GetTypeId(), name, factory);
            if (fits(*factory.Create<T>()))
            {
                names.push_back(name);
            }
        }
        return names;
    }

    /**
     * Returns the valid names as text for a message: "a, b, c". The text contains the names that
     * Names() returns and, for each wrapper, NAME followed by its suffix.
     * @param base the base type
     */
    static std::string Choices(TypeId base);
};

} // namespace ns3

#endif // HPCC_PRESETS_H
