/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "thinning-sampling.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED(ThinningSampling);

namespace
{

/// State of a queue pair.
class ThinningFlow : public RdmaSampling::Flow
{
  public:
    explicit ThinningFlow(uint32_t longest)
        : m_longest(longest)
    {
    }

    bool Collects(const Frame&, int64_t, UniformRandomVariable&) override
    {
        if (++m_passed < m_distance)
        {
            return false;
        }
        m_passed = 0;
        m_distance = std::min(2 * m_distance, m_longest);
        return true;
    }

  private:
    const uint32_t m_longest; ///< attribute Longest
    uint32_t m_distance{1};   ///< number of packets from one that collects telemetry to the next
                              ///< one
    uint32_t m_passed{0};     ///< number of packets since the last one that collected telemetry
};

} // namespace

TypeId
ThinningSampling::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<ThinningSampling, RdmaSampling>("ns3::ThinningSampling")
                            .Presets("thinning")
                            .Attribute("Longest",
                                       "Longest distance of packets that collect, packets.",
                                       HpccField(&ThinningSampling::m_longest, 8, 1));
    return tid;
}

RdmaSampling::Description
ThinningSampling::Describe() const
{
    Description description;
    description.interval = m_longest;
    return description;
}

std::unique_ptr<RdmaSampling::Flow>
ThinningSampling::Open(int64_t) const
{
    return std::make_unique<ThinningFlow>(m_longest);
}
