/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-mixed-entropy.h"

#include "rdma-bitmap-entropy.h"

#include "ns3/hpcc-type-id.h"

#include <deque>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MixedEntropy);

namespace
{

/// Stores the queue of recycled values and the state of BitmapEntropy.
class State : public RdmaEntropyState
{
  public:
    /// Creates the state of a queue pair.
    /// @param values number of values
    explicit State(uint32_t values)
        : m_bitmap(values)
    {
    }

    uint16_t Next(UniformRandomVariable& random, const float* shares) override
    {
        if (m_recycled.empty())
        {
            return m_bitmap.Next(random, shares);
        }
        const uint16_t value = m_recycled.front();
        m_recycled.pop_front();
        return value;
    }

    void OnFeedback(uint16_t value, RdmaEntropyFeedback feedback, int64_t nowNs) override
    {
        m_bitmap.OnFeedback(value, feedback, nowNs);
        if (feedback == RdmaEntropyFeedback::GOOD)
        {
            m_recycled.push_back(value);
        }
    }

  private:
    BitmapEntropyState m_bitmap;     ///< selects values while the queue is empty
    std::deque<uint16_t> m_recycled; ///< recycled values, oldest first
};

} // namespace

TypeId
MixedEntropy::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<MixedEntropy, RdmaEntropy>("ns3::MixedEntropy").Presets("mixed");
    return tid;
}

std::unique_ptr<RdmaEntropyState>
MixedEntropy::MakeState() const
{
    return std::make_unique<State>(GetValues());
}

bool
MixedEntropy::NeedsPowerOfTwo() const
{
    return true;
}

} // namespace ns3
