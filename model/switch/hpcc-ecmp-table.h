/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ECMP_TABLE_H
#define HPCC_ECMP_TABLE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Stores the next hops of a switch for each destination address. A destination may have several
 * ports of equal cost. The table is an array of pages of neighbouring addresses, because the
 * addresses of hosts are expected to be close together. A page occupies four bytes if all its
 * addresses have the same ports. The addresses of a distant rack usually have the same ports. Any
 * other page occupies two additional bytes per address.
 */
class EcmpTable
{
  public:
    static constexpr uint32_t NO_ROUTE = UINT32_MAX; ///< no port

    /// Ports of equal cost to a destination.
    struct Choices
    {
        const uint16_t* ports; ///< the ports, in a fixed order
        uint32_t count;        ///< number of ports; 0 without a route
        uint32_t group;        ///< index of this set of ports among all sets in the table, from 1
                               ///< without gaps; 0 without a route

        /// Returns the first port.
        const uint16_t* begin() const
        {
            return ports;
        }

        /// Returns the end of the ports.
        const uint16_t* end() const
        {
            return ports + count;
        }
    };

    /// Sets the seed of the hash, so that switches choose independently.
    /// @param seed number that differs between switches
    void SetSeed(uint32_t seed);

    /**
     * Sets the routes to a destination.
     * @param destination IPv4 address
     * @param ports equal-cost egress ports, in a fixed order; empty removes the route
     */
    void SetRoute(uint32_t destination, const std::vector<uint16_t>& ports);

    /**
     * Sets the routes to several destinations that have the same ports.
     * @param destinations IPv4 addresses
     * @param ports equal-cost egress ports, in a fixed order; empty removes the routes
     */
    void SetRoutes(const std::vector<uint32_t>& destinations, const std::vector<uint16_t>& ports);

    /**
     * Returns the egress port of a flow, or NO_ROUTE.
     * @param destination IPv4 address
     * @param flowHash see HashFiveTuple()
     */
    uint32_t Lookup(uint32_t destination, uint32_t flowHash) const
    {
        const Group& group = m_groups[GroupOf(destination)];
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
     * Returns the usable ports for a destination, valid until the table changes.
     * @param destination IPv4 address
     */
    Choices Find(uint32_t destination) const
    {
        uint32_t number = GroupOf(destination);
        const Group& group = m_groups[number];
        return {m_ports.data() + group.first, group.size, number};
    }

    /**
     * Stops or resumes the use of a port, regardless of the routes.
     * @param port egress port
     * @param usable false if the link of the port is down
     */
    void SetUsable(uint16_t port, bool usable);

    /**
     * Returns the usable equal-cost egress ports for a destination; empty without a route.
     * @param destination IPv4 address
     */
    std::vector<uint16_t> GetRoute(uint32_t destination) const;

    /**
     * Returns the ports for a destination, including those whose link is down. The result is valid
     * until the table changes.
     * @param destination IPv4 address
     */
    Choices FindWhole(uint32_t destination) const
    {
        const uint32_t number = GroupOf(destination);
        const Group& group = m_groups[number];
        return {m_allPorts.data() + group.first, group.all, number};
    }

    /// Returns the memory of the routes, excluding the sets of ports, bytes.
    size_t GetRouteBytes() const
    {
        return m_pages.capacity() * sizeof(uint32_t) + m_details.capacity() * sizeof(uint16_t);
    }

  private:
    static constexpr uint32_t PAGE_BITS = 5;          ///< address bits within a page
    static constexpr uint32_t PAGE = 1U << PAGE_BITS; ///< addresses per page
    static constexpr uint32_t DETAIL = 1U << 31; ///< flag in m_pages: each address of the page has
                                                 ///< its own group

    /// A set of equal-cost ports.
    struct Group
    {
        uint32_t first; ///< index of the group's first port in m_ports and m_allPorts
        uint32_t size;  ///< number of usable ports
        uint32_t all;   ///< number of all ports
    };

    /**
     * Returns the group of the routes to a destination; 0 without a route.
     * @param destination IPv4 address
     */
    uint32_t GroupOf(uint32_t destination) const
    {
        const uint32_t index = destination - m_base;
        if (index >> PAGE_BITS >= m_pages.size())
        {
            return 0;
        }
        const uint32_t page = m_pages[index >> PAGE_BITS];
        return page < DETAIL ? page : m_details[page - DETAIL + index % PAGE];
    }

    /**
     * Returns the group of a set of equal-cost ports. The first call for a set adds the group.
     * @param ports equal-cost ports
     */
    uint16_t FindGroup(const std::vector<uint16_t>& ports);
    /**
     * Returns the page of a destination. Creates the page if necessary.
     * @param destination IPv4 address
     */
    uint32_t& PageOf(uint32_t destination);
    /// Gives each address of a page its own entry in m_details.
    /// @param page entry of m_pages
    void Detail(uint32_t& page);
    /// Selects a group's usable ports from all its ports.
    /// @param group entry of m_groups
    void Refresh(Group& group);

    uint32_t m_base{0};              ///< first address of the first page
    uint32_t m_seed{0};              ///< seed of the hash
    std::vector<uint32_t> m_pages;   ///< for each page, the group of all its addresses, or DETAIL
                                     ///< plus the index of the page's first entry in m_details
    std::vector<uint16_t> m_details; ///< group of each address in a detailed page; 0 is no route
    std::vector<uint32_t> m_unused;  ///< unused pages of m_details, each as the index of its first
                                     ///< entry
    std::vector<Group> m_groups{{0, 0, 0}}; ///< sets of ports; the first is empty
    std::vector<uint16_t> m_ports;          ///< usable ports of all sets
    std::vector<uint16_t> m_allPorts;       ///< ports of all sets
    std::vector<bool> m_unusable;           ///< by port; true if its link is down
};

} // namespace ns3

#endif // HPCC_ECMP_TABLE_H
