/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-reps-entropy.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RepsEntropy);

namespace
{

/// Stores the circular buffer of entropy values of a queue pair.
class State : public RdmaEntropyState
{
  public:
    /**
     * Creates the state of a queue pair.
     * @param values number of entropy values
     * @param buffer number of entropy values that the buffer can store
     * @param freezeNs attribute FreezeTime, ns
     * @param exploration attribute Exploration
     */
    State(uint32_t values, uint32_t buffer, int64_t freezeNs, uint32_t exploration)
        : m_values(values),
          m_freezeNs(freezeNs),
          m_exploration(exploration),
          m_places(buffer)
    {
    }

    uint16_t Next(UniformRandomVariable& random, const float*) override
    {
        if (m_exploring > 0)
        {
            --m_exploring;
        }
        else if (m_frozen && m_used > 0)
        {
            m_turn = (m_turn + 1) % m_used;
            return m_places[m_turn];
        }
        else if (m_fresh > 0)
        {
            // The fresh values are in the m_fresh places before m_head.
            const uint16_t value = m_places[(m_head + m_places.size() - m_fresh) % m_places.size()];
            --m_fresh;
            return value;
        }
        return static_cast<uint16_t>(random.GetInteger(0, m_values - 1));
    }

    void OnFeedback(uint16_t value, RdmaEntropyFeedback feedback, int64_t nowNs) override
    {
        if (feedback == RdmaEntropyFeedback::TIMEOUT)
        {
            if (!m_frozen && m_exploring == 0)
            {
                m_frozen = true;
                m_thawNs = nowNs + m_freezeNs;
            }
            return;
        }
        if (m_frozen && nowNs > m_thawNs)
        {
            m_frozen = false;
            m_head = m_used = m_fresh = 0;
            m_exploring = m_exploration;
        }
        if (feedback == RdmaEntropyFeedback::GOOD)
        {
            m_places[m_head] = value;
            m_head = (m_head + 1) % m_places.size();
            m_used = std::min(m_used + 1, m_places.size());
            m_fresh = std::min(m_fresh + 1, m_places.size());
        }
    }

  private:
    uint32_t m_values;              ///< number of values
    int64_t m_freezeNs;             ///< FreezeTime, ns
    uint32_t m_exploration;         ///< Exploration
    std::vector<uint16_t> m_places; ///< the buffer
    size_t m_head{0};               ///< place in m_places that is written next
    size_t m_used{0};               ///< number of places with a value
    size_t m_fresh{0};              ///< number of fresh values, which are in the places before
                                    ///< m_head
    size_t m_turn{0};               ///< place of the last value used while the buffer was frozen
    bool m_frozen{false};           ///< a time-out has frozen the buffer
    int64_t m_thawNs{0};            ///< earliest end of the freeze, ns
    uint32_t m_exploring{0};        ///< number of packets that will still use random values
};

} // namespace

TypeId
RepsEntropy::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RepsEntropy, RdmaEntropy>("ns3::RepsEntropy")
            .Presets("reps")
            .Attribute("Buffer",
                       "Entropy values that the buffer can hold, for later packets to reuse.",
                       OfConnect(HpccField(&RepsEntropy::m_buffer, 8, 1, MAX_VALUES)))
            .Attribute("FreezeTime",
                       "Shortest time after a time-out for which packets take the values in the "
                       "buffer in turn, even values that have been reused.",
                       OfConnect(HpccField(&RepsEntropy::m_freezeTime, MilliSeconds(10), Time(0))))
            .Attribute("Exploration",
                       "Packets that take random values once the freeze after a time-out (see "
                       "FreezeTime) has ended.",
                       OfConnect(HpccField(&RepsEntropy::m_exploration, 16)));
    return tid;
}

std::unique_ptr<RdmaEntropyState>
RepsEntropy::MakeState() const
{
    return std::make_unique<State>(GetValues(),
                                   m_buffer,
                                   m_freezeTime.GetNanoSeconds(),
                                   m_exploration);
}

bool
RepsEntropy::NeedsPowerOfTwo() const
{
    return false;
}

} // namespace ns3
