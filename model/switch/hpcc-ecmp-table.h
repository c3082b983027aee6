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

    /// Usable ports of equal cost to a destination.
    struct Choices
    {
        const uint16_t* ports; ///< the ports, in a fixed order
        uint32_t count;        ///< how many; 0 without a route
        uint32_t group;        ///< number of this set of ports, small; 0 without a route
    };

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
        if (group.size <= 1)
        {
            return group.size ? m_ports[group.first] : NO_ROUTE;
        }
        uint32_t hash = (flowHash ^ m_seed) * 0x9e3779b1U;
        hash ^= hash >> 15;
        hash *= 0x85ebca77U;
        hash ^= hash >> 13;
        return m_ports[group.first + (static_cast<uint64_t>(hash) * group.size >> 32)];
    }

    /**
     * @param destination IPv4 address
     * @return the ports to choose from, valid until the table changes
     */
    Choices Find(uint32_t destination) const
    {
        uint32_t index = destination - m_base;
        uint32_t number = index < m_groupOf.size() ? m_groupOf[index] : 0;
        const Group& group = m_groups[number];
        return {m_ports.data() + group.first, group.size, number};
    }

    /**
     * Stop or resume using a port, whatever the routes say.
     * @param port egress port
     * @param usable false: its link is down
     */
    void SetUsable(uint16_t port, bool usable);

    /**
     * @param destination IPv4 address
     * @return its usable equal-cost egress ports; empty without a route
     */
    std::vector<uint16_t> GetRoute(uint32_t destination) const;

  private:
    /// A set of equal-cost ports.
    struct Group
    {
        uint32_t first; ///< where it begins in m_ports and m_allPorts
        uint32_t size;  ///< how many are usable
        uint32_t all;   ///< how many there are
    };

    /// @param group its usable ports are chosen from all of them
    void Refresh(Group& group);

    uint32_t m_base{0};                     ///< address of the first entry
    uint32_t m_seed{0};                     ///< of the hash
    std::vector<uint16_t> m_groupOf;        ///< group by address - m_base; 0 is no route
    std::vector<Group> m_groups{{0, 0, 0}}; ///< sets of ports; the first is empty
    std::vector<uint16_t> m_ports;          ///< usable ports of all sets
    std::vector<uint16_t> m_allPorts;       ///< ports of all sets
    std::vector<bool> m_unusable;           ///< by port
};

} // namespace ns3

#endif // HPCC_ECMP_TABLE_H
