/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/hpcc-byte-stream.h"
#include "ns3/hpcc-drop-report.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-partition.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/qbb-net-device.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Rank 0 of two. The other rank has data packets and a warning of its own.
class FirstRank : public HpccRanks
{
  public:
    /// Creates the rank.
    /// @param warning warning of the other rank
    /// @param frameBytes size of the largest data frame of the other rank, bytes
    FirstRank(const std::string& warning, uint32_t frameBytes)
        : m_warning(warning)
    {
        m_data.Put(frameBytes);
        m_data.Put(uint8_t{1 << 3});
    }

    uint32_t GetRank() const override
    {
        return 0;
    }

    uint32_t GetSize() const override
    {
        return 2;
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

    void Join(QbbChannel& channel, QbbNetDevice&) override
    {
        channel.SetRanks(this, 1, 0, channel.GetDelayNs());
    }

    void Carry(uint32_t, uint32_t, Frame* frame) override
    {
        FramePool::Free(frame);
    }

    std::vector<std::string> Exchange(const std::string& mine) override
    {
        ++m_exchanges;
        return {mine, m_exchanges == 1 ? m_data.GetBytes() : m_warning};
    }

    uint32_t GetMaxPacketBytes(bool) const override
    {
        return UINT32_MAX;
    }

  private:
    std::string m_warning;
    HpccByteStream m_data;   ///< data packets of the other rank, which are exchanged first
    uint32_t m_exchanges{0}; ///< calls of Exchange()
};

/**
 * Returns the warning about the headroom in a fat tree of four ports per switch.
 * @param spec policy and telemetry of a queue pair
 * @param headroomBytes headroom of all ports
 * @param ranks the ranks; null: one process
 */
std::string
WarningOf(const HpccFabricHelper::PolicySpec& spec, uint64_t headroomBytes, HpccRanks* ranks)
{
    const HpccTopology network = HpccTopology::ByName("fat-tree:4");
    HpccFabricHelper fabric;
    fabric.SetBufferAttribute("HeadroomBytes", UintegerValue(headroomBytes));
    if (ranks)
    {
        fabric.SetRanks(ranks, HpccPartition(network, "pod", 2).GetRankOf());
    }
    fabric.Install(network);
    fabric.Connect(0, 15, spec);
    std::string warning = HpccDropReport::DescribeHeadroom(fabric);
    Simulator::Destroy();
    return warning;
}

/// Returns the number of bytes that may arrive according to a warning.
/// @param warning the warning
uint64_t
NeededBytes(const std::string& warning)
{
    const std::string before = "but up to ";
    const size_t at = warning.find(before);
    EXPECT_NE(at, std::string::npos) << warning;
    return at == std::string::npos ? 0 : std::stoull(warning.substr(at + before.size()));
}

} // namespace

TEST(HpccDropReport, EveryDropHasItsReason)
{
    HpccFabricHelper fabric;
    fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    fabric.SetHostAttribute("Recovery", StringValue("irn"));
    fabric.SetBuffer("static");
    fabric.SetBufferAttribute("QueueBytes", UintegerValue(5000));
    fabric.ScheduleLinkDown(0, MicroSeconds(10));
    fabric.ScheduleLinkUp(0, MicroSeconds(20));
    fabric.Install(HpccTopology::Star(3, {}));
    const auto spec = HpccFabricHelper::MakePolicy("none");
    for (uint32_t host : {0U, 1U})
    {
        fabric.AddMessage(host, fabric.Connect(host, 2, spec), 1000000, Time(0));
    }
    EXPECT_EQ(HpccDropReport::Describe(fabric), "");
    fabric.EndAt(MilliSeconds(1));
    Simulator::Run();
    fabric.CatchUp();
    uint64_t limit = 0;
    uint64_t route = 0;
    uint64_t down = 0;
    uint64_t all = 0;
    for (const auto& device : fabric.GetDevices())
    {
        limit += device->GetDrops(DropReason::EGRESS_LIMIT);
        route += device->GetDrops(DropReason::NO_ROUTE);
        down += device->GetDrops(DropReason::LINK_DOWN);
        all += device->GetDrops();
    }
    EXPECT_GT(limit, 0U);
    EXPECT_GT(route, 0U);
    EXPECT_GT(down, 0U);
    EXPECT_EQ(limit + route + down, all);
    EXPECT_EQ(HpccDropReport::Describe(fabric),
              "frames dropped: " + std::to_string(limit) + " egress-limit, " +
                  std::to_string(route) + " no-route, " + std::to_string(down) + " link-down");
    Simulator::Destroy();
}

TEST(HpccDropReport, TheHeadroomMustHoldFramesWithTheirTelemetry)
{
    constexpr uint64_t FRAMES = 3;   // frames in the formula of the headroom
    constexpr uint64_t SWITCHES = 4; // most switches before the last one of a path
    const auto none = [](uint64_t headroom) {
        return WarningOf(HpccFabricHelper::MakePolicy("none"), headroom, nullptr);
    };
    const auto hpcc = [](uint64_t headroom) {
        return WarningOf(HpccFabricHelper::MakePolicy("hpcc++"), headroom, nullptr);
    };
    const auto format = HpccFabricHelper::MakePolicy("hpcc++").format;
    const uint64_t without = NeededBytes(none(1));
    EXPECT_EQ(none(without), "");
    const uint64_t ofHosts = NeededBytes(hpcc(without));
    EXPECT_EQ(ofHosts, without + FRAMES * format->GetBaseBytes());
    const uint64_t ofSwitches = NeededBytes(hpcc(ofHosts));
    EXPECT_EQ(ofSwitches, ofHosts + FRAMES * SWITCHES * format->GetHopBytes());
    EXPECT_EQ(hpcc(ofSwitches), "");
}

TEST(HpccDropReport, AHeadroomOfAnotherRankIsReported)
{
    const std::string theirs = "node 30, port 1: a warning";
    for (const std::string& other : {std::string(), theirs})
    {
        const auto ranks = CreateObject<FirstRank>(other, 1000);
        EXPECT_EQ(WarningOf(HpccFabricHelper::MakePolicy("none"), 100000, PeekPointer(ranks)),
                  other);
    }
    const auto ranks = CreateObject<FirstRank>(theirs, 1000);
    const std::string mine = WarningOf(HpccFabricHelper::MakePolicy("none"), 1, PeekPointer(ranks));
    EXPECT_NE(mine.find("has a headroom of 1 bytes"), std::string::npos) << mine;
    const auto large = CreateObject<FirstRank>("", 1000000);
    const std::string here =
        WarningOf(HpccFabricHelper::MakePolicy("none"), 100000, PeekPointer(large));
    EXPECT_NE(here.find("has a headroom of 100000 bytes"), std::string::npos) << here;
}
