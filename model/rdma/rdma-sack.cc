/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-sack.h"

#include "rdma-irn.h"
#include "rdma-sack-sender.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/hpcc-presets.h"
#include "ns3/uinteger.h"

#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSack);

namespace
{

constexpr int64_t RTO_FLOOR_NS = 15000; ///< part of the computed time-out, ns
constexpr double RTO_QUEUES = 6;        ///< full queues on the path there and back
constexpr double MOST_WINDOWS = 1.5;    ///< bandwidth-delay products that a window may have

} // namespace

TypeId
RdmaSack::GetTypeId()
{
    static TypeId tid =
        AddHpccPresets(TypeId("ns3::RdmaSack")
                           .SetParent<RdmaRecovery>()
                           .SetGroupName("Hpcc")
                           .AddConstructor<RdmaSack>(),
                       "sack;sack:sleek=Sleek:true,QueueBdps:5")
            .AddAttribute("AckBytes",
                          "Payload after which a SACK is sent, bytes; 1: for each packet. "
                          "RdmaHost::AckInterval above 1, or that of a feedback, comes first.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&RdmaSack::m_ackBytes),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Rto",
                          "Time-out; 0: 15 us and the time in which 6 queues of QueueBdps drain; "
                          "RdmaHost::RetransmitTimeout if the base RTT is unknown.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaSack::m_rto),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("QueueBdps",
                          "Longest queue of a port, in bandwidth-delay products, for Rto.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaSack::m_queueBdps),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Sleek",
                          "Infer losses from packets that wait at the responder, and probe.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaSack::m_sleek),
                          MakeBooleanChecker());
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
