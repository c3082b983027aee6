/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests losses in READs, and losses in messages of all operations, with each scheme of loss
// recovery.

#include "hpcc-test-losses.h"
#include "hpcc-test-recovery.h"
#include "hpcc-test-seeds.h"

#include "ns3/hpcc-roce-packet.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t MTU = 1000; ///< default payload per packet of RdmaHost, bytes

class ReadTestCase : public RecoveryTestCase
{
  public:
    explicit ReadTestCase(std::vector<uint64_t> sizes)
        : RecoveryTestCase(
              "READs of " + Text(sizes) +
              " bytes: one request each, then responses, and they complete in order at "
              "the requester"),
          m_sizes(std::move(sizes))
    {
    }

  private:
    static std::string Text(const std::vector<uint64_t>& sizes)
    {
        std::ostringstream out;
        for (uint64_t size : sizes)
        {
            out << (out.tellp() > 0 ? ", " : "") << size;
        }
        return out.str();
    }

    /// @return expected opcodes of the responses
    std::vector<uint8_t> Expected() const
    {
        std::vector<uint8_t> opcodes;
        for (uint64_t size : m_sizes)
        {
            uint64_t packets = (size + MTU - 1) / MTU;
            for (uint64_t i = 0; i < packets; ++i)
            {
                bool last = i + 1 == packets;
                opcodes.push_back(packets == 1 ? ROCE_READ_RESPONSE_ONLY
                                  : i == 0     ? ROCE_READ_RESPONSE_FIRST
                                  : last       ? ROCE_READ_RESPONSE_LAST
                                               : ROCE_READ_RESPONSE_MIDDLE);
            }
        }
        return opcodes;
    }

    void DoRun() override
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto requester = CreateObject<FixedPolicy>();
        auto responder = CreateObject<FixedPolicy>();
        responder->needs.rttOfEachAck = true;
        uint64_t acked = 0;
        uint64_t samples = 0;
        responder->onAck = [&](RdmaCongestionState&, const RdmaAckInfo& ack) {
            acked += ack.newlyAckedBytes;
            samples += ack.rttNs > 0;
        };
        uint32_t qp = Connect(0, 1, requester, responder);
        uint64_t total = 0;
        for (uint64_t size : m_sizes)
        {
            Post(0, qp, size, Seconds(0), RdmaVerb::READ);
            total += size;
        }
        std::vector<uint64_t> asked;
        uint64_t others = 0;
        OnTransmit(Host(0).GetPort(), [&](int64_t, const Frame& frame) {
            if (frame.opcode == ROCE_READ_REQUEST)
            {
                asked.push_back(frame.reth.length);
            }
            others += frame.opcode != ROCE_READ_REQUEST && frame.opcode != ROCE_ACK;
        });
        std::vector<uint8_t> opcodes;
        uint64_t payload = 0;
        uint64_t wrongSizes = 0;
        OnTransmit(Host(1).GetPort(), [&](int64_t, const Frame& frame) {
            wrongSizes += frame.bytes != RoceFrameBytes(frame);
            if (frame.opcode != ROCE_ACK)
            {
                opcodes.push_back(frame.opcode);
                payload += frame.payloadBytes;
            }
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ((asked == m_sizes), true, "requests");
        NS_TEST_ASSERT_MSG_EQ(others, 0, "the requester sends requests and acknowledgements only");
        NS_TEST_ASSERT_MSG_EQ((opcodes == Expected()), true, "opcodes of the responses");
        NS_TEST_ASSERT_MSG_EQ(payload, total, "payload sent");
        NS_TEST_ASSERT_MSG_EQ(wrongSizes, 0, "frames whose size is not that on the wire");
        NS_TEST_ASSERT_MSG_EQ(acked, total, "the responder's policy hears of each byte");
        NS_TEST_ASSERT_MSG_EQ(samples, opcodes.size(), "and measures each round trip");
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetQueuePair(qp).receivedBytes, total, "payload received");
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), m_sizes.size(), "READs complete");
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), m_sizes.size(), "READs delivered");
        if (IsStatusFailure())
        {
            return;
        }
        for (size_t i = 0; i < m_sizes.size(); ++i)
        {
            for (const auto& record : {m_acknowledged[i], m_delivered[i]})
            {
                NS_TEST_ASSERT_MSG_EQ(record.index, i, "order");
                NS_TEST_ASSERT_MSG_EQ(record.bytes, m_sizes[i], "bytes");
                NS_TEST_ASSERT_MSG_EQ(record.source, Host(0).GetAddress(), "the requester");
            }
        }
        NS_TEST_ASSERT_MSG_EQ_TOL(m_acknowledged[0].completedNs,
                                  Fabric().GetIdealFctNs(0, 1, m_sizes[0], RdmaVerb::READ),
                                  2,
                                  "the first has the link for itself");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    std::vector<uint64_t> m_sizes; ///< sizes of the READs, bytes
};

class ReadLossTestCase : public RecoveryTestCase
{
  public:
    /// Expected consequences of a lost response.
    struct Expected
    {
        uint64_t requests;        ///< READ requests sent
        uint64_t retransmissions; ///< responses retransmitted
        uint64_t askedFrom;       ///< first byte that the last READ request covers
    };

    ReadLossTestCase(const std::string& scheme, const std::string& what, Expected expected)
        : RecoveryTestCase(scheme + ": after a lost READ response " + what),
          m_scheme(scheme),
          m_expected(expected)
    {
    }

  private:
    void DoRun() override
    {
        Use(m_scheme);
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 5 * MTU;
        uint32_t qp = Connect(0, 1, CreateObject<FixedPolicy>(), policy);
        Post(0, qp, 3 * MTU, Seconds(0), RdmaVerb::READ);
        Post(0, qp, 20 * MTU, Seconds(0), RdmaVerb::READ);
        // The requester first receives the ACKs of both requests, then the responses. Therefore
        // arrival 10 is the packet of the second READ that starts at byte 3,000 + 5,000.
        Lose(0, {10});
        uint64_t requests = 0;
        uint64_t askedFrom = 0;
        uint64_t wrongEnds = 0;
        OnTransmit(Host(0).GetPort(), [&](int64_t, const Frame& frame) {
            if (frame.opcode == ROCE_READ_REQUEST)
            {
                ++requests;
                askedFrom = frame.reth.address;
                uint64_t end = frame.reth.address + frame.reth.length;
                wrongEnds += end != 3 * MTU && end != 23 * MTU;
            }
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 2, "READs");
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetQueuePair(qp).receivedBytes, 23 * MTU, "bytes");
        NS_TEST_ASSERT_MSG_EQ(requests, m_expected.requests, "requests");
        NS_TEST_ASSERT_MSG_EQ(askedFrom, m_expected.askedFrom, "first byte asked for");
        NS_TEST_ASSERT_MSG_EQ(wrongEnds, 0, "requests that do not end where a READ ends");
        NS_TEST_ASSERT_MSG_EQ(Host(1).GetQueuePair(0).retransmissions,
                              m_expected.retransmissions,
                              "responses sent again");
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetTimeouts() + Host(1).GetTimeouts(), 0, "time-outs");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    std::string m_scheme; ///< short name of the scheme
    Expected m_expected;  ///< expected consequences
};

/// Tests that an incast of READs behaves like an incast of WRITEs. The congestion state of a READ
/// is at its responder, which sends the data.
class ReadIncastTestCase : public RecoveryTestCase
{
  public:
    explicit ReadIncastTestCase(const std::string& cc)
        : RecoveryTestCase(cc + ": congestion control treats an incast of READs like an incast of "
                                "WRITEs"),
          m_cc(cc)
    {
    }

  private:
    /// Results of a run.
    struct Outcome
    {
        double meanUs; ///< mean completion time
        uint64_t peak; ///< longest queue, bytes
    };

    void DoRun() override
    {
        Outcome write = Run(RdmaVerb::WRITE);
        Outcome read = Run(RdmaVerb::READ);
        NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(read.peak),
                                  static_cast<double>(write.peak),
                                  0.03 * static_cast<double>(write.peak),
                                  "peak");
        // Marks are random, and the two runs use different random numbers.
        NS_TEST_ASSERT_MSG_EQ_TOL(read.meanUs, write.meanUs, 0.05 * write.meanUs, "mean FCT");
    }

    Outcome Run(RdmaVerb verb)
    {
        constexpr uint32_t servers = 16;
        Install(Star(servers + 1, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy(m_cc);
        bool read = verb == RdmaVerb::READ;
        for (uint32_t host = 0; host < servers; ++host)
        {
            uint32_t from = read ? servers : host;
            uint32_t to = read ? host : servers;
            uint32_t qp = Fabric().Connect(from, to, spec, 0, false, read);
            Fabric().AddMessage(from, qp, 500000, Seconds(0), verb);
        }
        Outcome outcome{0, 0};
        OnQueue(*Fabric().GetSwitch(servers + 1)->GetPorts()[servers],
                [&outcome](int64_t, uint64_t portBytes) {
                    outcome.peak = std::max(outcome.peak, portBytes);
                });
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), servers, m_cc << ": messages");
        for (const auto& record : m_acknowledged)
        {
            outcome.meanUs += record.completedNs / 1e3 / servers;
        }
        Again();
        return outcome;
    }

    std::string m_cc; ///< short name of the policy
};

/// Tests random losses of all kinds of packets on every link.
class RandomLossTestCase : public RecoveryTestCase
{
  public:
    RandomLossTestCase()
        : RecoveryTestCase("whatever is lost, every message of every verb that a recovery "
                           "supports is delivered once, whole and in order")
    {
    }

  private:
    void DoRun() override
    {
        const auto [seed, rounds] = ChooseRuns(10);
        std::mt19937 random(seed);
        for (uint32_t round = 0; round < rounds; ++round)
        {
            for (const auto& scheme : Schemes())
            {
                Run(scheme, random());
                if (IsStatusFailure())
                {
                    std::cout << "failed in round " << round << " with " << scheme << "\n";
                    return;
                }
            }
        }
    }

    void Run(const std::string& scheme, uint32_t seed)
    {
        std::mt19937 random(seed);
        auto draw = [&random](uint32_t most) {
            return static_cast<uint32_t>(random() % (most + 1));
        };
        RngSeedManager::SetSeed(1 + draw(1000000));
        RngSeedManager::SetRun(1);
        Use(scheme);
        SetIrn("ReorderTolerance", UintegerValue(1 + draw(3)));
        Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(60 + draw(200))));
        Fabric().SetHostAttribute("NakInterval", TimeValue(MicroSeconds(10 + draw(50))));
        Fabric().SetHostAttribute("AckInterval", UintegerValue(1 + draw(4)));
        Install(WithLosses(Star(3, "100Gbps", MicroSeconds(1)), 0.001 * draw(50)));
        for (uint32_t host : {0, 1})
        {
            for (const char* cc : {"hpcc++", "swift", "none"})
            {
                auto spec = HpccFabricHelper::MakePolicy(cc);
                const bool writesOnly = UsesSacks(scheme);
                uint32_t qp = Fabric().Connect(host, 2, spec, 0, false, !writesOnly);
                for (uint32_t i = draw(8); i > 0; --i)
                {
                    uint64_t bytes = 1 + draw(draw(1) ? 20000 : 1500);
                    RdmaVerb verbs[] = {RdmaVerb::WRITE, RdmaVerb::SEND, RdmaVerb::READ};
                    const uint32_t drawn = draw(2);
                    const RdmaVerb verb = writesOnly ? RdmaVerb::WRITE : verbs[drawn];
                    Post(host, qp, bytes, MicroSeconds(i > 4 ? 0 : 50), verb);
                    m_posted[{Host(host).GetAddress(), Host(host).GetQueuePair(qp).number}]
                        .push_back(verb);
                    m_bytes += bytes;
                }
            }
        }
        Check(scheme);
        Again();
        m_bytes = 0;
        m_posted.clear();
    }

    void Check(const std::string& scheme)
    {
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        CheckRecords(m_delivered, scheme + ": delivered");
        CheckRecords(m_acknowledged, scheme + ": acknowledged");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, scheme << ": frames");
        uint64_t received = 0;
        for (uint32_t host = 0; host < 3; ++host)
        {
            for (uint32_t i = 0; i < Host(host).GetQueuePairs(); ++i)
            {
                received += Host(host).GetQueuePair(i).receivedBytes;
            }
        }
        NS_TEST_ASSERT_MSG_EQ(received, m_bytes, scheme << ": bytes received in order");
    }

    /// Checks that READs complete in the order in which they were posted, and that the other
    /// messages also complete in the order in which they were posted. A READ may complete after a
    /// message of another operation that was posted later.
    void CheckRecords(const std::vector<RdmaMessageRecord>& records, const std::string& what)
    {
        uint64_t bytes = 0;
        size_t posted = 0;
        for (const auto& [queuePair, verbs] : m_posted)
        {
            posted += verbs.size();
        }
        std::map<std::tuple<uint32_t, uint32_t, bool>, uint32_t> next;
        for (const auto& record : records)
        {
            const auto& verbs = m_posted.at({record.source, record.queuePair});
            NS_TEST_ASSERT_MSG_LT(record.index, verbs.size(), what << ": number");
            bool read = verbs.at(record.index) == RdmaVerb::READ;
            uint32_t& first = next[{record.source, record.queuePair, read}];
            NS_TEST_ASSERT_MSG_GT_OR_EQ(record.index, first, what << ": order");
            first = record.index + 1;
            bytes += record.bytes;
        }
        NS_TEST_ASSERT_MSG_EQ(records.size(), posted, what << ": messages");
        NS_TEST_ASSERT_MSG_EQ(bytes, m_bytes, what << ": bytes");
    }

    /// Operations of the messages of a queue pair, by address and number of the requester.
    std::map<std::pair<uint32_t, uint32_t>, std::vector<RdmaVerb>> m_posted;
    uint64_t m_bytes{0}; ///< payload of the posted messages, bytes
};

class HpccRecoveryVerbsTestSuite : public TestSuite
{
  public:
    HpccRecoveryVerbsTestSuite()
        : TestSuite("hpcc-recovery-verbs", Type::SYSTEM)
    {
        AddTestCase(new ReadTestCase({1}));
        AddTestCase(new ReadTestCase({1000, 1001, 999, 5000, 1, 2000, 100000}));
        // Packets 5 to 9 are in flight when the loss is detected.
        AddTestCase(new ReadLossTestCase("go-back-n",
                                         "the rest of the READ is requested again",
                                         {3, 5, 8 * MTU}));
        AddTestCase(
            new ReadLossTestCase("go-back-0", "the whole READ is asked for again", {3, 10, 3000}));
        AddTestCase(new ReadLossTestCase("irn", "that one alone is sent again", {2, 1, 3000}));
        for (const char* cc : {"hpcc++", "swift", "dcqcn"})
        {
            AddTestCase(new ReadIncastTestCase(cc));
        }
        AddTestCase(new RandomLossTestCase);
    }
};

HpccRecoveryVerbsTestSuite g_hpccRecoveryVerbsTestSuite; ///< the suite

} // namespace
