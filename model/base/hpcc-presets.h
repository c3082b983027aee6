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
 * parts of a switch, NICs. A class registers its names next to its TypeId by HpccTypeId::Presets():
 * entries separated by ';', each "name" or "name=Attribute:Value,Attribute:Value". Options of the
 * examples, such as --cc or --telemetry, accept the name; the attributes of an entry are set on the
 * object. A class in a user's own program is found the same way, because ns-3's type database is
 * the only registry.
 *
 * A variant of a name, such as a parameter set, is written "name:variant".
 *
 * Among the classes derived from one base, a short name is unique. Every look-up throws
 * HpccInputError if two entries below its base have the same name, or if a name has both an entry
 * and a wrapper.
 *
 * A class that wraps another one of the same base has an entry "*SUFFIX=Attribute:*". It matches
 * NAME followed by SUFFIX for every known NAME. The attribute, an ObjectFactory, is set to the
 * factory of NAME. Example: with "*+win=Policy:*" of RdmaWindowed, "dcqcn+win" is an RdmaWindowed
 * around dcqcn.
 */
class HpccPresets
{
  public:
    /**
     * Finds a preset.
     * @param base base type; it and the types derived from it are searched
     * @param name the short name
     * @param factory set up to create such objects
     * @return false if no class derived from base has that name
     */
    static bool Find(TypeId base, const std::string& name, ObjectFactory& factory);

    /**
     * @param base the base type
     * @return the short names of base and of the classes derived from it, sorted, without the
     * entries of wrappers
     */
    static std::vector<std::string> Names(TypeId base);

    /**
     * @param base the base type
     * @return the names that Names() returns, as text for a message: "a, b, c", with NAME+SUFFIX
     * for a wrapper
     */
    static std::string Choices(TypeId base);
};

} // namespace ns3

#endif // HPCC_PRESETS_H
