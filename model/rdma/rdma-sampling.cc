/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-sampling.h"

#include "ns3/boolean.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSampling);

TypeId
RdmaSampling::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaSampling")
            .SetParent<RdmaFeedbackPart>()
            .SetGroupName("Hpcc")
            .AddAttribute("AsksForAck",
                          "Whether a packet that collects requests its ACK at once. Off: its "
                          "telemetry waits for the next ACK, whose number may be that of a later "
                          "packet.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaSampling::m_asksForAck),
                          MakeBooleanChecker());
    return tid;
}

} // namespace ns3
