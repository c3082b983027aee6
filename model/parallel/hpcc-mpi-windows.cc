/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-mpi-windows.h"

#include "ns3/abort.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/priority-queue-scheduler.h"
#include "ns3/qbb-channel.h"
#include "ns3/qbb-net-device.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cstring>
#include <mpi.h>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccMpiWindows);

namespace
{

constexpr int TAG = 1;                  ///< MPI tag of the messages
constexpr int64_t NO_EVENT = INT64_MAX; ///< replaces the time of the next event if a rank has no
                                        ///< event

/// Header of a message.
struct Head
{
    int64_t nextNs; ///< time of the next event of the rank, see HpccMpiWindows::GetNextNs(), ns
    uint64_t size;  ///< size of the message with its header, bytes
};

constexpr size_t HEAD_BYTES = sizeof(Head);

} // namespace

struct HpccMpiWindows::Mail
{
    std::vector<std::string> messages; ///< by rank
    std::vector<MPI_Request> requests; ///< requests for all chunks of the messages
};

/// Event scheduler whose next event HpccMpiWindows can read. A new scheduler registers itself with
/// HpccMpiWindows.
class HpccMpiWindows::Events : public PriorityQueueScheduler
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::HpccMpiWindows::Events")
                                .SetParent<PriorityQueueScheduler>()
                                .SetGroupName("Hpcc")
                                .AddConstructor<Events>()
                                .AddAttribute("Ranks",
                                              "Ranks that ask for the next event.",
                                              PointerValue(),
                                              MakePointerAccessor(&Events::SetRanks),
                                              MakePointerChecker<HpccMpiWindows>());
        return tid;
    }

  private:
    /// Sets the attribute Ranks.
    void SetRanks(Ptr<HpccMpiWindows> ranks)
    {
        if (ranks)
        {
            ranks->m_events = this;
        }
    }
};

TypeId
HpccMpiWindows::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<HpccMpiWindows, HpccMpiRanks>("ns3::HpccMpiWindows")
            .Attribute("ChunkBytes",
                       "Largest size of an MPI message, bytes; longer messages are divided.",
                       HpccField(&HpccMpiWindows::m_chunkBytes,
                                 MAX_CHUNK_BYTES,
                                 HEAD_BYTES,
                                 MAX_CHUNK_BYTES));
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
        mail->messages.assign(GetSize(), std::string(HEAD_BYTES, 0));
    }
    m_events = nullptr;
    m_fetched = true;
    m_windowNs = INT64_MAX;
    m_endNs = 0;
    Simulator::ScheduleNow(&HpccMpiWindows::Start, this);
}

ObjectFactory
HpccMpiWindows::GetScheduler()
{
    ObjectFactory scheduler;
    scheduler.SetTypeId(Events::GetTypeId());
    scheduler.Set("Ranks", PointerValue(this));
    return scheduler;
}

void
HpccMpiWindows::End()
{
    Receive(false);
    for (auto& mail : m_mail)
    {
        WaitFor(mail->requests);
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
    std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
    MPI_Iallreduce(&mineNs,
                   &m_windowNs,
                   1,
                   MPI_INT64_T,
                   MPI_MIN,
                   GetCommunicator(),
                   &requests.back());
    WaitFor(requests);
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
    m_nextNs = GetNextNs();
    Send();
    m_endNs += m_windowNs;
    m_endEvent = Simulator::Schedule(NanoSeconds(m_windowNs), &HpccMpiWindows::EndWindow, this);
    if (m_nextNs == NO_EVENT || !MayFetchLate())
    {
        Fetch();
    }
    else
    {
        Simulator::Schedule(NanoSeconds(m_windowNs - 1), &HpccMpiWindows::Fetch, this);
    }
}

int64_t
HpccMpiWindows::GetNextNs() const
{
    const auto& messages = m_mail[0]->messages;
    if (std::any_of(messages.begin(), messages.end(), [](const auto& message) {
            return message.size() > HEAD_BYTES;
        }))
    {
        return 0;
    }
    if (Simulator::IsFinished())
    {
        return NO_EVENT;
    }
    return m_events ? TimeStep(m_events->PeekNext().key.m_ts).GetNanoSeconds() : 0;
}

void
HpccMpiWindows::SkipWindows()
{
    if (m_nextNs < m_endNs)
    {
        return;
    }
    Simulator::Remove(m_endEvent);
    if (m_nextNs != NO_EVENT)
    {
        m_endNs = (m_nextNs / m_windowNs + 1) * m_windowNs;
        m_endEvent = Simulator::Schedule(NanoSeconds(m_endNs) - Simulator::Now(),
                                         &HpccMpiWindows::EndWindow,
                                         this);
    }
}

bool
HpccMpiWindows::MayFetchLate() const
{
    if (m_windowNs == 1)
    {
        return false; // with windows of 1 ns, nodes would process their items before a late Fetch()
                      // brings the frames
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
HpccMpiWindows::Send()
{
    Mail& mail = *m_mail[0];
    for (uint32_t rank = 0; rank < mail.messages.size(); ++rank)
    {
        std::string& message = mail.messages[rank];
        const uint64_t size = message.size();
        const Head head{m_nextNs, size};
        std::memcpy(message.data(), &head, sizeof(head));
        for (uint64_t sent = 0; rank != GetRank() && sent < size; sent += m_chunkBytes)
        {
            mail.requests.push_back(MPI_REQUEST_NULL);
            MPI_Isend(message.data() + sent,
                      static_cast<int>(std::min(size - sent, m_chunkBytes)),
                      MPI_BYTE,
                      static_cast<int>(rank),
                      TAG,
                      GetCommunicator(),
                      &mail.requests.back());
        }
    }
    m_fetched = false;
    // The next frame is added only after Fetch(), which waits until the other Mail can be reused.
    std::swap(m_mail[0], m_mail[1]);
}

int64_t
HpccMpiWindows::ReceiveFrom(uint32_t rank)
{
    m_in.clear();
    Head head{0, HEAD_BYTES};
    while (m_in.size() < head.size)
    {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        WaitUntil([&] {
            int found = 0;
            MPI_Improbe(static_cast<int>(rank), TAG, GetCommunicator(), &found, &message, &status);
            return found != 0;
        });
        int size = 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        const size_t before = m_in.size();
        m_in.resize(before + static_cast<size_t>(std::max(size, 0)));
        MPI_Mrecv(m_in.data() + before, size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        if (before == 0 && m_in.size() >= HEAD_BYTES)
        {
            std::memcpy(&head, m_in.data(), sizeof(head));
        }
        const bool isValid =
            size > 0 && m_in.size() >= HEAD_BYTES && m_in.size() <= head.size && head.nextNs >= 0;
        if (!isValid)
        {
            Abort("a message of rank " + std::to_string(rank) + " has " +
                  std::to_string(m_in.size()) + " bytes of " + std::to_string(head.size) +
                  " and its next event is at " + std::to_string(head.nextNs) + " ns");
        }
    }
    return head.nextNs;
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
    for (uint32_t rank = 0; rank < GetSize(); ++rank)
    {
        if (rank == GetRank())
        {
            continue;
        }
        m_nextNs = std::min(m_nextNs, ReceiveFrom(rank));
        if (announce)
        {
            Announce(m_in.data() + HEAD_BYTES, m_in.data() + m_in.size(), LinksTo(rank));
        }
    }
    // The ranks that sent these messages have received this rank's messages of the previous window,
    // so the wait ends soon and the memory of those messages can be reused.
    Mail& before = *m_mail[0];
    WaitFor(before.requests);
    for (std::string& message : before.messages)
    {
        message.resize(HEAD_BYTES);
    }
    if (announce)
    {
        SkipWindows();
    }
}

} // namespace ns3
