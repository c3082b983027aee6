/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-option-format.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TcpOptionFormat);

TypeId
TcpOptionFormat::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<TcpOptionFormat, AgentTelemetryFormat>("ns3::TcpOptionFormat");
    return tid;
}

} // namespace ns3
