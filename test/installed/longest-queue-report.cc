/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "longest-queue-report.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <map>
#include <utility>

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED(LongestQueueReport);

namespace
{

/// State of a queue pair.
class LongestQueueFlow : public RdmaReport::Flow
{
  public:
    bool Pick(const HpccSample& sample, HpccBottleneckHop& report) override
    {
        const HopTelemetry* end = sample.hops + sample.hopCount;
        const HopTelemetry* longest =
            std::max_element(sample.hops, end, [](const HopTelemetry& a, const HopTelemetry& b) {
                return a.queueBytes < b.queueBytes;
            });
        if (longest == end)
        {
            return false;
        }
        report.now = *longest;
        report.before = m_last[IdOf(*longest)];
        for (const HopTelemetry* hop = sample.hops; hop != end; ++hop)
        {
            m_last[IdOf(*hop)] = *hop;
        }
        return true;
    }

  private:
    using Id = std::pair<uint32_t, uint32_t>; ///< switch and port

    static Id IdOf(const HopTelemetry& hop)
    {
        return {hop.switchId, hop.portId};
    }

    std::map<Id, HopTelemetry> m_last; ///< last record of each hop
};

} // namespace

TypeId
LongestQueueReport::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<LongestQueueReport, RdmaReport>("ns3::LongestQueueReport")
                            .Presets("longest-queue");
    return tid;
}

std::unique_ptr<RdmaReport::Flow>
LongestQueueReport::Open(int64_t) const
{
    return std::make_unique<LongestQueueFlow>();
}
