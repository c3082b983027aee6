/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests HPCC++ at a port that it shares with another traffic class. HPCC++ uses the sojourn time
// instead of the queue length (draft-miao-tsv-hpcc-01, section 9.3). It gets either its guaranteed
// share of the bandwidth, or the bandwidth that the other class does not use.

#include "../examples/hpcc-classes/hpcc-classes-study.h"

#include "ns3/config.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/nstime.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <array>
#include <cstdint>
#include <string>

using namespace ns3;

namespace
{

constexpr uint8_t OWN = HpccClasses::OWN;     ///< priority of HPCC++
constexpr uint8_t OTHER = HpccClasses::OTHER; ///< priority of the other class

/// Results of a run of HpccClasses.
struct Brought
{
    std::array<std::array<HpccClasses::Outcome, 2>, HpccClasses::PHASES>
        outcomes;      ///< outcomes by phase and class; OWN first
    uint64_t drops{0}; ///< frames dropped

    /// Returns the outcome of the HPCC++ class in @p phase.
    const HpccClasses::Outcome& Own(HpccClasses::Phase phase) const
    {
        return outcomes[phase][0];
    }

    /// Returns the outcome of the other class in @p phase.
    const HpccClasses::Outcome& Other(HpccClasses::Phase phase) const
    {
        return outcomes[phase][1];
    }
};

/**
 * Runs HpccClasses once.
 * @param mode the mode
 * @param parameters network, flows and phases
 * @param spec policy and telemetry of class OWN
 * @return outcomes by phase and class, and drops
 */
Brought
RunClasses(HpccClasses::Mode mode,
           const HpccClasses::Parameters& parameters,
           const HpccFabricHelper::PolicySpec& spec)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(1);
    Brought result;
    {
        HpccClasses classes(parameters);
        HpccFabricHelper fabric;
        classes.Configure(fabric, mode);
        const auto marking = HpccFabricHelper::MakePolicy(parameters.other).Describe().marking;
        if (!marking.empty())
        {
            fabric.SetThresholds(marking);
        }
        fabric.Install(classes.MakeTopology());
        fabric.AssignStreams(1);
        for (const auto& flow : classes.MakeFlows())
        {
            const uint32_t queuePair = classes.Connect(fabric, flow, spec);
            fabric.AddMessage(flow.source, queuePair, flow.bytes, NanoSeconds(flow.startNs));
        }
        classes.Watch(fabric);
        fabric.EndAt(parameters.end);
        Simulator::Run();
        for (auto phase : {HpccClasses::ALONE, HpccClasses::SHARED})
        {
            result.outcomes[phase] = {classes.GetOutcome(phase, OWN),
                                      classes.GetOutcome(phase, OTHER)};
        }
        for (const auto& device : fabric.GetDevices())
        {
            result.drops += device->GetDrops();
        }
    }
    Simulator::Destroy();
    return result;
}

/**
 * Runs HpccClasses once with HPCC++.
 * @param mode the mode
 * @param parameters network, flows and phases
 * @param telemetry telemetry format
 * @param flows N of HPCC++, the number of flows that W_ai assumes
 * @return outcomes by phase and class, and drops
 */
Brought
RunClasses(HpccClasses::Mode mode,
           const HpccClasses::Parameters& parameters,
           const std::string& telemetry = "int-md:latency",
           uint32_t flows = 100)
{
    auto spec = HpccFabricHelper::MakePolicy("hpcc++", telemetry);
    spec.policy.Set("QueueSignal", StringValue(HpccClasses::QueueSignalOf(mode)));
    spec.policy.Set("N", UintegerValue(flows));
    return RunClasses(mode, parameters, spec);
}

/// Base class with the bounds that several cases use.
class OutcomeTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    static constexpr uint64_t EMPTY_BYTES = 5 * 1090; ///< largest queue that is regarded as empty:
                                                      ///< 5 packets

    /**
     * Expects that the class of HPCC++ uses about the fraction eta of its bandwidth, and that its
     * queue is at most a few packets long. The throughput deviates slightly from eta because of
     * W_ai and the scheduler's quanta.
     * @param o outcome of the class
     * @param bps bandwidth of the class, bit/s
     */
    void ExpectAtEase(const HpccClasses::Outcome& o, double bps)
    {
        NS_TEST_EXPECT_MSG_GT(o.throughputBps, 0.88 * bps, "throughput");
        NS_TEST_EXPECT_MSG_LT(o.throughputBps, 0.97 * bps, "throughput");
        NS_TEST_EXPECT_MSG_LT(o.queueP99Bytes, EMPTY_BYTES, "queue, 99th percentile");
        NS_TEST_EXPECT_MSG_LT(o.queueMeanBytes, 1.5 * 1090, "queue, mean");
    }
};

class ShareTestCase : public OutcomeTestCase
{
  public:
    /**
     * @param other policy of the other class
     * @param weights weights of both classes
     * @param telemetry telemetry format
     */
    ShareTestCase(const std::string& other,
                  const std::string& weights,
                  const std::string& telemetry)
        : OutcomeTestCase("HPCC++ with sojourn time and its share, " + weights + ", by " +
                          telemetry + ", has its share with an empty queue while " + other +
                          " fills its own; the plain law gives way")
    {
        m_parameters.other = other;
        m_parameters.weights = weights;
        m_telemetry = telemetry;
    }

  private:
    void DoRun() override
    {
        const Brought share = RunClasses(HpccClasses::SHARE, m_parameters, m_telemetry);
        const auto& own = share.Own(HpccClasses::SHARED);
        ExpectAtEase(own, own.shareBps);
        ExpectAtEase(share.Own(HpccClasses::ALONE), own.shareBps);
        const auto& other = share.Other(HpccClasses::SHARED);
        NS_TEST_EXPECT_MSG_GT(other.queueMeanBytes, 100'000, "the other class's queue");
        NS_TEST_EXPECT_MSG_EQ_TOL(own.throughputBps + other.throughputBps,
                                  100e9,
                                  0.1e9,
                                  "the link is busy");
        NS_TEST_EXPECT_MSG_EQ(share.drops, 0, "lossless");
        const Brought plain = RunClasses(HpccClasses::PLAIN, m_parameters, m_telemetry);
        NS_TEST_EXPECT_MSG_LT(plain.Own(HpccClasses::SHARED).throughputBps,
                              0.4 * own.shareBps,
                              "the plain law takes the other class for congestion");
        NS_TEST_EXPECT_MSG_GT(plain.Own(HpccClasses::ALONE).throughputBps,
                              90e9,
                              "while alone it has the line rate");
    }

    HpccClasses::Parameters m_parameters; ///< parameters of the run
    std::string m_telemetry;              ///< format
};

class ExcessTestCase : public OutcomeTestCase
{
  public:
    explicit ExcessTestCase(const std::string& telemetry, Time window = Time())
        : OutcomeTestCase("by " + telemetry + (window.IsZero() ? "" : " and another window") +
                          ", a class that could send more than its share on an idle link exceeds "
                          "it only by its additive increase"),
          m_telemetry(telemetry),
          m_window(window)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::TelemetryAgent::UtilizationWindow", TimeValue(m_window));
        HpccClasses::Parameters parameters;
        parameters.weights = "3:1,4:1";
        parameters.flows = 4;
        const uint32_t n = parameters.flows;
        const Brought share = RunClasses(HpccClasses::SHARE, parameters, m_telemetry, n);
        const auto& own = share.Own(HpccClasses::ALONE);
        Config::SetDefault("ns3::TelemetryAgent::UtilizationWindow", TimeValue(Time()));
        // In equilibrium, W = W eta/U + W_ai. The sum of W_ai over n flows is n (1 - eta)/N of the
        // bytes in flight at the line rate. The class has half of the line rate, of which this sum
        // is twice as large a fraction.
        const double eta = 0.95;
        const double load = eta / (1 - 2 * (1 - eta));
        NS_TEST_EXPECT_MSG_EQ_TOL(own.throughputBps,
                                  load * own.shareBps,
                                  0.02 * own.shareBps,
                                  "throughput");
        NS_TEST_EXPECT_MSG_EQ(own.shareBps, 50e9, "share");
    }

    std::string m_telemetry; ///< format
    Time m_window;           ///< window of the utilisation; 0: the default
};

class BetaTestCase : public OutcomeTestCase
{
  public:
    explicit BetaTestCase(const std::string& telemetry)
        : OutcomeTestCase("by " + telemetry +
                          ", PowerTCP exceeds a share of an idle link by the bytes that it would "
                          "keep in a queue"),
          m_telemetry(telemetry)
    {
    }

  private:
    void DoRun() override
    {
        HpccClasses::Parameters parameters;
        parameters.flows = 2;
        const auto spec = HpccFabricHelper::MakePolicy("powertcp", m_telemetry);
        const Brought share = RunClasses(HpccClasses::SHARE, parameters, spec);
        const auto& own = share.Own(HpccClasses::ALONE);
        // In equilibrium, the sum W of the two windows is W B/rate + 2 beta, where beta is B_nic
        // T/10.
        NS_TEST_EXPECT_MSG_EQ_TOL(own.throughputBps,
                                  own.shareBps + 2 * 100e9 / 10,
                                  0.02 * own.shareBps,
                                  "throughput");
        NS_TEST_EXPECT_MSG_EQ(own.shareBps, 50e9, "share");
    }

    std::string m_telemetry; ///< format
};

class ResidualTestCase : public OutcomeTestCase
{
  public:
    explicit ResidualTestCase(const std::string& telemetry)
        : OutcomeTestCase("with what others leave, by " + telemetry +
                          ", it takes the idle class's capacity, and its share when that is back"),
          m_telemetry(telemetry)
    {
    }

  private:
    void DoRun() override
    {
        const Brought residual = RunClasses(HpccClasses::RESIDUAL, {}, m_telemetry);
        ExpectAtEase(residual.Own(HpccClasses::ALONE), 100e9);
        ExpectAtEase(residual.Own(HpccClasses::SHARED), 50e9);
    }

    std::string m_telemetry; ///< format
};

class SpareTestCase : public OutcomeTestCase
{
  public:
    SpareTestCase()
        : OutcomeTestCase("a class that uses a part of its share leaves the rest to the residual, "
                          "not to the guaranteed share")
    {
    }

  private:
    void DoRun() override
    {
        HpccClasses::Parameters parameters;
        parameters.otherFlows = 1;
        parameters.otherRate = DataRate("20Gbps");
        const Brought residual = RunClasses(HpccClasses::RESIDUAL, parameters);
        const auto& other = residual.Other(HpccClasses::SHARED);
        NS_TEST_EXPECT_MSG_EQ_TOL(other.throughputBps, 20e9, 0.2e9, "the other class is served");
        ExpectAtEase(residual.Own(HpccClasses::SHARED), 80e9);
        const Brought share = RunClasses(HpccClasses::SHARE, parameters);
        ExpectAtEase(share.Own(HpccClasses::SHARED), 50e9);
    }
};

class StrictTestCase : public OutcomeTestCase
{
  public:
    StrictTestCase()
        : OutcomeTestCase("below a class of strict priority it takes what is left, with an empty "
                          "queue")
    {
    }

  private:
    void DoRun() override
    {
        HpccClasses::Parameters parameters;
        parameters.weights = "";
        parameters.otherFlows = 1;
        parameters.otherRate = DataRate("40Gbps");
        const Brought strict = RunClasses(HpccClasses::RESIDUAL, parameters);
        ExpectAtEase(strict.Own(HpccClasses::ALONE), 100e9);
        ExpectAtEase(strict.Own(HpccClasses::SHARED), 60e9);
        NS_TEST_EXPECT_MSG_EQ(strict.Own(HpccClasses::SHARED).shareBps, 0, "no guarantee");
        NS_TEST_EXPECT_MSG_EQ_TOL(strict.Other(HpccClasses::SHARED).throughputBps,
                                  40e9,
                                  0.1e9,
                                  "the other class goes first");
        NS_TEST_EXPECT_MSG_LT(strict.Other(HpccClasses::SHARED).queueP99Bytes,
                              EMPTY_BYTES,
                              "and does not wait");
    }
};

class PartsTestCase : public TestCase
{
  public:
    PartsTestCase()
        : TestCase("a phase has the parts of the frames that are sent during it, so that the "
                   "classes fill the line rate of a busy link exactly")
    {
    }

  private:
    void DoRun() override
    {
        HpccClasses::Parameters parameters;
        parameters.rate = DataRate("10Gbps");
        parameters.otherRate = DataRate("10Gbps");
        parameters.settle = MicroSeconds(20);
        parameters.join = MicroSeconds(60);
        parameters.end = MicroSeconds(120);
        const Brought plain = RunClasses(HpccClasses::PLAIN, parameters);
        const auto& own = plain.Own(HpccClasses::SHARED);
        const auto& other = plain.Other(HpccClasses::SHARED);
        NS_TEST_EXPECT_MSG_EQ_TOL(own.throughputBps + other.throughputBps, 10e9, 1, "throughput");
        NS_TEST_EXPECT_MSG_EQ_TOL(other.goodputBps,
                                  other.throughputBps * 1000 / 1082,
                                  1,
                                  "goodput");
        NS_TEST_EXPECT_MSG_LT(own.goodputBps, own.throughputBps * 1000 / 1082, "has telemetry");
    }
};

class HpccClassesOutcomeTestSuite : public TestSuite
{
  public:
    HpccClassesOutcomeTestSuite()
        : TestSuite("hpcc-classes-outcome", Type::SYSTEM)
    {
        AddTestCase(new ShareTestCase("none", "3:1,4:1", "int-md:latency"));
        AddTestCase(new ShareTestCase("none", "3:1,4:3", "int-md:latency"));
        AddTestCase(new ShareTestCase("none", "3:3,4:1", "int-md:latency"));
        AddTestCase(new ShareTestCase("dctcp", "3:1,4:1", "int-md:latency"));
        AddTestCase(new ShareTestCase("none", "3:1,4:1", "ifa"));
        AddTestCase(new ShareTestCase("none", "3:1,4:1", "ioam:latency"));
        AddTestCase(new ShareTestCase("none", "3:1,4:1", "csig:delay"));
        for (const char* format :
             {"int-md:latency", "ifa", "ioam:latency", "csig:delay", "csig-wide:delay"})
        {
            AddTestCase(new ExcessTestCase(format));
        }
        AddTestCase(new ExcessTestCase("csig:delay", MicroSeconds(40)));
        AddTestCase(new BetaTestCase("int-md"));
        AddTestCase(new BetaTestCase("ifa"));
        AddTestCase(new ResidualTestCase("int-md:latency"));
        AddTestCase(new ResidualTestCase("csig:delay"));
        AddTestCase(new SpareTestCase);
        AddTestCase(new StrictTestCase);
        AddTestCase(new PartsTestCase);
    }
};

HpccClassesOutcomeTestSuite g_hpccClassesOutcomeTestSuite; ///< the suite

} // namespace
