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
 * The least times in which an empty network could carry the messages of a job: those of an
 * HpccAbstractTransport whose messages arrive at ArriveNs(), and GetLoadNs().
 */
class HpccJobBound
{
  public:
    /**
     * @param fabric the network, installed; must outlive this object
     * @param hosts by rank
     */
    HpccJobBound(const HpccFabricHelper& fabric, std::vector<uint32_t> hosts);

    /**
     * Returns when a message arrives at the earliest: it takes as long as alone in the network, and
     * messages of a source, destination and tag, which share a queue pair, follow one another.
     * @param message the message; its bytes count in GetLoadNs()
     * @param nowNs when it is sent, ns
     * @return the time, ns
     */
    int64_t ArriveNs(const HpccJobTransport::Message& message, int64_t nowNs);

    /**
     * Returns the least time in which links could carry the bytes of all messages: those of a host
     * with one port on its link, and those between any hosts on the links that they share. These
     * are the links of one stage of HpccFabricHelper::GetStages(), all in use all the time.
     * @return the time, ns
     */
    int64_t GetLoadNs() const;

  private:
    const HpccFabricHelper& m_fabric;
    std::vector<uint32_t> m_hosts;                             ///< by rank
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_bytes; ///< by source and destination
    std::map<std::pair<uint32_t, uint32_t>, double> m_byteNs;  ///< of a byte on their path, ns
    std::map<std::tuple<uint32_t, uint32_t, uint64_t>, int64_t> m_aloneNs;  ///< of messages, ns
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, double> m_arrivalNs; ///< last, by tag
};

} // namespace ns3

#endif // HPCC_JOB_BOUND_H
