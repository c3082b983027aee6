/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-samplings.h"

#include "ns3/hpcc-type-id.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaIntervalSampling);
NS_OBJECT_ENSURE_REGISTERED(RdmaRandomSampling);
NS_OBJECT_ENSURE_REGISTERED(RdmaRoundSampling);
NS_OBJECT_ENSURE_REGISTERED(RdmaProbing);

namespace
{

/// State of a queue pair with RdmaIntervalSampling.
class IntervalFlow : public RdmaSampling::Flow
{
  public:
    explicit IntervalFlow(uint32_t interval)
        : m_interval(interval)
    {
    }

    bool Collects(const Frame&, int64_t, UniformRandomVariable&) override
    {
        if (m_untilSample > 0)
        {
            --m_untilSample;
            return false;
        }
        m_untilSample = m_interval - 1;
        return true;
    }

  private:
    const uint32_t m_interval; ///< value of Interval, packets
    uint32_t m_untilSample{0}; ///< number of data packets to skip before the next packet that
                               ///< collects telemetry
};

/// State of a queue pair with RdmaRandomSampling.
class RandomFlow : public RdmaSampling::Flow
{
  public:
    explicit RandomFlow(double probability)
        : m_probability(probability)
    {
    }

    bool Collects(const Frame&, int64_t, UniformRandomVariable& random) override
    {
        return random.GetValue() < m_probability;
    }

  private:
    const double m_probability; ///< probability that a packet collects telemetry
};

/// State of a queue pair with RdmaRoundSampling.
class RoundFlow : public RdmaSampling::Flow
{
  public:
    explicit RoundFlow(int64_t roundNs)
        : m_roundNs(roundNs)
    {
    }

    bool Collects(const Frame&, int64_t nowNs, UniformRandomVariable&) override
    {
        if (nowNs < m_nextNs)
        {
            return false;
        }
        m_nextNs = nowNs + m_roundNs;
        return true;
    }

  private:
    const int64_t m_roundNs; ///< duration of a round, ns
    int64_t m_nextNs{0};     ///< earliest time at which the next round begins, ns
};

} // namespace

TypeId
RdmaIntervalSampling::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaIntervalSampling, RdmaSampling>("ns3::RdmaIntervalSampling")
            .Presets("every-8")
            .Attribute("Interval",
                       "N: the first data packet and every N-th data packet after it collect "
                       "telemetry.",
                       HpccField(&RdmaIntervalSampling::m_interval, 8, 1));
    return tid;
}

RdmaSampling::Description
RdmaIntervalSampling::Describe() const
{
    Description description;
    description.interval = m_interval;
    return description;
}

std::unique_ptr<RdmaSampling::Flow>
RdmaIntervalSampling::Open(int64_t) const
{
    return std::make_unique<IntervalFlow>(m_interval);
}

TypeId
RdmaRandomSampling::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaRandomSampling, RdmaSampling>("ns3::RdmaRandomSampling")
            .Presets("random")
            .Attribute("Probability",
                       "Probability with which a data packet collects telemetry, above 0.",
                       HpccField(&RdmaRandomSampling::m_probability,
                                 0.125,
                                 std::numeric_limits<double>::min(),
                                 1));
    return tid;
}

RdmaSampling::Description
RdmaRandomSampling::Describe() const
{
    Description description;
    description.byChance = true;
    return description;
}

std::unique_ptr<RdmaSampling::Flow>
RdmaRandomSampling::Open(int64_t) const
{
    return std::make_unique<RandomFlow>(m_probability);
}

TypeId
RdmaRoundSampling::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<RdmaRoundSampling, RdmaSampling>("ns3::RdmaRoundSampling")
                            .Presets("per-rtt")
                            .Attribute("Round",
                                       "Shortest time between two data packets that collect "
                                       "telemetry. 0: the network's base RTT.",
                                       HpccField(&RdmaRoundSampling::m_round, Time(0), Time(0)));
    return tid;
}

RdmaSampling::Description
RdmaRoundSampling::Describe() const
{
    return {};
}

std::unique_ptr<RdmaSampling::Flow>
RdmaRoundSampling::Open(int64_t networkBaseRttNs) const
{
    return std::make_unique<RoundFlow>(m_round.IsZero() ? networkBaseRttNs
                                                        : m_round.GetNanoSeconds());
}

TypeId
RdmaProbing::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaProbing, RdmaSampling>("ns3::RdmaProbing").Presets("probe");
    return tid;
}

RdmaSampling::Description
RdmaProbing::Describe() const
{
    Description description;
    description.probes = true;
    return description;
}

std::unique_ptr<RdmaSampling::Flow>
RdmaProbing::Open(int64_t) const
{
    return nullptr;
}

} // namespace ns3
