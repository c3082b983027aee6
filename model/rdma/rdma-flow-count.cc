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
                       "Time for which a flow is counted after its last packet. 0: the network's "
                       "base RTT. A host uses the longest such time of its queue pairs.",
                       HpccField(&RdmaFlowCount::m_window, Time(0), Time(0)));
    return tid;
}

} // namespace ns3
