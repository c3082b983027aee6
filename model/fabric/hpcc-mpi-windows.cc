/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-mpi-windows.h"

#include "qbb-channel.h"
#include "qbb-net-device.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <mpi.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccMpiWindows);

namespace
{

constexpr int TAG = 1;           ///< of the messages
constexpr char IDLE = 1;         ///< first byte of one from a rank without events
constexpr char BUSY = 0;         ///< the same with events
constexpr size_t HEAD_BYTES = 1; ///< what precedes the frames

/// @param rank another rank @param bytes set to its next message
void
Receive(int rank, std::string& bytes)
{
    MPI_Message message;
    MPI_Status status;
    int size = 0;
    MPI_Mprobe(rank, TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_BYTE, &size);
    bytes.resize(size);
    MPI_Mrecv(bytes.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
}

} // namespace

TypeId
HpccMpiWindows::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HpccMpiWindows")
                            .SetParent<HpccMpiRanks>()
                            .SetGroupName("Hpcc")
                            .AddConstructor<HpccMpiWindows>();
    return tid;
}

void
HpccMpiWindows::Begin()
{
    HpccMpiRanks::Begin();
    m_out.assign(GetSize(), std::string(HEAD_BYTES, BUSY));
    m_windowNs = INT64_MAX;
    m_endNs = 0;
    Simulator::ScheduleNow(&HpccMpiWindows::Start, this);
}

void
HpccMpiWindows::End()
{
    m_out.clear();
    HpccMpiRanks::End();
}

void
HpccMpiWindows::Join(QbbChannel& channel, QbbNetDevice& here)
{
    AddLink(channel, here, channel.GetDelayNs());
}

void
HpccMpiWindows::Start()
{
    int64_t mineNs = INT64_MAX;
    for (uint32_t rank = 0; rank < GetSize(); ++rank)
    {
        for (const auto* here : LinksTo(rank))
        {
            mineNs = std::min(mineNs, here->GetQbbChannel()->GetDelayNs());
        }
    }
    MPI_Allreduce(&mineNs, &m_windowNs, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    if (m_windowNs == INT64_MAX)
    {
        return;
    }
    for (uint32_t rank = 0; rank < GetSize(); ++rank)
    {
        for (auto* here : LinksTo(rank))
        {
            here->GetAgenda().LagWithin(m_windowNs);
        }
    }
    m_endNs = m_windowNs;
    Simulator::Schedule(NanoSeconds(m_windowNs), &HpccMpiWindows::EndWindow, this);
}

void
HpccMpiWindows::Carry(uint32_t rank, uint32_t link, Frame* frame)
{
    NS_ABORT_MSG_IF(frame->arrivalNs < m_endNs,
                    "HpccMpiWindows: the delay of a link between ranks became shorter than "
                        << m_windowNs << " ns, that of the shortest when time started");
    Append(link, *frame, m_out[rank]);
    FramePool::Free(frame);
}

void
HpccMpiWindows::EndWindow()
{
    bool idle = Simulator::IsFinished() &&
                std::all_of(m_out.begin(), m_out.end(), [](const std::string& message) {
                    return message.size() == HEAD_BYTES;
                });
    const auto ranks = static_cast<int>(GetSize());
    const auto self = static_cast<int>(GetRank());
    std::vector<MPI_Request> requests(ranks, MPI_REQUEST_NULL);
    for (int rank = 0; rank < ranks; ++rank)
    {
        std::string& message = m_out[rank];
        message[0] = idle ? IDLE : BUSY;
        if (rank != self)
        {
            MPI_Isend(message.data(),
                      static_cast<int>(message.size()),
                      MPI_BYTE,
                      rank,
                      TAG,
                      MPI_COMM_WORLD,
                      &requests[rank]);
        }
    }
    for (int rank = 0; rank < ranks; ++rank)
    {
        if (rank != self)
        {
            Receive(rank, m_in);
            idle = idle && m_in[0] == IDLE;
            Announce(m_in.data() + HEAD_BYTES, m_in.data() + m_in.size(), LinksTo(rank));
        }
    }
    MPI_Waitall(ranks, requests.data(), MPI_STATUSES_IGNORE);
    for (std::string& message : m_out)
    {
        message.resize(HEAD_BYTES);
    }
    ++m_exchanges;
    m_endNs += m_windowNs;
    if (!idle)
    {
        Simulator::Schedule(NanoSeconds(m_windowNs), &HpccMpiWindows::EndWindow, this);
    }
}

} // namespace ns3
