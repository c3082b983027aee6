/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-report.h"

#include "ns3/hpcc-bottleneck-hop.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaReport);

TypeId
RdmaReport::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<RdmaReport, RdmaFeedbackPart>("ns3::RdmaReport");
    return tid;
}

std::string
RdmaReport::CheckFormat(const TelemetryFormat& format) const
{
    return HpccBottleneckHop::CanReport(format.GetCapabilities())
               ? ""
               : "ns3::RdmaFeedback::Report is " + GetInstanceTypeId().GetName() + ", but " +
                     format.GetInstanceTypeId().GetName() +
                     " has no queue length and sent bytes, or utilisation, of each hop; allowed "
                     "is the report of all hops";
}

} // namespace ns3
