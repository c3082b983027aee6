/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-recovery.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaRecovery);

bool
RdmaRetransmission::OnSelective(const Position&, uint64_t, uint32_t)
{
    return false;
}

uint64_t
RdmaRetransmission::OnAcknowledged(uint64_t)
{
    return 0;
}

uint64_t
RdmaRetransmission::NextLost(uint64_t)
{
    return NONE;
}

void
RdmaRetransmission::OnRetransmitted(uint64_t)
{
}

bool
RdmaRetransmission::IsActive() const
{
    return false;
}

RdmaSequencing::Fate
RdmaSequencing::OnOutOfOrder(uint64_t, uint64_t, const RdmaArrival&)
{
    return Fate::DROPPED;
}

uint64_t
RdmaSequencing::RestartAt(uint64_t expectedPsn, uint64_t) const
{
    return expectedPsn;
}

bool
RdmaSequencing::HasKept() const
{
    return false;
}

bool
RdmaSequencing::Take(uint64_t, RdmaArrival&)
{
    return false;
}

TypeId
RdmaRecovery::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<RdmaRecovery, Object>("ns3::RdmaRecovery");
    return tid;
}

bool
RdmaRecovery::ToleratesReordering() const
{
    return false;
}

bool
RdmaRecovery::DropsOutOfOrder(const Path&) const
{
    return true;
}

bool
RdmaRecovery::RestartsMessages() const
{
    return false;
}

std::unique_ptr<RdmaSequencing>
RdmaRecovery::MakeSequencing() const
{
    return std::make_unique<RdmaSequencing>();
}

RdmaSendLimits
RdmaRecovery::GetLimits(const Path& path) const
{
    RdmaSendLimits limits;
    limits.timeoutNs = path.timeoutNs;
    limits.shortTimeoutNs = path.timeoutNs;
    return limits;
}

std::unique_ptr<RdmaSackTerms>
RdmaRecovery::GetSackTerms(const Path&) const
{
    return nullptr;
}

std::string
RdmaRecovery::Validate() const
{
    return "";
}

std::string
RdmaRecovery::GetTimeoutName() const
{
    return "ns3::RdmaHost::RetransmitTimeout";
}

} // namespace ns3
