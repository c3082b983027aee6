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
 * Network Load Balancing", SIGCOMM 2022). A round trip is congested if the share of its packets
 * that were marked reaches K. After M congested rounds in a row the path changes as soon as nothing
 * is in flight, which keeps the order of packets; after N of them it changes at once, and later
 * packets may overtake those in flight. A time-out suspends changes, because the new path may be
 * what lost the packets.
 *
 * Defaults are those of Linux (net/ipv4/tcp_plb.c, sysctl tcp_plb_*), whose documentation maps them
 * to the paper's M and N. Linux draws the suspension from one to two times its setting; here it is
 * the setting.
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
    double m_markedShare;   ///< attribute
    uint32_t m_idleRounds;  ///< attribute
    uint32_t m_forceRounds; ///< attribute
    Time m_suspension;      ///< attribute
};

} // namespace ns3

#endif // RDMA_PLB_H
