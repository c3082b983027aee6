/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-stack-port.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(StackPort);

TypeId
StackPort::GetTypeId()
{
    static TypeId tid = TypeId("ns3::StackPort").SetParent<Object>().SetGroupName("Hpcc");
    return tid;
}

} // namespace ns3
