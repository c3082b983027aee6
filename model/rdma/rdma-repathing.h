/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REPATHING_H
#define RDMA_REPATHING_H

#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * What a host knows of the path of a queue pair.
 */
struct RdmaPathState
{
    uint64_t roundEndPsn{0};     ///< the round ends when all packets before it are acknowledged
    uint32_t acked{0};           ///< packets acknowledged in this round
    uint32_t marked{0};          ///< of these, by ACKs that echo a congestion mark
    uint32_t congestedRounds{0}; ///< congested rounds in a row
    int64_t suspendedUntilNs{0}; ///< no change of path before
    uint32_t changes{0};         ///< changes of path so far
    uint64_t firstPsn{0};        ///< first packet on the present path
    bool untold{false};          ///< the policy does not know of the last change yet
};

/**
 * @ingroup hpcc
 *
 * When a host moves a queue pair to another path, which it does by changing the UDP source port
 * that switches hash. One object per host holds the attributes; queue pairs have a plain record.
 * Data packets become ECN-capable and their marks are echoed in ACKs, whatever the policy wants;
 * the policy sees the echo only if it asked for it.
 */
class RdmaRepathing : public Object
{
  public:
    /// An acknowledgement.
    struct Progress
    {
        int64_t nowNs;    ///< local time, ns
        uint64_t unaPsn;  ///< first packet not acknowledged
        uint64_t nxtPsn;  ///< one more than the highest packet ever sent
        uint32_t packets; ///< packets acknowledged for the first time
        bool marked;      ///< it echoes a congestion mark
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Take note of an acknowledgement.
     * @param state the queue pair's
     * @param progress what it says
     * @return true if the packets that follow shall take another path
     */
    virtual bool OnAck(RdmaPathState& state, const Progress& progress) const = 0;

    /**
     * Nothing was acknowledged for the retransmission time-out.
     * @param state the queue pair's
     * @param nowNs local time, ns
     */
    virtual void OnTimeout(RdmaPathState& state, int64_t nowNs) const = 0;
};

} // namespace ns3

#endif // RDMA_REPATHING_H
