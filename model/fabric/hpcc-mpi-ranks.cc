/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-mpi-ranks.h"

#include "qbb-channel.h"
#include "qbb-net-device.h"

#include "ns3/abort.h"
#include "ns3/callback.h"
#include "ns3/mpi-interface.h"
#include "ns3/mpi-receiver.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstring>
#include <mpi.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccMpiRanks);

namespace
{

/// Largest payload of a packet that ns-3 can send to another rank: its buffers have 2,000 bytes.
constexpr size_t MAX_MESSAGE_BYTES = 1900;

/// @return what a device is found by at its own rank
uint64_t
KeyOf(const QbbNetDevice& device)
{
    return static_cast<uint64_t>(device.GetAgenda().GetNodeId()) << 32 | device.GetIfIndex();
}

} // namespace

TypeId
HpccMpiRanks::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HpccMpiRanks")
                            .SetParent<HpccRanks>()
                            .SetGroupName("Hpcc")
                            .AddConstructor<HpccMpiRanks>();
    return tid;
}

HpccMpiRanks::HpccMpiRanks()
{
    int running = 0;
    MPI_Initialized(&running);
    if (!running)
    {
        MPI_Init(nullptr, nullptr);
        m_initialized = true;
    }
}

HpccMpiRanks::~HpccMpiRanks()
{
    if (m_initialized)
    {
        MPI_Finalize();
    }
}

uint32_t
HpccMpiRanks::GetRank() const
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return static_cast<uint32_t>(rank);
}

uint32_t
HpccMpiRanks::GetSize() const
{
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return static_cast<uint32_t>(size);
}

void
HpccMpiRanks::Begin()
{
    MpiInterface::Enable(MPI_COMM_WORLD);
    m_peers = std::vector<Peer>(GetSize());
}

void
HpccMpiRanks::End()
{
    m_devices.clear();
    MpiInterface::Disable();
}

void
HpccMpiRanks::Join(QbbChannel& channel, QbbNetDevice& here)
{
    channel.SetRanks(this);
    m_devices[KeyOf(here)] = &here;
    m_peers[channel.GetPeer(&here)->GetNode()->GetSystemId()].channels.push_back(&channel);
    auto receiver = CreateObject<MpiReceiver>();
    receiver->SetReceiveCallback(MakeCallback(&HpccMpiRanks::Receive, this));
    here.AggregateObject(receiver);
}

void
HpccMpiRanks::Carry(QbbNetDevice& to, Frame* frame)
{
    const uint32_t rank = to.GetNode()->GetSystemId();
    Peer& peer = m_peers[rank];
    FindLookahead(peer);
    const size_t before = peer.bytes.size();
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    const int64_t dueNs = std::max(nowNs, frame->arrivalNs - 1 - peer.lookaheadNs);
    const uint64_t key = KeyOf(to);
    peer.bytes.append(reinterpret_cast<const char*>(&key), sizeof(key));
    Append(*frame, peer.bytes);
    if (before > 0 && peer.bytes.size() > MAX_MESSAGE_BYTES)
    {
        const std::string last = peer.bytes.substr(before);
        peer.bytes.resize(before);
        Send(peer);
        peer.bytes = last;
    }
    NS_ABORT_MSG_IF(peer.bytes.size() > MAX_MESSAGE_BYTES,
                    "HpccMpiRanks: a frame of " << frame->bytes
                                                << " bytes with a packet of ns-3's IP stack does "
                                                   "not fit a message between ranks");
    peer.to = &to;
    FramePool::Free(frame);
    if (dueNs < peer.dueNs)
    {
        peer.dueNs = dueNs;
        Simulator::Schedule(NanoSeconds(dueNs - nowNs), &HpccMpiRanks::SendDue, this, rank);
    }
}

void
HpccMpiRanks::FindLookahead(Peer& peer)
{
    if (peer.lookaheadNs > 0)
    {
        return;
    }
    peer.lookaheadNs = INT64_MAX;
    for (const QbbChannel* channel : peer.channels)
    {
        TimeValue delay;
        channel->GetAttribute("Delay", delay);
        peer.lookaheadNs = std::min(peer.lookaheadNs, delay.Get().GetNanoSeconds());
    }
}

void
HpccMpiRanks::SendDue(uint32_t rank)
{
    Peer& peer = m_peers[rank];
    if (peer.dueNs <= Simulator::Now().GetNanoSeconds())
    {
        Send(peer);
    }
}

void
HpccMpiRanks::Send(Peer& peer)
{
    std::string message(2 * sizeof(uint32_t), '\0');
    const uint32_t rank = GetRank();
    std::memcpy(message.data(), &rank, sizeof(rank));
    std::memcpy(message.data() + sizeof(rank), &peer.sent, sizeof(peer.sent));
    message += peer.bytes;
    ++peer.sent;
    ++m_messages;
    auto packet = Create<Packet>(reinterpret_cast<const uint8_t*>(message.data()),
                                 static_cast<uint32_t>(message.size()));
    MpiInterface::SendPacket(packet,
                             Simulator::Now() + NanoSeconds(peer.lookaheadNs),
                             peer.to->GetAgenda().GetNodeId(),
                             peer.to->GetIfIndex());
    peer.bytes.clear();
    peer.to = nullptr;
    peer.dueNs = INT64_MAX;
}

void
HpccMpiRanks::Receive(Ptr<Packet> packet)
{
    std::string bytes(packet->GetSize(), '\0');
    packet->CopyData(reinterpret_cast<uint8_t*>(bytes.data()), packet->GetSize());
    uint32_t rank = 0;
    uint32_t number = 0;
    std::memcpy(&rank, bytes.data(), sizeof(rank));
    std::memcpy(&number, bytes.data() + sizeof(rank), sizeof(number));
    Peer& peer = m_peers[rank];
    peer.held[number] = bytes.substr(sizeof(rank) + sizeof(number));
    for (auto next = peer.held.begin(); next != peer.held.end() && next->first == peer.received;
         next = peer.held.erase(next))
    {
        ++peer.received;
        Read(next->second);
    }
}

void
HpccMpiRanks::Read(const std::string& bytes)
{
    const char* next = bytes.data();
    while (next < bytes.data() + bytes.size())
    {
        uint64_t key = 0;
        std::memcpy(&key, next, sizeof(key));
        QbbNetDevice& to = *m_devices.at(key);
        Frame* frame = to.GetAgenda().Frames().Allocate();
        next = Read(next + sizeof(key), *frame);
        to.AnnounceArrival(frame);
    }
}

std::vector<std::string>
HpccMpiRanks::Exchange(const std::string& mine)
{
    const auto ranks = static_cast<int>(GetSize());
    auto size = static_cast<int>(mine.size());
    std::vector<int> sizes(ranks);
    MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<int> offsets(ranks, 0);
    for (int i = 1; i < ranks; ++i)
    {
        offsets[i] = offsets[i - 1] + sizes[i - 1];
    }
    std::string all(offsets.back() + sizes.back(), '\0');
    MPI_Allgatherv(mine.data(),
                   size,
                   MPI_CHAR,
                   all.data(),
                   sizes.data(),
                   offsets.data(),
                   MPI_CHAR,
                   MPI_COMM_WORLD);
    std::vector<std::string> parts;
    for (int i = 0; i < ranks; ++i)
    {
        parts.push_back(all.substr(offsets[i], sizes[i]));
    }
    return parts;
}

} // namespace ns3
