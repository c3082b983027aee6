/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-flow-count.h"

#include "ns3/hpcc-presets.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFlowCount);

TypeId
RdmaFlowCount::GetTypeId()
{
    static TypeId tid =
        AddHpccPresets(TypeId("ns3::RdmaFlowCount")
                           .SetParent<RdmaFeedbackPart>()
                           .SetGroupName("Hpcc")
                           .AddConstructor<RdmaFlowCount>(),
                       "packet:n")
            .AddAttribute("Window",
                          "A flow counts for so long after a packet; 0 for the network's base RTT. "
                          "The longest of those at a host is taken.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaFlowCount::m_window),
                          MakeTimeChecker(Time(0)));
    return tid;
}

} // namespace ns3
