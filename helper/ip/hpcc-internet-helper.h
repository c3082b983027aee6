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
 * Installs ns-3's IP stack on the nodes of an HpccFabricHelper, so that ns-3's applications can use
 * its network in parallel with RDMA.
 *
 * Host number i gets the addresses for which the switches have routes. Its IPv4 address is 11.0.0.1
 * plus i, in 11.0.0.0/8. Its IPv6 address is in fd68:7063:6300::/96; the last 32 bits are the IPv4
 * address. To ns-3, all hosts are on one link, so they need no routes; the switches forward by
 * their own routes.
 *
 * Between the stack and each port there is a queue disc of type mq with a FIFO per priority. A FIFO
 * releases packets as long as the port's queue of that priority is shorter than
 * QbbNetDevice::QueueStop. If TCP sends faster than the link, packets wait in the FIFOs; see
 * GetQueues().
 *
 * A switch gets an IPv4 stack without interfaces or GlobalRouter. No packet ever reaches this
 * stack; it exists because Ipv4GlobalRoutingHelper::PopulateRoutingTables() aborts if a neighbour
 * of a host has no IPv4 stack. FlowMonitorHelper may be installed on all nodes; it records packets
 * only at the hosts.
 */
class HpccInternetHelper
{
  public:
    /// The packets that wait in the FIFOs of a host. If a port refuses a packet, the FIFO holds it
    /// back for another attempt. Such a packet, at most one per FIFO, is not counted here.
    struct Queue
    {
        uint32_t host{0};      ///< number of the host
        uint64_t bytes{0};     ///< bytes waiting now
        uint64_t peakBytes{0}; ///< highest value of bytes so far
        uint64_t drops{0};     ///< number of packets dropped because a FIFO was full
        double byteNs{0};      ///< integral of the waiting bytes over time until sinceNs, byte ns
        int64_t sinceNs{0};    ///< time of the last change of bytes, ns
    };

    /// Selects whether hosts also have IPv6. Ports drop IPv6 router solicitations, see QbbIpPort.
    /// Must not be called after Install().
    /// @param enable true, the default, if hosts have IPv6
    void SetIpv6(bool enable);

    /// Sets the size of each FIFO. Packets that do not fit are dropped. Must not be called after
    /// Install().
    /// @param maxSize size, such as "16MB", the default, or "1000p"
    void SetQueueSize(const std::string& maxSize);

    /**
     * Installs the stacks. Throws HpccInputError if called twice, if ns3::TcpSocket::SegmentSize
     * does not fit an IP packet, if a node already has an IP stack, or if a host has several ports.
     * @param fabric the network after Install()
     */
    void Install(const HpccFabricHelper& fabric);

    /**
     * Assigns each random variable of the stacks its own stream.
     * @param fabric the network, with the stacks installed
     * @param stream first stream
     * @return number of streams used
     */
    int64_t AssignStreams(const HpccFabricHelper& fabric, int64_t stream) const;

    /// Returns the state of the FIFOs of each host, in the order of the hosts' numbers. The states
    /// may outlive this helper.
    const std::vector<std::shared_ptr<Queue>>& GetQueues() const
    {
        return m_queues;
    }

    /**
     * Returns the IPv4 address of a host.
     * @param host number of a host
     */
    static Ipv4Address GetIpv4Address(uint32_t host);

    /**
     * Returns the IPv6 address of a host.
     * @param host number of a host
     */
    static Ipv6Address GetIpv6Address(uint32_t host);

  private:
    /**
     * Installs the stack of a host.
     * @param host number of a host
     * @param device port of the host
     */
    void InstallHost(uint32_t host, Ptr<QbbNetDevice> device);
    /**
     * Installs the FIFOs of a host.
     * @param host number of a host
     * @param device port of the host
     */
    void InstallQueues(uint32_t host, Ptr<QbbNetDevice> device);
    /**
     * Updates the record of a host's FIFOs after the length of one FIFO has changed.
     * @param queue record of the host
     * @param before bytes in the FIFO before the change
     * @param now bytes in the FIFO after the change
     */
    static void Changed(std::shared_ptr<Queue> queue, uint32_t before, uint32_t now);
    /**
     * Counts a packet that a FIFO drops.
     * @param queue record of the host
     * @param item the packet
     */
    static void Dropped(std::shared_ptr<Queue> queue, Ptr<const QueueDiscItem> item);

    bool m_ipv6{true};                            ///< true if hosts have IPv6
    std::string m_queueSize{"16MB"};              ///< size of each FIFO, see SetQueueSize()
    std::vector<std::shared_ptr<Queue>> m_queues; ///< waiting packets, by host
};

} // namespace ns3

#endif // HPCC_INTERNET_HELPER_H
