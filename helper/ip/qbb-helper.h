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
 * Puts QbbNetDevices on nodes that a program has made itself, as PointToPointHelper and CsmaHelper
 * do with their devices, so that a program written for those needs no other changes. For more than
 * one switch, and for RDMA, there is HpccFabricHelper.
 *
 * - Two nodes are joined by a link. ns-3's IP stack at either end may route, and
 *   Ipv4GlobalRoutingHelper::PopulateRoutingTables() sees the link as a point-to-point one.
 * - More nodes get a QbbSwitch between them, at a node of its own. When the simulation begins it
 *   takes over the IPv4 addresses that the other ends of its links have by then; only these are
 *   reachable. ns-3's global routing regards it as an end of each link and cannot be used.
 * - IPv6 is for the addresses of HpccInternetHelper only (QbbIpPort).
 *
 * Ports stop the queues of ns3's traffic control, so Ipv4AddressHelper installs the default queue
 * discs, one for each priority. Pcap and ascii traces use the usual names and events of ns-3.
 */
class QbbHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    QbbHelper();

    /**
     * @param name attribute of every QbbNetDevice, those of the switch included
     * @param value its value
     */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param name attribute of every QbbChannel
     * @param value its value
     */
    void SetChannelAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param nodes the nodes, at least two
     * @return their new devices, in the order of the nodes
     */
    NetDeviceContainer Install(const NodeContainer& nodes) const;

    /**
     * Joins two nodes by a link.
     * @param a a node
     * @param b another one
     * @return their new devices
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
     * @param a a node
     * @param b another one
     * @return their new devices, without queues
     */
    NetDeviceContainer Link(Ptr<Node> a, Ptr<Node> b) const;

    ObjectFactory m_devices;  ///< makes devices
    ObjectFactory m_channels; ///< makes channels
};

} // namespace ns3

#endif // QBB_HELPER_H
