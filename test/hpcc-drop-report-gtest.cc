/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/hpcc-drop-report.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/qbb-net-device.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;

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
