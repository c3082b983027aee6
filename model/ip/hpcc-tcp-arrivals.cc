/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-arrivals.h"

#include <iterator>

namespace ns3
{

HpccTcpArrivals::Flow&
HpccTcpArrivals::Find(const HpccFlowKey& key, const Frame& frame, bool arrives)
{
    const auto [known, isNew] = m_flows.try_emplace(key);
    if (isNew && !m_key.empty())
    {
        known->second.proof.emplace(m_key, frame, !arrives);
    }
    return known->second;
}

void
HpccTcpArrivals::Count(const HpccFlowKey& key,
                       const Frame& frame,
                       HpccFlowCounter& counter,
                       int64_t nowNs)
{
    Flow& flow = Find(key, frame, true);
    flow.flows = counter.Count(flow.flow, nowNs);
}

HpccNicPackets::Note
HpccTcpArrivals::MakeNote(const HpccFlowKey& key,
                          const Frame& probe,
                          const std::vector<uint8_t>& around)
{
    Flow& flow = Find(key, probe, true);
    HpccNicPackets::Note note;
    note.flows = flow.flows;
    if (flow.proof)
    {
        note.proof = &*flow.proof;
        note.number = flow.proof->Next();
        note.around = around;
    }
    return note;
}

void
HpccTcpArrivals::Sign(const HpccFlowKey& key, Frame& frame, const TcpOptionFormat& option)
{
    if (m_key.empty())
    {
        return;
    }
    HpccFeedbackProof& proof = *Find(key, frame, false).proof;
    const uint64_t number = proof.Next();
    option.SetProof(
        frame.telemetry,
        {static_cast<uint32_t>(number), proof.Sign(number, option.GetSigned(frame.telemetry))});
}

void
HpccTcpArrivals::Keep(const std::function<bool(const HpccFlowKey&)>& isOpen)
{
    for (auto it = m_flows.begin(); it != m_flows.end();)
    {
        it = isOpen(it->first) ? std::next(it) : m_flows.erase(it);
    }
}

} // namespace ns3
