/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-user-marker.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-net-device.h"

using namespace ns3;

namespace hpcctest
{

NS_OBJECT_ENSURE_REGISTERED(PortMarker);

TypeId
PortMarker::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<PortMarker, Marker>("ns3::hpcctest::PortMarker")
                            .Presets("port")
                            .Attribute("Threshold",
                                       "Bytes in all queues of a port above which it marks.",
                                       HpccField(&PortMarker::m_threshold, 30000));
    return tid;
}

void
PortMarker::AddPort(uint64_t)
{
}

bool
PortMarker::MustMark(const QbbNetDevice& port, const Frame&, int64_t)
{
    return port.GetQueueBytes() > m_threshold;
}

} // namespace hpcctest
