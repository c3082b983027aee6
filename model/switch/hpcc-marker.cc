/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-marker.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(Marker);

TypeId
Marker::GetTypeId()
{
    static TypeId tid = TypeId("ns3::Marker").SetParent<Object>().SetGroupName("Hpcc");
    return tid;
}

} // namespace ns3
