/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PLB_H
#define RDMA_PLB_H

#include "rdma-repathing.h"

#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Protective load balancing (Qureshi et al., "PLB: Congestion Signals are Simple and Effective for
 * Network Load Balancing", SIGCOMM 2022). A round trip is congested if the share of marked packets
 * reaches K. After M consecutive congested round trips, the path changes as soon as nothing is in
 * flight, which preserves the order of packets. After N consecutive congested round trips, the path
 * changes immediately, so later packets may overtake the packets in flight. After a time-out the
 * path is kept for some time, because the next path might lose all packets.
 *
 * The defaults are those of Linux (net/ipv4/tcp_plb.c, sysctl tcp_plb_*). The documentation of
 * Linux explains how its settings correspond to the paper's M and N. In Linux, the time without
 * changes after a time-out is random, between the configured value and twice this value. Here this
 * time is exactly the configured value.
 *
 * Attributes:
 *
 * - MarkedShare: K, above 0, at most 1.
 * - IdleRounds: M, at least 1.
 * - ForceRounds: N, at least 1.
 * - Suspension: time after a time-out in which the path does not change, 0 or more.
 */
class RdmaPlb : public RdmaRepathing
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Advice OnAck(RdmaPathState& state, const Progress& progress) override;
    void OnTimeout(RdmaPathState& state, int64_t nowNs) override;

  private:
    double m_markedShare;   ///< attribute MarkedShare
    uint32_t m_idleRounds;  ///< attribute IdleRounds
    uint32_t m_forceRounds; ///< attribute ForceRounds
    Time m_suspension;      ///< attribute Suspension
};

} // namespace ns3

#endif // RDMA_PLB_H
