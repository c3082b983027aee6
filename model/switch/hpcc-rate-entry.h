/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_RATE_ENTRY_H
#define HPCC_RATE_ENTRY_H

#include "ns3/data-rate.h"

#include <array>
#include <cstdint>
#include <sstream>
#include <string>

namespace ns3
{

/**
 * Reads "RATE:VALUE[:VALUE...]", an attribute's entry for ports of one speed.
 * @tparam N number of values
 * @param entry the text
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
    DataRate rate;
    std::istringstream rateIn(entry.substr(0, colon));
    std::istringstream in(entry.substr(colon));
    for (auto& value : values)
    {
        if (in.get() != ':' || !(in >> value) || !(value >= 0))
        {
            return false;
        }
    }
    if (!(rateIn >> rate) || in.peek() != std::istringstream::traits_type::eof())
    {
        return false;
    }
    rateBps = rate.GetBitRate();
    return rateBps > 0;
}

} // namespace ns3

#endif // HPCC_RATE_ENTRY_H
