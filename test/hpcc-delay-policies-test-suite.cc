/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Round-trip times of every acknowledgement, and what is typical of the policies that live on them
// or on power.

#include "hpcc-test-rdma.h"

#include <algorithm>
#include <map>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Sends packets under a policy that wants round-trip times, and notes when each has left.
class RttTestCase : public RdmaTestCase
{
  public:
    explicit RttTestCase(const std::string& name)
        : RdmaTestCase(name)
    {
    }

  protected:
    /// A sample.
    struct Sample
    {
        uint64_t psn;     ///< packet that its acknowledgement answers
        int64_t nowNs;    ///< when that came
        int64_t rttNs;    ///< the sample
        uint8_t hopsBack; ///< switches on its way
    };

    /// @param packets packets to send from host 0 to host 1 @param windowPackets window
    void Send(uint64_t packets, uint32_t windowPackets)
    {
        Install(Star(2, "100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->needs = RdmaCongestionOps::NEED_RTT;
        policy->window = windowPackets * 1000.0;
        policy->onAck = [this](RdmaCongestionState&, const RdmaAckInfo& ack) {
            if (ack.rttNs >= 0)
            {
                m_samples.push_back({ack.ackSeq / 1000 - 1, ack.nowNs, ack.rttNs, ack.hopsBack});
            }
        };
        OnTransmit(Host(0).GetPort(), [this](int64_t nowNs, const Frame& frame) {
            m_departures[frame.psn].push_back(nowNs);
        });
        Post(0, Connect(0, 1, policy), packets * 1000);
        Simulator::Stop(MilliSeconds(20));
    }

    /// Checks that each sample is the time since the only departure of its packet.
    void CheckSamples()
    {
        for (const auto& sample : m_samples)
        {
            const auto& departures = m_departures[sample.psn];
            NS_TEST_ASSERT_MSG_EQ(departures.size(), 1, "departures of packet " << sample.psn);
            NS_TEST_EXPECT_MSG_EQ(sample.rttNs,
                                  sample.nowNs - departures.front(),
                                  "packet " << sample.psn);
            NS_TEST_EXPECT_MSG_EQ(+sample.hopsBack, 1, "one switch");
        }
    }

    std::map<uint64_t, std::vector<int64_t>> m_departures; ///< by packet
    std::vector<Sample> m_samples;                         ///< in the order of time
};

class EachAckTestCase : public RttTestCase
{
  public:
    EachAckTestCase()
        : RttTestCase("each acknowledgement tells the time since its packet left")
    {
    }

  private:
    void DoRun() override
    {
        Send(1000, 300);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_samples.size(), 1000, "samples");
        CheckSamples();
    }
};

class KarnTestCase : public RttTestCase
{
  public:
    KarnTestCase()
        : RttTestCase("what was in flight when the sender went back gives no sample")
    {
    }

  private:
    void DoRun() override
    {
        Send(1000, 100);
        Lose(1, {5, 400});
        Lose(0, {700, 701, 702});
        Simulator::Run();
        CheckSamples();
        size_t repeated = 0;
        for (const auto& [psn, departures] : m_departures)
        {
            repeated += departures.size() > 1;
        }
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 1, "finished");
        NS_TEST_EXPECT_MSG_GT(repeated, 50, "packets sent again");
        NS_TEST_EXPECT_MSG_GT(m_samples.size(), 1000 - repeated - 110, "samples of the others");
        NS_TEST_EXPECT_MSG_LT(m_samples.size(), 1001 - repeated, "samples of the others");
    }
};

class OneSampleTestCase : public RdmaTestCase
{
  public:
    OneSampleTestCase()
        : RdmaTestCase("a policy that does not ask gets one sample a round trip")
    {
    }

  private:
    void DoRun() override
    {
        Install(Star(2, "100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 100'000;
        uint32_t samples = 0;
        policy->onAck = [&samples](RdmaCongestionState&, const RdmaAckInfo& ack) {
            samples += ack.rttNs >= 0;
        };
        Post(0, Connect(0, 1, policy), 1'000'000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 1, "finished");
        const int64_t rttNs = Fabric().GetPath(0, 1).baseRttNs;
        const auto roundTrips = static_cast<uint32_t>(m_acknowledged.front().completedNs / rttNs);
        NS_TEST_EXPECT_MSG_GT(samples, roundTrips / 2, "samples");
        NS_TEST_EXPECT_MSG_LT(samples, roundTrips + 1, "samples");
    }
};

class HpccDelayPoliciesTestSuite : public TestSuite
{
  public:
    HpccDelayPoliciesTestSuite()
        : TestSuite("hpcc-delay-policies", UNIT)
    {
        AddTestCase(new EachAckTestCase, TestCase::QUICK);
        AddTestCase(new KarnTestCase, TestCase::QUICK);
        AddTestCase(new OneSampleTestCase, TestCase::QUICK);
    }
};

HpccDelayPoliciesTestSuite g_hpccDelayPoliciesTestSuite; ///< registers the suite

} // namespace
