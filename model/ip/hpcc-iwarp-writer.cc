/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-iwarp-writer.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/node.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccIwarpWriter);

TypeId
HpccIwarpWriter::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<HpccIwarpWriter, HpccIwarpEndpoint>("ns3::HpccIwarpWriter")
            .Attribute("Remote",
                       "Address of the target: an InetSocketAddress or Inet6SocketAddress.",
                       HpccField(&HpccIwarpWriter::m_address, AddressValue()))
            .Attribute("MaxBytes",
                       "Payload to write in all, bytes.",
                       HpccField(&HpccIwarpWriter::m_maxBytes, 1000000, 1))
            .Attribute("WriteSize",
                       "Payload of each WRITE, bytes; the last one may be shorter.",
                       HpccField(&HpccIwarpWriter::m_writeBytes, 65536, 1));
    return tid;
}

HpccIwarpWriter::HpccIwarpWriter()
    : HpccIwarpEndpoint(true)
{
}

HpccIwarpWriter::~HpccIwarpWriter() = default;

void
HpccIwarpWriter::StartApplication()
{
    const bool ipv6 = Inet6SocketAddress::IsMatchingType(m_address);
    HPCC_REFUSE_IF(!ipv6 && !InetSocketAddress::IsMatchingType(m_address),
                   "ns3::HpccIwarpWriter::Remote is not set; allowed is an "
                   "InetSocketAddress or Inet6SocketAddress");
    Attach(Socket::CreateSocket(GetNode(), TcpSocketFactory::GetTypeId()));
    m_socket->SetConnectCallback(MakeCallback(&HpccIwarpWriter::Connected, this),
                                 MakeCallback(&HpccIwarpWriter::Failed, this));
    const int bound = ipv6 ? m_socket->Bind6() : m_socket->Bind();
    HPCC_REFUSE_IF(bound != 0 || m_socket->Connect(m_address) != 0,
                   "ns3::HpccIwarpWriter::Remote: node " + std::to_string(GetNode()->GetId()) +
                       " cannot reach it; allowed is an address that it has a route to");
}

void
HpccIwarpWriter::Connected(Ptr<Socket>)
{
    MpaStart request;
    request.crc = m_crc;
    Send(EncodeMpaStart(request));
}

void
HpccIwarpWriter::Failed(Ptr<Socket>)
{
    Close(HpccIwarpError::TCP);
}

HpccIwarpError
HpccIwarpWriter::Started(const MpaStart& start)
{
    if (start.rejected)
    {
        return HpccIwarpError::REJECTED;
    }
    if (!m_region.Decode(start.privateData))
    {
        return HpccIwarpError::BAD_PRIVATE_DATA;
    }
    if (m_maxBytes > m_region.bytes)
    {
        return HpccIwarpError::REGION_TOO_SMALL;
    }
    UintegerValue emss;
    m_socket->GetAttribute("SegmentSize", emss);
    m_emss = static_cast<uint32_t>(emss.Get());
    m_socket->SetSendCallback(MakeCallback(&HpccIwarpWriter::Writable, this));
    Write();
    return HpccIwarpError::NONE;
}

HpccIwarpError
HpccIwarpWriter::Received(const DdpSegment&, const uint8_t*, uint32_t)
{
    return HpccIwarpError::BAD_MESSAGE;
}

bool
HpccIwarpWriter::IsComplete() const
{
    UintegerValue buffer;
    m_socket->GetAttribute("SndBufSize", buffer);
    return m_told && m_socket->GetTxAvailable() == buffer.Get();
}

void
HpccIwarpWriter::Writable(Ptr<Socket>, uint32_t)
{
    Write();
}

std::vector<uint8_t>
HpccIwarpWriter::NextFpdu()
{
    const uint64_t from = m_summary.bytes;
    const uint64_t endOfWrite = std::min(m_maxBytes, (from / m_writeBytes + 1) * m_writeBytes);
    std::vector<uint8_t> payload(
        std::min<uint64_t>(GetMaxTaggedPayload(m_emss), endOfWrite - from));
    for (size_t i = 0; i < payload.size(); ++i)
    {
        payload[i] = GetContent(from + i);
    }
    m_contentCrc.process_bytes(payload.data(), payload.size());
    m_summary.bytes += payload.size();
    DdpSegment segment;
    segment.stag = m_region.stag;
    segment.offset = m_region.base + from;
    segment.last = m_summary.bytes == endOfWrite;
    return EncodeFpdu(segment, payload.data(), payload.size(), m_crc);
}

void
HpccIwarpWriter::Write()
{
    while (!IsClosed() && !m_told && m_socket->GetTxAvailable() >= m_emss)
    {
        if (m_summary.bytes < m_maxBytes)
        {
            Send(NextFpdu());
            continue;
        }
        m_summary.crc = m_contentCrc.checksum();
        const std::vector<uint8_t> payload = m_summary.Encode();
        DdpSegment segment;
        segment.opcode = DdpSegment::SEND;
        segment.queue = HpccIwarpSummary::QUEUE;
        segment.message = HpccIwarpSummary::MESSAGE;
        Send(EncodeFpdu(segment, payload.data(), payload.size(), m_crc));
        m_told = true;
        m_socket->Close();
    }
}

} // namespace ns3
