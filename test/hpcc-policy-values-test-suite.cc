/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-leaks.h"
#include "hpcc-test-network.h"
#include "hpcc-test-rdma.h"

#include "ns3/hpcc-input-error.h"

#include <functional>
#include <limits>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double NO_NUMBER = std::numeric_limits<double>::quiet_NaN();
constexpr uint32_t MTU = 1000;

/// A policy with a receiver-side part, whose behaviour the test determines.
class ReceivingPolicy : public RdmaCongestionOpsBase<RdmaCongestionState>, public IdleReceiver
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::hpcctest::ReceivingPolicy").SetParent<RdmaCongestionOps>();
        return tid;
    }

    std::function<void(RdmaReceiverState&, int64_t nowNs)> onArrival; ///< sets the timer

    RdmaPolicyDescription Describe(const TelemetryCapabilities*) const override
    {
        RdmaPolicyDescription needs;
        needs.receiverPart = true;
        return needs;
    }

    RdmaReceiverOps* GetReceiver() override
    {
        return this;
    }

    RdmaNotification OnArrival(RdmaReceiverState* state, const RdmaArrivalInfo& arrival) override
    {
        onArrival(*state, arrival.nowNs);
        return {};
    }

    RdmaNotification OnReceiverTimer(RdmaReceiverState*, int64_t) override
    {
        return {};
    }

  private:
    void DoOpen(RdmaCongestionState&, const RdmaFlowInfo&, int64_t) override
    {
    }
};

/// Base class with two hosts. Their policy sets a value that the test chooses.
class PolicyValueTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /**
     * Sends a message of several packets.
     * @param policy policy of the message
     * @return the error message that ends the run; empty if there is none
     */
    std::string Run(Ptr<RdmaCongestionOps> policy)
    {
        std::string line;
        LeaksAllowed leaks;
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        const uint32_t qp = Connect(0, 1, policy);
        Post(0, qp, 20 * MTU, MicroSeconds(1));
        try
        {
            Simulator::Stop(MilliSeconds(1));
            Simulator::Run();
        }
        catch (const HpccInputError& error)
        {
            line = error.what();
        }
        DoTeardown();
        return line;
    }

    /// Checks that an error message names policy, queue pair, time and value.
    void Expect(const std::string& line, const std::string& policy, const std::string& value)
    {
        for (const std::string& part :
             {"ns3::hpcctest::" + policy + " sets the " + value, std::string(" ns; allowed is ")})
        {
            NS_TEST_EXPECT_MSG_NE(line.find(part),
                                  std::string::npos,
                                  "\"" << line << "\" does not have \"" << part << "\"");
        }
        NS_TEST_EXPECT_MSG_EQ(line.find('\n'), std::string::npos, "one line");
    }
};

class SenderValueTestCase : public PolicyValueTestCase
{
  public:
    SenderValueTestCase()
        : PolicyValueTestCase(
              "a window, rate or timer that the sender cannot use ends the run with "
              "policy, queue pair, time and value")
    {
    }

  private:
    void DoRun() override
    {
        struct Case
        {
            double window;
            double rate;
            std::string named;
        };

        const std::vector<Case> cases{{0, 1e9, "window 0"},
                                      {-5, 1e9, "window -5"},
                                      {NO_NUMBER, 1e9, "window nan"},
                                      {INFINITE, 1e9, "window inf"},
                                      {5000, 0, "rate 0"},
                                      {5000, -1, "rate -1"},
                                      {5000, 0.5, "rate 0.5"},
                                      {5000, NO_NUMBER, "rate nan"},
                                      {5000, INFINITE, "rate inf"}};
        for (const Case& one : cases)
        {
            auto policy = CreateObject<FixedPolicy>();
            policy->window = 10 * MTU;
            policy->onAck = [&](RdmaCongestionState& state, const RdmaAckInfo&) {
                state.windowBytes = one.window;
                state.rateBps = one.rate;
            };
            const size_t space = one.named.find(' ');
            Expect(Run(policy),
                   "FixedPolicy",
                   one.named.substr(0, space) + " of queue pair 2 at 11.0.0.1 to" +
                       one.named.substr(space) + " at ");
        }
        auto opens = CreateObject<FixedPolicy>();
        opens->window = NO_NUMBER;
        Expect(Run(opens), "FixedPolicy", "window of queue pair 2 at 11.0.0.1 to nan at 1000 ns");
    }
};

class TimerTestCase : public PolicyValueTestCase
{
  public:
    TimerTestCase()
        : PolicyValueTestCase("a timer in the past ends the run, as does one that is not moved on "
                              "when it has come")
    {
    }

  private:
    void DoRun() override
    {
        auto past = CreateObject<FixedPolicy>();
        past->onAck = [](RdmaCongestionState& state, const RdmaAckInfo& ack) {
            state.timerNs = ack.nowNs - 1;
        };
        Expect(Run(past), "FixedPolicy", "timer of queue pair 2 at 11.0.0.1 to ");
        auto still = CreateObject<FixedPolicy>();
        still->timerNs = 3000;
        still->onTimer = [](RdmaCongestionState& state) { state.timerNs = 3000; };
        Expect(Run(still), "FixedPolicy", "timer of queue pair 2 at 11.0.0.1 to 3000 at 3000 ns");
        auto now = CreateObject<FixedPolicy>();
        uint32_t ticks = 0;
        now->onAck = [](RdmaCongestionState& state, const RdmaAckInfo& ack) {
            state.timerNs = ack.nowNs;
        };
        now->onTimer = [&ticks](RdmaCongestionState&) { ++ticks; };
        NS_TEST_EXPECT_MSG_EQ(Run(now), "", "a timer may come at once");
        NS_TEST_EXPECT_MSG_EQ(ticks, now->acks, "it comes");
    }
};

class ReceiverTimerTestCase : public PolicyValueTestCase
{
  public:
    ReceiverTimerTestCase()
        : PolicyValueTestCase("a timer of the receiver's half that is in the past, or is not moved "
                              "on, ends the run")
    {
    }

  private:
    void DoRun() override
    {
        auto past = CreateObject<ReceivingPolicy>();
        past->onArrival = [](RdmaReceiverState& state, int64_t nowNs) {
            state.timerNs = nowNs - 1;
        };
        Expect(Run(past), "ReceivingPolicy", "receiver's timer of queue pair 2 at 11.0.0.2 to ");
        auto still = CreateObject<ReceivingPolicy>();
        still->onArrival = [](RdmaReceiverState& state, int64_t nowNs) {
            state.timerNs = nowNs + 100;
        };
        Expect(Run(still), "ReceivingPolicy", "receiver's timer of queue pair 2 at 11.0.0.2 to ");
    }
};

class NoWindowTestCase : public PolicyValueTestCase
{
  public:
    NoWindowTestCase()
        : PolicyValueTestCase("a policy without a window may keep it infinite")
    {
    }

  private:
    void DoRun() override
    {
        auto policy = CreateObject<FixedPolicy>();
        policy->onAck = [](RdmaCongestionState& state, const RdmaAckInfo&) {
            state.windowBytes = INFINITE;
            state.rateBps = 1e12;
        };
        NS_TEST_EXPECT_MSG_EQ(Run(policy), "", "it runs");
        NS_TEST_EXPECT_MSG_EQ(policy->acks, 20, "to its end");
    }
};

class HpccPolicyValuesTestSuite : public TestSuite
{
  public:
    HpccPolicyValuesTestSuite()
        : TestSuite("hpcc-policy-values", Type::UNIT)
    {
        AddTestCase(new SenderValueTestCase);
        AddTestCase(new TimerTestCase);
        AddTestCase(new ReceiverTimerTestCase);
        AddTestCase(new NoWindowTestCase);
    }
};

HpccPolicyValuesTestSuite g_hpccPolicyValuesTestSuite; ///< the suite

} // namespace
