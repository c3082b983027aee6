/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A switch agent that counts packets, and a program that installs it and prints its counts.

#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-switch-agent.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"

#include <array>
#include <cstdint>
#include <iostream>
#include <vector>

using namespace ns3;

namespace
{

// begin agent
/// Counts the packets that each port of a switch forwards, by DSCP.
class DscpCounter : public SwitchAgent
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            HpccTypeId::Of<DscpCounter, SwitchAgent>("ns3::DscpCounter").Presets("dscp-counter");
        return tid;
    }

    void Install(const std::vector<QbbNetDevice*>& ports, Time) override
    {
        m_packets.resize(ports.size());
    }

    void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t) override
    {
        ++m_packets[port.GetPortIndex()][frame.tos >> 2];
    }

    uint64_t GetPackets(uint32_t port, uint8_t dscp) const
    {
        return m_packets[port][dscp];
    }

  private:
    std::vector<std::array<uint64_t, 64>> m_packets; ///< by port and DSCP
};

NS_OBJECT_ENSURE_REGISTERED(DscpCounter);
// end agent

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        HpccExperiment experiment("dscp-count", "An incast whose switch counts packets", "dcqcn");
        experiment.Parse(argc, argv);
        constexpr uint32_t senders = 4;
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(senders + 1, {});
        for (uint32_t source = 0; source < senders; ++source)
        {
            scenario.flows.push_back({source, senders, 500000, 0, 0, 0});
        }
        // begin install
        scenario.connected = [](HpccFabricHelper& fabric) {
            fabric.AddSwitchAgent("dscp-counter");
        };
        scenario.finished = [](HpccFabricHelper& fabric, const auto&, const auto&) {
            const auto agent = fabric.GetSwitch(senders + 1)->GetObject<DscpCounter>();
            for (uint32_t port : {0U, senders})
            {
                for (uint8_t dscp = 0; dscp < 64; ++dscp)
                {
                    if (const uint64_t packets = agent->GetPackets(port, dscp))
                    {
                        std::cout << "port " << port << ", DSCP " << +dscp << ": " << packets
                                  << " packets\n";
                    }
                }
            }
        };
        // end install
        experiment.Run(scenario);
    });
}
