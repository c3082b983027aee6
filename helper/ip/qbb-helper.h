/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_HELPER_H
#define QBB_HELPER_H

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/qbb-net-device.h"
#include "ns3/trace-helper.h"

#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Installs QbbNetDevices on nodes that a program has made itself, as PointToPointHelper and
 * CsmaHelper install their devices. To change a program written for one of these helpers, replace
 * the helper by QbbHelper. There is one difference: CsmaHelper's DataRate is an attribute of the
 * channel, whereas DataRate is always an attribute of devices here. For more than one switch, and
 * for RDMA, use HpccFabricHelper.
 *
 * - Two nodes are joined by a link. ns-3's IP stack at either end may route, and
 *   Ipv4GlobalRoutingHelper::PopulateRoutingTables() sees the link as a point-to-point one.
 * - More than two nodes are joined by a QbbSwitch on an additional node. When the simulation
 * begins, the switch reads the IPv4 addresses of the other ends of its links; it forwards only to
 * these addresses. ns-3's global routing cannot be used, because it takes the switch for an end of
 * each link.
 * - IPv6 works only with the addresses of HpccInternetHelper (see QbbIpPort).
 *
 * Ports can stop the queues of ns-3's traffic control. Therefore Ipv4AddressHelper installs the
 * default queue discs, one for each priority. Pcap and ascii traces use the usual names and events
 * of ns-3.
 */
class QbbHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    QbbHelper();

    /**
     * Sets an attribute of every QbbNetDevice, including those of the switch.
     * @param name name of the attribute
     * @param value value of the attribute
     */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Sets an attribute of every QbbChannel.
     * @param name name of the attribute
     * @param value value of the attribute
     */
    void SetChannelAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Joins nodes by a link or a switch.
     * @param nodes the nodes, at least two
     * @return the new devices of the nodes, in the order of the nodes
     */
    NetDeviceContainer Install(const NodeContainer& nodes) const;

    /**
     * Joins two nodes by a link.
     * @param a a node
     * @param b another node
     * @return the new devices of the nodes
     */
    NetDeviceContainer Install(Ptr<Node> a, Ptr<Node> b) const;

  protected:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> device,
                             bool explicitFilename) override;

  private:
    /**
     * Joins two nodes by a link.
     * @param a a node
     * @param b another node
     * @return the new devices of the nodes, without queues
     */
    NetDeviceContainer Link(Ptr<Node> a, Ptr<Node> b) const;

    ObjectFactory m_devices;  ///< makes devices
    ObjectFactory m_channels; ///< makes channels
};

} // namespace ns3

#endif // QBB_HELPER_H
