/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-sojourn-marker.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SojournMarker);

TypeId
SojournMarker::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<SojournMarker, Marker>("ns3::SojournMarker")
            .Presets("sojourn")
            .Attribute("Threshold",
                       "Time in the switch above which a frame is marked. The default is the time "
                       "in which a queue of the default kmin of EcnMarker drains.",
                       HpccProperty(&SojournMarker::SetThreshold,
                                    &SojournMarker::GetThreshold,
                                    MicroSeconds(32),
                                    Time(0)));
    return tid;
}

void
SojournMarker::AddPort(uint64_t)
{
}

bool
SojournMarker::MustMark(const QbbNetDevice&, const Frame& frame, int64_t nowNs)
{
    return nowNs - frame.arrivalNs > m_thresholdNs;
}

void
SojournMarker::SetThreshold(Time threshold)
{
    m_thresholdNs = threshold.GetNanoSeconds();
}

Time
SojournMarker::GetThreshold() const
{
    return NanoSeconds(m_thresholdNs);
}

} // namespace ns3
