/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-iwarp-target.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-factory.h"

#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccIwarpTarget);

TypeId
HpccIwarpTarget::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<HpccIwarpTarget, HpccIwarpEndpoint>("ns3::HpccIwarpTarget")
            .Attribute("Local",
                       "Address to listen at: an InetSocketAddress or Inet6SocketAddress.",
                       HpccField(&HpccIwarpTarget::m_address, AddressValue()))
            .Attribute("Stag",
                       "STag of the memory region that the peer writes to.",
                       HpccField(&HpccIwarpTarget::m_stag, 0x48500001))
            .Attribute("RegionBase",
                       "Tagged offset of the first byte of the memory region.",
                       HpccField(&HpccIwarpTarget::m_regionBase, 0))
            .Attribute("RegionBytes",
                       "Size of the memory region, bytes.",
                       HpccField(&HpccIwarpTarget::m_regionBytes, 1000000, 1))
            .Trace("Written",
                   "The payload of an FPDU has been placed in the memory region.",
                   &HpccIwarpTarget::m_writtenTrace,
                   "ns3::HpccIwarpTarget::WrittenTracedCallback")
            .Trace("Completed",
                   "The last byte of a WRITE has been placed in the memory region.",
                   &HpccIwarpTarget::m_completedTrace,
                   "ns3::HpccIwarpTarget::CompletedTracedCallback");
    return tid;
}

HpccIwarpTarget::HpccIwarpTarget()
    : HpccIwarpEndpoint(false)
{
}

HpccIwarpTarget::~HpccIwarpTarget() = default;

void
HpccIwarpTarget::StartApplication()
{
    HPCC_REFUSE_IF(!InetSocketAddress::IsMatchingType(m_address) &&
                       !Inet6SocketAddress::IsMatchingType(m_address),
                   "ns3::HpccIwarpTarget::Local is not set; allowed is an "
                   "InetSocketAddress or Inet6SocketAddress");
    HPCC_REFUSE_IF(m_regionBytes > UINT64_MAX - m_regionBase,
                   "ns3::HpccIwarpTarget::RegionBytes is " + std::to_string(m_regionBytes) +
                       ", allowed with RegionBase " + std::to_string(m_regionBase) +
                       " is at most " + std::to_string(UINT64_MAX - m_regionBase));
    m_region = {m_stag, m_regionBase, m_regionBytes};
    m_listener = Socket::CreateSocket(GetNode(), TcpSocketFactory::GetTypeId());
    HPCC_REFUSE_IF(m_listener->Bind(m_address) != 0 || m_listener->Listen() != 0,
                   "ns3::HpccIwarpTarget::Local: node " + std::to_string(GetNode()->GetId()) +
                       " cannot listen there; allowed is a free port");
    m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&HpccIwarpTarget::Accepted, this));
}

void
HpccIwarpTarget::Accepted(Ptr<Socket> socket, const Address&)
{
    if (m_socket || IsClosed())
    {
        ++m_refused;
        socket->Close();
        return;
    }
    Attach(socket);
}

HpccIwarpError
HpccIwarpTarget::Started(const MpaStart&)
{
    MpaStart reply;
    reply.reply = true;
    reply.crc = m_crc;
    reply.privateData = m_region.Encode();
    Send(EncodeMpaStart(reply));
    return HpccIwarpError::NONE;
}

HpccIwarpError
HpccIwarpTarget::Received(const DdpSegment& segment, const uint8_t* payload, uint32_t size)
{
    return segment.opcode == DdpSegment::RDMA_WRITE ? Place(segment, payload, size)
                                                    : Compare(segment, payload, size);
}

HpccIwarpError
HpccIwarpTarget::Place(const DdpSegment& segment, const uint8_t* payload, uint32_t size)
{
    if (segment.stag != m_region.stag)
    {
        return HpccIwarpError::BAD_STAG;
    }
    if (!m_region.Contains(segment.offset, size))
    {
        return HpccIwarpError::OUT_OF_REGION;
    }
    if (m_told)
    {
        return HpccIwarpError::BAD_MESSAGE;
    }
    m_placed.add({segment.offset, segment.offset + size});
    m_received.bytes += size;
    m_contentCrc.process_bytes(payload, size);
    m_inWrite = !segment.last;
    m_writtenTrace(segment.stag, segment.offset, size);
    if (segment.last)
    {
        m_completedTrace(++m_completed, Simulator::Now().GetNanoSeconds());
    }
    return HpccIwarpError::NONE;
}

HpccIwarpError
HpccIwarpTarget::Compare(const DdpSegment& segment, const uint8_t* payload, uint32_t size)
{
    HpccIwarpSummary sent;
    if (m_told || m_inWrite || !segment.last || segment.queue != HpccIwarpSummary::QUEUE ||
        segment.message != HpccIwarpSummary::MESSAGE || segment.messageOffset != 0 ||
        !sent.Decode(payload, size))
    {
        return HpccIwarpError::BAD_MESSAGE;
    }
    if (sent.bytes != m_received.bytes || sent.crc != m_contentCrc.checksum())
    {
        return HpccIwarpError::DIFFERENT_CONTENT;
    }
    m_told = true;
    return HpccIwarpError::NONE;
}

bool
HpccIwarpTarget::IsComplete() const
{
    return m_told;
}

void
HpccIwarpTarget::StopApplication()
{
    if (m_listener)
    {
        m_listener->Close();
    }
    HpccIwarpEndpoint::StopApplication();
}

void
HpccIwarpTarget::DoDispose()
{
    m_listener = nullptr;
    HpccIwarpEndpoint::DoDispose();
}

} // namespace ns3
