/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-mpi-ranks.h"

#include "ns3/abort.h"
#include "ns3/packet.h"
#include "ns3/qbb-channel.h"
#include "ns3/qbb-net-device.h"

#include <mpi.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccMpiRanks);

TypeId
HpccMpiRanks::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HpccMpiRanks").SetParent<HpccRanks>().SetGroupName("Hpcc");
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
    m_serializer.Clear();
    m_frames = std::make_unique<FramePool>();
    m_links.assign(GetSize(), {});
}

void
HpccMpiRanks::End()
{
    m_links.clear();
}

void
HpccMpiRanks::AddFormat(const TelemetryFormat* format)
{
    m_serializer.AddFormat(format);
}

void
HpccMpiRanks::Announce(const char* bytes, const char* end, const std::vector<QbbNetDevice*>& links)
{
    while (bytes < end)
    {
        FrameSerializer::Message message{};
        Frame* frame = m_frames->Allocate();
        std::string wrong = m_serializer.Read(bytes, end, *frame, message);
        if (wrong.empty() && message.link >= links.size())
        {
            wrong = "link " + std::to_string(message.link) + " of " + std::to_string(links.size());
        }
        NS_ABORT_MSG_UNLESS(wrong.empty(), "HpccRanks: a message of another rank has " << wrong);
        if (message.packetBytes > 0)
        {
            frame->packet = Create<Packet>(reinterpret_cast<const uint8_t*>(message.packet),
                                           message.packetBytes,
                                           true);
        }
        links[message.link]->AnnounceArrival(frame);
    }
}

void
HpccMpiRanks::DoDispose()
{
    m_serializer.Clear();
    HpccRanks::DoDispose();
}

void
HpccMpiRanks::AddLink(QbbChannel& channel, QbbNetDevice& here, int64_t lookaheadNs)
{
    const uint32_t other = channel.GetPeerRank(&here);
    channel.SetRanks(this, other, static_cast<uint32_t>(m_links[other].size()), lookaheadNs);
    m_links[other].push_back(&here);
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
