/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-sack.h"

#include "rdma-irn.h"
#include "rdma-sack-sender.h"

#include "ns3/hpcc-type-id.h"

#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSack);

namespace
{

constexpr int64_t RTO_FLOOR_NS = 15000; ///< constant part of the computed time-out, ns
constexpr double RTO_QUEUES = 6;        ///< number of full queues on the path in both directions
constexpr double MOST_WINDOWS = 1.5;    ///< for mostPackets, bandwidth-delay products

} // namespace

TypeId
RdmaSack::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaSack, RdmaRecovery>("ns3::RdmaSack")
            .Presets("sack;sack:sleek=Sleek:true,QueueBdps:5")
            .Attribute("AckBytes",
                       "Payload after which a SACK is sent, bytes; 1: for each packet. "
                       "RdmaHost::AckInterval above 1, or that of a feedback, comes first.",
                       HpccField(&RdmaSack::m_ackBytes, 16384, 1))
            .Attribute("Rto",
                       "Time-out; 0: 15 us and the time in which 6 queues of QueueBdps drain; "
                       "RdmaHost::RetransmitTimeout if the base RTT is unknown.",
                       HpccField(&RdmaSack::m_rto, Time(0), Time(0)))
            .Attribute("QueueBdps",
                       "Longest queue of a port, in bandwidth-delay products, for Rto.",
                       HpccField(&RdmaSack::m_queueBdps, 1, 0))
            .Attribute("Sleek",
                       "Infer losses from packets that wait at the responder, and probe.",
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
        limits.timeoutNs = RTO_FLOOR_NS + std::llround(RTO_QUEUES * m_queueBdps *
                                                       static_cast<double>(path.baseRttNs));
    }
    limits.shortTimeoutNs = limits.timeoutNs;
    return limits;
}

std::unique_ptr<RdmaSackTerms>
RdmaSack::GetSackTerms(const Path& path) const
{
    const double bdp =
        static_cast<double>(path.lineRateBps) * static_cast<double>(path.baseRttNs) / 8e9;
    auto terms = std::make_unique<RdmaSackTerms>();
    terms->ackBytes = m_ackBytes;
    terms->sleek = m_sleek;
    terms->baseRttNs = path.baseRttNs;
    terms->mostPackets = MOST_WINDOWS * bdp / path.mtuBytes;
    return terms;
}

} // namespace ns3
