/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_GO_BACK_ZERO_H
#define RDMA_GO_BACK_ZERO_H

#include "rdma-recovery.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Go-back-0, as implemented by early RoCE NICs (Guo et al., "RDMA over Commodity Ethernet at
 * Scale", SIGCOMM 2016, section 4.1). An out-of-order packet or a time-out restarts the message
 * from its first packet, at both ends. If a message is so long that every attempt loses a packet,
 * the message is never delivered, however fast the link is. The paper calls this behaviour a
 * livelock.
 *
 * Short name: go-back-0.
 */
class RdmaGoBackZero : public RdmaRecovery
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    bool RestartsMessages() const override;
    std::unique_ptr<RdmaRetransmission> MakeRetransmission() const override;
    std::unique_ptr<RdmaSequencing> MakeSequencing() const override;
};

} // namespace ns3

#endif // RDMA_GO_BACK_ZERO_H
