/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-mpi-windows.h"

#include "ns3/abort.h"
#include "ns3/qbb-channel.h"
#include "ns3/qbb-net-device.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <mpi.h>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccMpiWindows);

namespace
{

constexpr int TAG = 1;           ///< of the messages
constexpr char IDLE = 1;         ///< first byte of one from a rank without events
constexpr char BUSY = 0;         ///< the same with events
constexpr size_t HEAD_BYTES = 1; ///< what precedes the frames

/**
 * Receives the next message of another rank.
 * @param rank the rank
 * @param bytes set to the message
 */
void
ReceiveFrom(int rank, std::string& bytes)
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

struct HpccMpiWindows::Mail
{
    std::vector<std::string> messages; ///< by rank
    std::vector<MPI_Request> requests; ///< by rank
};

TypeId
HpccMpiWindows::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HpccMpiWindows")
                            .SetParent<HpccMpiRanks>()
                            .SetGroupName("Hpcc")
                            .AddConstructor<HpccMpiWindows>();
    return tid;
}

HpccMpiWindows::HpccMpiWindows() = default;

HpccMpiWindows::~HpccMpiWindows() = default;

void
HpccMpiWindows::Begin()
{
    HpccMpiRanks::Begin();
    for (auto& mail : m_mail)
    {
        mail = std::make_unique<Mail>();
        mail->messages.assign(GetSize(), std::string(HEAD_BYTES, BUSY));
        mail->requests.assign(GetSize(), MPI_REQUEST_NULL);
    }
    m_fetched = true;
    m_windowNs = INT64_MAX;
    m_endNs = 0;
    Simulator::ScheduleNow(&HpccMpiWindows::Start, this);
}

void
HpccMpiWindows::End()
{
    Receive(false);
    for (auto& mail : m_mail)
    {
        MPI_Waitall(static_cast<int>(GetSize()), mail->requests.data(), MPI_STATUSES_IGNORE);
    }
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
            here->GetAgenda().LagWithin(m_windowNs, this);
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
    GetSerializer().Append(link, *frame, m_mail[0]->messages[rank]);
    FramePool::Free(frame);
}

void
HpccMpiWindows::EndWindow()
{
    const auto& messages = m_mail[0]->messages;
    const bool idle = Simulator::IsFinished() &&
                      std::all_of(messages.begin(), messages.end(), [](const auto& message) {
                          return message.size() == HEAD_BYTES;
                      });
    Send(idle);
    m_endNs += m_windowNs;
    if (idle || !MayFetchLate())
    {
        Fetch();
    }
    else
    {
        Simulator::Schedule(NanoSeconds(m_windowNs - 1), &HpccMpiWindows::Fetch, this);
    }
    if (!idle || !m_othersIdle)
    {
        Simulator::Schedule(NanoSeconds(m_windowNs), &HpccMpiWindows::EndWindow, this);
    }
}

bool
HpccMpiWindows::MayFetchLate() const
{
    if (m_windowNs == 1)
    {
        return false; // late would be after what happens at the end of the window
    }
    for (uint32_t rank = 0; rank < GetSize(); ++rank)
    {
        for (const auto* here : LinksTo(rank))
        {
            if (here->GetAgenda().GetLagNs() < m_windowNs - 1)
            {
                return false;
            }
        }
    }
    return true;
}

void
HpccMpiWindows::Send(bool idle)
{
    Mail& mail = *m_mail[0];
    for (uint32_t rank = 0; rank < mail.messages.size(); ++rank)
    {
        std::string& message = mail.messages[rank];
        message[0] = idle ? IDLE : BUSY;
        if (rank != GetRank())
        {
            MPI_Isend(message.data(),
                      static_cast<int>(message.size()),
                      MPI_BYTE,
                      static_cast<int>(rank),
                      TAG,
                      MPI_COMM_WORLD,
                      &mail.requests[rank]);
        }
    }
    m_fetched = false;
    // Nothing is added before the next Fetch(), which makes sure that the other one is free.
    std::swap(m_mail[0], m_mail[1]);
}

void
HpccMpiWindows::Fetch()
{
    Receive(true);
}

void
HpccMpiWindows::Receive(bool announce)
{
    if (m_fetched)
    {
        return;
    }
    m_fetched = true;
    m_othersIdle = true;
    for (uint32_t rank = 0; rank < GetSize(); ++rank)
    {
        if (rank == GetRank())
        {
            continue;
        }
        ReceiveFrom(static_cast<int>(rank), m_in);
        m_othersIdle = m_othersIdle && m_in[0] == IDLE;
        if (announce)
        {
            Announce(m_in.data() + HEAD_BYTES, m_in.data() + m_in.size(), LinksTo(rank));
        }
    }
    // The sender of this message has received what was sent to it one window before.
    Mail& before = *m_mail[0];
    MPI_Waitall(static_cast<int>(before.requests.size()),
                before.requests.data(),
                MPI_STATUSES_IGNORE);
    for (std::string& message : before.messages)
    {
        message.resize(HEAD_BYTES);
    }
}

} // namespace ns3
