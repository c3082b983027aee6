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
                       "Whether packets that collect telemetry request an immediate ACK. False: "
                       "their telemetry waits for the next ACK, which may be for a later packet.",
                       HpccField(&RdmaSampling::m_asksForAck, true));
    return tid;
}

} // namespace ns3
