/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FABRIC_INSTALLER_H
#define HPCC_FABRIC_INSTALLER_H

#include "hpcc-fabric-network.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Makes the nodes, links, switches and hosts of a network. The class works on
 * HpccFabricHelper::Network. Its only own state is m_next.
 */
class HpccFabricHelper::Installer
{
  public:
    using Edge = Network::Edge;           ///< see Network
    using LinkEvent = Network::LinkEvent; ///< see Network

    /// Creates the installer of a network.
    /// @param fabric the helper; must not be moved while this object is in use
    explicit Installer(const HpccFabricHelper& fabric)
        : m_fabric(fabric),
          m_network(*fabric.m_network)
    {
    }

    /// Checks the planned changes of links, passes them to the devices, and sorts them by time.
    void PlanLinks();

    /// If SetPerPathBaseRtt() was not called, selects T per path if the ports of some host have
    /// different rates or delays.
    void DefaultBaseRtt();

    /// Installs the devices of a link, unless both ends are at other ranks.
    /// @param link link of the topology
    void InstallLink(const HpccTopology::Link& link);

    /**
     * Makes a port of a node.
     * @param node number of a node
     * @param rateBps line rate, bit/s
     * @return the new device
     */
    Ptr<QbbNetDevice> InstallDevice(uint32_t node, uint64_t rateBps);

    /// Installs a switch at a node. For a node at another rank, only the routes of the switch are
    /// used.
    /// @param i number of the node
    void InstallSwitch(uint32_t i);

    /**
     * Makes the RDMA stack of a node.
     * @param i number of the node
     * @return the stack
     */
    Ptr<RdmaHost> InstallHost(uint32_t i);

    /// Makes the nodes and assigns each to its rank.
    void CreateNodes();

    /// Connects the links between ranks.
    void JoinRanks();

    /// If TelemetryAgent::Bandwidth is Share, gives the hosts the guaranteed bandwidth of each
    /// class at each port. If this attribute is Share or Residual, refuses schedulers that
    /// guarantee no share or that differ between ports.
    void ShareInventory();

  private:
    /// Returns a new port with the attributes of the helper.
    Ptr<QbbNetDevice> MakePort();

    const HpccFabricHelper& m_fabric; ///< the helper
    Network& m_network;               ///< network of the helper
    Ptr<QbbNetDevice> m_next;         ///< port that the next call of MakePort() returns; null if
                                      ///< that call creates its own port
};

} // namespace ns3

#endif // HPCC_FABRIC_INSTALLER_H
