/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-repathing.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaRepathing);

TypeId
RdmaRepathing::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<RdmaRepathing, Object>("ns3::RdmaRepathing");
    return tid;
}

std::unique_ptr<RdmaPathState>
RdmaRepathing::MakeState() const
{
    return std::make_unique<RdmaPathState>();
}

bool
RdmaRepathing::SendsPathProbes() const
{
    return false;
}

int64_t
RdmaRepathing::HoldUntilNs(uint32_t, int64_t, int64_t nowNs) const
{
    return nowNs;
}

std::string
RdmaRepathing::Validate(const TelemetryCapabilities*) const
{
    return "";
}

std::string
RdmaRepathing::ValidateEta(double) const
{
    return "";
}

} // namespace ns3
