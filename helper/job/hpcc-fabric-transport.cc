/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-transport.h"

#include "hpcc-timed-queue.h"

#include "ns3/callback.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/rdma-host.h"

#include <algorithm>
#include <string>

namespace ns3
{

class HpccFabricTransport::Endpoint : public AgendaClient
{
  public:
    Endpoint(HpccFabricTransport& transport, uint32_t rank)
        : m_transport(transport),
          m_rank(rank),
          m_host(transport.m_fabric.GetHost(transport.m_hosts[rank])),
          m_agenda(*NodeAgenda::Of(transport.m_fabric.GetNodes().Get(transport.m_hosts[rank]))),
          m_index(m_agenda.Register(AgendaKind::APPLICATION, this))
    {
        m_host->TraceConnectWithoutContext("MessageDelivered",
                                           MakeCallback(&Endpoint::Delivered, this));
        m_host->TraceConnectWithoutContext("MessageAcknowledged",
                                           MakeCallback(&Endpoint::Acknowledged, this));
    }

    void Post(uint32_t queuePair, uint64_t bytes)
    {
        m_host->Post(queuePair, RdmaVerb::WRITE, std::max<uint64_t>(bytes, 1));
    }

    /// Completes a message from the rank to itself.
    void PostToSelf(const Message& message)
    {
        ScheduleEvent(m_agenda.NowNs() + 1, {true, message});
        ScheduleEvent(m_agenda.NowNs() + 1, {false, message});
    }

    void WakeAt(int64_t atNs)
    {
        m_agenda.Schedule(AgendaKind::APPLICATION, m_index, atNs);
    }

    void Due(AgendaKind, uint32_t, int64_t nowNs) override
    {
        while (const auto due = m_events.PopDue(nowNs))
        {
            const Event& event = due->event;
            if (event.sent)
            {
                m_transport.m_client->Sent(m_rank, event.message.id, nowNs);
            }
            else
            {
                m_transport.m_client->Delivered(event.message, nowNs);
            }
        }
        m_transport.m_client->Wake(m_rank, nowNs);
    }

  private:
    /// The completion of a message at one of its ends.
    struct Event
    {
        bool sent;       ///< true: complete at the source; false: at the destination
        Message message; ///< the message
    };

    void ScheduleEvent(int64_t atNs, const Event& event)
    {
        m_events.Push(atNs, event);
        m_agenda.Schedule(AgendaKind::APPLICATION, m_index, atNs);
    }

    /// Returns the connection of a message; null if the message is not part of this job.
    Connection* Find(const RdmaMessageRecord& record) const
    {
        const auto found =
            m_transport.m_byQueuePair.find({HpccFabricHelper::GetHostNumber(record.source),
                                            RdmaHost::IndexOfNumber(record.queuePair)});
        return found == m_transport.m_byQueuePair.end() ? nullptr : found->second;
    }

    void Delivered(const RdmaMessageRecord& record)
    {
        Connection* connection = Find(record);
        if (!connection)
        {
            return;
        }
        uint32_t tag = connection->tag;
        if (tag == ANY_TAG)
        {
            tag = connection->tags.front();
            connection->tags.pop_front();
        }
        ScheduleEvent(record.completedNs,
                      {false, {connection->source, m_rank, tag, record.bytes, 0}});
    }

    void Acknowledged(const RdmaMessageRecord& record)
    {
        Connection* connection = Find(record);
        if (connection)
        {
            const uint64_t id = connection->ids.front();
            connection->ids.pop_front();
            ScheduleEvent(
                record.completedNs,
                {true, {m_rank, connection->destination, connection->tag, record.bytes, id}});
        }
    }

    HpccFabricTransport& m_transport;
    uint32_t m_rank;
    Ptr<RdmaHost> m_host;
    NodeAgenda& m_agenda;
    uint32_t m_index;
    HpccTimedQueue<Event> m_events;
};

HpccFabricTransport::HpccFabricTransport(HpccFabricHelper& fabric, std::vector<uint32_t> hosts)
    : m_fabric(fabric),
      m_hosts(std::move(hosts))
{
    std::map<uint32_t, uint32_t> ranks;
    for (uint32_t rank = 0; rank < m_hosts.size(); ++rank)
    {
        const auto [at, isNew] = ranks.insert({m_hosts[rank], rank});
        HPCC_REFUSE_IF(!isNew,
                       "ns3::HpccFabricTransport: host " + std::to_string(m_hosts[rank]) +
                           " is given to ranks " + std::to_string(at->second) + " and " +
                           std::to_string(rank) + "; allowed is one rank per host");
    }
}

HpccFabricTransport::~HpccFabricTransport() = default;

uint32_t
HpccFabricTransport::Connect(uint32_t source,
                             uint32_t destination,
                             uint32_t tag,
                             const HpccFabricHelper::PolicySpec& spec,
                             bool singleMessage)
{
    const uint32_t queuePair =
        m_fabric.Connect(HostOf(source), HostOf(destination), spec, 0, singleMessage);
    m_connections.push_back({source, destination, tag, queuePair, {}, {}});
    Connection* connection = &m_connections.back();
    m_byTag[{source, destination, tag}] = connection;
    m_byQueuePair[{m_hosts[source], queuePair}] = connection;
    return queuePair;
}

uint32_t
HpccFabricTransport::HostOf(uint32_t rank) const
{
    HPCC_REFUSE_IF(rank >= m_hosts.size(),
                   "ns3::HpccFabricTransport: rank " + std::to_string(rank) +
                       " has no host; allowed are ranks below " + std::to_string(m_hosts.size()));
    return m_hosts[rank];
}

void
HpccFabricTransport::CheckPair(uint32_t source, uint32_t destination, uint32_t tag) const
{
    HostOf(destination);
    HPCC_REFUSE_IF(source != destination && m_byTag.count({source, destination, tag}) == 0 &&
                       m_byTag.count({source, destination, ANY_TAG}) == 0,
                   "ns3::HpccFabricTransport: rank " + std::to_string(source) + " sends to rank " +
                       std::to_string(destination) + " with tag " + std::to_string(tag) +
                       ", but Connect() has not connected them");
}

void
HpccFabricTransport::Start()
{
    if (!m_endpoints.empty())
    {
        return;
    }
    for (uint32_t rank = 0; rank < m_hosts.size(); ++rank)
    {
        m_endpoints.push_back(IsHere(rank) ? std::make_unique<Endpoint>(*this, rank) : nullptr);
    }
}

void
HpccFabricTransport::Send(const Message& message)
{
    if (message.source == message.destination)
    {
        m_endpoints[message.source]->PostToSelf(message);
        return;
    }
    auto found = m_byTag.find({message.source, message.destination, message.tag});
    if (found == m_byTag.end())
    {
        found = m_byTag.find({message.source, message.destination, ANY_TAG});
        found->second->tags.push_back(message.tag);
    }
    found->second->ids.push_back(message.id);
    m_endpoints[message.source]->Post(found->second->queuePair, message.bytes);
}

void
HpccFabricTransport::WakeAt(uint32_t rank, int64_t atNs)
{
    Start();
    m_endpoints[rank]->WakeAt(atNs);
}

} // namespace ns3
