/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_JOB_BOUND_H
#define HPCC_JOB_BOUND_H

#include "hpcc-job-transport.h"

#include "ns3/hpcc-fabric-helper.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Computes two lower bounds of the time that an empty network needs for the messages of a job. The
 * first bound considers dependencies: it is the job's time on an HpccAbstractTransport that gets
 * arrival times from ArriveNs(). The second bound considers the load of the links: it is the result
 * of GetLoadNs().
 */
class HpccJobBound
{
  public:
    /**
     * Creates the bounds of jobs on a network.
     * @param fabric the network after Install(); must outlive this object
     * @param hosts hosts by rank
     */
    HpccJobBound(const HpccFabricHelper& fabric, std::vector<uint32_t> hosts);

    /**
     * Returns the earliest arrival time of a message. The message takes as long as it would alone
     * in the network. If its queue pair still carries the previous message of the same source,
     * destination and tag, the new message's bytes follow the bytes of the previous message. A
     * sprayed message may arrive earlier, by up to the transmission time of a packet, because
     * parallel links carry whole packets.
     * @param message the message; GetLoadNs() includes its bytes
     * @param nowNs time of sending, ns
     * @return the time, ns
     */
    int64_t ArriveNs(const HpccJobTransport::Message& message, int64_t nowNs);

    /**
     * Returns a lower bound of the time in which the links can carry the bytes of all messages: the
     * largest of
     * - the time in which each host with one port can send its bytes and the last packet can
     * arrive, and
     * - the time in which each stage of HpccFabricHelper::GetStages() can carry the bytes of all
     * pairs of hosts that share the stage, with all its links always busy.
     * @return the time, ns
     */
    int64_t GetLoadNs() const;

  private:
    /// The times of a message that is alone in the network.
    struct Alone
    {
        int64_t ns;         ///< time until the message has arrived, ns
        uint64_t wireBytes; ///< bytes that the message occupies on a link
        double wireNs;      ///< transmission time of these bytes at the highest rate of a flow, ns:
                            ///< the least time between the arrivals of the previous message and of
                            ///< this message
    };

    /**
     * Returns the time that bytes occupy a link, ns.
     * @param wireBytes the bytes on the link
     * @param rateBps rate of the link, bit/s
     */
    static double WireNs(uint64_t wireBytes, uint64_t rateBps);

    /**
     * Returns the time from the moment at which the source has sent the last packet of a message
     * until this packet has arrived.
     * @param source a host
     * @param destination another host
     * @param bytes payload of the message, at least 1
     * @param rateBps rate of the source's link, bit/s
     * @return the time, ns
     */
    double LastPacketNs(uint32_t source,
                        uint32_t destination,
                        uint64_t bytes,
                        uint64_t rateBps) const;

    const HpccFabricHelper& m_fabric; ///< the network
    std::vector<uint32_t> m_hosts;    ///< hosts by rank
    /// bytes of all messages on a link, headers included, by source and destination
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_wireBytes;
    /// times of messages that are alone in the network, by source, destination and bytes
    std::map<std::tuple<uint32_t, uint32_t, uint64_t>, Alone> m_alone;
    /// arrival time of the last message, by source, destination and tag, ns
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, double> m_arrivalNs;
};

} // namespace ns3

#endif // HPCC_JOB_BOUND_H
