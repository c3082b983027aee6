/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-oblivious-entropy.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ObliviousEntropy);

namespace
{

/// Stores the position in the walk over all values.
class State : public RdmaEntropyState
{
  public:
    /// Creates the state of a queue pair.
    /// @param values number of values
    explicit State(uint32_t values)
        : m_walk(values)
    {
    }

    uint16_t Next(UniformRandomVariable& random, const float*) override
    {
        return m_walk.Next(random);
    }

    void OnFeedback(uint16_t, RdmaEntropyFeedback, int64_t) override
    {
    }

  private:
    RdmaEntropyWalk m_walk; ///< walk over all values in random order
};

} // namespace

TypeId
ObliviousEntropy::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<ObliviousEntropy, RdmaEntropy>("ns3::ObliviousEntropy").Presets("oblivious");
    return tid;
}

std::unique_ptr<RdmaEntropyState>
ObliviousEntropy::MakeState() const
{
    return std::make_unique<State>(GetValues());
}

bool
ObliviousEntropy::NeedsPowerOfTwo() const
{
    return true;
}

} // namespace ns3
