/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-irn.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaIrn);

RdmaIrnRetransmission::RdmaIrnRetransmission(uint32_t tolerance)
    : m_tolerance(tolerance)
{
}

uint64_t
RdmaIrnRetransmission::OnNak(const Position& at, uint64_t psn)
{
    Wake(at);
    if (psn == at.unaPsn && at.nxtPsn > psn)
    {
        m_lossEndPsn = std::max(m_lossEndPsn, psn + 1);
    }
    return NONE;
}

uint64_t
RdmaIrnRetransmission::OnTimeout(const Position& at)
{
    Wake(at);
    m_nextPsn = at.unaPsn;
    m_lossEndPsn = std::max(m_lossEndPsn, at.unaPsn + 1);
    m_timeoutEndPsn = at.nxtPsn;
    return NONE;
}

void
RdmaIrnRetransmission::Wake(const Position& at)
{
    if (!IsActive())
    {
        m_unaPsn = at.unaPsn;
    }
}

void
RdmaIrnRetransmission::Grow(uint64_t psn)
{
    std::vector<uint16_t> old(std::max<size_t>(64, m_bytes.size()));
    while (psn - m_unaPsn >= old.size())
    {
        old.resize(old.size() * 2);
    }
    old.swap(m_bytes);
    for (uint64_t i = m_unaPsn; i < m_endPsn; ++i)
    {
        At(i) = old[i & (old.size() - 1)];
    }
}

bool
RdmaIrnRetransmission::OnSelective(const Position& at, uint64_t psn, uint32_t bytes)
{
    if (psn <= at.unaPsn || psn >= at.nxtPsn)
    {
        return false;
    }
    Wake(at);
    if (psn - m_unaPsn >= m_bytes.size())
    {
        Grow(psn);
    }
    if (At(psn) != 0)
    {
        return false;
    }
    At(psn) = static_cast<uint16_t>(bytes);
    m_endPsn = std::max(m_endPsn, psn + 1);
    if (m_endPsn > m_tolerance)
    {
        m_lossEndPsn = std::max(m_lossEndPsn, m_endPsn - m_tolerance);
    }
    return true;
}

uint64_t
RdmaIrnRetransmission::OnAcknowledged(uint64_t unaPsn)
{
    uint64_t bytes = 0;
    for (uint64_t psn = m_unaPsn; psn < std::min(unaPsn, m_endPsn); ++psn)
    {
        bytes += At(psn);
        At(psn) = 0;
    }
    m_unaPsn = unaPsn;
    if (unaPsn < m_timeoutEndPsn)
    {
        m_lossEndPsn = std::max(m_lossEndPsn, unaPsn + 1);
    }
    return bytes;
}

uint64_t
RdmaIrnRetransmission::NextLost(uint64_t unaPsn)
{
    m_nextPsn = std::max(m_nextPsn, unaPsn);
    while (m_nextPsn < std::min(m_lossEndPsn, m_endPsn) && At(m_nextPsn) != 0)
    {
        ++m_nextPsn;
    }
    return m_nextPsn < m_lossEndPsn ? m_nextPsn : NONE;
}

void
RdmaIrnRetransmission::OnRetransmitted(uint64_t psn)
{
    m_nextPsn = psn + 1;
}

bool
RdmaIrnRetransmission::IsActive() const
{
    return m_unaPsn < std::max({m_endPsn, m_timeoutEndPsn, m_lossEndPsn});
}

void
RdmaIrnSequencing::Grow(uint64_t expectedPsn, uint64_t psn)
{
    std::vector<Slot> old(std::max<size_t>(64, m_slots.size()));
    while (psn - expectedPsn >= old.size())
    {
        old.resize(old.size() * 2);
    }
    old.swap(m_slots);
    for (uint64_t i = expectedPsn; i < expectedPsn + old.size(); ++i)
    {
        m_slots[i & (m_slots.size() - 1)] = old[i & (old.size() - 1)];
    }
}

RdmaSequencing::Fate
RdmaIrnSequencing::OnOutOfOrder(uint64_t expectedPsn, uint64_t psn, const RdmaArrival& arrival)
{
    if (psn - expectedPsn >= MAX_AHEAD)
    {
        return Fate::DROPPED;
    }
    if (psn - expectedPsn >= m_slots.size())
    {
        Grow(expectedPsn, psn);
    }
    Slot& slot = m_slots[psn & (m_slots.size() - 1)];
    if (slot.used)
    {
        return Fate::REPEATED;
    }
    slot = {arrival, true};
    ++m_kept;
    return Fate::KEPT;
}

bool
RdmaIrnSequencing::HasKept() const
{
    return m_kept > 0;
}

bool
RdmaIrnSequencing::Take(uint64_t expectedPsn, RdmaArrival& arrival)
{
    Slot& slot = m_slots[expectedPsn & (m_slots.size() - 1)];
    if (!slot.used)
    {
        return false;
    }
    arrival = slot.arrival;
    slot.used = false;
    --m_kept;
    return true;
}

TypeId
RdmaIrn::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaIrn, RdmaRecovery>("ns3::RdmaIrn")
            .Attribute("BdpCap",
                       "Most packets in flight. 0: a bandwidth-delay product, line rate times the "
                       "largest base RTT of the network.",
                       HpccField(&RdmaIrn::m_bdpCap, 0, 0, 1 << 20))
            .Attribute(
                "RtoLow",
                "Time-out while at most FewPackets are in flight (section 4.1 of the paper).",
                HpccField(&RdmaIrn::m_rtoLow, MicroSeconds(100), NanoSeconds(1), Seconds(1e9)))
            .Attribute(
                "RtoHigh",
                "Time-out while more than FewPackets are in flight; should exceed the delay "
                "of the longest path with one full buffer (section 4.1 of the paper).",
                HpccField(&RdmaIrn::m_rtoHigh, MicroSeconds(320), NanoSeconds(1), Seconds(1e9)))
            .Attribute(
                "FewPackets",
                "N: most packets in flight for which RtoLow applies (section 4.1 of the paper).",
                HpccField(&RdmaIrn::m_fewPackets, 3))
            .Attribute("ReorderTolerance",
                       "A packet counts as lost once a packet at least this many numbers higher "
                       "has arrived; 1 in the paper. Set it higher with multipath.",
                       HpccField(&RdmaIrn::m_reorderTolerance, 1, 1, 1 << 20))
            .Presets("irn");
    return tid;
}

bool
RdmaIrn::ToleratesReordering() const
{
    return true;
}

std::unique_ptr<RdmaRetransmission>
RdmaIrn::MakeRetransmission() const
{
    return std::make_unique<RdmaIrnRetransmission>(m_reorderTolerance);
}

std::unique_ptr<RdmaSequencing>
RdmaIrn::MakeSequencing() const
{
    return std::make_unique<RdmaIrnSequencing>();
}

RdmaSendLimits
RdmaIrn::GetLimits(const Path& path) const
{
    RdmaSendLimits limits;
    if (m_bdpCap > 0)
    {
        limits.packets = m_bdpCap;
    }
    else if (path.baseRttNs > 0)
    {
        limits.packets = static_cast<uint32_t>(std::ceil(path.BdpBytes() / path.mtuBytes));
    }
    limits.timeoutNs = m_rtoHigh.GetNanoSeconds();
    limits.shortTimeoutNs = m_rtoLow.GetNanoSeconds();
    limits.fewPackets = m_fewPackets;
    return limits;
}

bool
RdmaIrn::DropsOutOfOrder(const Path& path) const
{
    return GetLimits(path).packets > RdmaIrnSequencing::MAX_AHEAD;
}

std::string
RdmaIrn::Validate() const
{
    if (m_rtoLow <= m_rtoHigh)
    {
        return "";
    }
    std::ostringstream why;
    why << "RdmaIrn::RtoLow " << m_rtoLow.As(Time::US) << " is above RtoHigh "
        << m_rtoHigh.As(Time::US);
    return why.str();
}

std::string
RdmaIrn::GetTimeoutName() const
{
    return "ns3::RdmaIrn::RtoHigh";
}

} // namespace ns3
