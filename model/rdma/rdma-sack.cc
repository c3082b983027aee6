/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-sack.h"

#include "rdma-irn.h"
#include "rdma-sack-sender.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSack);

namespace
{

constexpr int64_t RTO_FLOOR_NS = 15000;   ///< constant part of the computed time-out, ns
constexpr double RTO_QUEUES = 6;          ///< the computed time-out assumes this number of full
                                          ///< queues on the path, both directions together
constexpr double MOST_HEADER_BYTES = 250; ///< the computed time-out assumes that headers and
                                          ///< telemetry of a packet have this size, bytes
constexpr double MOST_WINDOWS = 1.5; ///< value of RdmaSackTerms::mostPackets, in bandwidth-delay
                                     ///< products

/**
 * Returns the transmission time, at line rate, of the packets that one SACK answers, ns. The first
 * of these packets is answered only after the last of them has arrived.
 * @param path properties of the queue pair
 * @param ackBytes payload per SACK, bytes
 */
int64_t
AnswerIntervalNs(const RdmaRecovery::Path& path, uint32_t ackBytes)
{
    const double packets = std::ceil(static_cast<double>(ackBytes) / path.mtuBytes);
    return std::llround(packets * (path.mtuBytes + MOST_HEADER_BYTES) * 8e9 /
                        static_cast<double>(path.lineRateBps));
}

} // namespace

TypeId
RdmaSack::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaSack, RdmaRecovery>("ns3::RdmaSack")
            .Presets("sack;sack:sleek=Sleek:true,QueueBdps:5")
            .Attribute(
                "AckBytes",
                "Payload per SACK, bytes; 1: a SACK for each packet. If AckInterval (of the "
                "feedback if it sets one, else of RdmaHost) exceeds 1, AckInterval * Mtu is used.",
                HpccField(&RdmaSack::m_ackBytes, 16384, 1))
            .Attribute("Rto",
                       "Time-out. 0: 15 us plus 6 * QueueBdps base RTTs, but at least a base RTT "
                       "plus AckBytes at line rate, or RdmaHost::RetransmitTimeout if the base RTT "
                       "is unknown.",
                       HpccField(&RdmaSack::m_rto, Time(0), Time(0), Seconds(1e9)))
            .Attribute("QueueBdps",
                       "Longest queue of a port, in bandwidth-delay products, that Rto=0 assumes.",
                       HpccField(&RdmaSack::m_queueBdps, 1, 0).OnlyIf("Rto", "0ns"))
            .Attribute("TimeoutRtts",
                       "Lower limit of the time-out, in units of the last round-trip time, until a "
                       "packet of the queue pair has been trimmed. 0: no such limit.",
                       HpccField(&RdmaSack::m_timeoutRtts, 2, 0, 1000))
            .Attribute("Sleek",
                       "Whether losses are also inferred from packets that wait at the responder "
                       "for a packet with a lower number, and by probes. For networks that do not "
                       "trim.",
                       HpccField(&RdmaSack::m_sleek, false));
    return tid;
}

bool
RdmaSack::ToleratesReordering() const
{
    return true;
}

std::unique_ptr<RdmaRetransmission>
RdmaSack::MakeRetransmission() const
{
    return std::make_unique<RdmaSackSender>();
}

std::unique_ptr<RdmaSequencing>
RdmaSack::MakeSequencing() const
{
    return std::make_unique<RdmaIrnSequencing>();
}

RdmaSendLimits
RdmaSack::GetLimits(const Path& path) const
{
    RdmaSendLimits limits;
    limits.timeoutNs = path.timeoutNs;
    if (m_rto.IsStrictlyPositive())
    {
        limits.timeoutNs = m_rto.GetNanoSeconds();
    }
    else if (path.baseRttNs > 0)
    {
        limits.timeoutNs =
            std::max<int64_t>(RTO_FLOOR_NS + std::llround(RTO_QUEUES * m_queueBdps *
                                                          static_cast<double>(path.baseRttNs)),
                              path.baseRttNs + AnswerIntervalNs(path, m_ackBytes));
    }
    limits.shortTimeoutNs = limits.timeoutNs;
    return limits;
}

bool
RdmaSack::DropsOutOfOrder(const Path&) const
{
    return false; // NakInterval has no effect: RdmaSackResponder sends no NAKs for gaps
}

std::unique_ptr<RdmaSackTerms>
RdmaSack::GetSackTerms(const Path& path) const
{
    auto terms = std::make_unique<RdmaSackTerms>();
    terms->ackBytes = m_ackBytes;
    terms->sleek = m_sleek;
    terms->timeoutRtts = m_timeoutRtts;
    terms->baseRttNs = path.baseRttNs;
    terms->mostPackets = MOST_WINDOWS * path.BdpBytes() / path.mtuBytes;
    return terms;
}

std::string
RdmaSack::GetTimeoutName() const
{
    return "ns3::RdmaSack::Rto";
}

} // namespace ns3
