/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-partition.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/qbb-channel.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

// Tests the state of one rank of a distributed simulation without MPI. The other ranks do not
// exist.

using namespace ns3;

namespace
{

constexpr uint32_t MESSAGE_BYTES = 1500;

/// A rank in a simulation of several ranks. The other ranks never answer.
class LonelyRank : public HpccRanks
{
  public:
    LonelyRank(uint32_t rank, uint32_t size)
        : m_rank(rank),
          m_size(size)
    {
    }

    uint32_t GetRank() const override
    {
        return m_rank;
    }

    uint32_t GetSize() const override
    {
        return m_size;
    }

    void Begin() override
    {
    }

    void End() override
    {
    }

    void AddFormat(const TelemetryFormat*) override
    {
    }

    void Join(QbbChannel& channel, QbbNetDevice& here) override
    {
        m_joined.push_back(&here);
        channel.SetRanks(this, 1 - m_rank, 0, channel.GetDelayNs());
    }

    void Carry(uint32_t, uint32_t, Frame* frame) override
    {
        FramePool::Free(frame);
    }

    std::vector<std::string> Exchange(const std::string& mine) override
    {
        return {mine};
    }

    uint32_t GetMaxPacketBytes(bool telemetry) const override
    {
        return telemetry ? MESSAGE_BYTES - 400 : MESSAGE_BYTES;
    }

    /// @return number of links to other ranks
    size_t GetLinks() const
    {
        return m_joined.size();
    }

  private:
    uint32_t m_rank;
    uint32_t m_size;
    std::vector<QbbNetDevice*> m_joined;
};

/// @return a topology with losses on all links
HpccTopology
MakeNetwork()
{
    HpccTopology plan = HpccTopology::ByName("fat-tree:4");
    HpccTopology network;
    for (uint32_t node = 0; node < plan.GetNodes(); ++node)
    {
        network.AddNode(plan.IsSwitch(node));
    }
    for (auto link : plan.GetLinks())
    {
        link.errorRate = 0.01;
        network.AddLink(link);
    }
    return network;
}

/// Base class with a network in which this process is one of the ranks.
class RankTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * Installs the network as seen by one of two ranks.
     * @param rank number of this rank
     * @param fabric helper that installs the network
     * @return the rank
     */
    Ptr<LonelyRank> Install(uint32_t rank, HpccFabricHelper& fabric)
    {
        auto ranks = CreateObject<LonelyRank>(rank, 2);
        const HpccTopology network = MakeNetwork();
        fabric.SetRanks(PeekPointer(ranks), HpccPartition(network, "pod", 2).GetRankOf());
        fabric.Install(network);
        return ranks;
    }
};

/// Tests nodes that other ranks simulate.
class ForeignNodesTestCase : public RankTestCase
{
  public:
    ForeignNodesTestCase()
        : RankTestCase("Of nodes at other ranks there are routes, but no ports, buffers or stacks")
    {
    }

  private:
    void DoRun() override
    {
        HpccFabricHelper whole;
        whole.Install(MakeNetwork());
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            HpccFabricHelper fabric;
            const size_t cut = Install(rank, fabric)->GetLinks();
            CheckNodes(fabric);
            size_t own = 0;
            size_t elsewhere = 0;
            for (size_t i = 0; i < fabric.GetDevices().size(); ++i)
            {
                NS_TEST_ASSERT_MSG_EQ(fabric.GetNodeOf(i), whole.GetNodeOf(i), "node");
                NS_TEST_ASSERT_MSG_EQ(fabric.GetPortOf(i),
                                      whole.GetDevices()[i]->GetPortIndex(),
                                      "port");
                const bool here = fabric.IsHere(fabric.GetNodeOf(i));
                own += here;
                elsewhere += !here && fabric.GetDevices()[i];
                NS_TEST_ASSERT_MSG_EQ((here && !fabric.GetDevices()[i]), false, "a port is here");
            }
            NS_TEST_EXPECT_MSG_EQ(own, fabric.GetDevices().size() / 2, "half of all ports");
            NS_TEST_EXPECT_MSG_GT(cut, 0, "links between the ranks");
            // Every rank has the two devices of the first link.
            NS_TEST_EXPECT_MSG_EQ(elsewhere, (fabric.IsHere(0) ? 0U : 2U), "ports elsewhere");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetPath(0, 15).baseRttNs,
                                  whole.GetPath(0, 15).baseRttNs,
                                  "paths are known everywhere");
        }
        Simulator::Destroy();
    }

    void CheckNodes(const HpccFabricHelper& fabric)
    {
        for (uint32_t i = 0; i < fabric.GetTopology().GetNodes(); ++i)
        {
            Ptr<Node> node = fabric.GetNodes().Get(i);
            const bool here = fabric.IsHere(i);
            if (fabric.GetTopology().IsSwitch(i))
            {
                Ptr<QbbSwitch> device = fabric.GetSwitch(i);
                NS_TEST_EXPECT_MSG_EQ((device->GetBuffer() != nullptr), here, "buffer of " << i);
                NS_TEST_EXPECT_MSG_EQ(device->GetPorts().size(),
                                      (here ? 4U : 0U),
                                      "ports of " << i);
            }
            else if (i > 0)
            {
                // Every rank has the RdmaHost of the first host, because HpccFabricHelper reads
                // packet sizes from it.
                NS_TEST_EXPECT_MSG_EQ((node->GetObject<RdmaHost>() != nullptr),
                                      here,
                                      "stack of " << i);
                NS_TEST_EXPECT_MSG_EQ(node->GetNDevices(), (here ? 1U : 0U), "port of " << i);
                NS_TEST_EXPECT_MSG_EQ(node->GetNApplications(),
                                      (here ? 1U : 0U),
                                      "application of " << i);
            }
        }
    }
};

/// Tests hosts with several ports that other ranks simulate.
class ForeignPortsTestCase : public TestCase
{
  public:
    ForeignPortsTestCase()
        : TestCase("Hosts with several ports have them all, and the same bindings, at every rank")
    {
    }

  private:
    /**
     * @param fabric the network
     * @param host number of the host
     * @return ports and addresses of the host's queue pairs, which must be the same at all ranks
     */
    static std::vector<uint32_t> Bindings(HpccFabricHelper& fabric, uint32_t host)
    {
        std::vector<uint32_t> found{fabric.GetHost(host)->GetPorts()};
        for (uint32_t i = 0; fabric.IsHere(host) && i < fabric.GetHost(host)->GetQueuePairs(); ++i)
        {
            const auto& qp = fabric.GetHost(host)->GetQueuePair(i);
            found.insert(found.end(), {qp.port, qp.local, qp.peer});
        }
        return found;
    }

    /// Connects each host to the host with the next number.
    /// @param fabric the network
    static void ConnectAll(HpccFabricHelper& fabric)
    {
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        for (uint32_t i = 0; i < 16; ++i)
        {
            fabric.Connect(i % 4, (i + 1 + i / 4 % 3) % 4, spec);
        }
    }

    void DoRun() override
    {
        // Nodes 0 to 3 are hosts, and switches 4 and 5 are planes. Each rank owns two hosts and a
        // plane.
        const auto network = HpccTopology::ByName("planes:4,2");
        HpccFabricHelper whole;
        whole.Install(network);
        ConnectAll(whole);
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            HpccFabricHelper fabric;
            const auto ranks = CreateObject<LonelyRank>(rank, 2);
            fabric.SetRanks(PeekPointer(ranks), {0, 0, 1, 1, 0, 1});
            fabric.Install(network);
            ConnectAll(fabric);
            for (uint32_t host = 0; host < 4; ++host)
            {
                auto expected = Bindings(whole, host);
                expected.resize(fabric.IsHere(host) ? expected.size() : 1);
                NS_TEST_EXPECT_MSG_EQ((Bindings(fabric, host) == expected), true, host);
            }
        }
        Simulator::Destroy();
    }
};

/// Tests numbers that must be the same at every rank.
class SameNumbersTestCase : public RankTestCase
{
  public:
    SameNumbersTestCase()
        : RankTestCase("Random streams and queue pairs have the same numbers at every rank")
    {
    }

  private:
    /// Numbers that must be equal at all ranks.
    struct Numbers
    {
        int64_t streams;     ///< streams used
        uint32_t queuePairs; ///< number of queue pairs of a host after two more queue pairs have
                             ///< been connected to it
    };

    Numbers Count(HpccFabricHelper& fabric)
    {
        const auto spec = HpccFabricHelper::MakePolicy("hpcc-pint");
        fabric.Connect(0, 15, spec);
        Numbers numbers{};
        numbers.streams = fabric.AssignStreams(1);
        numbers.queuePairs = fabric.Connect(15, 7, spec);
        return numbers;
    }

    void DoRun() override
    {
        const int64_t ideal = Compare("ideal");
        NS_TEST_EXPECT_MSG_EQ(Compare("pcie"), ideal, "delays move no other stream");
    }

    /**
     * Compares two ranks with a simulation of the whole network in one process.
     * @param nic delays of the hosts
     * @return streams used
     */
    int64_t Compare(const std::string& nic)
    {
        HpccFabricHelper whole;
        whole.SetPaths("flowlet");
        whole.SetNic(nic);
        whole.Install(MakeNetwork());
        const Numbers expected = Count(whole);
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            HpccFabricHelper fabric;
            fabric.SetPaths("flowlet");
            fabric.SetNic(nic);
            Install(rank, fabric);
            const Numbers found = Count(fabric);
            NS_TEST_EXPECT_MSG_EQ(found.streams, expected.streams, "streams at rank " << rank);
            NS_TEST_EXPECT_MSG_EQ(found.queuePairs, expected.queuePairs, "number at rank " << rank);
        }
        Simulator::Destroy();
        return expected.streams;
    }
};

/// Tests that segmentation offload is refused if its segments do not fit into the messages between
/// ranks.
class LargePacketsTestCase : public RankTestCase
{
  public:
    LargePacketsTestCase()
        : RankTestCase("Segments that do not fit the messages between ranks are refused at once")
    {
    }

  private:
    /// Returns the message with which @p install is refused; empty if it is accepted.
    static std::string Refusal(const std::function<void()>& install)
    {
        try
        {
            install();
        }
        catch (const HpccInputError& error)
        {
            return error.what();
        }
        return "";
    }

    void DoRun() override
    {
        HpccFabricHelper fabric;
        Install(0, fabric);
        HpccInternetHelper().Install(fabric);
        HpccTcpHelper tcp;
        tcp.SetSegmentSize(MESSAGE_BYTES - 400 - 100);
        NS_TEST_EXPECT_MSG_EQ(Refusal([&] { tcp.Install(fabric); }), "", "they fit");
        HpccTcpHelper larger;
        larger.SetSegmentSize(MESSAGE_BYTES - 400 - 99);
        const std::string why = Refusal([&] { larger.Install(fabric); });
        for (const char* part : {"link between nodes",
                                 "TCP segments of 1001 bytes are packets of up to 1101 bytes",
                                 "room for 1100"})
        {
            NS_TEST_EXPECT_MSG_NE(why.find(part), std::string::npos, part << ": " << why);
        }
        NS_TEST_EXPECT_MSG_EQ(Refusal([&] { larger.Tune(fabric); }), "", "no telemetry, more room");

        HpccFabricHelper alone;
        alone.Install(MakeNetwork());
        HpccInternetHelper().Install(alone);
        NS_TEST_EXPECT_MSG_EQ(Refusal([&] { larger.Install(alone); }), "", "no ranks, no limit");
        Simulator::Destroy();
    }
};

/// Tests the state of one rank.
class HpccRanksTestSuite : public TestSuite
{
  public:
    HpccRanksTestSuite()
        : TestSuite("hpcc-ranks", Type::SYSTEM)
    {
        AddTestCase(new ForeignNodesTestCase);
        AddTestCase(new ForeignPortsTestCase);
        AddTestCase(new SameNumbersTestCase);
        AddTestCase(new LargePacketsTestCase);
    }
};

/// Registers the suite.
HpccRanksTestSuite g_hpccRanksTestSuite;

} // namespace
