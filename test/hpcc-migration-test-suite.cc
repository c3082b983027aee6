/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests hosts that measure the loads of several paths: which flows move, to which paths they move,
// and when the start of a flow is delayed.

#include "hpcc-test-rdma.h"
#include "hpcc-test-seeds.h"

#include "ns3/hpcc-law.h"
#include "ns3/rdma-hpcc-base.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Base class with two leaves and four spines. Hosts of the first leaf send to hosts of the second
/// leaf.
class MigrationTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    static constexpr uint32_t SPINES = 4;
    static constexpr uint32_t FLOWS = 8;

    /**
     * Installs a leaf-spine network.
     * @param paths short name of the path selection
     * @param fabric rate between switches
     * @param recovery short name of the loss recovery
     * @param hosts hosts per leaf
     */
    void InstallLeafSpine(const std::string& paths,
                          const std::string& fabric,
                          const std::string& recovery,
                          uint32_t hosts = FLOWS)
    {
        m_hosts = hosts;
        Fabric().SetPaths(paths);
        Fabric().SetHostAttribute("Recovery", StringValue(recovery));
        HpccTopology::LinkSpeeds speeds;
        speeds.fabric = DataRate(fabric);
        Install(HpccTopology::LeafSpine(2, SPINES, hosts, speeds));
    }

    /// Returns the first leaf's port to @p spine.
    QbbNetDevice& Uplink(uint32_t spine)
    {
        uint32_t link =
            Fabric().GetTopology().FindLinks(2 * m_hosts, 2 * m_hosts + 2 + spine).at(0);
        return *Fabric().GetDevices()[2 * link];
    }

    /**
     * Returns a UDP source port for which ECMP chooses a spine.
     * @param source host on the first leaf
     * @param destination host on the second leaf
     * @param spine the spine
     */
    uint16_t SourcePortVia(uint32_t source, uint32_t destination, uint32_t spine)
    {
        auto& routes = Fabric().GetSwitch(2 * m_hosts)->GetRoutes();
        for (uint16_t port = 50001;; ++port)
        {
            uint32_t hash = HashFiveTuple(HpccFabricHelper::GetAddress(source),
                                          HpccFabricHelper::GetAddress(destination),
                                          port,
                                          ROCE_UDP_PORT,
                                          17);
            if (routes.Lookup(HpccFabricHelper::GetAddress(destination), hash) == m_hosts + spine)
            {
                return port;
            }
        }
    }

    uint32_t m_hosts{0}; ///< hosts per leaf
};

/// Tests the moves of eight flows. At the start, ECMP has hashed all of them onto the same one of
/// four paths.
class SpreadTestCase : public MigrationTestCase
{
  public:
    /**
     * @param fabric rate between switches
     * @param recovery short name of the loss recovery
     * @param rtts number of RTTs after which all paths must be in use
     * @param stride difference between the numbers of two consecutive senders
     * @param staggerNs time between two consecutive starts
     */
    SpreadTestCase(const std::string& fabric,
                   const std::string& recovery,
                   int64_t rtts,
                   uint32_t stride = 1,
                   int64_t staggerNs = 0)
        : MigrationTestCase("of 8 flows on 1 of 4 paths of " + fabric + " with " + recovery +
                            ", all paths carry load within " + std::to_string(rtts) +
                            " RTT and no flow moves more than twice; every host of " +
                            std::to_string(stride) + ", " + std::to_string(staggerNs) +
                            " ns apart"),
          m_fabric(fabric),
          m_recovery(recovery),
          m_rtts(rtts),
          m_stride(stride),
          m_staggerNs(staggerNs)
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t runs = FullOrShort(10, 2);
        for (uint32_t run = 1; run <= runs; ++run)
        {
            RngSeedManager::SetRun(run);
            Spread(run);
            DoTeardown();
        }
        RngSeedManager::SetRun(1);
    }

    void Spread(uint32_t run)
    {
        InstallLeafSpine("migrate", m_fabric, m_recovery, FLOWS * m_stride);
        const int64_t rttNs = Fabric().GetNetworkBaseRttNs();
        m_moves.clear();
        m_resets.clear();
        std::map<uint32_t, uint32_t> newest;
        std::vector<int64_t> firstNs(SPINES, INT64_MAX);
        for (uint32_t spine = 0; spine < SPINES; ++spine)
        {
            OnTransmit(Uplink(spine), [&, spine](int64_t nowNs, const Frame& frame) {
                // Ignore path probes and retransmitted packets.
                if (frame.kind == Frame::Kind::ROCE && frame.psn > newest[frame.source])
                {
                    newest[frame.source] = frame.psn;
                    firstNs[spine] = std::min(firstNs[spine], nowNs);
                }
            });
        }
        auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            const uint32_t from = i * m_stride;
            const uint32_t to = m_hosts + from;
            const uint32_t qp = Fabric().Connect(from, to, spec, SourcePortVia(from, to, 0));
            Post(from, qp, 1'000'000'000, NanoSeconds(i * m_staggerNs));
            Host(from).GetQueuePair(qp).ops->TraceConnectWithoutContext(
                "Reset",
                MakeBoundCallback(&SpreadTestCase::NoteReset,
                                  &m_resets[HpccFabricHelper::GetAddress(from)]));
            Host(from).TraceConnectWithoutContext("PathChange",
                                                  MakeCallback(&SpreadTestCase::NoteMove, this));
        }
        Fabric().EndAt(NanoSeconds(100 * rttNs));
        Simulator::Run();
        for (uint32_t spine = 0; spine < SPINES; ++spine)
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(firstNs[spine],
                                        m_rtts * rttNs + (FLOWS - 1) * m_staggerNs,
                                        "load on path " << spine << ", run " << run);
        }
        uint32_t most = 0;
        for (const auto& [flow, moves] : m_moves)
        {
            most = std::max(most, moves);
        }
        NS_TEST_EXPECT_MSG_LT_OR_EQ(most, 2, "moves of a flow, run " << run);
        for (const auto& [flow, resets] : m_resets)
        {
            // The policy detects a move when the first packet on the new path is acknowledged.
            // Therefore it may not have detected the last move.
            NS_TEST_EXPECT_MSG_LT_OR_EQ(resets, m_moves[flow], "paths that the policy has seen");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(resets + 1, m_moves[flow], "moves it has heard of");
        }
    }

    void NoteMove(const RdmaQueuePair& qp, int64_t)
    {
        ++m_moves[qp.local];
    }

    std::string m_fabric;
    std::string m_recovery;
    int64_t m_rtts;
    uint32_t m_stride;
    int64_t m_staggerNs;

    static void NoteReset(uint32_t* resets, uint32_t, HpccReset reason)
    {
        *resets += reason == HpccReset::PATH_CHANGE;
    }

    std::map<uint32_t, uint32_t> m_moves;  ///< moves by source address
    std::map<uint32_t, uint32_t> m_resets; ///< number of path changes that policies have detected,
                                           ///< by source address
};

/// Tests the completion times of eight flows. At the start, ECMP has hashed all of them onto the
/// same one of four paths.
class CompletionTestCase : public MigrationTestCase
{
  public:
    CompletionTestCase()
        : MigrationTestCase("flows that migrate end in two thirds of the time, and with go-back-n "
                            "no packet is reordered")
    {
    }

  private:
    static constexpr uint64_t BYTES = 10'000'000;

    /**
     * Runs the flows.
     * @param paths short name of the path selection
     * @param recovery short name of the loss recovery
     * @return completion time of the last flow, ns
     */
    int64_t Run(const std::string& paths, const std::string& recovery)
    {
        InstallLeafSpine(paths, "100Gbps", recovery);
        auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        m_acknowledged.clear();
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            const uint16_t port = SourcePortVia(i, FLOWS + i, 0);
            Post(i, Fabric().Connect(i, FLOWS + i, spec, port), BYTES);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), FLOWS, "messages");
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames");
        m_repeated = 0;
        m_early = 0;
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            m_repeated += Host(i).GetQueuePair(0).retransmissions;
            m_early += Host(FLOWS + i).GetQueuePair(0).outOfOrder;
            NS_TEST_EXPECT_MSG_EQ(Host(FLOWS + i).GetQueuePair(0).receivedBytes, BYTES, "payload");
        }
        const int64_t endNs = m_acknowledged.back().completedNs;
        DoTeardown();
        return endNs;
    }

    void DoRun() override
    {
        const int64_t stayNs = Run("ecmp", "go-back-n");
        // The bound is the transmission time of 80 MB of payload, times 1.118 for headers, at eta
        // times 100 Gb/s.
        NS_TEST_EXPECT_MSG_GT(stayNs, 7'500'000, "on one path");
        NS_TEST_EXPECT_MSG_LT(Run("migrate", "go-back-n"), stayNs * 2 / 3, "with go-back-n");
        NS_TEST_EXPECT_MSG_EQ(m_repeated + m_early, 0, "packets again or early, go-back-n");
        NS_TEST_EXPECT_MSG_LT(Run("migrate", "irn"), stayNs * 2 / 3, "with irn");
        NS_TEST_EXPECT_MSG_GT(m_early, 0, "packets early, irn");
        // After a move, packets can overtake at most a window of B T, and each flow moves at most
        // twice. Only overtaken packets are retransmitted.
        NS_TEST_EXPECT_MSG_LT(m_repeated, 2 * FLOWS * 105, "packets again, irn");
        NS_TEST_EXPECT_MSG_LT(Run("migrate", "sack"), stayNs * 2 / 3, "with sack");
    }

    uint64_t m_repeated{0}; ///< retransmitted packets of all flows
    uint64_t m_early{0};    ///< out-of-order packets of all flows
};

/// Tests flows from four hosts to one host. All paths share the link to this host.
class CommonLinkTestCase : public MigrationTestCase
{
  public:
    CommonLinkTestCase()
        : MigrationTestCase("no flow moves because of a congested link that all paths share")
    {
    }

  private:
    void DoRun() override
    {
        InstallLeafSpine("migrate", "400Gbps", "go-back-n");
        auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        uint32_t moves = 0;
        for (uint32_t i = 0; i < 4; ++i)
        {
            Post(i, Fabric().Connect(i, FLOWS, spec, SourcePortVia(i, FLOWS, i)), 1'000'000'000);
            Host(i).TraceConnectWithoutContext(
                "PathChange",
                MakeBoundCallback(&CommonLinkTestCase::Count, &moves));
        }
        const int64_t rttNs = Fabric().GetNetworkBaseRttNs();
        Fabric().EndAt(NanoSeconds(200 * rttNs));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(moves, 0, "moves");
        for (uint32_t i = 0; i < 4; ++i)
        {
            // A flow first sends three rounds of 16 probes. Then, every 16 T, it probes each of the
            // three paths that it does not use, and one or two new UDP ports.
            NS_TEST_EXPECT_MSG_GT(Host(i).GetPathProbes(), 0, "path probes");
            NS_TEST_EXPECT_MSG_LT(Host(i).GetPathProbes(), 3 * 16 + 5 * 200 / 16, "path probes");
        }
    }

    static void Count(uint32_t* moves, const RdmaQueuePair&, int64_t)
    {
        ++*moves;
    }
};

/// Tests path probes in an incast over several paths. The bottleneck is the receiver's link, so its
/// load does not fall when flows move.
class ProbeLoadTestCase : public MigrationTestCase
{
  public:
    ProbeLoadTestCase()
        : MigrationTestCase(
              "path probes do not lengthen the queue of an incast: it stays below the "
              "sum of the windows, and below a BDP after 30 T")
    {
    }

  private:
    void DoRun() override
    {
        InstallLeafSpine("migrate", "400Gbps", "irn");
        const int64_t rttNs = Fabric().GetNetworkBaseRttNs();
        uint64_t peakBytes = 0;
        uint64_t laterBytes = 0;
        const uint32_t last = Fabric().GetTopology().FindLinks(FLOWS, 2 * FLOWS + 1).at(0);
        OnQueue(*Fabric().GetDevices()[2 * last + 1], [&](int64_t nowNs, uint64_t bytes) {
            peakBytes = std::max(peakBytes, bytes);
            laterBytes = nowNs > 30 * rttNs ? std::max(laterBytes, bytes) : laterBytes;
        });
        auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            Post(i, Fabric().Connect(i, FLOWS, spec, SourcePortVia(i, FLOWS, 0)), 1'000'000'000);
        }
        Fabric().EndAt(NanoSeconds(60 * rttNs));
        Simulator::Run();
        // No window is larger than a BDP at 100 Gb/s, and part of a window is in flight on the
        // links instead of in the queue. After 30 T, the bytes in flight have settled at eta times
        // a BDP (HPCC paper, section 3.2).
        const auto bdpBytes = static_cast<uint64_t>(rttNs * 100 / 8);
        NS_TEST_EXPECT_MSG_GT(Host(0).GetPathProbes(), 0, "path probes");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(peakBytes, FLOWS * bdpBytes, "queue at the common link");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(laterBytes, bdpBytes, "queue after 30 T");
    }
};

/// Tests the start of a flow while another flow fills all paths.
class AdmissionTestCase : public MigrationTestCase
{
  public:
    AdmissionTestCase()
        : MigrationTestCase("a new flow waits while all paths are full, until a path has room or "
                            "AdmissionHold expires")
    {
    }

  private:
    /**
     * Starts a flow at BEGIN_NS, while a flow that started at 0 may still send. Returns when the
     * new flow sends its first packet.
     * @param paths short name of the path selection
     * @param bytes size of the first flow
     * @return time at which the new flow's first packet leaves, ns
     */
    int64_t Begin(const std::string& paths, uint64_t bytes)
    {
        InstallLeafSpine(paths, "10Gbps", "go-back-n", 1);
        auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        Post(0, Fabric().Connect(0, 1, spec), bytes);
        const uint32_t later = Fabric().Connect(0, 1, spec);
        Post(0, later, 100'000, NanoSeconds(BEGIN_NS));
        int64_t firstNs = -1;
        const uint32_t peer = Host(0).GetQueuePair(later).peerNumber;
        OnTransmit(Host(0).GetPort(), [&firstNs, peer](int64_t nowNs, const Frame& frame) {
            firstNs = firstNs < 0 && frame.destinationQp == peer ? nowNs : firstNs;
        });
        m_acknowledged.clear();
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 2, "messages");
        m_firstEndNs = m_acknowledged.front().completedNs;
        m_baseRttNs = Fabric().GetNetworkBaseRttNs();
        m_held = Host(0).GetHeldFlows();
        DoTeardown();
        return firstNs;
    }

    void DoRun() override
    {
        // The first flow fills a path of 10 Gb/s. It does not probe other paths, because none of
        // them has a higher rate.
        const int64_t freeNs = Begin("migrate", 10'000'000);
        NS_TEST_EXPECT_MSG_EQ(m_held, 0, "flows held back without the attribute");
        NS_TEST_EXPECT_MSG_LT(freeNs, BEGIN_NS + 1'000, "begin without it");
        const int64_t heldNs = Begin("migrate:admission", 10'000'000);
        NS_TEST_EXPECT_MSG_EQ(m_held, 1, "flows held back");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(heldNs, BEGIN_NS + HOLD_NS, "begin");
        NS_TEST_EXPECT_MSG_LT(heldNs, BEGIN_NS + HOLD_NS + 1'000, "begin");
        // The first flow of 430 KB ends after about 430 us. The load of its path is regarded as
        // unknown 4 T after the last record.
        const int64_t releasedNs = Begin("migrate:admission", 430'000);
        NS_TEST_EXPECT_MSG_EQ(m_held, 1, "flows held back");
        NS_TEST_EXPECT_MSG_LT(m_firstEndNs, BEGIN_NS + HOLD_NS - 5 * m_baseRttNs, "first flow");
        NS_TEST_EXPECT_MSG_GT(releasedNs, m_firstEndNs, "begin");
        NS_TEST_EXPECT_MSG_LT(releasedNs, m_firstEndNs + 4 * m_baseRttNs + 1'000, "begin");
    }

    static constexpr int64_t BEGIN_NS = 400'000;
    static constexpr int64_t HOLD_NS = 100'000;
    uint64_t m_held{0};      ///< flows held back
    int64_t m_firstEndNs{0}; ///< completion time of the first flow
    int64_t m_baseRttNs{0};  ///< T
};

/// Tests the start of flows while long flows fill all of several paths.
class SeveralFullPathsTestCase : public MigrationTestCase
{
  public:
    /**
     * @param fabric rate between switches
     * @param perPath long flows on each path
     * @param feedback short name of the feedback
     */
    SeveralFullPathsTestCase(const std::string& fabric,
                             uint32_t perPath,
                             const std::string& feedback)
        : MigrationTestCase(feedback + ": at the default load, of 20 flows that begin while " +
                            std::to_string(perPath) + " long ones fill each of 4 paths of " +
                            fabric + ", at least 18 wait, for at most AdmissionHold"),
          m_fabric(fabric),
          m_perPath(perPath),
          m_feedback(feedback)
    {
    }

  private:
    static constexpr uint32_t NEW_FLOWS = 20;
    static constexpr int64_t FIRST_NS = 1'000'000;
    static constexpr int64_t HOLD_NS = 100'000; ///< hold time of migrate:admission

    void DoRun() override
    {
        InstallLeafSpine("migrate:admission", m_fabric, "irn", 1);
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", m_feedback);
        for (uint32_t i = 0; i < SPINES * m_perPath; ++i)
        {
            const uint32_t qp = Fabric().Connect(0, 1, spec, SourcePortVia(0, 1, i % SPINES));
            Post(0, qp, 1'000'000'000);
        }
        std::map<uint32_t, int64_t> dueNs;
        std::map<uint32_t, int64_t> firstNs;
        for (uint32_t i = 0; i < NEW_FLOWS; ++i)
        {
            const uint32_t qp = Fabric().Connect(0, 1, spec);
            // The differences between start times are not multiples of T.
            const int64_t atNs = FIRST_NS + i * 237'123;
            Post(0, qp, 1'000, NanoSeconds(atNs));
            dueNs[Host(0).GetQueuePair(qp).peerNumber] = atNs;
        }
        OnTransmit(Host(0).GetPort(), [&firstNs](int64_t nowNs, const Frame& frame) {
            firstNs.insert({frame.destinationQp, nowNs});
        });
        Fabric().EndAt(NanoSeconds(FIRST_NS + (NEW_FLOWS + 4) * 237'123));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), NEW_FLOWS, "messages");
        for (const auto& [qp, atNs] : dueNs)
        {
            NS_TEST_EXPECT_MSG_LT(firstNs[qp], atNs + HOLD_NS + 2'000, "held no longer");
        }
        NS_TEST_EXPECT_MSG_GT_OR_EQ(Host(0).GetHeldFlows(), 18, "held back");
    }

    std::string m_fabric;
    uint32_t m_perPath;
    std::string m_feedback;
};

/// Tests eight flows that start on one of four paths, with a given feedback mode.
class FeedbackTestCase : public MigrationTestCase
{
  public:
    FeedbackTestCase()
        : MigrationTestCase("under each feedback, with or without a key, flows that migrate end at "
                            "most 1.25 times as late as under packet")
    {
    }

  private:
    static constexpr uint64_t BYTES = 5'000'000;

    /**
     * Runs the flows.
     * @param feedback short name of the feedback
     * @param key key of the feedback; empty for none
     * @return completion time of the last flow, ns
     */
    int64_t Run(const std::string& feedback, const std::string& key = "")
    {
        Fabric().SetHostAttribute("FeedbackKey", StringValue(key));
        InstallLeafSpine("migrate", "400Gbps", "irn");
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", feedback);
        m_acknowledged.clear();
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            const uint16_t port = SourcePortVia(i, FLOWS + i, 0);
            Post(i, Fabric().Connect(i, FLOWS + i, spec, port), BYTES);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), FLOWS, feedback << ": messages");
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 0, feedback << ": drops");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, feedback << ": frames");
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(Host(i).GetRejectedFeedback(FeedbackRejection::FORGED),
                                  0,
                                  feedback << ": taken for forged");
        }
        const int64_t endNs = m_acknowledged.back().completedNs;
        DoTeardown();
        return endNs;
    }

    void DoRun() override
    {
        const int64_t packetNs = Run("packet");
        for (const std::string feedback : {"probe",
                                           "notification",
                                           "roce-reference",
                                           "packet:worst-hop",
                                           "receiver",
                                           "receiver:n",
                                           "per-rtt",
                                           "packet:every-8th-ack"})
        {
            // If all flows stayed on one path, 8 times 5 MB over 400 Gb/s would take 1.8 times as
            // long.
            NS_TEST_EXPECT_MSG_LT_OR_EQ(Run(feedback), packetNs * 5 / 4, feedback);
        }
        NS_TEST_EXPECT_MSG_LT_OR_EQ(Run("roce-reference", "0123456789abcdef"),
                                    packetNs * 5 / 4,
                                    "with a key");
    }
};

class RefusalTestCase : public MigrationTestCase
{
  public:
    RefusalTestCase()
        : MigrationTestCase("migration is refused without telemetry that identifies hops")
    {
    }

  private:
    static std::string Refusal(const std::string& cc,
                               const std::string& telemetry,
                               const std::string& feedback = "packet")
    {
        HpccFabricHelper fabric;
        try
        {
            fabric.SetPaths("migrate");
            fabric.Install(HpccTopology::LeafSpine(2, 2, 1, {}));
            fabric.Connect(0, 1, HpccFabricHelper::MakePolicy(cc, telemetry, feedback));
        }
        catch (const HpccInputError& error)
        {
            return error.what();
        }
        return "";
    }

    void DoRun() override
    {
        for (const std::string telemetry : {"int-md", "int-md-no-ts", "ifa", "ioam"})
        {
            NS_TEST_EXPECT_MSG_EQ(Refusal("hpcc++", telemetry), "", telemetry);
        }
        NS_TEST_EXPECT_MSG_EQ(Refusal("powertcp", "int-md"), "", "any policy with telemetry");
        for (const std::string feedback : {"probe", "receiver", "every-8", "switch:dscp"})
        {
            NS_TEST_EXPECT_MSG_EQ(Refusal("hpcc++", "int-md", feedback), "", feedback);
        }
        for (const std::string feedback : {"random", "receiver:literal"})
        {
            const std::string said = Refusal("hpcc++", "int-md", feedback);
            NS_TEST_EXPECT_MSG_EQ(
                said.find("--paths migrate with --feedback " + feedback + ": ns3::Rdma"),
                0,
                said);
        }
        for (const auto& said :
             {Refusal("hpcc", "sigcomm19"), Refusal("hpcc++", "csig"), Refusal("dcqcn", "")})
        {
            NS_TEST_EXPECT_MSG_EQ((said.find("the ids of each hop") != std::string::npos),
                                  true,
                                  said);
        }
    }
};

class HpccMigrationTestSuite : public TestSuite
{
  public:
    HpccMigrationTestSuite()
        : TestSuite("hpcc-migration", Type::SYSTEM)
    {
        AddTestCase(new SpreadTestCase("400Gbps", "go-back-n", 10));
        AddTestCase(new SpreadTestCase("400Gbps", "irn", 10));
        AddTestCase(new SpreadTestCase("100Gbps", "irn", 10));
        AddTestCase(new SpreadTestCase("400Gbps", "go-back-n", 10, 4));
        AddTestCase(new SpreadTestCase("400Gbps", "go-back-n", 10, 1, 1500));
        // The queue of one path contains eight windows of B T, which are acknowledged only after 9
        // T. Until then, flows with go-back-n do not move, because packets on the new path would
        // overtake these windows.
        AddTestCase(new SpreadTestCase("100Gbps", "go-back-n", 11));
        AddTestCase(new CompletionTestCase);
        AddTestCase(new CommonLinkTestCase);
        AddTestCase(new ProbeLoadTestCase);
        AddTestCase(new FeedbackTestCase);
        AddTestCase(new AdmissionTestCase);
        AddTestCase(new SeveralFullPathsTestCase("25Gbps", 2, "packet"));
        AddTestCase(new SeveralFullPathsTestCase("10Gbps", 1, "packet"));
        AddTestCase(new SeveralFullPathsTestCase("25Gbps", 2, "receiver"));
        AddTestCase(new RefusalTestCase);
    }
};

HpccMigrationTestSuite g_hpccMigrationTestSuite; ///< registers itself

} // namespace
