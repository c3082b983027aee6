/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_IWARP_HELPER_H
#define HPCC_IWARP_HELPER_H

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * RDMA WRITEs over ns-3's TCP (iWARP), on nodes with an IP stack such as that of
 * HpccInternetHelper:
 *
 * @code
 * HpccIwarpHelper iwarp;
 * const InetSocketAddress to(address, 5000);
 * auto target = iwarp.AddTarget(fabric.GetNodes().Get(1), to, 1000000);
 * iwarp.AddWriter(fabric.GetNodes().Get(0), to, 1000000, start);
 * Simulator::Run();
 * std::cout << HpccIwarpHelper::Observe(target).placedBytes;
 * @endcode
 */
class HpccIwarpHelper
{
  public:
    HpccIwarpHelper();

    /**
     * Sets an attribute of the targets that are added later.
     * @param name name of an attribute of HpccIwarpTarget; Local and RegionBytes throw
     * HpccInputError
     * @param value value of the attribute
     */
    void SetTargetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Sets an attribute of the writers that are added later.
     * @param name name of an attribute of HpccIwarpWriter; Remote and MaxBytes throw
     * HpccInputError
     * @param value value of the attribute
     */
    void SetWriterAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Adds the passive side of a connection to a node. Throws HpccInputError if the node has no
     * TCP.
     * @param node node with an IP stack
     * @param local address to listen at
     * @param bytes size of the memory region that the writer may write to, at least 1
     * @return an HpccIwarpTarget, with the trace sources Written and Completed
     */
    Ptr<Application> AddTarget(Ptr<Node> node, const Address& local, uint64_t bytes);

    /**
     * Adds the active side of a connection to a node. Throws HpccInputError if the node has no TCP.
     * If no target listens at the address, TCP gives up after a time that
     * ns3::TcpSocket::ConnTimeout and ConnCount determine, 189 s by default. Until then GetError()
     * returns "none", and afterwards the error of TCP.
     * @param node node with an IP stack
     * @param remote address of the target
     * @param bytes bytes to write, at least 1
     * @param start time of the connection set-up; a time before now throws HpccInputError
     * @return an HpccIwarpWriter
     */
    Ptr<Application> AddWriter(Ptr<Node> node, const Address& remote, uint64_t bytes, Time start);

    /// Progress of a target.
    struct Progress
    {
        uint64_t placedBytes;     ///< bytes of the region that have been written
        uint64_t repeatedBytes;   ///< payload that has arrived for offsets already written, bytes
        uint64_t completedWrites; ///< number of WRITEs whose last byte has arrived
        uint64_t refused;         ///< number of connections refused because another connection was
                                  ///< already open
        bool complete; ///< true if the writer's last message has arrived, its byte count and
                       ///< checksum agree with the data that have arrived, and there was no error
    };

    /**
     * Returns the progress of a target.
     * @param target a target, as AddTarget() returned it; other applications throw HpccInputError
     * @return counts of the data that the target has received so far
     */
    static Progress Observe(Ptr<const Application> target);

    /**
     * Returns why a connection has ended.
     * @param application a target or writer; other applications throw HpccInputError
     * @return "none" if the connection has not ended or has ended without an error; otherwise the
     * reason, such as "bad-crc"
     */
    static std::string GetError(Ptr<const Application> application);

  private:
    ObjectFactory m_targets; ///< makes targets
    ObjectFactory m_writers; ///< makes writers
};

} // namespace ns3

#endif // HPCC_IWARP_HELPER_H
