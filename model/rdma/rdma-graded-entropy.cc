/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-graded-entropy.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GradedEntropy);

namespace
{

/// Stores the credits of all values.
class State : public RdmaEntropyState
{
  public:
    /// Creates the state of a queue pair.
    /// @param values number of values
    explicit State(uint32_t values)
        : m_walk(values),
          m_credits(values)
    {
    }

    uint16_t Next(UniformRandomVariable& random, const float* shares) override
    {
        uint16_t value = 0;
        // The largest share is 1. Therefore, while all credits are at least 0, one round finds a
        // value.
        for (size_t i = 0; i < 2 * m_credits.size(); ++i)
        {
            value = m_walk.Next(random);
            m_credits[value] += shares ? shares[value] : 1;
            if (m_credits[value] >= 1)
            {
                break;
            }
        }
        m_credits[value] = std::max(m_credits[value] - 1, -GradedEntropy::PENALTY);
        return value;
    }

    void OnFeedback(uint16_t value, RdmaEntropyFeedback feedback, int64_t) override
    {
        if (feedback == RdmaEntropyFeedback::TRIMMED)
        {
            m_credits[value] = std::max(m_credits[value] - 1, -GradedEntropy::PENALTY);
        }
        else if (feedback == RdmaEntropyFeedback::TIMEOUT)
        {
            m_credits[value] = -GradedEntropy::PENALTY;
        }
    }

  private:
    RdmaEntropyWalk m_walk;       ///< walk over all values in random order
    std::vector<float> m_credits; ///< credits, by value
};

} // namespace

TypeId
GradedEntropy::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<GradedEntropy, RdmaEntropy>("ns3::GradedEntropy").Presets("graded");
    return tid;
}

std::unique_ptr<RdmaEntropyState>
GradedEntropy::MakeState() const
{
    return std::make_unique<State>(GetValues());
}

bool
GradedEntropy::NeedsPowerOfTwo() const
{
    return true;
}

bool
GradedEntropy::NeedsShares() const
{
    return true;
}

} // namespace ns3
