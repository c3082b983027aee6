/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-collective.h"
#include "ns3/hpcc-workload-monitor.h"
#include "ns3/hpcc-workload.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <memory>
#include <tuple>

namespace
{

using namespace ns3;

/// Results of the messages of a run.
struct Outcome
{
    std::vector<HpccFlowPlan> flows;      ///< flows with their start times
    std::vector<HpccFlowOutcome> results; ///< results by flow
    HpccHistogram queues;                 ///< samples of the queues of all switch ports
    int64_t boundNs;                      ///< HpccCollective::GetBoundNs()

    /// Returns those times of each flow that must be equal in equivalent runs.
    std::vector<std::tuple<int64_t, int64_t, int64_t>> Times() const
    {
        std::vector<std::tuple<int64_t, int64_t, int64_t>> times;
        for (size_t i = 0; i < flows.size(); ++i)
        {
            times.emplace_back(flows[i].startNs, results[i].receiverEndNs, results[i].endNs);
        }
        return times;
    }

    /// @return arrival time of the last message, ns
    int64_t EndNs() const
    {
        int64_t endNs = 0;
        for (const auto& result : results)
        {
            endNs = std::max(endNs, result.receiverEndNs);
        }
        return endNs;
    }
};

/// Parameters of a run.
struct Setup
{
    HpccTopology topology{HpccTopology::Star(8, {})}; ///< network
    std::string cc{"hpcc"};                           ///< short name of the policy
    Time lag{MicroSeconds(1)};                        ///< NodeAgenda::MaxLag
    const char* scheduler{"ns3::MapScheduler"};       ///< scheduler of ns-3
    HpccMonitor::Detail detail{HpccMonitor::COUNTS};  ///< detail of the monitor
    double load{0};                                   ///< load of background traffic; 0 for none
    bool singleMessages{true}; ///< true if queue pairs of background traffic carry a single message
                               ///< and are then released
};

/// Runs a collective, optionally with background traffic.
Outcome
RunJob(const HpccCollective::Plan& plan, const Setup& setup)
{
    RngSeedManager::SetSeed(3);
    RngSeedManager::SetRun(1);
    ObjectFactory scheduler(setup.scheduler);
    Simulator::SetScheduler(scheduler);
    HpccFlowTrace trace;
    if (setup.load > 0)
    {
        HpccPoissonTraffic traffic{setup.load, HpccPoissonTraffic::HOST_LINKS, MicroSeconds(200)};
        traffic.AddTo(trace, setup.topology, HpccFlowSizes::Load("fb-hadoop"), 100);
    }
    HpccCollective job(plan, setup.topology);
    job.AddTo(trace);
    trace.Sort();

    Outcome outcome;
    {
        HpccFabricHelper fabric;
        fabric.SetMaxLag(setup.lag);
        fabric.Install(setup.topology);
        fabric.AssignStreams(1);
        auto spec = HpccFabricHelper::MakePolicy(setup.cc);
        auto flows = trace.GetFlows();
        for (auto& flow : flows)
        {
            if (flow.startNs == HpccFlowPlan::NOT_PLANNED)
            {
                flow.queuePair = job.Connect(fabric, flow, spec);
                continue;
            }
            flow.queuePair =
                fabric.Connect(flow.source, flow.destination, spec, 0, setup.singleMessages);
            fabric.AddMessage(flow.source, flow.queuePair, flow.bytes, NanoSeconds(flow.startNs));
        }
        HpccMonitor monitor(fabric, flows, 0, setup.detail);
        HpccWorkloadMonitor samples(fabric, 1000, 1000000);
        job.Start(fabric);
        fabric.EndAt(MilliSeconds(20));
        Simulator::Run();
        outcome = {monitor.GetFlows(),
                   monitor.GetResults(),
                   samples.GetQueues(),
                   job.GetBoundNs(fabric)};
    }
    Simulator::Destroy();
    return outcome;
}

/// Tests that the duration of a collective is at least its lower bound, and only slightly above it
/// if there is no other traffic.
class CompletionTimeTestCase : public TestCase
{
  public:
    CompletionTimeTestCase()
        : TestCase("job completion times lie between the bound and what a policy costs")
    {
    }

  private:
    void DoRun() override
    {
        HpccCollective::Plan ring{HpccCollective::RING, 8000000, 1, 5000};
        HpccCollective::Plan exchange{HpccCollective::ALL_TO_ALL, 8000000, 7, 5000};

        // In a star, each link carries one message of the ring and the ACKs of another message. On
        // the link, a data packet occupies 1082 bytes and an ACK 88 bytes. Therefore the ring takes
        // 1.08 times its lower bound. With HPCC, these sizes are 1124 and about 132 bytes including
        // telemetry, and the rate is 0.95 of the line rate. Therefore the ring takes 1.22 times its
        // lower bound.
        struct
        {
            const char* cc;
            HpccCollective::Plan plan;
            double most;
        } cases[] = {{"none", ring, 1.1}, {"hpcc", ring, 1.24}, {"hpcc", exchange, 1.4}};

        for (const auto& c : cases)
        {
            Setup setup;
            setup.cc = c.cc;
            Outcome outcome = RunJob(c.plan, setup);
            double ratio = static_cast<double>(outcome.EndNs() - c.plan.startNs) /
                           static_cast<double>(outcome.boundNs);
            NS_TEST_EXPECT_MSG_GT_OR_EQ(ratio, 1, c.cc << " is not faster than the bound");
            NS_TEST_EXPECT_MSG_LT(ratio, c.most, c.cc << " against the bound");
        }
        // The ring has 14 phases of 1 MB over two links with a rate of 100 Gb/s and a delay of 1
        // us. A payload of 1000 bytes occupies 1082 bytes on the link. The first packet of a
        // message also has a RETH of 16 bytes.
        Outcome outcome = RunJob(ring, {});
        double phase = 1000 * 1082 * 8 / 100.0 + 2000 + 1082 * 8 / 100.0;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(outcome.boundNs),
                                  14 * phase,
                                  14 * 4,
                                  "the bound of a ring of 8, by hand");
    }
};

/// Tests that a message starts exactly when the messages on which it depends are complete.
class OrderTestCase : public TestCase
{
  public:
    OrderTestCase()
        : TestCase("a message is posted in the nanosecond in which what it waits for is complete")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t RANKS = 8;
        Setup setup;
        Outcome ring = RunJob({HpccCollective::RING, 800000, 1, 2000}, setup);
        // AddTo() and Sort() order messages by rank and, for each rank, by phase.
        auto at = [](uint32_t rank, uint32_t message, uint32_t perRank) {
            return rank % RANKS * perRank + message;
        };
        NS_TEST_ASSERT_MSG_EQ(ring.flows.size(), RANKS * 14, "messages");
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(ring.flows[at(rank, 0, 14)].startNs, 2000, "first phase");
            for (uint32_t phase = 1; phase < 14; ++phase)
            {
                size_t awaited = at(rank + RANKS - 1, phase - 1, 14);
                NS_TEST_EXPECT_MSG_EQ(ring.flows[at(rank, phase, 14)].startNs,
                                      ring.results[awaited].receiverEndNs,
                                      "phase " << phase << " of rank " << rank);
            }
        }
        for (uint32_t window : {1, 3})
        {
            Outcome all = RunJob({HpccCollective::ALL_TO_ALL, 800000, window, 2000}, setup);
            NS_TEST_ASSERT_MSG_EQ(all.flows.size(), RANKS * 7, "messages");
            std::map<std::pair<uint32_t, uint32_t>, size_t> byPair;
            for (size_t i = 0; i < all.flows.size(); ++i)
            {
                byPair[{all.flows[i].source, all.flows[i].destination}] = i;
            }
            for (uint32_t rank = 0; rank < RANKS; ++rank)
            {
                for (uint32_t round = 1; round < RANKS; ++round)
                {
                    int64_t postedNs = 2000;
                    for (uint32_t earlier = 1; earlier + window <= round; ++earlier)
                    {
                        size_t awaited = byPair.at({(rank + RANKS - earlier) % RANKS, rank});
                        postedNs = std::max(postedNs, all.results[awaited].receiverEndNs);
                    }
                    NS_TEST_EXPECT_MSG_EQ(
                        all.flows[byPair.at({rank, (rank + round) % RANKS})].startNs,
                        postedNs,
                        "round " << round << " of rank " << rank << ", window " << window);
                }
            }
        }
    }
};

/// Tests that lag, the order of simultaneous events, and the monitor do not change results.
class SameResultsTestCase : public TestCase
{
  public:
    explicit SameResultsTestCase(HpccCollective::Kind kind)
        : TestCase(std::string(kind == HpccCollective::RING ? "ring" : "all-to-all") +
                   " with background traffic: neither lag, order of events nor reuse of memory "
                   "matters"),
          m_kind(kind)
    {
    }

  private:
    void DoRun() override
    {
        HpccCollective::Plan plan{m_kind, 800000, 2, 0};
        Setup setup;
        setup.topology = HpccTopology::LeafSpine(2, 2, 4, {});
        setup.load = 0.4;
        Outcome base = RunJob(plan, setup);
        NS_TEST_EXPECT_MSG_GT(base.flows.size(), 120, "there is background traffic");
        for (const auto& result : base.results)
        {
            NS_TEST_EXPECT_MSG_GT(result.endNs, 0, "every message finishes");
        }
        NS_TEST_EXPECT_MSG_GT(base.queues.GetQuantile(1), 10000, "queues are sampled");
        NS_TEST_EXPECT_MSG_EQ(base.queues.GetTotal(), 1000 * 16, "of 16 ports, 1000 times");

        Setup prompt = setup;
        prompt.lag = NanoSeconds(0);
        Setup shuffled = prompt;
        shuffled.scheduler = "ns3::HpccShuffleScheduler";
        Setup detailed = setup;
        detailed.detail = HpccMonitor::FLOW_SERIES;
        Setup lasting = setup;
        lasting.singleMessages = false;
        for (const auto& other : {prompt, shuffled, detailed, lasting})
        {
            Outcome outcome = RunJob(plan, other);
            NS_TEST_EXPECT_MSG_EQ((outcome.Times() == base.Times()), true, "times, to the ns");
            NS_TEST_EXPECT_MSG_EQ(outcome.queues.GetQuantile(0.99),
                                  base.queues.GetQuantile(0.99),
                                  "queues");
        }
    }

    HpccCollective::Kind m_kind; ///< operation of the collective
};

/// Tests queue pairs that carry a single message, with losses of packets and acknowledgements. If
/// the last ACK of a message is lost, the sender retransmits although the receiver has already
/// released its slot.
class SingleMessageTestCase : public TestCase
{
  public:
    explicit SingleMessageTestCase(const std::string& recovery)
        : TestCase("single messages over a link with losses, " + recovery),
          m_recovery(recovery)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t FLOWS = 500;
        RngSeedManager::SetSeed(3);
        RngSeedManager::SetRun(1);
        {
            HpccTopology topology;
            uint32_t a = topology.AddNode(false);
            uint32_t b = topology.AddNode(false);
            uint32_t hub = topology.AddNode(true);
            topology.AddLink({a, hub, DataRate("100Gbps"), MicroSeconds(1), 0.05});
            topology.AddLink({b, hub, DataRate("100Gbps"), MicroSeconds(1), 0.05});
            HpccFabricHelper fabric;
            fabric.SetHostAttribute("Recovery", StringValue(m_recovery));
            fabric.SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(50)));
            fabric.Install(topology);
            fabric.AssignStreams(1);
            auto spec = HpccFabricHelper::MakePolicy("hpcc");
            std::vector<HpccFlowPlan> flows;
            for (uint32_t i = 0; i < FLOWS; ++i)
            {
                uint64_t bytes = 1 + i * 7 % 10000;
                uint32_t queuePair = fabric.Connect(a, b, spec, 0, true);
                fabric.AddMessage(a, queuePair, bytes, MicroSeconds(20) * i);
                flows.push_back({a, b, bytes, 20000 * int64_t{i}, queuePair, 0});
            }
            HpccMonitor monitor(fabric, flows, 0, HpccMonitor::COUNTS);
            fabric.EndAt(MilliSeconds(40));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(monitor.GetUnfinished(), 0, "flows not finished");
            NS_TEST_EXPECT_MSG_GT(fabric.GetHost(a)->GetTimeouts(), 20, "last ACKs are lost");
            for (uint32_t host : {a, b})
            {
                Ptr<RdmaHost> stack = fabric.GetHost(host);
                NS_TEST_EXPECT_MSG_EQ(stack->GetQueuePairs(), FLOWS, "queue pairs");
                NS_TEST_EXPECT_MSG_LT(stack->GetSlots(), 30, "of which at the same time");
                NS_TEST_EXPECT_MSG_EQ(stack->GetPort().GetDrops(DropReason::UNKNOWN_QUEUE_PAIR),
                                      0,
                                      "every packet finds its queue pair");
            }
        }
        Simulator::Destroy();
    }

    std::string m_recovery; ///< short name of the scheme
};

/// Tests messages that depend on other messages, and the measurements of such traffic.
class HpccWorkloadsTestSuite : public TestSuite
{
  public:
    HpccWorkloadsTestSuite()
        : TestSuite("hpcc-workloads", Type::SYSTEM)
    {
        AddTestCase(new CompletionTimeTestCase);
        AddTestCase(new OrderTestCase);
        AddTestCase(new SameResultsTestCase(HpccCollective::RING));
        AddTestCase(new SameResultsTestCase(HpccCollective::ALL_TO_ALL));
        for (const char* recovery : {"go-back-n", "go-back-0", "irn"})
        {
            AddTestCase(new SingleMessageTestCase(recovery));
        }
    }
};

/// Registers the suite.
HpccWorkloadsTestSuite g_hpccWorkloadsTestSuite;

} // namespace
