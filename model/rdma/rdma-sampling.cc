/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-sampling.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSampling);

TypeId
RdmaSampling::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaSampling, RdmaFeedbackPart>("ns3::RdmaSampling")
            .Attribute("AsksForAck",
                       "Whether a packet that collects requests its ACK at once. Off: its "
                       "telemetry waits for the next ACK, whose number may be that of a later "
                       "packet.",
                       HpccField(&RdmaSampling::m_asksForAck, true));
    return tid;
}

} // namespace ns3
