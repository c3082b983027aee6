/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_UDP_HELPER_H
#define HPCC_UDP_HELPER_H

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * HPCC++ for UDP on the hosts of an HpccFabricHelper, which need the stacks of HpccInternetHelper:
 *
 * @code
 * HpccUdpHelper udp;
 * udp.Install(fabric);
 * udp.Add(fabric.GetNodes().Get(0), InetSocketAddress(address, 9), 1000000, MicroSeconds(10));
 * UdpServerHelper(9).Install(fabric.GetNodes().Get(1));
 * @endcode
 */
class HpccUdpHelper
{
  public:
    HpccUdpHelper();

    /**
     * Sets an attribute of every HpccUdpNic. Must not be called after Install().
     * @param name name of the attribute
     * @param value value of the attribute
     */
    void SetNicAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Sets an attribute of the HpccUdpApplications that are added later.
     * @param name name of the attribute; PacketSize, Remote and MaxBytes throw HpccInputError
     * @param value value of the attribute
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Chooses the telemetry format of probes. Must not be called after Install().
     * @param name short name of the format, int-md:dscp by default. If a DSCP marks the format, its
     * attribute Dscp is set to HpccUdpNic::ProbeDscp
     */
    void SetTelemetry(const std::string& name);

    /// Sets the payload of a datagram, HpccUdpApplication::PacketSize. Must not be called after
    /// Install(). T is computed for packets of RdmaHost::Mtu, so with larger datagrams even a flow
    /// that is alone does not reach the line rate.
    /// @param bytes the payload, 24 to 65507; 0, the default, selects RdmaHost::Mtu of the first
    /// host
    void SetPacketSize(uint32_t bytes);

    /**
     * Installs an HpccUdpNic in each host. Settings that do not fit throw HpccInputError, and
     * change no host and no switch.
     * @param fabric the network after Install(), with HpccInternetHelper's stacks
     */
    void Install(const HpccFabricHelper& fabric);

    /**
     * Adds a sender to a host.
     * @param node the host; throws HpccInputError before Install()
     * @param remote address of another host
     * @param bytes payload; 0: unlimited
     * @param start time of the first packet; a time before now throws HpccInputError
     * @return the sender, an HpccUdpApplication
     */
    Ptr<Application> Add(Ptr<Node> node, const Address& remote, uint64_t bytes, Time start);

  private:
    ObjectFactory m_nicFactory;             ///< makes NICs
    ObjectFactory m_factory;                ///< makes senders
    std::string m_telemetry{"int-md:dscp"}; ///< short name of the telemetry format
    uint32_t m_packetBytes{0};              ///< payload of a datagram, bytes; 0: RdmaHost::Mtu of
                                            ///< the first host
    bool m_installed{false};                ///< true after Install()
};

} // namespace ns3

#endif // HPCC_UDP_HELPER_H
