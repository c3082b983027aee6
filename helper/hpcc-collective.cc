/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-collective.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-node-agenda.h"

#include <algorithm>

namespace ns3
{

class HpccCollective::Rank : public AgendaClient
{
  public:
    Rank(const HpccCollective& collective, HpccFabricHelper& fabric, uint32_t rank)
        : m_collective(collective),
          m_stack(fabric.GetHost(collective.m_hosts[rank])),
          m_agenda(m_stack->GetPort().GetAgenda()),
          m_index(m_agenda.Register(AgendaKind::APPLICATION, this)),
          m_arrived(collective.GetMessagesPerRank(), false)
    {
        const auto& hosts = collective.m_hosts;
        auto ranks = static_cast<uint32_t>(hosts.size());
        for (uint32_t message = 0; message < collective.GetMessagesPerRank(); ++message)
        {
            uint32_t to = hosts[collective.PeerOf(rank, message)];
            m_queuePairs.push_back(collective.m_queuePairs.at({hosts[rank], to}));
            uint32_t step = (collective.PeerOf(rank, message) + ranks - rank) % ranks;
            uint32_t from = hosts[(rank + ranks - step) % ranks];
            uint32_t queuePair = collective.m_queuePairs.at({from, hosts[rank]});
            m_awaited[{HpccFabricHelper::GetAddress(from), queuePair}].push_back(message);
        }
        m_stack->TraceConnectWithoutContext("MessageDelivered",
                                            MakeCallback(&Rank::Delivered, this));
        m_agenda.Note(AgendaKind::APPLICATION, m_index, collective.m_plan.startNs);
    }

    void Due(AgendaKind, uint32_t, int64_t) override
    {
        while (m_prefix < m_arrived.size() && m_arrived[m_prefix])
        {
            ++m_prefix;
        }
        size_t window = m_collective.m_plan.kind == RING ? 1 : m_collective.m_plan.window;
        while (m_posted < std::min(m_queuePairs.size(), m_prefix + window))
        {
            m_stack->Post(m_queuePairs[m_posted++], RdmaVerb::WRITE, m_collective.m_chunkBytes);
        }
    }

  private:
    void Delivered(const RdmaMessageRecord& record)
    {
        auto found = m_awaited.find({record.source, RdmaHost::IndexOfNumber(record.queuePair)});
        if (found != m_awaited.end())
        {
            m_arrived[found->second[record.index]] = true;
            m_agenda.Note(AgendaKind::APPLICATION, m_index, record.completedNs);
        }
    }

    const HpccCollective& m_collective;
    Ptr<RdmaHost> m_stack;
    NodeAgenda& m_agenda;
    uint32_t m_index;
    std::vector<uint32_t> m_queuePairs; ///< by message sent
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>>
        m_awaited;               ///< phases or rounds by address and queue pair of the source
    std::vector<bool> m_arrived; ///< by phase or round
    size_t m_prefix{0};          ///< phases or rounds that have arrived without a gap
    size_t m_posted{0};          ///< messages posted
};

HpccCollective::Kind
HpccCollective::KindOf(const std::string& name)
{
    if (name != "ring" && name != "all-to-all")
    {
        throw HpccInputError(
            DescribeUnknown("--collective: unknown", name, {"all-to-all", "ring"}));
    }
    return name == "ring" ? RING : ALL_TO_ALL;
}

HpccCollective::HpccCollective(const Plan& plan, const HpccTopology& topology)
    : m_plan(plan),
      m_hosts(topology.GetHosts()),
      m_chunkBytes((plan.bytes + m_hosts.size() - 1) / m_hosts.size())
{
    if (plan.bytes < 1 || plan.bytes > HpccFlowPlan::MAX_BYTES)
    {
        throw HpccInputError("--job-bytes: " + std::to_string(plan.bytes) + " is outside 1 to " +
                             std::to_string(HpccFlowPlan::MAX_BYTES));
    }
    if (plan.window == 0)
    {
        throw HpccInputError("--job-window: 0 is not allowed; at least 1");
    }
}

HpccCollective::~HpccCollective() = default;

uint32_t
HpccCollective::GetMessagesPerRank() const
{
    return (GetRanks() - 1) * (m_plan.kind == RING ? 2 : 1);
}

uint32_t
HpccCollective::PeerOf(uint32_t rank, uint32_t message) const
{
    return (rank + (m_plan.kind == RING ? 1 : message + 1)) % GetRanks();
}

void
HpccCollective::AddTo(HpccFlowTrace& trace) const
{
    for (uint32_t rank = 0; rank < GetRanks(); ++rank)
    {
        for (uint32_t message = 0; message < GetMessagesPerRank(); ++message)
        {
            trace.Add({m_hosts[rank],
                       m_hosts[PeerOf(rank, message)],
                       m_chunkBytes,
                       HpccFlowPlan::NOT_PLANNED,
                       0,
                       m_plan.kind == RING ? message : 0},
                      HpccFlowClass::JOB);
        }
    }
}

uint32_t
HpccCollective::Connect(HpccFabricHelper& fabric,
                        const HpccFlowPlan& flow,
                        const HpccFabricHelper::PolicySpec& spec)
{
    if (flow.message == 0)
    {
        m_queuePairs[{flow.source, flow.destination}] =
            fabric.Connect(flow.source, flow.destination, spec);
    }
    return m_queuePairs.at({flow.source, flow.destination});
}

void
HpccCollective::Start(HpccFabricHelper& fabric)
{
    m_ranks.clear();
    for (uint32_t rank = 0; rank < GetRanks(); ++rank)
    {
        m_ranks.push_back(std::make_unique<Rank>(*this, fabric, rank));
    }
}

int64_t
HpccCollective::GetBoundNs(const HpccFabricHelper& fabric) const
{
    uint32_t ranks = GetRanks();
    int64_t boundNs = 0;
    for (uint32_t first = 0; first < ranks; ++first)
    {
        int64_t ns = 0;
        if (m_plan.kind == RING)
        {
            for (uint32_t phase = 0; phase < GetMessagesPerRank(); ++phase)
            {
                uint32_t from = (first + phase) % ranks;
                ns += fabric.GetIdealDeliveryNs(m_hosts[from],
                                                m_hosts[(from + 1) % ranks],
                                                m_chunkBytes);
            }
        }
        else
        {
            ns = INT64_MAX;
            for (uint32_t round = 1; round < ranks; ++round)
            {
                ns = std::min(ns,
                              fabric.GetIdealDeliveryNs(m_hosts[first],
                                                        m_hosts[(first + round) % ranks],
                                                        m_chunkBytes * (ranks - 1)));
            }
        }
        boundNs = std::max(boundNs, ns);
    }
    return boundNs;
}

} // namespace ns3
