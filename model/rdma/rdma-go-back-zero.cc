/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-go-back-zero.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaGoBackZero);

namespace
{

/// Goes back to the first packet of the oldest unacknowledged message.
class WholeMessages : public RdmaRetransmission
{
  public:
    uint64_t OnNak(const Position& at, uint64_t psn) override
    {
        return psn == at.messagePsn && at.nxtPsn > psn ? psn : NONE;
    }

    uint64_t OnTimeout(const Position& at) override
    {
        return at.messagePsn;
    }
};

/// Discards all received packets of a message when one of its packets is missing.
class WholeMessageSequencing : public RdmaSequencing
{
  public:
    uint64_t RestartAt(uint64_t, uint64_t messagePsn) const override
    {
        return messagePsn;
    }
};

} // namespace

TypeId
RdmaGoBackZero::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaGoBackZero, RdmaRecovery>("ns3::RdmaGoBackZero").Presets("go-back-0");
    return tid;
}

bool
RdmaGoBackZero::RestartsMessages() const
{
    return true;
}

std::unique_ptr<RdmaRetransmission>
RdmaGoBackZero::MakeRetransmission() const
{
    return std::make_unique<WholeMessages>();
}

std::unique_ptr<RdmaSequencing>
RdmaGoBackZero::MakeSequencing() const
{
    return std::make_unique<WholeMessageSequencing>();
}

} // namespace ns3
