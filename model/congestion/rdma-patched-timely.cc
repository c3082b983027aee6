/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-patched-timely.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPatchedTimely);

TypeId
RdmaPatchedTimely::GetTypeId()
{
    static TypeId tid =
        AddParameters(HpccTypeId::Of<RdmaPatchedTimely, RdmaTimelyBase>("ns3::RdmaPatchedTimely"),
                      0.008)
            .Presets("patched-timely;"
                     "patched-timely:paper=UpdateBytes:16384,ReferenceRate:0bps,"
                     "ScaleWithTime:true,MinRate:10Mbps")
            .Attribute("ReferenceRtt",
                       "RTT_ref, the RTT from which the error of a sample is measured. 0: TLow.",
                       HpccField(&RdmaPatchedTimely::m_referenceRtt, Time(0), Time(0)));
    return tid;
}

std::string
RdmaPatchedTimely::Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const
{
    const std::string why = RdmaTimelyBase::Validate(baseRttNs, telemetry);
    if (why.empty() && GetReferenceNs() == 0)
    {
        return GetInstanceTypeId().GetName() +
               "::ReferenceRtt and TLow are 0: one of them must be above 0";
    }
    return why;
}

int64_t
RdmaPatchedTimely::GetReferenceNs() const
{
    return (m_referenceRtt.IsZero() ? GetTLow() : m_referenceRtt).GetNanoSeconds();
}

double
RdmaPatchedTimely::RateBetween(double rateBps, const Sample& sample, double increaseBps) const
{
    const auto referenceNs = static_cast<double>(GetReferenceNs());
    const double weight = std::clamp(2 * sample.gradient + 0.5, 0.0, 1.0);
    const double error = (sample.rttNs - referenceNs) / referenceNs;
    return (1 - weight) * increaseBps + rateBps * (1 - GetBeta() * weight * error);
}

} // namespace ns3
