/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_OBJECT_TEXT_H
#define HPCC_OBJECT_TEXT_H

#include "hpcc-split-at.h"

#include "ns3/type-id.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// An object as text: "ns3::Class" or "ns3::Class[A=V|B=W]".
struct HpccObjectText
{
    /// An attribute of the class.
    struct Attribute
    {
        std::string name;                  ///< name of the attribute
        std::string value;                 ///< value as text, which Read() does not check
        Ptr<const AttributeChecker> check; ///< checker of the attribute
    };

    TypeId tid;                        ///< the class, which has a constructor
    std::vector<Attribute> attributes; ///< attributes in the brackets

    /**
     * Parses the description of an object.
     * @param text any text
     * @return class and attributes; no value if the class or an attribute is unknown, or if a
     * bracket or '=' is missing
     */
    static std::optional<HpccObjectText> Read(const std::string& text)
    {
        HpccObjectText object;
        const size_t bracket = text.find('[');
        if (!TypeId::LookupByNameFailSafe(text.substr(0, bracket), &object.tid) ||
            !object.tid.HasConstructor() || (bracket != std::string::npos && text.back() != ']'))
        {
            return std::nullopt;
        }
        const std::string list =
            bracket == std::string::npos ? "" : text.substr(bracket + 1, text.size() - bracket - 2);
        for (const std::string& attribute : SplitAt(list, '|'))
        {
            const size_t equals = attribute.find('=');
            const std::string name = attribute.substr(0, equals);
            TypeId::AttributeInformation info;
            if (equals == std::string::npos || !object.tid.LookupAttributeByName(name, &info))
            {
                return std::nullopt;
            }
            object.attributes.push_back({name, attribute.substr(equals + 1), info.checker});
        }
        return object;
    }
};

} // namespace ns3

#endif // HPCC_OBJECT_TEXT_H
