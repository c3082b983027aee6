/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-user-marker.h"

#include "ns3/hpcc-presets.h"
#include "ns3/qbb-net-device.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace hpcctest
{

NS_OBJECT_ENSURE_REGISTERED(PortMarker);

TypeId
PortMarker::GetTypeId()
{
    static TypeId tid =
        AddHpccPresets(
            TypeId("ns3::hpcctest::PortMarker").SetParent<Marker>().AddConstructor<PortMarker>(),
            "port")
            .AddAttribute("Threshold",
                          "Bytes in all queues of a port above which it marks.",
                          UintegerValue(30000),
                          MakeUintegerAccessor(&PortMarker::m_threshold),
                          MakeUintegerChecker<uint64_t>());
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
