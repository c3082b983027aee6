/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-uec-triggers.h"

#include "ns3/rdma-host.h"
#include "ns3/simulator.h"

namespace ns3
{

HpccUecTriggers::HpccUecTriggers(const HpccUecMatrix& matrix)
    : m_matrix(matrix)
{
    for (size_t i = 0; i < matrix.GetFlows().size(); ++i)
    {
        const uint32_t trigger = matrix.GetFlows()[i].trigger;
        if (trigger > 0)
        {
            m_triggers[trigger].flows.push_back(i);
        }
    }
}

void
HpccUecTriggers::AddQueuePair(uint32_t queuePair)
{
    const size_t flow = m_queuePairs.size();
    const uint32_t source = m_matrix.GetFlows()[flow].source;
    m_queuePairs.push_back(queuePair);
    m_flow[{HpccFabricHelper::GetAddress(source), queuePair}] = flow;
}

void
HpccUecTriggers::Follow(HpccFabricHelper& fabric)
{
    m_fabric = &fabric;
    for (const uint32_t host : fabric.GetTopology().GetHosts())
    {
        fabric.GetHost(host)->TraceConnectWithoutContext(
            "MessageAcknowledged",
            MakeCallback(&HpccUecTriggers::Acknowledged, this));
        fabric.GetHost(host)->TraceConnectWithoutContext(
            "MessageDelivered",
            MakeCallback(&HpccUecTriggers::Delivered, this));
    }
}

std::vector<size_t>
HpccUecTriggers::Activate(uint32_t trigger)
{
    State& state = m_triggers[trigger];
    const HpccUecMatrix::Trigger& plan = m_matrix.GetTriggers().at(trigger);
    ++state.activations;
    const bool oneByOne = plan.kind == HpccUecMatrix::TriggerKind::MULTISHOT;
    const size_t due = state.activations >= plan.GetNeeded() ? state.flows.size()
                       : oneByOne                            ? state.activations
                                                             : 0;
    const std::vector<size_t> now(state.flows.begin() + static_cast<std::ptrdiff_t>(state.started),
                                  state.flows.begin() + static_cast<std::ptrdiff_t>(due));
    state.started = due;
    return now;
}

const HpccUecMatrix::Flow&
HpccUecTriggers::FlowOf(const RdmaMessageRecord& record) const
{
    return m_matrix
        .GetFlows()[m_flow.at({record.source, RdmaHost::IndexOfNumber(record.queuePair)})];
}

void
HpccUecTriggers::Acknowledged(const RdmaMessageRecord& record)
{
    Fire(FlowOf(record).sendDone);
}

void
HpccUecTriggers::Delivered(const RdmaMessageRecord& record)
{
    Fire(FlowOf(record).receiveDone);
}

void
HpccUecTriggers::Fire(uint32_t trigger)
{
    if (trigger == 0)
    {
        return;
    }
    for (const size_t flow : Activate(trigger))
    {
        const HpccUecMatrix::Flow& plan = m_matrix.GetFlows()[flow];
        const Ptr<RdmaHost> host = m_fabric->GetHost(plan.source);
        Simulator::ScheduleWithContext(m_fabric->GetNodes().Get(plan.source)->GetId(),
                                       Time(0),
                                       [host, queuePair = m_queuePairs[flow], bytes = plan.bytes] {
                                           host->Post(queuePair, RdmaVerb::WRITE, bytes);
                                       });
    }
}

} // namespace ns3
