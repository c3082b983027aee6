/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_GO_BACK_N_H
#define RDMA_GO_BACK_N_H

#include "rdma-recovery.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Go-back-N, the recovery of the reliable connection service (IBTA volume 1, 9.7.2 and 9.7.5). The
 * responder drops out-of-order packets and sends a NAK with the number of the expected packet. The
 * requester retransmits everything from that packet on. After a time-out, the requester retransmits
 * everything from the first unacknowledged packet on.
 *
 * Short name: go-back-n.
 */
class RdmaGoBackN : public RdmaRecovery
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaRetransmission> MakeRetransmission() const override;
};

} // namespace ns3

#endif // RDMA_GO_BACK_N_H
