/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-mpi-ranks.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/packet.h"
#include "ns3/qbb-channel.h"
#include "ns3/qbb-net-device.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <iostream>
#include <sched.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccMpiRanks);

namespace
{

/**
 * Prints one line in a single output operation, so that lines of several ranks do not mix, and ends
 * all ranks.
 * @param why the reason
 */
[[noreturn]] void
EndAll(const std::string& why)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::cerr << "rank " + std::to_string(rank) + ": " + why + "\n" << std::flush;
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort(); // MPI_Abort() does not return
}

/// Handles an MPI error.
/// @param code code of the error
void
HandleError(MPI_Comm*, int* code, ...)
{
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(*code, text, &length);
    EndAll("MPI: " + std::string(text, static_cast<size_t>(length)));
}

/// Ends all ranks when this rank exits. The reason has already been printed.
void
AbortAtExit()
{
    MPI_Abort(MPI_COMM_WORLD, Simulator::Now().IsZero() ? 2 : 1);
}

/// Waits up to one second for the other ranks to end as well.
/// @param communicator communicator of the ranks, used only for this purpose
/// @return true if all ranks have ended
bool
AllEnd(MPI_Comm communicator)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(communicator, &request);
    const auto begin = std::chrono::steady_clock::now();
    int ended = 0;
    while (!ended && std::chrono::steady_clock::now() - begin < std::chrono::seconds(1))
    {
        MPI_Test(&request, &ended, MPI_STATUS_IGNORE);
        sched_yield();
    }
    return ended;
}

} // namespace

TypeId
HpccMpiRanks::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<HpccMpiRanks, HpccRanks>("ns3::HpccMpiRanks");
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
    MPI_Comm_dup(MPI_COMM_WORLD, &m_communicator);
    MPI_Comm_dup(MPI_COMM_WORLD, &m_ends);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(&HandleError, &handler);
    for (MPI_Comm communicator : {m_communicator, m_ends, MPI_COMM_WORLD})
    {
        MPI_Comm_set_errhandler(communicator, handler);
    }
    MPI_Errhandler_free(&handler);
}

HpccMpiRanks::~HpccMpiRanks()
{
    if (std::uncaught_exceptions() > 0 && !AllEnd(m_ends))
    {
        std::atexit(&AbortAtExit); // MPI_Finalize() would wait for the other ranks
        return;
    }
    MPI_Comm_free(&m_communicator);
    MPI_Comm_free(&m_ends);
    if (m_initialized)
    {
        MPI_Finalize();
    }
}

uint32_t
HpccMpiRanks::GetRank() const
{
    int rank = 0;
    MPI_Comm_rank(m_communicator, &rank);
    return static_cast<uint32_t>(rank);
}

uint32_t
HpccMpiRanks::GetSize() const
{
    int size = 0;
    MPI_Comm_size(m_communicator, &size);
    return static_cast<uint32_t>(size);
}

void
HpccMpiRanks::Abort(const std::string& why) const
{
    EndAll("HpccRanks: " + why);
}

void
HpccMpiRanks::WaitUntil(const std::function<bool()>& done)
{
    // After this number of tries, the process sleeps between tries. If no other rank is behind, the
    // condition is met earlier, so the process does not sleep.
    constexpr int spins = 1000;
    for (int tries = 0; !done(); ++tries)
    {
        if (tries >= spins)
        {
            // sched_yield() is not used, because another process would then run for its whole time
            // slice in each window.
            const timespec pause{0, std::min<long>(1000000, 20000L * (tries - spins + 1))};
            nanosleep(&pause, nullptr);
        }
    }
}

void
HpccMpiRanks::WaitFor(std::vector<MPI_Request>& requests)
{
    WaitUntil([&requests] {
        int done = 0;
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
        return done != 0;
    });
    requests.clear();
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
        if (!wrong.empty())
        {
            Abort("a message of another rank has " + wrong);
        }
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
    const uint32_t ranks = GetSize();
    const uint64_t size = mine.size();
    std::vector<uint64_t> sizes(ranks);
    std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
    MPI_Iallgather(&size,
                   1,
                   MPI_UINT64_T,
                   sizes.data(),
                   1,
                   MPI_UINT64_T,
                   m_communicator,
                   &requests.back());
    WaitFor(requests);
    std::vector<std::string> parts(ranks);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        std::string& part = parts[rank];
        part = rank == GetRank() ? mine : std::string(sizes[rank], '\0');
        for (uint64_t sent = 0; sent < part.size(); sent += MAX_CHUNK_BYTES)
        {
            requests.push_back(MPI_REQUEST_NULL);
            MPI_Ibcast(part.data() + sent,
                       static_cast<int>(std::min<uint64_t>(part.size() - sent, MAX_CHUNK_BYTES)),
                       MPI_BYTE,
                       static_cast<int>(rank),
                       m_communicator,
                       &requests.back());
        }
    }
    WaitFor(requests);
    return parts;
}

} // namespace ns3
