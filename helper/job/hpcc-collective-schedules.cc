/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-collectives.h"

#include <algorithm>

// The part of HpccCollectives with the schedules of the algorithms.

namespace ns3
{

namespace
{

/// Returns the size of each of several equal parts, bytes.
uint64_t
PartOf(uint64_t bytes, uint64_t parts)
{
    return (bytes + parts - 1) / parts;
}

/**
 * Returns the parent of a member of a binary tree.
 * @param member member of a binary tree, numbered in order: leaves are odd, the root is 0
 * @param members number of members, above @p member
 */
uint32_t
ParentOf(uint32_t member, uint32_t members)
{
    const uint32_t low = member & -member;
    const uint32_t parent = (member ^ low) | low << 1;
    return parent < members ? parent : member ^ low;
}

} // namespace

void
HpccCollectives::Ring(const Phase& phase, uint32_t steps, Ends& ends)
{
    const auto ranks = static_cast<uint32_t>(phase.members.size());
    const uint64_t bytes = PartOf(phase.bytes, uint64_t{ranks} * phase.chunks);
    for (uint32_t i = 0; i < ranks; ++i)
    {
        const uint32_t rank = phase.members[i];
        const uint32_t next = phase.members[(i + 1) % ranks];
        const uint32_t previous = phase.members[(i + ranks - 1) % ranks];
        std::vector<uint32_t> awaited(phase.chunks, HpccJobGraph::NONE);
        std::vector<uint32_t> last;
        const uint32_t start = Join(rank, ends[rank]);
        for (uint32_t step = 0; step < steps; ++step)
        {
            for (uint32_t& receive : awaited)
            {
                const uint32_t send = m_graph.Send(rank, next, bytes, phase.tag);
                m_graph.After(send, receive == HpccJobGraph::NONE ? start : receive);
                last.push_back(send);
            }
            for (uint32_t& receive : awaited)
            {
                receive = m_graph.Receive(rank, previous, bytes, phase.tag);
                m_graph.After(receive, start);
            }
        }
        last.insert(last.end(), awaited.begin(), awaited.end());
        ends[rank] = last;
    }
}

void
HpccCollectives::Chain(const Phase& phase, Ends& ends)
{
    const uint64_t bytes = PartOf(phase.bytes, phase.chunks);
    for (size_t i = 0; i < phase.members.size(); ++i)
    {
        const uint32_t rank = phase.members[i];
        const uint32_t start = Join(rank, ends[rank]);
        ends[rank].clear();
        for (uint32_t chunk = 0; chunk < phase.chunks; ++chunk)
        {
            uint32_t before = start;
            if (i > 0)
            {
                before = m_graph.Receive(rank, phase.members[i - 1], bytes, phase.tag);
                m_graph.After(before, start);
                ends[rank].push_back(before);
            }
            if (i + 1 < phase.members.size())
            {
                const uint32_t send = m_graph.Send(rank, phase.members[i + 1], bytes, phase.tag);
                m_graph.After(send, before);
                ends[rank].push_back(send);
            }
        }
    }
}

void
HpccCollectives::Direct(const Phase& phase, Ends& ends)
{
    const auto ranks = static_cast<uint32_t>(phase.members.size());
    const uint64_t bytes = PartOf(phase.bytes, uint64_t{ranks} * phase.chunks);
    const uint32_t window = phase.window == 0 ? ranks : phase.window;
    for (uint32_t i = 0; i < ranks; ++i)
    {
        const uint32_t rank = phase.members[i];
        const uint32_t start = Join(rank, ends[rank]);
        std::vector<uint32_t> receives;
        ends[rank].clear();
        for (uint32_t round = 1; round < ranks; ++round)
        {
            const uint32_t from = phase.members[(i + ranks - round) % ranks];
            for (uint32_t chunk = 0; chunk < phase.chunks; ++chunk)
            {
                receives.push_back(m_graph.Receive(rank, from, bytes, phase.tag));
                m_graph.After(receives.back(), start);
            }
        }
        uint32_t before = start;
        for (uint32_t round = 1; round < ranks; ++round)
        {
            const uint32_t to = phase.members[(i + round) % ranks];
            for (uint32_t chunk = 0; chunk < phase.chunks; ++chunk)
            {
                // A send begins after the previous send has begun. Therefore it also waits for all
                // receives for which the previous send has waited.
                const uint32_t send = m_graph.Send(rank, to, bytes, phase.tag);
                m_graph.After(send, before, before != start);
                if (round > window)
                {
                    m_graph.After(send, receives[(round - window - 1) * phase.chunks + chunk]);
                }
                before = send;
                ends[rank].push_back(send);
            }
        }
        ends[rank].insert(ends[rank].end(), receives.begin(), receives.end());
    }
}

void
HpccCollectives::HalvingDoubling(const Phase& phase, bool halving, bool doubling, Ends& ends)
{
    const auto ranks = static_cast<uint32_t>(phase.members.size());
    std::vector<uint32_t> distances;
    for (uint32_t distance = 1; halving && distance < ranks; distance *= 2)
    {
        distances.push_back(distance);
    }
    for (uint32_t distance = ranks / 2; doubling && distance > 0; distance /= 2)
    {
        distances.push_back(distance);
    }
    for (uint32_t i = 0; i < ranks; ++i)
    {
        const uint32_t rank = phase.members[i];
        std::vector<uint32_t> before = ends[rank];
        std::vector<uint32_t> sends;
        for (uint32_t distance : distances)
        {
            const uint32_t peer = phase.members[i ^ distance];
            const uint64_t bytes = PartOf(phase.bytes, 2ULL * distance * phase.chunks);
            const uint32_t start = Join(rank, before);
            before.clear();
            for (uint32_t chunk = 0; chunk < phase.chunks; ++chunk)
            {
                sends.push_back(m_graph.Send(rank, peer, bytes, phase.tag));
                m_graph.After(sends.back(), start);
                before.push_back(m_graph.Receive(rank, peer, bytes, phase.tag));
                m_graph.After(before.back(), start);
            }
        }
        before.insert(before.end(), sends.begin(), sends.end());
        ends[rank] = before;
    }
}

void
HpccCollectives::DoubleTree(const Phase& phase, Ends& ends)
{
    const auto ranks = static_cast<uint32_t>(phase.members.size());
    const uint64_t bytes = PartOf(phase.bytes, 2ULL * phase.chunks);
    // Returns the position of a member in one of the two trees. If the number of ranks is even, the
    // leaves of the second tree are the inner nodes of the first tree.
    const auto place = [ranks](uint32_t member, bool second) {
        return !second ? member : ranks % 2 == 0 ? ranks - 1 - member : (member + 1) % ranks;
    };
    std::vector<uint32_t> starts(ranks);
    for (uint32_t i = 0; i < ranks; ++i)
    {
        starts[i] = Join(phase.members[i], ends[phase.members[i]]);
        ends[phase.members[i]].clear();
    }
    for (bool second : {false, true})
    {
        const uint32_t tag = second ? phase.secondTag : phase.tag;
        std::vector<uint32_t> memberAt(ranks);
        std::vector<std::vector<uint32_t>> children(ranks);
        for (uint32_t i = 0; i < ranks; ++i)
        {
            memberAt[place(i, second)] = phase.members[i];
        }
        for (uint32_t at = 1; at < ranks; ++at)
        {
            children[ParentOf(at, ranks)].push_back(at);
        }
        for (uint32_t i = 0; i < ranks; ++i)
        {
            const uint32_t at = place(i, second);
            const uint32_t rank = phase.members[i];
            auto& last = ends[rank];
            const auto add = [&](uint32_t operation, const std::vector<uint32_t>& before) {
                for (uint32_t other : before)
                {
                    m_graph.After(operation, other);
                }
                last.push_back(operation);
                return operation;
            };
            for (uint32_t chunk = 0; chunk < phase.chunks; ++chunk)
            {
                std::vector<uint32_t> reduced{starts[i]};
                for (uint32_t child : children[at])
                {
                    reduced.push_back(
                        add(m_graph.Receive(rank, memberAt[child], bytes, tag), {starts[i]}));
                }
                if (at > 0)
                {
                    const uint32_t parent = memberAt[ParentOf(at, ranks)];
                    add(m_graph.Send(rank, parent, bytes, tag), reduced);
                    reduced = {add(m_graph.Receive(rank, parent, bytes, tag), {starts[i]})};
                }
                for (uint32_t child : children[at])
                {
                    add(m_graph.Send(rank, memberAt[child], bytes, tag), reduced);
                }
            }
        }
    }
}

void
HpccCollectives::BinomialTree(const Phase& phase, Ends& ends)
{
    const auto ranks = static_cast<uint32_t>(phase.members.size());
    const uint64_t bytes = PartOf(phase.bytes, phase.chunks);
    for (uint32_t i = 0; i < ranks; ++i)
    {
        const uint32_t rank = phase.members[i];
        const uint32_t start = Join(rank, ends[rank]);
        ends[rank].clear();
        // Member i receives the data from the member whose number is i without its highest bit.
        // Member i then sends the data to the members i + 2^k for which 2^k is greater than i.
        uint32_t high = 1;
        while (high <= i)
        {
            high *= 2;
        }
        for (uint32_t chunk = 0; chunk < phase.chunks; ++chunk)
        {
            uint32_t before = start;
            if (i > 0)
            {
                const uint32_t from = phase.members[i - high / 2];
                before = m_graph.Receive(rank, from, bytes, phase.tag);
                m_graph.After(before, start);
                ends[rank].push_back(before);
            }
            for (uint32_t bit = high; i + bit < ranks; bit *= 2)
            {
                // Sends run one after another, to the child with the largest subtree first.
                const uint32_t send = m_graph.Send(rank, phase.members[i + bit], bytes, phase.tag);
                m_graph.After(send, before);
                before = send;
                ends[rank].push_back(send);
            }
        }
    }
}

} // namespace ns3
