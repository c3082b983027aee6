/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FABRIC_TRANSPORT_H
#define HPCC_FABRIC_TRANSPORT_H

#include "hpcc-job-transport.h"

#include "ns3/hpcc-fabric-helper.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Carries the messages of a job over the queue pairs of a fabric. Messages with different tags use
 * different queue pairs, because packets do not carry the tag. The only exception is a queue pair
 * for ANY_TAG. A message is complete at the destination when its last byte arrives, and at the
 * source when its last ACK arrives.
 */
class HpccFabricTransport : public HpccJobTransport
{
  public:
    static constexpr uint32_t ANY_TAG = UINT32_MAX; ///< tag of a queue pair that carries all tags

    /**
     * Creates the transport of a job.
     * @param fabric the network after Install(); must outlive the run
     * @param hosts host of each rank; a host that occurs twice throws HpccInputError
     */
    HpccFabricTransport(HpccFabricHelper& fabric, std::vector<uint32_t> hosts);

    ~HpccFabricTransport() override;

    /**
     * Connects two ranks.
     * @param source a rank
     * @param destination another rank
     * @param tag tag of the messages. ANY_TAG connects all tags that have no queue pair of their
     * own; it is allowed only if one process simulates all hosts
     * @param spec policy and telemetry
     * @param singleMessage true if the queue pair carries a single message
     * @return index of the queue pair at the source's host
     */
    uint32_t Connect(uint32_t source,
                     uint32_t destination,
                     uint32_t tag,
                     const HpccFabricHelper::PolicySpec& spec,
                     bool singleMessage = false);

    /// Starts to observe the messages at the hosts of this process. Call it after all ranks are
    /// connected. If the program does not call it, HpccJobRun::Start() calls it through WakeAt().
    /// Further calls do nothing.
    void Start();

    bool IsHere(uint32_t rank) const override
    {
        return m_fabric.IsHere(HostOf(rank));
    }

    void CheckPair(uint32_t source, uint32_t destination, uint32_t tag) const override;
    void Send(const Message& message) override;
    void WakeAt(uint32_t rank, int64_t atNs) override;

  private:
    /// The host of a rank.
    class Endpoint;

    /**
     * Returns the host of a rank. Throws HpccInputError if the rank has none.
     * @param rank number of the rank
     * @return the host's number
     */
    uint32_t HostOf(uint32_t rank) const;

    /// A queue pair between two ranks.
    struct Connection
    {
        uint32_t source;           ///< rank that sends
        uint32_t destination;      ///< rank that receives
        uint32_t tag;              ///< tag of the messages on the queue pair, or ANY_TAG
        uint32_t queuePair;        ///< index at the source's host
        std::deque<uint64_t> ids;  ///< ids of messages not yet acknowledged
        std::deque<uint32_t> tags; ///< with ANY_TAG: tags of messages not yet delivered
    };

    HpccFabricHelper& m_fabric;           ///< the network
    std::vector<uint32_t> m_hosts;        ///< hosts by rank
    std::deque<Connection> m_connections; ///< all connections
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Connection*>
        m_byTag; ///< connections by source, destination and tag
    std::map<std::pair<uint32_t, uint32_t>, Connection*>
        m_byQueuePair; ///< connections by host and queue pair of the source
    std::vector<std::unique_ptr<Endpoint>> m_endpoints; ///< one per rank; null at other processes
};

} // namespace ns3

#endif // HPCC_FABRIC_TRANSPORT_H
