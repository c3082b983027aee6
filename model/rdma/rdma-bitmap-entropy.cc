/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-bitmap-entropy.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(BitmapEntropy);

TypeId
BitmapEntropy::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<BitmapEntropy, RdmaEntropy>("ns3::BitmapEntropy").Presets("bitmap");
    return tid;
}

std::unique_ptr<RdmaEntropyState>
BitmapEntropy::MakeState() const
{
    return std::make_unique<BitmapEntropyState>(GetValues());
}

bool
BitmapEntropy::NeedsPowerOfTwo() const
{
    return true;
}

uint16_t
BitmapEntropyState::Next(UniformRandomVariable& random, const float*)
{
    uint16_t value = m_walk.Next(random);
    if (m_penalties[value] > 0)
    {
        --m_penalties[value];
        value = m_walk.Next(random);
        for (size_t i = 0; i < m_penalties.size() && m_penalties[value] > 0; ++i)
        {
            value = m_walk.Next(random);
        }
    }
    return value;
}

void
BitmapEntropyState::OnFeedback(uint16_t value, RdmaEntropyFeedback feedback, int64_t)
{
    constexpr uint8_t added[] = {0, 1, 4, MOST};
    const int penalty = m_penalties[value] + added[static_cast<size_t>(feedback)];
    m_penalties[value] = static_cast<uint8_t>(std::min<int>(penalty, MOST));
}

} // namespace ns3
