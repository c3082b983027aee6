/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-mpi-messages.h"

#include "ns3/abort.h"
#include "ns3/callback.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/mpi-interface.h"
#include "ns3/mpi-receiver.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/qbb-channel.h"
#include "ns3/qbb-net-device.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstring>
#include <mpi.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccMpiMessages);

namespace
{

/// Largest payload of a packet that ns-3 can send to another rank: its buffers have 2,000 bytes.
constexpr size_t MAX_MESSAGE_BYTES = 1900;
/// Precedes the frames: rank, and number of the message.
constexpr size_t HEAD_BYTES = sizeof(uint32_t) + sizeof(uint64_t);

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
}

void
HpccMpiMessages::End()
{
    MpiInterface::Disable();
    HpccMpiRanks::End();
}

void
HpccMpiMessages::Join(QbbChannel& channel, QbbNetDevice& here)
{
    const int64_t delayNs = channel.GetDelayNs();
    const int64_t lookaheadNs = std::max<int64_t>(delayNs / 2, 1);
    here.GetAgenda().LimitLag(delayNs / 4 + 1);
    AddLink(channel, here, lookaheadNs);
    Peer& peer = m_peers[channel.GetPeerRank(&here)];
    peer.lookaheadNs = std::min(peer.lookaheadNs, lookaheadNs);
    auto receiver = CreateObject<MpiReceiver>();
    receiver->SetReceiveCallback(MakeCallback(&HpccMpiMessages::Receive, this));
    here.AggregateObject(receiver);
}

void
HpccMpiMessages::Carry(uint32_t rank, uint32_t link, Frame* frame)
{
    Peer& peer = m_peers[rank];
    const size_t before = peer.bytes.size();
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    const int64_t dueNs = std::max(nowNs, frame->arrivalNs - 1 - peer.lookaheadNs);
    GetSerializer().Append(link, *frame, peer.bytes);
    if (before > 0 && peer.bytes.size() > MAX_MESSAGE_BYTES)
    {
        const std::string last = peer.bytes.substr(before);
        peer.bytes.resize(before);
        Send(rank);
        peer.bytes = last;
    }
    NS_ABORT_MSG_IF(peer.bytes.size() > MAX_MESSAGE_BYTES,
                    "HpccMpiMessages: a frame of "
                        << frame->bytes
                        << " bytes with a packet of ns-3's IP stack does "
                           "not fit a message between ranks");
    FramePool::Free(frame);
    if (dueNs < peer.dueNs)
    {
        peer.dueNs = dueNs;
        Simulator::Schedule(NanoSeconds(dueNs - nowNs), &HpccMpiMessages::SendDue, this, rank);
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
HpccMpiMessages::SendDue(uint32_t rank)
{
    if (m_peers[rank].dueNs <= Simulator::Now().GetNanoSeconds())
    {
        Send(rank);
    }
}

void
HpccMpiMessages::Send(uint32_t rank)
{
    Peer& peer = m_peers[rank];
    std::string message(HEAD_BYTES, '\0');
    const uint32_t self = GetRank();
    std::memcpy(message.data(), &self, sizeof(self));
    std::memcpy(message.data() + sizeof(self), &peer.sent, sizeof(peer.sent));
    message += peer.bytes;
    ++peer.sent;
    ++m_messages;
    auto packet = Create<Packet>(reinterpret_cast<const uint8_t*>(message.data()),
                                 static_cast<uint32_t>(message.size()));
    // A message has the frames of all links; any of them can be its address.
    const QbbNetDevice& here = *LinksTo(rank).front();
    const Ptr<NetDevice> to = here.GetQbbChannel()->GetPeer(&here);
    MpiInterface::SendPacket(packet,
                             Simulator::Now() + NanoSeconds(peer.lookaheadNs),
                             to->GetNode()->GetId(),
                             to->GetIfIndex());
    peer.bytes.clear();
    peer.dueNs = INT64_MAX;
}

void
HpccMpiMessages::Receive(Ptr<Packet> packet)
{
    if (packet->GetSize() < HEAD_BYTES)
    {
        Abort("a message has " + std::to_string(packet->GetSize()) + " bytes");
    }
    std::string bytes(packet->GetSize(), '\0');
    packet->CopyData(reinterpret_cast<uint8_t*>(bytes.data()), packet->GetSize());
    uint32_t rank = 0;
    uint64_t number = 0;
    std::memcpy(&rank, bytes.data(), sizeof(rank));
    std::memcpy(&number, bytes.data() + sizeof(rank), sizeof(number));
    if (rank >= m_peers.size() || rank == GetRank() || number < m_peers[rank].received ||
        m_peers[rank].held.count(number) > 0)
    {
        Abort("message " + std::to_string(number) + " of rank " + std::to_string(rank) +
              " is not expected");
    }
    Peer& peer = m_peers[rank];
    peer.held[number] = bytes.substr(HEAD_BYTES);
    for (auto next = peer.held.begin(); next != peer.held.end() && next->first == peer.received;
         next = peer.held.erase(next))
    {
        ++peer.received;
        const std::string& frames = next->second;
        Announce(frames.data(), frames.data() + frames.size(), LinksTo(rank));
    }
}

} // namespace ns3
