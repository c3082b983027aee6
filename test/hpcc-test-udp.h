/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_UDP_H
#define HPCC_TEST_UDP_H

#include "hpcc-test-streams.h"

#include "ns3/config.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-udp-application.h"
#include "ns3/hpcc-udp-helper.h"
#include "ns3/hpcc-udp-nic.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/udp-client-server-helper.h"
#include "ns3/udp-server.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hpcctest
{

using namespace ns3;

/// A fabric in which UDP flows run HPCC++.
class UdpNetwork
{
  public:
    /// @param topology the network
    void Make(const HpccTopology& topology)
    {
        fabric.Install(topology);
        internet.Install(fabric);
        udp.Install(fabric);
    }

    /**
     * Installs a flow.
     * @param from number of the sending host
     * @param to number of the receiving host
     * @param bytes payload
     * @param at start time
     * @param ipv6 true for IPv6, false for IPv4
     * @return the sending application
     */
    Ptr<HpccUdpApplication> Add(uint32_t from,
                                uint32_t to,
                                uint64_t bytes,
                                Time at = MicroSeconds(10),
                                bool ipv6 = false)
    {
        const auto port = static_cast<uint16_t>(5000 + senders.size());
        const Address remote =
            ipv6 ? Address(Inet6SocketAddress(HpccInternetHelper::GetIpv6Address(to), port))
                 : Address(InetSocketAddress(HpccInternetHelper::GetIpv4Address(to), port));
        const auto sender = udp.Add(fabric.GetNodes().Get(from), remote, bytes, at);
        senders.push_back(DynamicCast<HpccUdpApplication>(sender));
        UdpServerHelper helper(port);
        servers.push_back(DynamicCast<UdpServer>(helper.Install(fabric.GetNodes().Get(to)).Get(0)));
        return senders.back();
    }

    /// Returns the NIC of @p host.
    Ptr<HpccUdpNic> NicOf(uint32_t host) const
    {
        return fabric.GetNodes().Get(host)->GetObject<HpccUdpNic>();
    }

    HpccFabricHelper fabric;                      ///< the network
    HpccInternetHelper internet;                  ///< IP stacks of the network
    HpccUdpHelper udp;                            ///< HPCC++ in these stacks
    std::vector<Ptr<HpccUdpApplication>> senders; ///< senders by flow
    std::vector<Ptr<UdpServer>> servers;          ///< receivers by flow
};

class UdpTestCase : public TestCase
{
  public:
    explicit UdpTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    void DoTeardown() override
    {
        m_net.senders.clear();
        m_net.servers.clear();
        Simulator::Destroy();
        Config::Reset();
    }

    UdpNetwork m_net; ///< the network
};

} // namespace hpcctest

#endif // HPCC_TEST_UDP_H
