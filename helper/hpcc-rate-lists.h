/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_RATE_LISTS_H
#define HPCC_RATE_LISTS_H

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace ns3
{

/// An attribute whose value lists entries for ports of given rates, such as "25Gbps:0.5,100Gbps:1".
struct HpccRateList
{
    bool scaled; ///< true if a port whose rate has no entry uses the first entry, scaled to its own
                 ///< rate

    /// Returns the attributes whose values are such lists, by full name.
    static const std::map<std::string, HpccRateList>& All();

    /**
     * Returns true if a value has an effect on some port. Also returns true for a malformed value,
     * which the object itself refuses.
     * @param text value of the attribute
     * @param rates rates of the ports, bit/s
     */
    bool Acts(const std::string& text, const std::set<uint64_t>& rates) const;

    /// Returns the reason that an error message gives when it refuses a value that has no effect on
    /// any port.
    /// @param ports name of the ports in the returned text
    std::string DescribeRefusal(const std::string& ports) const;
};

} // namespace ns3

#endif // HPCC_RATE_LISTS_H
