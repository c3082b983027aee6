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
    m_batches.assign(GetSize(), {});
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
    here.GetAgenda().SetTurnObserver(this);
    m_devices[KeyOf(here)] = &here;
    auto receiver = CreateObject<MpiReceiver>();
    receiver->SetReceiveCallback(MakeCallback(&HpccMpiRanks::Receive, this));
    here.AggregateObject(receiver);
}

void
HpccMpiRanks::Carry(const QbbNetDevice& from, QbbNetDevice& to, Frame* frame)
{
    Batch& batch = m_batches[to.GetNode()->GetSystemId()];
    const size_t before = batch.bytes.size();
    const uint64_t key = KeyOf(to);
    batch.bytes.append(reinterpret_cast<const char*>(&key), sizeof(key));
    Append(*frame, batch.bytes);
    if (before > 0 && batch.bytes.size() > MAX_MESSAGE_BYTES)
    {
        const std::string last = batch.bytes.substr(before);
        batch.bytes.resize(before);
        Send(batch);
        batch.bytes = last;
    }
    NS_ABORT_MSG_IF(batch.bytes.size() > MAX_MESSAGE_BYTES,
                    "HpccMpiRanks: a frame of "
                        << frame->bytes
                        << " bytes with a packet of ns-3's IP stack does not fit "
                           "a message between ranks");
    batch.firstNs = std::min(batch.firstNs, frame->arrivalNs);
    batch.to = &to;
    FramePool::Free(frame);
    if (!from.GetAgenda().IsRunning())
    {
        Send(batch);
    }
}

void
HpccMpiRanks::TurnEnded()
{
    for (auto& batch : m_batches)
    {
        if (batch.to)
        {
            Send(batch);
        }
    }
}

void
HpccMpiRanks::Send(Batch& batch)
{
    ++m_messages;
    auto packet = Create<Packet>(reinterpret_cast<const uint8_t*>(batch.bytes.data()),
                                 static_cast<uint32_t>(batch.bytes.size()));
    MpiInterface::SendPacket(packet,
                             NanoSeconds(batch.firstNs - 1),
                             batch.to->GetAgenda().GetNodeId(),
                             batch.to->GetIfIndex());
    batch.bytes.clear();
    batch.firstNs = INT64_MAX;
    batch.to = nullptr;
}

void
HpccMpiRanks::Receive(Ptr<Packet> packet)
{
    std::string bytes(packet->GetSize(), '\0');
    packet->CopyData(reinterpret_cast<uint8_t*>(bytes.data()), packet->GetSize());
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
