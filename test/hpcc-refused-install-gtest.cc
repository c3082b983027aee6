/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-refusal.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-udp-helper.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/qbb-net-device.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t HOSTS = 3;         ///< number of hosts of the star
constexpr uint32_t SMALL_QUEUE = 500; ///< less than a full packet, bytes

/// A reason for which a helper refuses a network.
struct Fault
{
    std::string why;                ///< part of the message
    std::function<void(bool)> make; ///< makes the fault (true), or repairs it
    std::function<void()> call;     ///< the call of a helper
};

/// Tests that calls of the helpers for TCP and UDP that are refused change nothing.
class RefusedInstall : public testing::Test
{
  protected:
    RefusedInstall()
    {
        m_fabric.Install(HpccTopology::Star(HOSTS, {}));
        m_internet.Install(m_fabric);
    }

    ~RefusedInstall() override
    {
        Simulator::Destroy();
        Config::Reset();
    }

    /// Sets an attribute of a host's port.
    /// @param host number of the host
    /// @param attribute name of the attribute
    /// @param value value of the attribute
    void SetPort(uint32_t host, const std::string& attribute, const AttributeValue& value) const
    {
        m_fabric.GetDevice(host, 0)->SetAttribute(attribute, value);
    }

    /// Expects that no host has a NIC, that no port has a size of segments, and that neither
    /// formats nor limits of refused calls restrict later calls.
    void ExpectUnchanged()
    {
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            const auto node = m_fabric.GetNodes().Get(host);
            for (const char* nic : {"ns3::HpccTcpNic", "ns3::HpccUdpNic"})
            {
                EXPECT_EQ(node->GetObject<Object>(TypeId::LookupByName(nic)), nullptr) << host;
            }
            UintegerValue segment;
            m_fabric.GetDevice(host, 0)->GetAttribute("TsoSegment", segment);
            EXPECT_EQ(segment.Get(), 0U) << host;
        }
        EXPECT_EQ(RefusalOf([&] { m_fabric.SetNetworkBaseRttNs(m_baseRttNs += 1000); }), "");
        EXPECT_EQ(RefusalOf([&] { SetPort(1, "QueueLimit", UintegerValue(SMALL_QUEUE)); }), "");
        SetPort(1, "QueueLimit", UintegerValue(1000000));
        const QbbIpPort& port = QbbIpPort::Of(*m_fabric.GetDevice(1, 0));
        EXPECT_EQ(RefusalOf([&] { port.CheckMark(9, 21); }), "") << "21 is the DSCP of probes";
    }

    int64_t m_baseRttNs{50000};    ///< T of the network, ns
    HpccFabricHelper m_fabric;     ///< the network
    HpccInternetHelper m_internet; ///< IP stacks of the network
};

} // namespace

TEST_F(RefusedInstall, ChangesNeitherHostsNorPortsNorTheNetwork)
{
    const auto tcp = [&] { HpccTcpHelper().Install(m_fabric); };
    const auto udp = [&] { HpccUdpHelper().Install(m_fabric); };
    const std::string type = "ns3::TcpL4Protocol::SocketType";
    const auto makeMtu = [&](bool on) { SetPort(2, "Mtu", UintegerValue(on ? 1050 : 9216)); };
    const auto makeTso = [&](bool on) { SetPort(0, "Tso", BooleanValue(on)); };
    const auto makeDefault = [](const std::string& name, const std::string& value) {
        return [=](bool on) {
            if (on)
            {
                Config::SetDefault(name, StringValue(value));
            }
            else
            {
                Config::Reset();
            }
        };
    };
    const auto makeQueue = [&](bool on) {
        SetPort(2, "QueueLimit", UintegerValue(on ? SMALL_QUEUE : 1000000));
    };
    const std::string mtu = "packets of up to 1060, but ns3::QbbNetDevice::Mtu is 1050";
    const std::string tso = "ns3::QbbNetDevice::Tso must be the same at all hosts";
    const std::string queue = "QueueLimit is 500, allowed is at least ";
    for (const Fault& fault :
         std::vector<Fault>{{mtu, makeMtu, tcp},
                            {tso, makeTso, tcp},
                            {tso, makeTso, [&] { HpccTcpHelper().Tune(m_fabric); }},
                            {type + " is ns3::TcpHpccPlusPlus by default",
                             makeDefault(type, "ns3::TcpHpccPlusPlus"),
                             tcp},
                            {"ns3::HpccTcpNic::ProbeDscp and ResponseDscp are both 22",
                             makeDefault("ns3::HpccTcpNic::ProbeDscp", "22"),
                             tcp},
                            {"ns3::HpccUdpNic::ProbeDscp and ResponseDscp are both 22",
                             makeDefault("ns3::HpccUdpNic::ProbeDscp", "22"),
                             udp},
                            {"ns3::UdpSocket::RcvBufSize is 100",
                             makeDefault("ns3::UdpSocket::RcvBufSize", "100"),
                             udp},
                            {queue, makeQueue, tcp},
                            {queue, makeQueue, udp}})
    {
        SCOPED_TRACE(fault.why);
        fault.make(true);
        const std::string why = RefusalOf(fault.call);
        EXPECT_NE(why.find(fault.why), std::string::npos) << why;
        fault.make(false);
        ExpectUnchanged();
    }
    EXPECT_EQ(RefusalOf(tcp), "");
    EXPECT_EQ(RefusalOf(udp), "");
}
