/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_RATE_ENTRY_H
#define HPCC_RATE_ENTRY_H

#include "ns3/hpcc-attribute-text.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-split-at.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Reads "RATE:VALUE[:VALUE...]", an attribute's entry for ports of one speed.
 * @tparam N number of values
 * @param entry text of the entry
 * @param rateBps set to the rate, bit/s, more than 0
 * @param values set to the values, not negative
 * @return true if the entry has this form and nothing else
 */
template <size_t N>
bool
ParseRateEntry(const std::string& entry, uint64_t& rateBps, std::array<double, N>& values)
{
    auto colon = entry.find(':');
    if (colon == std::string::npos)
    {
        return false;
    }
    const auto rate = FindRate(entry.substr(0, colon));
    std::istringstream in(entry.substr(colon));
    for (auto& value : values)
    {
        if (in.get() != ':' || !(in >> value) || !(value >= 0))
        {
            return false;
        }
    }
    if (!rate || in.peek() != std::istringstream::traits_type::eof())
    {
        return false;
    }
    rateBps = rate->GetBitRate();
    return rateBps > 0;
}

/**
 * Reads an attribute that is a list of "RATE:VALUE[:VALUE...]" entries, separated by commas.
 * Throws HpccInputError if an entry does not have this form, if its values are not allowed, or if a
 * rate has two entries.
 * @tparam N number of values of an entry
 * @param attribute full name of the attribute
 * @param text value of the attribute
 * @param form the form of an entry, for the error message
 * @param allows function that returns true if the values of an entry are allowed; the values are
 * never negative
 * @return rate, bit/s, and values of each entry, in order
 */
template <size_t N>
std::vector<std::pair<uint64_t, std::array<double, N>>>
ParseRateEntries(const std::string& attribute,
                 const std::string& text,
                 const std::string& form,
                 const std::function<bool(const std::array<double, N>&)>& allows)
{
    std::vector<std::pair<uint64_t, std::array<double, N>>> parsed;
    for (const std::string& entry : SplitAt(text, ','))
    {
        uint64_t rateBps = 0;
        std::array<double, N> values{};
        HPCC_REFUSE_IF(!ParseRateEntry(entry, rateBps, values) || !allows(values),
                       attribute + ": \"" + entry + "\" is not " + form);
        for (const auto& other : parsed)
        {
            HPCC_REFUSE_IF(other.first == rateBps,
                           attribute + ": \"" + entry + "\" is the second entry for " +
                               std::to_string(rateBps) + "bps; allowed is one per rate");
        }
        parsed.emplace_back(rateBps, values);
    }
    return parsed;
}

/**
 * Reads an attribute that is a list of RATE:BYTES entries, with 1 to 10^15 bytes. Throws
 * HpccInputError as ParseRateEntries() does.
 * @param attribute full name of the attribute
 * @param text value of the attribute
 * @return bytes by line rate, bit/s
 */
inline std::map<uint64_t, uint64_t>
ParseBytesPerRate(const std::string& attribute, const std::string& text)
{
    std::map<uint64_t, uint64_t> parsed;
    for (const auto& [rateBps, bytes] : ParseRateEntries<1>(
             attribute,
             text,
             "RATE:BYTES with bytes from 1 to 10^15",
             [](const std::array<double, 1>& one) { return one[0] >= 1 && one[0] <= 1e15; }))
    {
        parsed[rateBps] = static_cast<uint64_t>(bytes[0]);
    }
    return parsed;
}

} // namespace ns3

#endif // HPCC_RATE_ENTRY_H
