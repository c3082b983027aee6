/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-timely.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTimely);

TypeId
RdmaTimely::GetTypeId()
{
    static TypeId tid =
        AddParameters(HpccTypeId::Of<RdmaTimely, RdmaTimelyBase>("ns3::RdmaTimely"), 0.8)
            .Presets("timely;"
                     "timely:authors=HyperCount:Increase;"
                     "timely:paper=UpdateBytes:16384,ReferenceRate:0bps,ScaleWithTime:true,"
                     "MinRate:10Mbps;"
                     "timely:snippet=UpdateBytes:65536,EwmaWeight:0.02,THigh:1ms,"
                     "ScaleWithTime:true,MaxCut:0.5,HyperCount:Difference,MinRate:10Mbps")
            .Attribute(
                "HyperSteps",
                "Consecutive updates that count (see HyperCount) before hyperactive increase.",
                HpccField(&RdmaTimely::m_hyperSteps, 5, 1))
            .Attribute("HyperFactor",
                       "N: multiple of Delta that hyperactive increase adds.",
                       HpccField(&RdmaTimely::m_hyperFactor, 5, 1))
            .Attribute("HyperCount",
                       "Updates that count towards HyperSteps: Gradient, negative gradient; "
                       "Difference, RTT below the last one; Increase, any increase.",
                       HpccField(&RdmaTimely::m_hyperCount,
                                 HYPER_GRADIENT,
                                 HYPER_GRADIENT,
                                 "Gradient",
                                 HYPER_DIFFERENCE,
                                 "Difference",
                                 HYPER_INCREASE,
                                 "Increase"));
    return tid;
}

double
RdmaTimely::IncreaseFactor(RdmaTimelyState& state, const Sample& sample) const
{
    const bool below = sample.rttNs < static_cast<double>(GetTLow().GetNanoSeconds());
    bool counts = false;
    switch (m_hyperCount)
    {
    case HYPER_GRADIENT:
        counts = sample.gradient < 0;
        break;
    case HYPER_DIFFERENCE:
        counts = sample.diffNs < 0;
        break;
    case HYPER_INCREASE:
        counts = below || (IsBetween(sample) && sample.gradient <= 0);
        break;
    }
    state.streak = counts ? state.streak + 1 : 0;
    const bool hyper = m_hyperCount == HYPER_INCREASE ? state.streak > m_hyperSteps
                                                      : state.streak >= m_hyperSteps && !below;
    return hyper ? m_hyperFactor : 1;
}

double
RdmaTimely::RateBetween(double rateBps, const Sample& sample, double increaseBps) const
{
    return sample.gradient <= 0 ? rateBps + increaseBps
                                : rateBps * (1 - GetBeta() * sample.gradient);
}

} // namespace ns3
