/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-option-format.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TcpOptionFormat);

TypeId
TcpOptionFormat::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TcpOptionFormat").SetParent<AgentTelemetryFormat>().SetGroupName("Hpcc");
    return tid;
}

} // namespace ns3
