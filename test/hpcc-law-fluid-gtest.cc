/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-law.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace ns3;

// ---------------------------------------------------------------------------------------------
// Properties in a synchronous fluid network: once per T, every flow gets one record from each link
// of its path.

namespace
{

/// Links that report the load of the flows that cross them, as in appendix A.2 of the HPCC paper
/// (SIGCOMM 2019).
class FluidNetwork
{
  public:
    static constexpr uint64_t T =
        1'000'000; ///< T, ns; so large that a byte is about 1e-12 of a window

    FluidNetwork(const HpccParameters& parameters, const std::vector<double>& capacityBps)
        : m_capacityBps(capacityBps),
          m_txBytes(capacityBps.size(), 1000),
          m_format{IDS | COUNTERS, 0, 0, false}
    {
        HpccParameters p = parameters;
        p.baseRttNs = T;
        m_law.SetParameters(p);
    }

    HpccFlow& AddFlow(const std::vector<uint32_t>& path, double windowBytes)
    {
        m_paths.push_back(path);
        m_flows.emplace_back();
        m_law.Open(m_flows.back(), 1e17, 0);
        m_flows.back().windowBytes = windowBytes;
        m_flows.back().referenceBytes = windowBytes;
        return m_flows.back();
    }

    void SetWai(double waiBytes)
    {
        for (auto& flow : m_flows)
        {
            flow.waiBytes = waiBytes;
        }
    }

    double Load(uint32_t link) const
    {
        double bytes = 0;
        for (size_t f = 0; f < m_flows.size(); ++f)
        {
            if (std::count(m_paths[f].begin(), m_paths[f].end(), link))
            {
                bytes += m_flows[f].windowBytes;
            }
        }
        return bytes * 8e9 / T;
    }

    void Round()
    {
        if (m_now == 0)
        {
            Report();
        }
        for (size_t i = 0; i < m_capacityBps.size(); ++i)
        {
            m_txBytes[i] += static_cast<uint64_t>(std::llround(Load(i) * T / 8e9));
        }
        Report();
    }

    std::vector<HpccFlow>& Flows()
    {
        return m_flows;
    }

  private:
    void Report()
    {
        m_now += T;
        for (size_t f = 0; f < m_flows.size(); ++f)
        {
            std::vector<HopTelemetry> hops;
            for (uint32_t link : m_paths[f])
            {
                auto hop = Hop(link, m_now, m_txBytes[link], 0);
                hop.bandwidthBps = static_cast<uint64_t>(m_capacityBps[link]);
                hops.push_back(hop);
            }
            m_law.NewAck(m_flows[f],
                         {static_cast<int64_t>(m_now),
                          m_now,
                          m_now,
                          0,
                          hops.data(),
                          static_cast<uint32_t>(hops.size()),
                          0,
                          0,
                          &m_format});
        }
    }

    HpccLaw m_law;
    std::vector<double> m_capacityBps;
    std::vector<uint64_t> m_txBytes;
    TelemetryCapabilities m_format;
    std::vector<std::vector<uint32_t>> m_paths;
    std::vector<HpccFlow> m_flows;
    uint64_t m_now{0};
};

} // namespace

TEST(HpccFluidTest, OneRoundBringsASingleBottleneckExactlyToEta)
{
    // According to SIGCOMM 2019, appendix A.2, Y(1) = eta B holds exactly for one resource.
    const uint32_t seed = hpcctest::ChooseSeed(1);
    std::mt19937_64 random(seed);
    SCOPED_TRACE(seed);
    for (int i = 0; i < 300; ++i)
    {
        HpccParameters parameters;
        parameters.maxStage = 0;
        FluidNetwork network(parameters, {4e15});
        std::uniform_real_distribution<double> window(1e8, 5e11);
        for (size_t flows = 1 + random() % 8; flows > 0; --flows)
        {
            network.AddFlow({0}, window(random));
        }
        network.SetWai(0);
        network.Round();
        EXPECT_NEAR(network.Load(0) / 4e15, 0.95, 1e-8);
    }
}

TEST(HpccFluidTest, AfterOneRoundNoLinkIsAboveEtaAndNoFlowSlowsDown)
{
    // Statements (i) and (ii) of SIGCOMM 2019, appendix A.2, with W_ai = 0. Statement (iii) does
    // not hold: it claims that rates are constant after as many rounds as there are links. A
    // counterexample: two links have the capacities 1 and 2, flow a crosses both, and flow b
    // crosses only the second. The rate of flow b is 2/5, 4/7, 8/11 and so on, and is never
    // constant.
    const uint32_t seed = hpcctest::ChooseSeed(1);
    std::mt19937_64 random(seed);
    SCOPED_TRACE(seed);
    std::uniform_real_distribution<double> capacity(1e15, 8e15);
    std::uniform_real_distribution<double> window(1e8, 5e11);
    for (int i = 0; i < 300; ++i)
    {
        std::vector<double> capacities(1 + random() % 6);
        for (auto& c : capacities)
        {
            c = std::floor(capacity(random));
        }
        HpccParameters parameters;
        parameters.maxStage = 0;
        FluidNetwork network(parameters, capacities);
        for (size_t flows = 1 + random() % 8; flows > 0; --flows)
        {
            std::vector<uint32_t> path;
            while (path.empty())
            {
                for (uint32_t link = 0; link < capacities.size(); ++link)
                {
                    if (random() % 2)
                    {
                        path.push_back(link);
                    }
                }
            }
            network.AddFlow(path, window(random));
        }
        network.SetWai(0);
        network.Round();
        for (int round = 1; round < 20; ++round)
        {
            std::vector<double> before;
            for (const auto& flow : network.Flows())
            {
                before.push_back(flow.windowBytes);
            }
            for (uint32_t link = 0; link < capacities.size(); ++link)
            {
                ASSERT_LE(network.Load(link) / capacities[link], 0.95 * (1 + 1e-7));
            }
            network.Round();
            for (size_t f = 0; f < before.size(); ++f)
            {
                ASSERT_GE(network.Flows()[f].windowBytes, before[f] * (1 - 1e-7));
            }
        }
    }
}

TEST(HpccFluidTest, ARateHeldElsewhereLeavesAnErrorThatShrinksByItsShareOfTheLink)
{
    // The counterexample above: with the capacities 1 and 2, the rate R_b of flow b is 2/5, 4/7,
    // 8/11, 16/19 of the first link's capacity. Flow a gets 1/2 of link 2, so 1/R_b - 1 is halved
    // in each round.
    HpccParameters parameters;
    parameters.maxStage = 0;
    parameters.eta = 1;
    parameters.waiBytes = 1;
    FluidNetwork network(parameters, {4e15, 8e15});
    const double unit = 4e15 * FluidNetwork::T / 8e9;
    network.AddFlow({0, 1}, 2 * unit);
    network.AddFlow({1}, 0.5 * unit);
    network.SetWai(0);
    for (double expected : {2.0 / 5, 4.0 / 7, 8.0 / 11, 16.0 / 19, 32.0 / 35})
    {
        network.Round();
        EXPECT_NEAR(network.Flows()[0].windowBytes / unit, 1, 1e-7);
        EXPECT_NEAR(network.Flows()[1].windowBytes / unit, expected, 1e-7);
    }
}

TEST(HpccFluidTest, EquilibriumUtilisationIsEtaPlusNWaiOverBT)
{
    // This follows from W = Wc/(U/eta) + W_ai at a fixed point (SIGCOMM 2019, appendix A.3), as
    // long as the utilisation is below 1.
    for (uint32_t flows : {2U, 16U})
    {
        for (double share : {1e-4, 1e-3, 0.003})
        {
            HpccParameters parameters;
            parameters.maxStage = 0;
            FluidNetwork network(parameters, {4e15});
            const double bt = 4e15 * FluidNetwork::T / 8e9;
            for (uint32_t f = 0; f < flows; ++f)
            {
                network.AddFlow({0}, bt * (f + 1) / flows);
            }
            network.SetWai(share * bt);
            for (int round = 0; round < 500; ++round)
            {
                network.Round();
            }
            EXPECT_NEAR(network.Load(0) / 4e15, 0.95 + flows * share, 1e-6);
        }
    }
}

TEST(HpccFluidTest, UnfairnessDecaysWithTheTimeConstantThatWaiSets)
{
    // In each round, the deviation from the fair share W* is multiplied by 1 - W_ai/W*. Therefore
    // its time constant is -T/ln(1 - W_ai/W*). The tolerance is 2 %.
    for (uint32_t flows : {2U, 16U})
    {
        for (double share : {1e-4, 1e-3})
        {
            HpccParameters parameters;
            parameters.maxStage = 0;
            FluidNetwork network(parameters, {4e15});
            const double bt = 4e15 * FluidNetwork::T / 8e9;
            for (uint32_t f = 0; f < flows; ++f)
            {
                network.AddFlow({0}, bt / flows * (f == 0 ? 1.4 : 1 - 0.4 / (flows - 1)));
            }
            network.SetWai(share * bt);
            const double fair = (0.95 + flows * share) * bt / flows;
            for (int round = 0; round < 20; ++round)
            {
                network.Round();
            }
            const double before = network.Flows()[0].windowBytes - fair;
            const int rounds = 100;
            for (int round = 0; round < rounds; ++round)
            {
                network.Round();
            }
            const double after = network.Flows()[0].windowBytes - fair;
            const double constant = -rounds / std::log(after / before);
            EXPECT_NEAR(constant, -1 / std::log(1 - share * bt / fair), 0.02 * constant);
        }
    }
}

TEST(HpccFluidTest, AFreedLinkIsTakenWithinMaxStageAndTwoRounds)
{
    // A flow needs one round to receive the new load, maxStage additive steps, and a multiplicative
    // step (lines 12 and 13).
    for (uint32_t maxStage : {0U, 5U})
    {
        HpccParameters parameters;
        parameters.maxStage = maxStage;
        FluidNetwork network(parameters, {4e15});
        const double bt = 4e15 * FluidNetwork::T / 8e9;
        network.AddFlow({0}, 0.475 * bt);
        network.AddFlow({0}, 0.475 * bt);
        network.SetWai(1e-4 * bt);
        for (int round = 0; round < 30; ++round)
        {
            network.Round();
        }
        network.Flows().pop_back();
        uint32_t rounds = 0;
        while (network.Load(0) < 0.9 * 4e15 && rounds < 100)
        {
            network.Round();
            ++rounds;
        }
        EXPECT_LE(rounds, maxStage + 2);
        EXPECT_GE(rounds, 1U);
    }
}
