/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests a flow over several bottlenecks, with one window for the path and with one window per hop.

#include "hpcc-test-rdma.h"

#include <algorithm>
#include <map>
#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

/**
 * Compares the completion time of the long flow with the mean completion time of the short flows.
 * The paper "Fair congestion control for RDMA" reports their ratio for 2, 3 and 4 bottlenecks (50
 * MB, 25 Gb/s). It is 1.90, 1.92 and 1.96 for HPCC, and 1.44, 1.50 and 1.75 for the multi-rate
 * option of that paper.
 */
class PerHopTestCase : public RdmaTestCase
{
  public:
    /// @param bottlenecks number of links that the long flow shares with short flows
    explicit PerHopTestCase(uint32_t bottlenecks)
        : RdmaTestCase("over " + std::to_string(bottlenecks) +
                       " bottlenecks a flow takes twice as long as others with one window, and "
                       "less with one per hop"),
          m_bottlenecks(bottlenecks)
    {
    }

  private:
    /**
     * Runs the parking lot.
     * @param policy short name of the policy
     * @param perHop attribute PerHop
     * @return completion time of the long flow divided by the mean completion time of the short
     * flows
     */
    double Ratio(const std::string& policy, bool perHop)
    {
        Install(HpccTopology::ParkingLot(m_bottlenecks, {}));
        auto spec = HpccFabricHelper::MakePolicy(policy);
        spec.policy.Set("PerHop", BooleanValue(perHop));
        m_acknowledged.clear();
        for (uint32_t i = 0; i <= m_bottlenecks; ++i)
        {
            Post(2 * i, Fabric().Connect(2 * i, 2 * i + 1, spec), 10'000'000);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), m_bottlenecks + 1, "messages");
        NS_TEST_EXPECT_MSG_EQ(GetDrops() + GetPauses(), 0, "drops and pauses");
        double whole = 0;
        double others = 0;
        for (const auto& message : m_acknowledged)
        {
            const bool longest = message.source == HpccFabricHelper::GetAddress(0);
            (longest ? whole : others) += static_cast<double>(message.completedNs);
        }
        DoTeardown();
        return whole / others * m_bottlenecks;
    }

    void DoRun() override
    {
        // hpcc++:authors makes a multiplicative step in every round, as in the simulator of that
        // paper.
        NS_TEST_EXPECT_MSG_EQ_TOL(Ratio("hpcc++:authors", false), 1.92, 0.1, "one window");
        NS_TEST_EXPECT_MSG_EQ_TOL(Ratio("hpcc++:authors", true), 1.55, 0.15, "one per hop");
        // With MaxStage 5, five additive steps precede each multiplicative step. In these steps,
        // W_ai makes the shares more equal.
        NS_TEST_EXPECT_MSG_GT(Ratio("hpcc++", false), 1.15, "one window, MaxStage 5");
        NS_TEST_EXPECT_MSG_LT(Ratio("hpcc++", true), 1.02, "one per hop, MaxStage 5");
    }

    uint32_t m_bottlenecks;
};

/// Tests an incast with and without PerHop.
class SingleBottleneckTestCase : public RdmaTestCase
{
  public:
    SingleBottleneckTestCase()
        : RdmaTestCase("behind one bottleneck a window per hop changes neither peak nor use")
    {
    }

  private:
    void DoRun() override
    {
        std::map<bool, uint64_t> peak;
        std::map<bool, int64_t> lastNs;
        for (bool perHop : {false, true})
        {
            Install(Star(17, "100Gbps", MicroSeconds(1)));
            auto spec = HpccFabricHelper::MakePolicy("hpcc++");
            spec.policy.Set("PerHop", BooleanValue(perHop));
            OnQueue(*Fabric().GetSwitch(17)->GetPorts()[16],
                    [&peak, perHop](int64_t, uint64_t bytes) {
                        peak[perHop] = std::max(peak[perHop], bytes);
                    });
            for (uint32_t i = 0; i < 16; ++i)
            {
                Post(i, Fabric().Connect(i, 16, spec), 500'000);
            }
            m_acknowledged.clear();
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 16, "messages");
            lastNs[perHop] = m_acknowledged.back().completedNs;
            DoTeardown();
        }
        NS_TEST_EXPECT_MSG_EQ(peak[true], peak[false], "peak of the incast");
        NS_TEST_EXPECT_MSG_EQ(lastNs[true], lastNs[false], "end of the last flow");
    }
};

/// Tests which formats and path selections PerHop works with.
class NeedsTestCase : public RdmaTestCase
{
  public:
    NeedsTestCase()
        : RdmaTestCase("a window per hop needs a record of each hop, and one path at a time")
    {
    }

  private:
    static std::string Refusal(const std::string& paths, const std::string& telemetry)
    {
        HpccFabricHelper fabric;
        try
        {
            fabric.SetPaths(paths);
            fabric.Install(HpccTopology::LeafSpine(2, 2, 1, {}));
            fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("hpcc++:per-hop", telemetry));
        }
        catch (const HpccInputError& error)
        {
            return error.what();
        }
        return "";
    }

    void DoRun() override
    {
        for (const std::string telemetry : {"int-md", "ifa", "ioam", "sigcomm19"})
        {
            NS_TEST_EXPECT_MSG_EQ(Refusal("ecmp", telemetry), "", telemetry);
        }
        NS_TEST_EXPECT_MSG_EQ(Refusal("flowlet", "int-md"), "", "one path at a time");
        for (const auto& said : {Refusal("ecmp", "csig"), Refusal("spray", "int-md")})
        {
            NS_TEST_EXPECT_MSG_EQ(
                (said.find("policy hpcc++:per-hop with telemetry") != std::string::npos),
                true,
                said);
        }
    }
};

class HpccParkingLotTestSuite : public TestSuite
{
  public:
    HpccParkingLotTestSuite()
        : TestSuite("hpcc-parking-lot", Type::SYSTEM)
    {
        for (uint32_t bottlenecks : {2, 3, 4})
        {
            AddTestCase(new PerHopTestCase(bottlenecks));
        }
        AddTestCase(new SingleBottleneckTestCase);
        AddTestCase(new NeedsTestCase);
    }
};

HpccParkingLotTestSuite g_hpccParkingLotTestSuite; ///< registers itself

} // namespace
