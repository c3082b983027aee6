/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_INTERNET_HELPER_H
#define HPCC_INTERNET_HELPER_H

#include "ns3/hpcc-fabric-helper.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/queue-disc.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Puts ns-3's IP stack on the nodes of an HpccFabricHelper, so that any application of ns-3 runs
 * over its network, next to RDMA.
 *
 * Host number i gets the addresses by which the switches know it: 11.0.0.1 + i in 11.0.0.0/8 and,
 * in IPv6, fd68:7063:6300:: with that IPv4 address in its last 32 bits, in a /96. For ns-3 all
 * hosts are on one link, so no routes are needed; the switches forward by routes of their own.
 *
 * Between the stack and each port stands a queue disc of type mq with a FIFO per priority. A FIFO
 * passes a packet on when the port's queue of that priority is below QbbNetDevice::QueueStop, so
 * packets that TCP has sent and the link has not yet taken wait here; see GetQueues().
 *
 * A switch gets an IPv4 stack without interfaces or GlobalRouter. Nothing ever reaches it; it is
 * there because Ipv4GlobalRoutingHelper::PopulateRoutingTables() asks every neighbour of a host
 * for one and ends the program where there is none. FlowMonitorHelper may be installed on all
 * nodes; it sees the packets at the hosts only.
 */
class HpccInternetHelper
{
  public:
    /// The packets that wait in the FIFOs of a host. A packet that the port has refused, at most
    /// one per FIFO, is not counted.
    struct Queue
    {
        uint32_t host{0};      ///< number of the host
        uint64_t bytes{0};     ///< now
        uint64_t peakBytes{0}; ///< most ever
        uint64_t drops{0};     ///< packets dropped for want of room
        double byteNs{0};      ///< sum of bytes times ns until sinceNs
        int64_t sinceNs{0};    ///< since when there are as many bytes as now
    };

    /// Selects whether hosts also have IPv6. Its router solicitations are dropped by the ports, see
    /// QbbIpPort.
    /// @param enable true, the default, if they have
    void SetIpv6(bool enable);

    /// Sets the size of each FIFO. Packets that do not fit are dropped.
    /// @param maxSize such as "16MB", the default, or "1000p"
    void SetQueueSize(const std::string& maxSize);

    /**
     * Installs the stacks, once. Throws HpccInputError if ns3::TcpSocket::SegmentSize is set to
     * what does not fit an IP packet.
     * @param fabric the network, installed. This must live until the simulation is over
     */
    void Install(const HpccFabricHelper& fabric);

    /// @return the bytes that wait in the FIFOs, by host in the order of their numbers
    const std::vector<std::unique_ptr<Queue>>& GetQueues() const
    {
        return m_queues;
    }

    /**
     * @param host number of a host
     * @return its address
     */
    static Ipv4Address GetIpv4Address(uint32_t host);

    /**
     * @param host number of a host
     * @return its address
     */
    static Ipv6Address GetIpv6Address(uint32_t host);

  private:
    /**
     * Installs the stack of a host.
     * @param host number of a host
     * @param device its port
     */
    void InstallHost(uint32_t host, Ptr<QbbNetDevice> device);
    /**
     * Installs the FIFOs of a host.
     * @param host number of a host
     * @param device its port
     */
    void InstallQueues(uint32_t host, Ptr<QbbNetDevice> device);
    /**
     * Updates the bytes of a host's FIFOs.
     * @param queue the host's
     * @param before bytes of one of its FIFOs before the change
     * @param now bytes after the change
     */
    static void Changed(Queue* queue, uint32_t before, uint32_t now);
    /**
     * Counts a packet that a FIFO drops.
     * @param queue the host's
     * @param item the packet
     */
    static void Dropped(Queue* queue, Ptr<const QueueDiscItem> item);

    bool m_ipv6{true};                            ///< see SetIpv6()
    std::string m_queueSize{"16MB"};              ///< see SetQueueSize()
    std::vector<std::unique_ptr<Queue>> m_queues; ///< see GetQueues()
};

} // namespace ns3

#endif // HPCC_INTERNET_HELPER_H
