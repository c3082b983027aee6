/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "growing-queue-return.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED(GrowingQueueReturn);

namespace
{

/// State of a queue pair.
class GrowingQueueFlow : public RdmaReturn::Flow
{
  public:
    bool IsUrgent(const HpccSample& sample) override
    {
        const uint64_t before = m_longest;
        m_longest = 0;
        for (uint32_t i = 0; i < sample.hopCount; ++i)
        {
            m_longest = std::max(m_longest, sample.hops[i].queueBytes);
        }
        return m_longest > 2 * before;
    }

    bool Returns(uint32_t) override
    {
        return true;
    }

  private:
    uint64_t m_longest{0}; ///< longest queue in the records of the last packet, bytes
};

} // namespace

TypeId
GrowingQueueReturn::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<GrowingQueueReturn, RdmaReturn>("ns3::GrowingQueueReturn")
                            .Presets("growing-queue")
                            .Attribute("Interval",
                                       "Packets per ACK.",
                                       HpccField(&GrowingQueueReturn::m_interval, 8, 1));
    return tid;
}

RdmaReturn::Description
GrowingQueueReturn::Describe() const
{
    Description description;
    description.ackInterval = m_interval;
    description.measures = true;
    return description;
}

std::unique_ptr<RdmaReturn::Flow>
GrowingQueueReturn::Open(int64_t) const
{
    return std::make_unique<GrowingQueueFlow>();
}
