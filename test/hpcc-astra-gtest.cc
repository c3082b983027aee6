/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-job.h"

#include "ns3/hpcc-abstract-transport.h"
#include "ns3/hpcc-astra-network.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t ENDPOINT_NS = 10; ///< endpoint-delay of the recorded runs

/// Repeats recorded runs of ASTRA-sim. It makes ASTRA-sim's calls for a collective in the order of
/// the log. The handler of each call makes the next call.
class Caller
{
  public:
    explicit Caller(uint32_t ranks)
        : m_transport(HpccAbstractTransport::Constant(500, 50.0 * (1 << 30))),
          m_network(m_transport, ranks, [this] { return m_transport.NowNs(); }),
          m_ranks(ranks)
    {
    }

    /// Returns an argument for Fire() with which Fire() calls @p function.
    void* Then(std::function<void()> function)
    {
        m_functions.push_back(std::move(function));
        return &m_functions.back();
    }

    static void Fire(void* argument)
    {
        (*static_cast<std::function<void()>*>(argument))();
    }

    static void Ignore(void*)
    {
    }

    void After(uint32_t rank, int64_t ns, std::function<void()> function)
    {
        m_network.Schedule(rank, ns, &Caller::Fire, Then(std::move(function)));
    }

    /// Runs a step for a chunk at a rank: sends and receives, waits for the endpoint delay,
    /// reduces, and starts the next step.
    void RingStep(uint32_t rank,
                  uint32_t chunk,
                  uint32_t step,
                  uint32_t steps,
                  uint32_t reductions,
                  uint64_t bytes,
                  const std::function<void(uint32_t)>& done)
    {
        const int tag = 500000000 + static_cast<int>(chunk);
        m_network.Send(rank, bytes, (rank + 1) % m_ranks, tag, &Caller::Ignore, nullptr);
        ++messages;
        const auto next = [this, rank, chunk, step, steps, reductions, bytes, done] {
            if (step + 1 < steps)
            {
                RingStep(rank, chunk, step + 1, steps, reductions, bytes, done);
            }
            else
            {
                done(rank);
            }
        };
        const auto reduceNs = step < reductions ? 3 * static_cast<int64_t>(bytes / 50) : 0;
        const auto reduce = [this, rank, next, reduceNs] {
            reduceNs > 0 ? After(rank, reduceNs, next) : next();
        };
        m_network.Receive(rank,
                          bytes,
                          (rank + m_ranks - 1) % m_ranks,
                          tag,
                          &Caller::Fire,
                          Then([this, rank, reduce] { After(rank, ENDPOINT_NS, reduce); }));
    }

    /// Runs a ring algorithm. Its chunks follow one another, or all start at once.
    int64_t Ring(uint32_t chunks, bool atOnce, uint32_t steps, uint32_t reductions, uint64_t bytes)
    {
        std::function<void(uint32_t, uint32_t)> start = [&](uint32_t rank, uint32_t chunk) {
            After(rank, ENDPOINT_NS, [&, rank, chunk] {
                RingStep(rank, chunk, 0, steps, reductions, bytes, [&, chunk](uint32_t at) {
                    if (!atOnce && chunk + 1 < chunks)
                    {
                        start(at, chunk + 1);
                    }
                });
            });
        };
        for (uint32_t rank = 0; rank < m_ranks; ++rank)
        {
            for (uint32_t chunk = 0; chunk < (atOnce ? chunks : 1); ++chunk)
            {
                start(rank, chunk);
            }
        }
        m_transport.Run();
        return m_transport.NowNs();
    }

    /// Runs a direct algorithm: in each round a rank exchanges messages with all other ranks at
    /// once, and between rounds it reduces.
    int64_t Direct(uint32_t rounds, uint64_t bytes)
    {
        std::vector<uint32_t> open(m_ranks, 0);
        std::function<void(uint32_t, uint32_t)> round = [&](uint32_t rank, uint32_t left) {
            open[rank] = m_ranks - 1;
            for (uint32_t i = 1; i < m_ranks; ++i)
            {
                m_network.Send(rank, bytes, (rank + i) % m_ranks, 5, &Caller::Ignore, nullptr);
                ++messages;
                const uint32_t from = (rank + m_ranks - i) % m_ranks;
                m_network.Receive(rank, bytes, from, 5, &Caller::Fire, Then([&, rank, left] {
                                      After(rank, ENDPOINT_NS, [&, rank, left] {
                                          const int64_t reduceNs =
                                              left > 1 ? 3 * static_cast<int64_t>(bytes / 50) : 0;
                                          if (--open[rank] == 0 && left > 1)
                                          {
                                              After(rank, reduceNs, [&, rank, left] {
                                                  round(rank, left - 1);
                                              });
                                          }
                                      });
                                  }));
            }
        };
        for (uint32_t rank = 0; rank < m_ranks; ++rank)
        {
            After(rank, ENDPOINT_NS, [&, rank] { round(rank, rounds); });
        }
        m_transport.Run();
        return m_transport.NowNs();
    }

    HpccAstraNetwork& Network()
    {
        return m_network;
    }

    HpccAbstractTransport& Transport()
    {
        return m_transport;
    }

    uint32_t messages{0}; ///< messages sent

  private:
    HpccAbstractTransport m_transport;
    HpccAstraNetwork m_network;
    uint32_t m_ranks;
    std::deque<std::function<void()>> m_functions;
};

} // namespace

TEST(HpccAstraNetwork, RecordedCallsTakeTheRecordedTimes)
{
    constexpr uint64_t MIB = 1 << 20;

    struct
    {
        const char* what;
        uint32_t chunks;
        bool atOnce;
        uint32_t steps;
        uint32_t reductions;
        uint64_t bytes;
        int64_t ns;
        uint32_t messages;
    } rings[] = {{"all-reduce", 4, false, 14, 7, MIB / 32, 117780, 448},
                 {"all-gather", 4, false, 7, 0, MIB / 4, 151016, 224},
                 {"reduce-scatter", 4, false, 7, 7, MIB / 32, 86420, 224},
                 {"all-reduce, 1 split", 1, false, 14, 7, MIB / 8, 96365, 112},
                 {"all-reduce, active 4", 4, true, 14, 7, MIB / 32, 39195, 448}};

    for (const auto& ring : rings)
    {
        Caller caller(8);
        EXPECT_EQ(caller.Ring(ring.chunks, ring.atOnce, ring.steps, ring.reductions, ring.bytes),
                  ring.ns)
            << ring.what;
        EXPECT_EQ(caller.messages, ring.messages) << ring.what;
        EXPECT_FALSE(caller.Network().IsBusy()) << ring.what;
    }

    struct
    {
        const char* what;
        uint32_t rounds;
        uint64_t bytes;
        int64_t ns;
        uint32_t messages;
    } directs[] = {{"all-reduce", 2, MIB / 8, 13775, 112},
                   {"all-gather", 1, MIB, 20051, 56},
                   {"all-to-all", 1, MIB / 8, 2961, 56}};

    for (const auto& direct : directs)
    {
        Caller caller(8);
        EXPECT_EQ(caller.Direct(direct.rounds, direct.bytes), direct.ns) << direct.what;
        EXPECT_EQ(caller.messages, direct.messages) << direct.what;
    }
}

TEST(HpccAstraNetwork, EveryHandlerFiresInOrderAndNeverInsideACall)
{
    Caller caller(2);
    auto& network = caller.Network();
    std::vector<std::string> fired;
    bool inside = false;
    const auto note = [&](const std::string& what) {
        return caller.Then([&fired, &inside, what] {
            EXPECT_FALSE(inside) << what;
            fired.push_back(what);
        });
    };
    inside = true;
    // Two receives are posted with the same sender and tag. Messages match them in the order of
    // posting, although their sizes differ.
    network.Receive(1, 1000, 0, 7, &Caller::Fire, note("first"));
    network.Receive(1, 10, 0, 7, &Caller::Fire, note("second"));
    network.Send(0, 1000, 1, 7, &Caller::Fire, note("sent 1"));
    network.Send(0, 10, 1, 7, &Caller::Fire, note("sent 2"));
    network.Send(0, 10, 1, 9, nullptr, nullptr);
    network.Send(0, uint64_t{1} << 33, 1, 9, &Caller::Ignore, nullptr);
    network.Schedule(1, 0, &Caller::Fire, note("a"));
    network.Schedule(1, 0, &Caller::Fire, note("b"));
    inside = false;
    // Two messages arrive before their receives are posted. The handler of one receive posts the
    // other receive.
    caller.After(1, 200000000, [&] {
        inside = true;
        network.Receive(1, 10, 0, 9, &Caller::Fire, caller.Then([&] {
            EXPECT_FALSE(inside);
            fired.push_back("early 1");
            network.Receive(1, uint64_t{1} << 33, 0, 9, &Caller::Fire, note("early 2"));
        }));
        inside = false;
        network.NotifyFinished(0);
        network.NotifyFinished(1);
        network.NotifyFinished(1);
    });
    caller.Transport().Run();
    EXPECT_EQ(
        fired,
        (std::vector<
            std::string>{"a", "b", "sent 1", "first", "sent 2", "second", "early 1", "early 2"}));
    EXPECT_EQ(caller.Transport().NowNs(), 200000000);
    EXPECT_TRUE(network.IsFinished());
}

TEST(HpccAstraNetwork, AReceiveWithoutASendIsNamed)
{
    Caller caller(2);
    caller.Network().Receive(1, 4096, 0, 500000003, &Caller::Ignore, nullptr);
    caller.Network().NotifyFinished(0);
    caller.Transport().Run();
    EXPECT_FALSE(caller.Network().IsBusy());
    EXPECT_EQ(caller.Network().DescribeWaiting(),
              (std::vector<std::string>{
                  "rank 1: receive of 4096 bytes from rank 0, tag 500000003 waits"}));
}

TEST(HpccAstraNetwork, OnAFabricMessagesOfAllTagsMeetTheirReceives)
{
    std::vector<int> received;
    {
        HpccFabricHelper fabric;
        const auto topology = HpccTopology::Star(3, {});
        fabric.Install(topology);
        HpccFabricTransport transport(fabric, topology.GetHosts());
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        for (uint32_t a = 0; a < 3; ++a)
        {
            for (uint32_t b = 0; b < 3; ++b)
            {
                if (a != b)
                {
                    transport.Connect(a, b, HpccFabricTransport::ANY_TAG, spec);
                }
            }
        }
        HpccAstraNetwork network(transport, 3, [] { return Simulator::Now().GetNanoSeconds(); });
        transport.Start();
        std::deque<std::function<void()>> functions;
        const auto then = [&](std::function<void()> function) {
            functions.push_back(std::move(function));
            return &functions.back();
        };
        // Rank 0 also sends on behalf of rank 2, from its own handler.
        network.Receive(1, 5000, 0, 2, &Caller::Fire, then([&] { received.push_back(2); }));
        network.Receive(1, 50000, 0, 1, &Caller::Fire, then([&] { received.push_back(1); }));
        network.Receive(0, 100, 2, 3, &Caller::Fire, then([&] { received.push_back(3); }));
        network.Send(0, 50000, 1, 1, &Caller::Fire, then([&] {
                         network.Send(2, 100, 0, 3, nullptr, nullptr);
                     }));
        network.Send(0, 5000, 1, 2, nullptr, nullptr);
        fabric.EndAt(MilliSeconds(1));
        Simulator::Run();
        EXPECT_FALSE(network.IsBusy());
    }
    Simulator::Destroy();
    EXPECT_EQ(received, (std::vector<int>{1, 2, 3}));
}
