/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-out-of-band.h"

#include "ns3/hpcc-bottleneck-hop.h"
#include "ns3/hpcc-reflection-header.h"

#include <iostream>
#include <map>
#include <set>

using namespace hpcctest;

namespace
{

/// Checks the records of the bottleneck hop that a receiver returns.
class ReportTestCase : public OutOfBandTestCase
{
  public:
    ReportTestCase()
        : OutOfBandTestCase(
              "a report of one hop contains the record of the bottleneck link and its previous "
              "record")
    {
    }

  private:
    /// A record that the receiver returns.
    struct Report
    {
        HpccBottleneckHop hop; ///< the hop in the record
        uint32_t bytes;        ///< size of the notification
    };

    void DoRun() override
    {
        Install(
            HpccTopology::ParkingLot(2,
                                     {DataRate("100Gbps"), DataRate("100Gbps"), MicroSeconds(1)}));
        auto spec = SpecOf("roce-reference", "ifa");
        std::vector<Report> reports;
        OnTransmit(Host(1).GetPort(), [&](int64_t, const Frame& frame) {
            if (frame.opcode == ROCE_NOTIFICATION && frame.format)
            {
                NS_TEST_EXPECT_MSG_EQ(+frame.reflection.flags, REFLECTION_BOTTLENECK_HOP, "flag");
                NS_TEST_EXPECT_MSG_EQ(+frame.telemetry.hops, 1, "one hop of three");
                HpccBottleneckHop hop;
                hop.Read(frame.format->GetCapabilities(), frame.telemetry.words.data());
                reports.push_back({hop, frame.bytes});
            }
        });
        Post(0, Fabric().Connect(0, 1, spec), 2000000);
        // The long flow shares the first link with the second flow, and later the second link with
        // the third flow.
        Post(2, Fabric().Connect(2, 3, spec), 500000, MicroSeconds(20));
        Post(4, Fabric().Connect(4, 5, spec), 500000, MicroSeconds(160));
        std::map<uint32_t, uint32_t> samples;
        double largestU = 0;
        m_samples = &samples;
        m_largestU = &largestU;
        auto* ops = Host(0).GetQueuePair(0).ops;
        ops->TraceConnectWithoutContext("HopU", MakeCallback(&ReportTestCase::NoteHopU, this));
        Run(MilliSeconds(2));
        ExpectQuiet(3);
        NS_TEST_ASSERT_MSG_GT(reports.size(), 40, "one a round trip");
        NS_TEST_EXPECT_MSG_EQ(reports[0].hop.before.fields, 0, "nothing before the first");
        std::map<uint32_t, HopTelemetry> last;
        std::set<uint32_t> moves;
        for (size_t i = 1; i < reports.size(); ++i)
        {
            const HpccBottleneckHop& hop = reports[i].hop;
            NS_TEST_EXPECT_MSG_NE(hop.before.fields, 0, "the receiver knows all links");
            NS_TEST_EXPECT_MSG_LT(hop.before.timestampNs, hop.now.timestampNs, "earlier");
            // The sizes in bytes are: Ethernet 14, IPv4 20, UDP 8, BTH 12, AETH 4, number 4,
            // reflection 8, record 52, ICRC 4.
            NS_TEST_EXPECT_MSG_EQ(reports[i].bytes, 74 + 52, "size");
            moves.insert(hop.now.switchId);
        }
        NS_TEST_EXPECT_MSG_GT(moves.size(), 1, "the bottleneck moves");
        NS_TEST_EXPECT_MSG_EQ(samples.size(), moves.size(), "the sender knows where it is");
        NS_TEST_EXPECT_MSG_LT(largestU, 6, "no counter is subtracted from another's");
    }

    void NoteHopU(uint32_t, uint32_t, uint32_t switchId, uint32_t, double u)
    {
        ++(*m_samples)[switchId];
        *m_largestU = std::max(*m_largestU, u);
    }

    std::map<uint32_t, uint32_t>* m_samples{nullptr}; ///< number of samples by switch
    double* m_largestU{nullptr};                      ///< largest u'
};

/// Tests feedback while the bottleneck moves between two links.
class MovingBottleneckTestCase : public OutOfBandTestCase
{
  public:
    MovingBottleneckTestCase()
        : OutOfBandTestCase(
              "when the bottleneck moves, records of the bottleneck hop suffice if they include "
              "the previous record")
    {
    }

  private:
    /// Results of a run.
    struct Outcome
    {
        size_t ended{0};    ///< completed flows
        double longUs{0};   ///< completion time of the long flow
        double largestU{0}; ///< largest u' of the long flow
        uint64_t queue{0};  ///< longest queue after 100 us
    };

    Outcome Chain(const std::string& feedback)
    {
        Install(
            HpccTopology::ParkingLot(2,
                                     {DataRate("100Gbps"), DataRate("100Gbps"), MicroSeconds(1)}));
        auto spec = SpecOf(feedback, "ifa");
        const uint32_t first = Fabric().Connect(2, 3, spec);
        const uint32_t second = Fabric().Connect(4, 5, spec);
        Post(0, Fabric().Connect(0, 1, spec), 3000000);
        for (uint32_t i = 0; i < 4; ++i)
        {
            Post(2, first, 300000, MicroSeconds(50 + 120 * i));
            Post(4, second, 300000, MicroSeconds(110 + 120 * i));
        }
        Outcome outcome;
        m_largestU = &outcome.largestU;
        Host(0).GetQueuePair(0).ops->TraceConnectWithoutContext(
            "HopU",
            MakeCallback(&MovingBottleneckTestCase::NoteHopU, this));
        for (const auto& device : Fabric().GetDevices())
        {
            OnQueue(*device, [&outcome](int64_t nowNs, uint64_t bytes) {
                outcome.queue = nowNs > 100000 ? std::max(outcome.queue, bytes) : 0;
            });
        }
        Run(MilliSeconds(5));
        outcome.ended = m_acknowledged.size();
        for (const auto& record : m_acknowledged)
        {
            if (record.source == Host(0).GetAddress())
            {
                outcome.longUs = static_cast<double>(record.completedNs) / 1e3;
            }
        }
        std::cout << "hpcc-bottleneck-hop: moving bottleneck, " << feedback << ": " << outcome.ended
                  << " of 9 flows end, the long one after " << outcome.longUs << " us, largest u' "
                  << outcome.largestU << ", queue " << outcome.queue << " bytes\n";
        m_acknowledged.clear();
        RdmaTestCase::DoTeardown();
        return outcome;
    }

    void NoteHopU(uint32_t, uint32_t, uint32_t, uint32_t, double u)
    {
        *m_largestU = std::max(*m_largestU, u);
    }

    void DoRun() override
    {
        const Outcome all = Chain("probe");
        const Outcome one = Chain("roce-reference");
        const Outcome bare = Chain("roce-reference:strict");
        NS_TEST_EXPECT_MSG_EQ(all.ended, 9, "flows that end");
        NS_TEST_EXPECT_MSG_EQ(one.ended, 9, "flows that end");
        NS_TEST_EXPECT_MSG_EQ_TOL(one.longUs, all.longUs, 0.1 * all.longUs, "time");
        NS_TEST_EXPECT_MSG_LT(one.largestU, 6, "what links say");
        NS_TEST_EXPECT_MSG_GT(bare.largestU, 20, "counters of two links subtracted");
    }

    double* m_largestU{nullptr}; ///< largest u'
};

/// Tests feedback that consists only of the record of the bottleneck hop, instead of the records of
/// all hops.
class HpccBottleneckHopTestSuite : public TestSuite
{
  public:
    HpccBottleneckHopTestSuite()
        : TestSuite("hpcc-bottleneck-hop", Type::UNIT)
    {
        AddTestCase(new ReportTestCase);
        AddTestCase(new MovingBottleneckTestCase);
    }
};

/// Registers the suite.
HpccBottleneckHopTestSuite g_hpccBottleneckHopTestSuite;

} // namespace
