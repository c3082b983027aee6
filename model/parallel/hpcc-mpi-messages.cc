/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-mpi-messages.h"

#include "ns3/abort.h"
#include "ns3/callback.h"
#include "ns3/distributed-simulator-impl.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/mpi-interface.h"
#include "ns3/mpi-receiver.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/qbb-channel.h"
#include "ns3/qbb-net-device.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mpi.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccMpiMessages);

namespace
{

/// Largest total size of the frames in a message, bytes. ns-3's buffers for packets to other ranks
/// have 2,000 bytes.
constexpr size_t MAX_MESSAGE_BYTES = 1900;
/// Size of the head of a message, bytes. The head precedes the frames, and contains the number of
/// the sending rank and the number of the message.
constexpr size_t HEAD_BYTES = sizeof(uint32_t) + sizeof(uint64_t);
/// Lower limit of the delay of a link between ranks, ns. This limit keeps each of the following
/// times at 1 ns or more: a step, the lookahead, and the time from the receipt of frames until a
/// node needs them.
constexpr int64_t MIN_DELAY_NS = 3;

} // namespace

TypeId
HpccMpiMessages::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<HpccMpiMessages, HpccMpiRanks>("ns3::HpccMpiMessages");
    return tid;
}

void
HpccMpiMessages::Begin()
{
    HpccMpiRanks::Begin();
    MpiInterface::Enable(GetCommunicator());
    m_peers = std::vector<Peer>(GetSize());
    m_mayBeLate = bool(DynamicCast<DistributedSimulatorImpl>(Simulator::GetImplementation()));
    m_late = false;
    m_pending = false;
    m_delayNs = INT64_MAX;
    m_stepNs = INT64_MAX;
    m_completeNs = 0;
    Simulator::ScheduleNow(&HpccMpiMessages::Start, this);
}

void
HpccMpiMessages::End()
{
    MpiInterface::Disable();
    HpccMpiRanks::End();
}

void
HpccMpiMessages::BoundDelay(int64_t delayNs)
{
    HPCC_REFUSE_IF(delayNs < MIN_DELAY_NS,
                   "a link between ranks has a delay of " + std::to_string(delayNs) +
                       " ns; ns-3's engines need at least " + std::to_string(MIN_DELAY_NS) +
                       " ns, and --mpi=windows 1 ns");
    m_delayNs = std::min(m_delayNs, delayNs);
}

int64_t
HpccMpiMessages::GetShortLookaheadNs() const
{
    return m_delayNs - 1 - m_delayNs / 2;
}

void
HpccMpiMessages::Join(QbbChannel& channel, QbbNetDevice& here)
{
    AddLink(channel, here, m_mayBeLate ? m_delayNs - 2 : GetShortLookaheadNs());
    auto receiver = CreateObject<MpiReceiver>();
    receiver->SetReceiveCallback(MakeCallback(&HpccMpiMessages::Receive, this));
    here.AggregateObject(receiver);
}

void
HpccMpiMessages::Start()
{
    if (m_delayNs == INT64_MAX)
    {
        return;
    }
    m_stepNs = m_delayNs / 2;
    LimitLags();
    if (m_mayBeLate)
    {
        // Whether nodes may lag is known only after simulated time has started, so Decide() cannot
        // be called yet.
        Simulator::Schedule(NanoSeconds(m_stepNs), &HpccMpiMessages::Decide, this);
    }
}

void
HpccMpiMessages::Decide()
{
    const int mine = LagByDelay();
    int all = 0;
    std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
    MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MIN, GetCommunicator(), &requests.back());
    WaitFor(requests);
    m_late = all != 0;
    if (m_late)
    {
        m_stepNs = m_delayNs;
        LimitLags();
    }
    else
    {
        // Shortening the lookahead is still possible, because no message has been sent yet that
        // could arrive within the old lookahead.
        DynamicCast<DistributedSimulatorImpl>(Simulator::GetImplementation())
            ->BoundLookAhead(NanoSeconds(GetShortLookaheadNs()));
    }
}

void
HpccMpiMessages::LimitLags()
{
    for (uint32_t rank = 0; rank < GetSize(); ++rank)
    {
        for (auto* here : LinksTo(rank))
        {
            here->GetAgenda().LagWithin(m_stepNs, this);
        }
    }
}

bool
HpccMpiMessages::LagByDelay() const
{
    for (uint32_t rank = 0; rank < GetSize(); ++rank)
    {
        for (const auto* here : LinksTo(rank))
        {
            if (here->GetAgenda().GetLagNs() < m_delayNs - 1)
            {
                return false;
            }
        }
    }
    return true;
}

void
HpccMpiMessages::Carry(uint32_t rank, uint32_t link, Frame* frame)
{
    Peer& peer = m_peers[rank];
    if (peer.waiting.empty())
    {
        peer.waiting.emplace_back(HEAD_BYTES, '\0');
    }
    const size_t before = peer.waiting.back().size();
    GetSerializer().Append(link, *frame, peer.waiting.back());
    if (peer.waiting.back().size() > HEAD_BYTES + MAX_MESSAGE_BYTES)
    {
        const std::string last = peer.waiting.back().substr(before);
        NS_ABORT_MSG_IF(last.size() > MAX_MESSAGE_BYTES,
                        "HpccMpiMessages: a frame of "
                            << frame->bytes
                            << " bytes with a packet of ns-3's IP stack does "
                               "not fit a message between ranks");
        peer.waiting.back().resize(before);
        peer.waiting.emplace_back(HEAD_BYTES, '\0');
        peer.waiting.back().reserve(HEAD_BYTES + MAX_MESSAGE_BYTES);
        peer.waiting.back() += last;
    }
    FramePool::Free(frame);
    if (!m_pending)
    {
        m_pending = true;
        const int64_t nowNs = Simulator::Now().GetNanoSeconds();
        Simulator::Schedule(NanoSeconds(m_stepNs - nowNs % m_stepNs),
                            &HpccMpiMessages::EndStep,
                            this);
    }
}

bool
HpccMpiMessages::NeedsBothEnds() const
{
    return true;
}

uint32_t
HpccMpiMessages::GetMaxPacketBytes(bool telemetry) const
{
    return MAX_MESSAGE_BYTES - FrameSerializer::MaxBytesBesidePacket(telemetry);
}

void
HpccMpiMessages::Number(uint32_t rank)
{
    const uint32_t self = GetRank();
    Peer& peer = m_peers[rank];
    for (std::string& message : peer.waiting)
    {
        std::memcpy(message.data(), &self, sizeof(self));
        std::memcpy(message.data() + sizeof(self), &peer.next, sizeof(peer.next));
        ++peer.next;
    }
}

void
HpccMpiMessages::EndStep()
{
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    if (nowNs % m_stepNs != 0)
    {
        // Steps have become longer since this event was scheduled, so this is not the end of a
        // step.
        Simulator::Schedule(NanoSeconds(m_stepNs - nowNs % m_stepNs),
                            &HpccMpiMessages::EndStep,
                            this);
        return;
    }
    m_pending = false;
    const Time receive = NanoSeconds(nowNs + (m_late ? m_delayNs - 2 : GetShortLookaheadNs()));
    for (uint32_t rank = 0; rank < GetSize(); ++rank)
    {
        Peer& peer = m_peers[rank];
        if (peer.waiting.empty())
        {
            continue;
        }
        Number(rank);
        // A message contains the frames of all links to the rank. The message is addressed to the
        // device at the other end of the first of these links.
        const QbbNetDevice& here = *LinksTo(rank).front();
        const Ptr<NetDevice> to = here.GetQbbChannel()->GetPeer(&here);
        for (const std::string& message : peer.waiting)
        {
            MpiInterface::SendPacket(
                Create<Packet>(reinterpret_cast<const uint8_t*>(message.data()),
                               static_cast<uint32_t>(message.size())),
                receive,
                to->GetNode()->GetId(),
                to->GetIfIndex());
            ++m_messages;
        }
        std::swap(peer.sent, peer.waiting);
        peer.waiting.clear();
    }
}

void
HpccMpiMessages::CatchUp()
{
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    if (!m_late || nowNs < m_delayNs || nowNs % m_delayNs == m_delayNs - 1 || nowNs < m_completeNs)
    {
        return;
    }
    // Messages already sent through ns-3's engine may still be in transit, so this exchange repeats
    // them.
    std::string mine;
    for (uint32_t rank = 0; rank < GetSize(); ++rank)
    {
        Peer& peer = m_peers[rank];
        Number(rank);
        peer.sent.insert(peer.sent.end(), peer.waiting.begin(), peer.waiting.end());
        peer.waiting.clear();
        for (const std::string& message : peer.sent)
        {
            const std::array<uint32_t, 2> lead{rank, static_cast<uint32_t>(message.size())};
            mine.append(reinterpret_cast<const char*>(lead.data()), sizeof(lead));
            mine += message;
        }
    }
    for (const std::string& theirs : Exchange(mine))
    {
        std::array<uint32_t, 2> lead{};
        for (size_t at = 0; at < theirs.size(); at += sizeof(lead) + lead[1])
        {
            if (theirs.size() - at >= sizeof(lead))
            {
                std::memcpy(lead.data(), theirs.data() + at, sizeof(lead));
            }
            if (theirs.size() - at < sizeof(lead) + lead[1])
            {
                Abort("messages that are caught up with are cut off");
            }
            if (lead[0] == GetRank())
            {
                Read(theirs.substr(at + sizeof(lead), lead[1]), true);
            }
        }
    }
    for (Peer& peer : m_peers)
    {
        peer.caughtUp = peer.received;
    }
    m_completeNs = (nowNs / m_delayNs + 1) * m_delayNs;
}

void
HpccMpiMessages::Fetch()
{
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    const int64_t inStepNs = nowNs % m_delayNs;
    if (m_late && nowNs >= m_delayNs && nowNs >= m_completeNs && inStepNs != 0 &&
        inStepNs != m_delayNs - 1)
    {
        Abort("a node at a link to another rank is used at " + std::to_string(nowNs) +
              " ns by an event of one rank; this needs --mpi=windows");
    }
}

void
HpccMpiMessages::Receive(Ptr<Packet> packet)
{
    std::string bytes(packet->GetSize(), '\0');
    packet->CopyData(reinterpret_cast<uint8_t*>(bytes.data()), packet->GetSize());
    Read(bytes, false);
}

void
HpccMpiMessages::Read(const std::string& bytes, bool again)
{
    if (bytes.size() < HEAD_BYTES)
    {
        Abort("a message has " + std::to_string(bytes.size()) + " bytes");
    }
    uint32_t rank = 0;
    uint64_t number = 0;
    std::memcpy(&rank, bytes.data(), sizeof(rank));
    std::memcpy(&number, bytes.data() + sizeof(rank), sizeof(number));
    const bool exists = rank < m_peers.size() && rank != GetRank();
    if (exists && number < (again ? m_peers[rank].received : m_peers[rank].caughtUp))
    {
        return;
    }
    if (!exists || number < m_peers[rank].received || m_peers[rank].held.count(number) > 0)
    {
        Abort("message " + std::to_string(number) + " of rank " + std::to_string(rank) +
              " is not expected");
    }
    Peer& peer = m_peers[rank];
    peer.held[number] = bytes;
    for (auto next = peer.held.begin(); next != peer.held.end() && next->first == peer.received;
         next = peer.held.erase(next))
    {
        ++peer.received;
        const std::string& message = next->second;
        Announce(message.data() + HEAD_BYTES, message.data() + message.size(), LinksTo(rank));
    }
}

} // namespace ns3
