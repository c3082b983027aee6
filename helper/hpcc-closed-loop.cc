/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-closed-loop.h"

#include <set>
#include <string>

namespace ns3
{

namespace
{

/// The queue pairs of a host that already have a closed loop. This object is aggregated to the
/// RdmaHost.
class ClosedLoops : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::HpccClosedLoops").SetParent<Object>().SetGroupName("Hpcc");
        return tid;
    }

    std::set<uint32_t> queuePairs; ///< indices of the queue pairs
};

/**
 * Refuses a second closed loop on a queue pair, because each loop would also post a message
 * whenever a message of the other loop completes.
 * @param host the host that posts
 * @param source number of the host
 * @param queuePair index of the queue pair at the host
 */
void
RequireOnlyLoop(RdmaHost& host, uint32_t source, uint32_t queuePair)
{
    auto loops = host.GetObject<ClosedLoops>();
    if (!loops)
    {
        loops = CreateObject<ClosedLoops>();
        host.AggregateObject(loops);
    }
    HPCC_REFUSE_IF(!loops->queuePairs.insert(queuePair).second,
                   "ns3::HpccClosedLoop at host " + std::to_string(source) + ": queue pair " +
                       std::to_string(queuePair) +
                       " already has a closed loop, and both would post at the completions of "
                       "both; use one per queue pair");
}

} // namespace

HpccClosedLoop::HpccClosedLoop(HpccFabricHelper& fabric,
                               uint32_t source,
                               uint32_t queuePair,
                               const NextBytes& nextBytes,
                               Time start,
                               uint32_t outstanding,
                               RdmaVerb verb)
    : m_queuePair(queuePair),
      m_nextBytes(nextBytes),
      m_verb(verb)
{
    HPCC_REFUSE_IF(outstanding == 0,
                   "ns3::HpccClosedLoop at host " + std::to_string(source) +
                       ": 0 outstanding messages are not allowed; at least 1");
    if (!fabric.IsHere(source))
    {
        return;
    }
    HPCC_REFUSE_IF(!nextBytes,
                   "ns3::HpccClosedLoop at host " + std::to_string(source) +
                       ": nextBytes is empty; pass a function");
    m_host = fabric.GetHost(source);
    m_host->CheckMessage(queuePair, verb, 1, false); // refuses queue pairs for a single message
    RequireOnlyLoop(*m_host, source, queuePair);
    for (uint32_t i = 0; i < outstanding && !m_ended; ++i)
    {
        const uint64_t bytes = m_nextBytes();
        m_ended = bytes == 0;
        if (!m_ended)
        {
            fabric.AddMessage(source, queuePair, bytes, start, verb);
        }
    }
    m_host->TraceConnectWithoutContext("MessageAcknowledged",
                                       MakeCallback(&HpccClosedLoop::Next, this));
}

void
HpccClosedLoop::Next(const RdmaMessageRecord& record)
{
    if (RdmaHost::IndexOfNumber(record.queuePair) != m_queuePair)
    {
        return;
    }
    ++m_completed;
    const uint64_t bytes = m_ended ? 0 : m_nextBytes();
    m_ended = bytes == 0;
    if (!m_ended)
    {
        m_host->Post(m_queuePair, m_verb, bytes);
    }
}

} // namespace ns3
