/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-collective.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-collectives.h"
#include "ns3/hpcc-job-report.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

HpccCollective::Kind
HpccCollective::KindOf(const std::string& name)
{
    HPCC_REFUSE_IF(name != "ring" && name != "all-to-all",
                   DescribeUnknown("--collective: unknown", name, {"all-to-all", "ring"}));
    return name == "ring" ? RING : ALL_TO_ALL;
}

HpccCollective::HpccCollective(const Plan& plan, const HpccTopology& topology)
    : m_plan(plan),
      m_hosts(topology.GetHosts()),
      m_chunkBytes((plan.bytes + m_hosts.size() - 1) / m_hosts.size()),
      m_graph(static_cast<uint32_t>(m_hosts.size()), "collective")
{
    RequireRange("--job-bytes", plan.bytes, 1, HpccFlowPlan::MAX_BYTES);
    RequireAtLeast("--job-window", plan.window, 1);
    RequireRange("ns3::HpccCollective::Plan::startNs", plan.startNs, 0, HpccJobGraph::MAX_NS);
    HpccCollectivePlan collective;
    collective.operation = plan.kind == RING ? "all-reduce" : "all-to-all";
    collective.algorithms = {plan.kind == RING ? "ring" : "direct"};
    collective.bytes = plan.bytes;
    collective.window = plan.kind == RING ? 0 : plan.window;
    std::vector<uint32_t> ranks(m_hosts.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    HpccCollectives(m_graph).Add(collective, ranks);
    m_graph.Finish();
}

HpccCollective::~HpccCollective() = default;

void
HpccCollective::AddTo(HpccFlowTrace& trace) const
{
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> messages;
    for (const auto& operation : m_graph.GetOperations())
    {
        if (operation.kind == HpccJobGraph::Kind::SEND)
        {
            trace.Add({m_hosts[operation.rank],
                       m_hosts[operation.peer],
                       operation.amount,
                       HpccFlowPlan::NOT_PLANNED,
                       0,
                       messages[{operation.rank, operation.peer}]++},
                      HpccFlowClass::JOB);
        }
    }
}

uint32_t
HpccCollective::Connect(HpccFabricHelper& fabric,
                        const HpccFlowPlan& flow,
                        const HpccFabricHelper::PolicySpec& spec)
{
    if (!m_transport || m_run)
    {
        m_run.reset();
        m_transport = std::make_unique<HpccFabricTransport>(fabric, m_hosts);
        m_queuePairs.clear();
    }
    const auto [at, isNew] = m_queuePairs.insert({{flow.source, flow.destination}, 0});
    if (isNew)
    {
        const auto rankOf = [this](uint32_t host) {
            return static_cast<uint32_t>(std::find(m_hosts.begin(), m_hosts.end(), host) -
                                         m_hosts.begin());
        };
        at->second = m_transport->Connect(rankOf(flow.source), rankOf(flow.destination), 0, spec);
    }
    return at->second;
}

void
HpccCollective::Start(HpccFabricHelper&)
{
    HPCC_REFUSE_IF(!m_transport || m_run,
                   std::string("ns3::HpccCollective::Start: ") +
                       (m_run ? "started already" : "no message is connected") +
                       "; call it once, after Connect() of all messages");
    HpccJobSettings settings;
    settings.startNs = m_plan.startNs;
    m_run = std::make_unique<HpccJobRun>(m_graph, *m_transport, settings);
    m_transport->Start();
    m_run->Start();
}

int64_t
HpccCollective::GetBoundNs(const HpccFabricHelper& fabric) const
{
    return HpccJobReport::GetBoundNs(m_graph, {}, fabric, m_hosts);
}

} // namespace ns3
