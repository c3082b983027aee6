/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-flow-count.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFlowCount);

TypeId
RdmaFlowCount::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaFlowCount, RdmaFeedbackPart>("ns3::RdmaFlowCount")
            .Presets("packet:n")
            .Attribute("Window",
                       "A flow counts for so long after a packet; 0 for the network's base RTT. "
                       "The longest of those at a host is taken.",
                       HpccField(&RdmaFlowCount::m_window, Time(0), Time(0)));
    return tid;
}

} // namespace ns3
