/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-ranks.h"

#include "ns3/abort.h"
#include "ns3/packet.h"
#include "ns3/qbb-net-device.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccRanks);

TypeId
HpccRanks::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HpccRanks").SetParent<Object>().SetGroupName("Hpcc");
    return tid;
}

void
HpccRanks::Begin()
{
    m_serializer.Clear();
    m_frames = std::make_unique<FramePool>();
}

bool
HpccRanks::NeedsBothEnds() const
{
    return false;
}

uint32_t
HpccRanks::GetMaxPacketBytes(bool) const
{
    return UINT32_MAX;
}

void
HpccRanks::Announce(const char* bytes, const char* end, const std::vector<QbbNetDevice*>& links)
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
HpccRanks::DoDispose()
{
    m_serializer.Clear();
    Object::DoDispose();
}

} // namespace ns3
