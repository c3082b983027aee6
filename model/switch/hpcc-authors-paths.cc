/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-authors-paths.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/node.h"
#include "ns3/qbb-net-device.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AuthorsPaths);

namespace
{

constexpr uint32_t FIRST_ADDRESS = 0x0b000001; ///< address of host 0, here and in the authors'
                                               ///< simulator

/// Returns @p word rotated to the left by @p bits bits.
constexpr uint32_t
Rotate(uint32_t word, uint32_t bits)
{
    return word << bits | word >> (32 - bits);
}

/// Mixes a word into a hash: the body of MurmurHash3.
constexpr uint32_t
Mix(uint32_t hash, uint32_t word)
{
    hash ^= Rotate(word * 0xcc9e2d51U, 15) * 0x1b873593U;
    return Rotate(hash, 13) * 5 + 0xe6546b64U;
}

/// Returns the finished hash of an input of @p bytes bytes. This is the last step of MurmurHash3.
constexpr uint32_t
Finish(uint32_t hash, uint32_t bytes)
{
    hash ^= bytes;
    hash = (hash ^ hash >> 16) * 0x85ebca6bU;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35U;
    return hash ^ hash >> 16;
}

} // namespace

TypeId
AuthorsPaths::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<AuthorsPaths, PathSelector>("ns3::AuthorsPaths").Presets("ecmp:authors");
    return tid;
}

void
AuthorsPaths::SetFlowPorts(std::shared_ptr<const FlowPorts> ports)
{
    m_flowPorts = std::move(ports);
}

uint32_t
AuthorsPaths::Hash(uint32_t sourceHost,
                   uint32_t destinationHost,
                   uint16_t sourcePort,
                   uint16_t destinationPort,
                   uint32_t seed)
{
    uint32_t hash = Mix(seed, FIRST_ADDRESS + (sourceHost << 8));
    hash = Mix(hash, FIRST_ADDRESS + (destinationHost << 8));
    hash = Mix(hash, sourcePort | uint32_t{destinationPort} << 16);
    return Finish(hash, 12);
}

uint32_t
AuthorsPaths::Select(const Frame& frame,
                     const EcmpTable::Choices& choices,
                     const std::vector<QbbNetDevice*>& ports,
                     int64_t)
{
    const uint32_t source = frame.source - FIRST_ADDRESS;
    const uint32_t destination = frame.destination - FIRST_ADDRESS;
    const bool answer = frame.kind == Frame::Kind::ROCE && frame.IsRoceFeedback();
    uint16_t far = frame.destinationPort;
    if (m_flowPorts && frame.kind == Frame::Kind::ROCE)
    {
        far = m_flowPorts->common;
        if (!m_flowPorts->others.empty())
        {
            auto found = m_flowPorts->others.find(KeyOf(answer ? destination : source,
                                                        answer ? source : destination,
                                                        frame.sourcePort));
            far = found == m_flowPorts->others.end() ? far : found->second;
        }
    }
    const uint32_t hash = Hash(source,
                               destination,
                               answer ? far : frame.sourcePort,
                               answer ? frame.sourcePort : far,
                               ports.front()->GetNode()->GetId());
    return choices.ports[hash % choices.count];
}

Multipath
AuthorsPaths::GetMultipath() const
{
    return Multipath::NONE;
}

} // namespace ns3
