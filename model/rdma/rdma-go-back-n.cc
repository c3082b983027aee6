/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-go-back-n.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaGoBackN);

namespace
{

/// Goes back to the first unacknowledged packet.
class GoBackN : public RdmaRetransmission
{
  public:
    uint64_t OnNak(const Position& at, uint64_t psn) override
    {
        return psn == at.unaPsn && at.nxtPsn > psn ? psn : NONE;
    }

    uint64_t OnTimeout(const Position& at) override
    {
        return at.unaPsn;
    }
};

} // namespace

TypeId
RdmaGoBackN::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaGoBackN, RdmaRecovery>("ns3::RdmaGoBackN").Presets("go-back-n");
    return tid;
}

std::unique_ptr<RdmaRetransmission>
RdmaGoBackN::MakeRetransmission() const
{
    return std::make_unique<GoBackN>();
}

} // namespace ns3
