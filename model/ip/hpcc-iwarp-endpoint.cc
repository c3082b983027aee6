/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-iwarp-endpoint.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <boost/endian/conversion.hpp>

namespace ns3
{

using namespace boost::endian;

NS_OBJECT_ENSURE_REGISTERED(HpccIwarpEndpoint);

namespace
{

constexpr size_t REGION_BYTES = 20;
constexpr size_t SUMMARY_BYTES = 12;

} // namespace

std::vector<uint8_t>
HpccIwarpRegion::Encode() const
{
    std::vector<uint8_t> privateData(REGION_BYTES);
    store_big_u32(&privateData[0], stag);
    store_big_u64(&privateData[4], base);
    store_big_u64(&privateData[12], bytes);
    return privateData;
}

bool
HpccIwarpRegion::Decode(const std::vector<uint8_t>& privateData)
{
    if (privateData.size() != REGION_BYTES)
    {
        return false;
    }
    stag = load_big_u32(&privateData[0]);
    base = load_big_u64(&privateData[4]);
    bytes = load_big_u64(&privateData[12]);
    return true;
}

std::vector<uint8_t>
HpccIwarpSummary::Encode() const
{
    std::vector<uint8_t> payload(SUMMARY_BYTES);
    store_big_u64(&payload[0], bytes);
    store_big_u32(&payload[8], crc);
    return payload;
}

bool
HpccIwarpSummary::Decode(const uint8_t* payload, size_t size)
{
    if (size != SUMMARY_BYTES)
    {
        return false;
    }
    bytes = load_big_u64(payload);
    crc = load_big_u32(payload + 8);
    return true;
}

TypeId
HpccIwarpEndpoint::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<HpccIwarpEndpoint, Application>("ns3::HpccIwarpEndpoint")
                            .Attribute("Crc",
                                       "Whether this side requests the CRC32c of FPDUs; CRCs are "
                                       "used if either side requests them.",
                                       HpccField(&HpccIwarpEndpoint::m_crc, true))
                            .Trace("Closed",
                                   "The connection has ended; gives the reason.",
                                   &HpccIwarpEndpoint::m_closedTrace,
                                   "ns3::HpccIwarpEndpoint::ClosedTracedCallback");
    return tid;
}

HpccIwarpEndpoint::HpccIwarpEndpoint(bool reply)
    : m_reader(reply)
{
}

HpccIwarpEndpoint::~HpccIwarpEndpoint() = default;

void
HpccIwarpEndpoint::Attach(Ptr<Socket> socket)
{
    m_socket = socket;
    m_socket->SetRecvCallback(MakeCallback(&HpccIwarpEndpoint::Read, this));
    m_socket->SetCloseCallbacks(MakeCallback(&HpccIwarpEndpoint::PeerClosed, this),
                                MakeCallback(&HpccIwarpEndpoint::PeerLost, this));
}

void
HpccIwarpEndpoint::Send(const std::vector<uint8_t>& frame)
{
    m_socket->Send(Create<Packet>(frame.data(), static_cast<uint32_t>(frame.size())));
}

void
HpccIwarpEndpoint::Read(Ptr<Socket> socket)
{
    while (auto packet = socket->Recv())
    {
        if (packet->GetSize() == 0)
        {
            return;
        }
        if (m_closed)
        {
            continue;
        }
        std::vector<uint8_t> bytes(packet->GetSize());
        packet->CopyData(bytes.data(), packet->GetSize());
        m_reader.Append(bytes.data(), bytes.size());
        const HpccIwarpError error = TakeFrames();
        if (error != HpccIwarpError::NONE)
        {
            Close(error);
        }
    }
}

HpccIwarpError
HpccIwarpEndpoint::TakeFrames()
{
    HpccIwarpError error = HpccIwarpError::NONE;
    while (error == HpccIwarpError::NONE && !m_closed)
    {
        switch (m_reader.Next())
        {
        case MpaReader::Item::NONE:
            return HpccIwarpError::NONE;
        case MpaReader::Item::START:
            error = TakeStart();
            break;
        case MpaReader::Item::SEGMENT:
            error =
                Received(m_reader.GetSegment(), m_reader.GetPayload(), m_reader.GetPayloadBytes());
            break;
        case MpaReader::Item::ERROR:
            return m_reader.GetError();
        }
    }
    return error;
}

HpccIwarpError
HpccIwarpEndpoint::TakeStart()
{
    const MpaStart& start = m_reader.GetStart();
    if (start.markers)
    {
        return HpccIwarpError::MARKERS;
    }
    m_crc = m_crc || start.crc;
    m_reader.SetCrc(m_crc);
    return Started(start);
}

void
HpccIwarpEndpoint::PeerClosed(Ptr<Socket>)
{
    Close(IsComplete() && m_reader.IsBetweenFrames() ? HpccIwarpError::NONE
                                                     : HpccIwarpError::ENDED_EARLY);
}

void
HpccIwarpEndpoint::PeerLost(Ptr<Socket>)
{
    Close(HpccIwarpError::TCP);
}

void
HpccIwarpEndpoint::Close(HpccIwarpError error)
{
    if (m_closed)
    {
        return;
    }
    m_closed = true;
    m_error = error;
    if (m_socket)
    {
        m_socket->Close();
    }
    m_closedTrace(error, Simulator::Now().GetNanoSeconds());
}

void
HpccIwarpEndpoint::StopApplication()
{
    if (m_socket)
    {
        Close(HpccIwarpError::ENDED_EARLY);
    }
}

void
HpccIwarpEndpoint::DoDispose()
{
    m_socket = nullptr;
    Application::DoDispose();
}

} // namespace ns3
