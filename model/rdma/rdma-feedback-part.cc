/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-feedback-part.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFeedbackPart);

TypeId
RdmaFeedbackPart::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaFeedbackPart").SetParent<Object>().SetGroupName("Hpcc");
    return tid;
}

std::string
RdmaFeedbackPart::CheckFormat(const TelemetryFormat&) const
{
    return "";
}

} // namespace ns3
