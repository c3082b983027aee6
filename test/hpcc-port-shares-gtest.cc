/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-refusal.h"
#include "hpcc-test-star-refusals.h"

#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-priority-scheduler.h"
#include "ns3/hpcc-topology.h"
#include "ns3/pointer.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-port-watch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Tests the shares of priorities at a port.
class PortShares : public StarRefusals
{
  protected:
    /// Returns the share of a priority at a port.
    /// @param port the port
    /// @param priority the priority
    static double ShareOf(const QbbNetDevice& port, uint8_t priority)
    {
        return port.GetScheduler().GetShare(priority);
    }

    /// Sets the attribute Sharing of the scheduler of a port.
    /// @param port the port
    /// @param sharing PriorityScheduler::Sharing
    /// @return the message with which the value is refused; empty if it is accepted
    static std::string Share(const QbbNetDevice& port, const std::string& sharing)
    {
        return RefusalOf(
            [&] { port.GetScheduler().SetAttribute("Sharing", StringValue(sharing)); });
    }

    /// Installs a star with hosts 0 and 1 and switch 2. Ports divide their rates into shares, and
    /// telemetry reports the shares.
    /// @param fabric the network
    static void InstallWithShares(HpccFabricHelper& fabric)
    {
        fabric.SetTelemetryAgentAttribute("Bandwidth", StringValue("Share"));
        fabric.SetScheduler("dwrr");
        fabric.Install(HpccTopology::Star(2, FAST));
    }
};

/// Counts the frames that a port sends.
class Counter : public QbbPortWatch
{
  public:
    void QueueChanged(uint64_t, int64_t) override
    {
    }

    void Transmitted(int64_t, const Frame&) override
    {
        ++frames;
    }

    uint64_t frames{0}; ///< frames sent
};

} // namespace

TEST_F(PortShares, AChangeOfSharingActsAtOnceAndNotWithALaterAttribute)
{
    const auto port = Fabric().GetDevice(2, 0);
    EXPECT_EQ(ShareOf(*port, 0), 1) << "strict except for the ring of lossless priorities";
    EXPECT_EQ(Share(*port, "All"), "");
    EXPECT_EQ(ShareOf(*port, 0), 0.125);
    EXPECT_EQ(port->GetPerPriority().watched, 0xff);
    EXPECT_EQ(ShareOf(*Fabric().GetDevice(2, 1), 0), 1) << "another port";
    EXPECT_EQ(Share(*port, "None"), "");
    EXPECT_EQ(ShareOf(*port, 0), 1);
    EXPECT_EQ(port->GetPerPriority().watched, 0);
    port->SetAttribute("Weights", StringValue(""));
    EXPECT_EQ(ShareOf(*port, 0), 1);
}

TEST_F(PortShares, SharingThatWouldChangeSharesInUseIsRefusedInOneLineAndChangesNothing)
{
    HpccFabricHelper fabric;
    InstallWithShares(fabric);
    const auto port = fabric.GetDevice(2, 0);
    Expect(Share(*port, "None"), {"ns3::PriorityScheduler::Sharing: ", "before Install()"});
    EXPECT_EQ(ShareOf(*port, 3), 0.125);
    StringValue sharing;
    port->GetScheduler().GetAttribute("Sharing", sharing);
    EXPECT_EQ(sharing.Get(), "All");
    EXPECT_EQ(RefusalOf([&] { port->SetAttribute("Quantum", UintegerValue(3000)); }), "");
    EXPECT_EQ(ShareOf(*port, 3), 0.125);
    EXPECT_EQ(Share(*port, "All"), "") << "the same value";
}

TEST_F(PortShares, RefusedWeightsAndSchedulersLeaveThePortAsItWas)
{
    const auto port = Fabric().GetDevice(2, 0);
    EXPECT_EQ(Share(*port, "None"), "");
    Expect(RefusalOf([&] { port->SetAttribute("Weights", StringValue("3:1,4:3")); }),
           {"ns3::QbbNetDevice::Weights \"3:1,4:3\" has no effect"});
    StringValue weights;
    port->GetAttribute("Weights", weights);
    EXPECT_EQ(weights.Get(), "");
    EXPECT_EQ(RefusalOf([&] { port->SetAttribute("Quantum", UintegerValue(3000)); }), "");
    EXPECT_EQ(Share(*port, "Lossless"), "");
    port->SetAttribute("Weights", StringValue("3:1,4:3"));
    const auto strict = CreateObject<PriorityScheduler>();
    strict->SetAttribute("Sharing", StringValue("None"));
    Expect(RefusalOf([&] { port->SetAttribute("Scheduler", PointerValue(strict)); }),
           {"ns3::QbbNetDevice::Weights \"3:1,4:3\" has no effect"});
    EXPECT_EQ(ShareOf(*port, 4), 0.75);
    EXPECT_EQ(RefusalOf([&] {
                  Fabric().GetDevice(2, 1)->SetAttribute("Scheduler", PointerValue(strict));
              }),
              "")
        << "the first port does not have it";
}

TEST_F(PortShares, AfterTheEndOfTheSimulatorAttributesOfSharesAreHarmless)
{
    HpccFabricHelper fabric;
    InstallWithShares(fabric);
    const auto port = fabric.GetDevice(2, 0);
    Simulator::Destroy();
    EXPECT_EQ(RefusalOf([&] { port->SetAttribute("Weights", StringValue("3:1,4:3")); }), "");
    EXPECT_EQ(RefusalOf([&] { port->SetAttribute("Quantum", UintegerValue(3000)); }), "");
    EXPECT_EQ(RefusalOf([&] {
                  port->SetAttribute("Scheduler", PointerValue(CreateObject<PriorityScheduler>()));
              }),
              "");
}

TEST_F(PortShares, AnAttributeOfAPortChangesNoOtherPort)
{
    const auto& ports = Fabric().GetDevices();
    const TypeId type = QbbNetDevice::GetTypeId();
    const auto valuesOf = [&](const QbbNetDevice& port) {
        std::string all;
        for (size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            StringValue value;
            const std::string name = type.GetAttribute(i).name;
            if (name != "Scheduler" && name != "ReceiveErrorModel")
            {
                port.GetAttribute(name, value);
                all += name + "=" + value.Get() + ";";
            }
        }
        for (uint8_t p = 0; p < PRIORITIES; ++p)
        {
            all += std::to_string(ShareOf(port, p)) + ";";
        }
        return all;
    };
    const std::string before = valuesOf(*ports[1]);
    for (const auto& [name, value] : {std::pair("Weights", "3:1,4:3"),
                                      {"Quantum", "3000"},
                                      {"DscpToPriority", "26:5"},
                                      {"LosslessPriorities", "24"},
                                      {"Mtu", "1500"},
                                      {"QueueLimit", "5000"},
                                      {"PauseQuanta", "500"},
                                      {"CountOverhead", "false"}})
    {
        const std::string own = valuesOf(*ports[0]);
        ports[0]->SetAttribute(name, StringValue(value));
        EXPECT_NE(valuesOf(*ports[0]), own) << name;
        EXPECT_EQ(valuesOf(*ports[1]), before) << name;
    }
}

TEST_F(PortShares, AWatchOfTwoPortsIsRefusedInOneLineAndTheWatchesOfBothStaySeparate)
{
    Counter first;
    Counter second;
    const auto here = Fabric().GetDevice(2, 0);
    const auto there = Fabric().GetDevice(2, 1);
    here->AddWatch(first);
    there->AddWatch(second);
    for (const auto& port : {there, here})
    {
        Expect(RefusalOf([&] { port->AddWatch(first); }),
               {"ns3::QbbNetDevice::AddWatch: ", "one of its own for each port"});
    }
    const auto spec = HpccFabricHelper::MakePolicy("none");
    Fabric().AddMessage(0, Fabric().Connect(0, 1, spec), 100000, Time(0));
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    EXPECT_EQ(first.frames, 100U) << "ACKs";
    EXPECT_EQ(second.frames, 100U) << "data";
}
