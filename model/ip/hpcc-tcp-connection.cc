/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-connection.h"

#include "ns3/hpcc-flow.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/qbb-net-device.h"
#include "ns3/tcp-header.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace ns3
{

Ptr<TcpHpccPlusPlus>
HpccTcpConnection::OpsOf(const TcpSocketBase& socket)
{
    PointerValue found;
    socket.GetAttribute("CongestionOps", found);
    return DynamicCast<TcpHpccPlusPlus>(found.GetObject());
}

void
HpccTcpConnection::Validate(const TcpHpccPlusPlus& ops,
                            const TelemetryFormat& format,
                            TelemetryThinning thinned)
{
    const std::string why = ops.Validate(format.GetCapabilities(), thinned);
    HPCC_REFUSE_IF(!why.empty(), why);
}

void
HpccTcpConnection::RefuseFragments(Ptr<const TcpSocketBase> socket,
                                   const HpccFlowKey& key,
                                   const QbbNetDevice& port)
{
    HPCC_REFUSE_IF(socket && OpsOf(*socket),
                   "ns3::TcpSocket::SegmentSize: the segments from port " +
                       std::to_string(std::get<1>(key)) + " of node " +
                       std::to_string(port.GetNode()->GetId()) + " to port " +
                       std::to_string(std::get<2>(key)) + " exceed ns3::QbbNetDevice::Mtu, " +
                       std::to_string(port.GetMtu()) +
                       ", and ns3::TcpHpccPlusPlus cannot control a connection whose packets IP "
                       "fragments; allowed are smaller segments");
}

void
HpccTcpConnection::OnData(const Frame& frame, const HpccTcpFields& segment, int64_t nowNs)
{
    Follow(frame);
    lastAck = segment.acknowledged;
    if (idleSinceNs >= 0)
    {
        // If W is below one segment, pacing causes idle times. The idle times that pacing causes
        // are not counted.
        const auto pacedNs = static_cast<int64_t>(8e9 * segment.payloadBytes / ops->GetPacingBps());
        idleNs = std::max(idleNs, nowNs - idleSinceNs - pacedNs);
        idleSinceNs = -1;
    }
    sndNxt = std::max(sndNxt, UnwrapTcpSequence(segment.sequence + segment.payloadBytes, sndNxt));
}

bool
HpccTcpConnection::OnAck(const HpccTcpFields& segment, int64_t nowNs)
{
    const uint64_t una = UnwrapAck(segment.acknowledged);
    const bool advances = una > sndUna;
    sndUna = std::max(sndUna, una);
    if (!IsInFlight() && idleSinceNs < 0)
    {
        idleSinceNs = nowNs;
    }
    return advances;
}

bool
HpccTcpConnection::OnEnd(const HpccTcpFields& segment)
{
    closing = true;
    finEnd = segment.sequence + segment.payloadBytes + 1;
    return segment.flags & TcpHeader::RST || (IsServed() && !IsInFlight());
}

bool
HpccTcpConnection::IsOver(const HpccTcpFields& segment) const
{
    if (segment.flags & TcpHeader::RST || !closing)
    {
        return segment.flags & TcpHeader::RST;
    }
    return IsServed() ? !IsInFlight() : static_cast<int32_t>(segment.acknowledged - finEnd) >= 0;
}

void
HpccTcpConnection::OnLoad(double load,
                          uint32_t acknowledged,
                          const TelemetryCapabilities& telemetry,
                          int64_t nowNs)
{
    HopTelemetry hop{};
    hop.load = load;
    hop.fields = TELEMETRY_LOAD;
    HpccSample sample{};
    sample.nowNs = nowNs;
    sample.ackSeq = UnwrapAck(acknowledged);
    sample.sndNxt = sndNxt;
    sample.hops = &hop;
    sample.hopCount = 1;
    sample.telemetry = &telemetry;
    ops->OnTelemetry(sample, TakeView(-1));
}

void
HpccTcpConnection::OnTelemetrySent(int64_t nowNs)
{
    if (timedNs < 0)
    {
        timedNs = nowNs;
        timedSeq = sndNxt;
    }
}

int64_t
HpccTcpConnection::OnTelemetryAnswered(uint64_t ackSeq, int64_t nowNs)
{
    if (timedNs < 0 || ackSeq < timedSeq)
    {
        return -1;
    }
    const int64_t rttNs = ackSeq == timedSeq ? nowNs - timedNs : -1;
    timedNs = -1;
    return rttNs;
}

uint64_t
HpccTcpConnection::UnwrapAck(uint32_t acknowledged) const
{
    return UnwrapTcpSequence(acknowledged, sndUna);
}

TcpHpccPlusPlus::View
HpccTcpConnection::TakeView(int64_t rttNs)
{
    const TcpHpccPlusPlus::View view{rttNs, sndUna - reportedUna, sndNxt - sndUna};
    reportedUna = sndUna;
    return view;
}

HpccTsoPacer::Allowance
HpccTcpConnection::GetAllowance(uint32_t sequence) const
{
    const auto ahead = static_cast<int32_t>(sequence - static_cast<uint32_t>(sndNxt));
    return {ahead < 0,
            sndNxt - sndUna + std::max(ahead, 0),
            ops->GetWindowBytes(),
            ops->GetPacingBps()};
}

} // namespace ns3
