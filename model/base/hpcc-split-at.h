/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SPLIT_AT_H
#define HPCC_SPLIT_AT_H

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Splits a text.
 * @param text parts with separators between them
 * @param separator character between two parts
 * @return the parts, any of which may be empty; no parts if the text is empty
 */
inline std::vector<std::string>
SplitAt(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    for (size_t begin = 0; !text.empty() && begin <= text.size();)
    {
        const size_t end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

/**
 * Lists names in a message.
 * @param names names in the order in which they are listed
 * @return the names, separated by commas: "A, B, C"
 */
inline std::string
JoinNames(const std::vector<std::string>& names)
{
    std::string text;
    for (const auto& name : names)
    {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

} // namespace ns3

#endif // HPCC_SPLIT_AT_H
