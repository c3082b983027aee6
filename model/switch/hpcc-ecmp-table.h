/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ECMP_TABLE_H
#define HPCC_ECMP_TABLE_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Next hops of a switch, by destination address, with equal-cost paths. Addresses of hosts are
 * expected to be close together: the table is an array, two bytes a destination.
 */
class EcmpTable
{
  public:
    static constexpr uint32_t NO_ROUTE = UINT32_MAX; ///< no port

    /**
     * @param seed makes this switch choose independently of others
     */
    void SetSeed(uint32_t seed);

    /**
     * Set the routes to a destination.
     * @param destination IPv4 address
     * @param ports equal-cost egress ports, in a fixed order; empty removes the route
     */
    void SetRoute(uint32_t destination, const std::vector<uint16_t>& ports);

    /**
     * @param destination IPv4 address
     * @param flowHash see HashFiveTuple()
     * @return the egress port, or NO_ROUTE
     */
    uint32_t Lookup(uint32_t destination, uint32_t flowHash) const
    {
        uint32_t index = destination - m_base;
        if (index >= m_groupOf.size() || m_groupOf[index] == 0)
        {
            return NO_ROUTE;
        }
        const Group& group = m_groups[m_groupOf[index]];
        if (group.size == 1)
        {
            return m_ports[group.first];
        }
        uint32_t hash = (flowHash ^ m_seed) * 0x9e3779b1U;
        hash ^= hash >> 15;
        hash *= 0x85ebca77U;
        hash ^= hash >> 13;
        return m_ports[group.first + (static_cast<uint64_t>(hash) * group.size >> 32)];
    }

    /**
     * @param destination IPv4 address
     * @return its equal-cost egress ports; empty without a route
     */
    std::vector<uint16_t> GetRoute(uint32_t destination) const;

  private:
    /// A set of equal-cost ports.
    struct Group
    {
        uint32_t first; ///< where it begins in m_ports
        uint32_t size;  ///< how many
    };

    uint32_t m_base{0};                  ///< address of the first entry
    uint32_t m_seed{0};                  ///< of the hash
    std::vector<uint16_t> m_groupOf;     ///< group by address - m_base; 0 is no route
    std::vector<Group> m_groups{{0, 0}}; ///< sets of ports; the first is empty
    std::vector<uint16_t> m_ports;       ///< ports of all sets
};

} // namespace ns3

#endif // HPCC_ECMP_TABLE_H
