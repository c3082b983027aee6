/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-port-traces.h"

#include "hpcc-frame-codec.h"

#include "ns3/log.h"
#include "ns3/mac48-address.h"

#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbPortTraces");

void
QbbPortTraces::Drop(Frame* frame, DropReason reason, Way way)
{
    NS_LOG_LOGIC("node " << m_end.GetAgenda().GetNodeId() << " port " << m_end.GetPortIndex()
                         << " drops a frame: " << ToString(reason));
    ++m_portCounts.drops[static_cast<size_t>(reason)];
    if (!m_dropTrace.IsEmpty())
    {
        m_dropTrace(PacketOf(*frame, way), reason);
    }
    FramePool::Free(frame);
}

void
QbbPortTraces::DropPacket(Ptr<const Packet> packet, DropReason reason)
{
    ++m_portCounts.drops[static_cast<size_t>(reason)];
    m_dropTrace(packet, reason);
}

Ptr<const Packet>
QbbPortTraces::PacketOf(Frame& frame, Way way) const
{
    const QbbChannel* link = m_end.GetLink();
    // Without a link, the neighbour's address is unknown. The address is then written as all zeros
    // if the neighbour is the source, and as broadcast if the neighbour is the destination.
    const auto unknown = way == Way::IN ? Mac48Address() : Mac48Address::GetBroadcast();
    const auto peer = link ? Mac48Address::ConvertFrom(link->GetPeerAddress(&m_end)) : unknown;
    const Mac48Address own = m_end.GetMacAddress();
    std::vector<uint8_t> bytes = way == Way::IN ? FrameCodec::Encode(frame, peer, own)
                                                : FrameCodec::Encode(frame, own, peer);
    bytes.resize(frame.bytes);
    Ptr<Packet> packet = Create<Packet>(bytes.data(), bytes.size());
    if (frame.packet)
    {
        Ptr<Packet> now = packet;
        packet = frame.packet->Copy();
        packet->RemoveAtEnd(packet->GetSize());
        packet->AddAtEnd(now);
    }
    if (frame.kind != Frame::Kind::IP)
    {
        frame.packet = packet;
    }
    return packet;
}

bool
QbbPortTraces::WantPackets() const
{
    return !(m_snifferTrace.IsEmpty() && m_macRxTrace.IsEmpty() && m_enqueueTrace.IsEmpty() &&
             m_dequeueTrace.IsEmpty() && m_dropTrace.IsEmpty() && m_ecnMarkTrace.IsEmpty());
}

void
QbbPortTraces::NotifyPfcSent(const Frame& frame)
{
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        if (frame.pfc.classEnable >> p & 1)
        {
            m_pfcSentTrace(p, frame.pfc.quanta[p]);
        }
    }
}

} // namespace ns3
