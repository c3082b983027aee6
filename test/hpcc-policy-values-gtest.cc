/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests how the values that a policy sets at each event are checked. The test suite
// hpcc-policy-values tests the same in simulations.

#include "hpcc-test-event-policy.h"
#include "hpcc-test-refusal.h"

#include "ns3/rdma-policy-values.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr int64_t NOW_NS = 5000;

/// A queue pair whose policy sets the values that the test provides at each event.
class PolicyValuesTest : public ::testing::Test
{
  protected:
    PolicyValuesTest()
    {
        qp.ops = PeekPointer(policy);
        qp.cc = policy->Open({7, 100'000'000'000, 1000, 48, 0, 0}, 0);
        qp.number = 3;
        qp.local = 0x0b000001;
    }

    /// Calls the policy for each event, and expects an error whose message contains @p text.
    void ExpectEach(const std::string& text)
    {
        const auto raise = [this](auto event, const auto& info) {
            RdmaPolicyValues::Raise(qp, NOW_NS, event, info);
        };
        for (const auto& [name, event] : EveryEvent(raise))
        {
            *qp.cc = {};
            qp.cc->rateBps = 1e9;
            const std::string line = RefusalOf(event);
            EXPECT_NE(line.find("ns3::hpcctest::EventPolicy sets the " + text), std::string::npos)
                << name << " says: " << line;
        }
    }

    Ptr<EventPolicy> policy{CreateObject<EventPolicy>()};
    RdmaQueuePair qp;
};

} // namespace

TEST_F(PolicyValuesTest, EachEventChecksTheRate)
{
    policy->onEvent = [](const std::string&, RdmaCongestionState& state) {
        state.rateBps = std::numeric_limits<double>::quiet_NaN();
    };
    ExpectEach("rate of queue pair 3 at 11.0.0.1 to nan at 5000 ns; allowed is a finite rate");
}

TEST_F(PolicyValuesTest, EachEventChecksTheWindow)
{
    policy->onEvent = [](const std::string&, RdmaCongestionState& state) { state.windowBytes = 0; };
    ExpectEach("window of queue pair 3 at 11.0.0.1 to 0 at 5000 ns; allowed is");
}

TEST_F(PolicyValuesTest, EachEventChecksTheTimer)
{
    policy->onEvent = [](const std::string&, RdmaCongestionState& state) {
        state.timerNs = NOW_NS - 1;
    };
    ExpectEach("timer of queue pair 3 at 11.0.0.1 to 4999 at 5000 ns; allowed is a time from 5000");
}

TEST_F(PolicyValuesTest, ValuesThatCanBeUsedPassEachEvent)
{
    uint32_t events = 0;
    policy->onEvent = [&events](const std::string&, RdmaCongestionState& state) {
        ++events;
        state.windowBytes = 1;
        state.rateBps = 1;
        state.timerNs = NOW_NS;
    };
    const auto raise = [this](auto event, const auto& info) {
        RdmaPolicyValues::Raise(qp, NOW_NS, event, info);
    };
    for (const auto& [name, event] : EveryEvent(raise))
    {
        EXPECT_EQ(RefusalOf(event), "") << name;
    }
    EXPECT_EQ(events, 8U);
}

TEST_F(PolicyValuesTest, WindowRateAndTimerOfAReceiverPartAreChecked)
{
    struct Case
    {
        double window;
        uint64_t rate;
        int64_t timerNs;
        std::string line; ///< start of the error message; empty if accepted
    };

    constexpr double NO_NUMBER = std::numeric_limits<double>::quiet_NaN();
    constexpr double LIMIT = RdmaPolicyValues::WINDOW_LIMIT_BYTES;
    constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();
    const std::vector<Case> cases{{1, 1, NOW_NS, ""},
                                  {LIMIT - 1, UINT64_MAX, NEVER, ""},
                                  {0, 1, NEVER, "window notified by the receiver"},
                                  {-1, 1, NEVER, "window notified by the receiver"},
                                  {NO_NUMBER, 1, NEVER, "window notified by the receiver"},
                                  {LIMIT, 1, NEVER, "window notified by the receiver"},
                                  {1, 0, NEVER, "rate notified by the receiver"},
                                  {1, 1, NOW_NS - 1, "receiver's timer"}};
    RdmaReceiverState state;
    qp.receiver = &state;
    for (const Case& one : cases)
    {
        state.timerNs = one.timerNs;
        const RdmaNotification notification{true, false, one.rate, one.window};
        const std::string line = RefusalOf([&] {
            RdmaPolicyValues::CheckReceiver(*policy, qp, notification, true, NOW_NS, NOW_NS);
        });
        const std::string begin = one.line.empty() ? "" : "ns3::hpcctest::EventPolicy sets the ";
        EXPECT_EQ(line.substr(0, begin.size() + one.line.size()), begin + one.line);
        EXPECT_EQ(line.empty(), one.line.empty()) << line;
    }
    qp.receiver = nullptr;
}
