/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-receiver-computation.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaReceiverComputation);

TypeId
RdmaReceiverComputation::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaReceiverComputation, RdmaFeedbackPart>("ns3::RdmaReceiverComputation")
            .Presets("receiver;receiver:literal=CommitRule:Time;receiver:rate=Message:Rate")
            .Attribute(
                "CommitRule",
                "When the receiver may commit once T has passed: Epoch, by a packet sent under its "
                "last window or after a limited wait; Time, at once (draft, line 29).",
                HpccField(&RdmaReceiverComputation::m_commitRule,
                          RdmaReceiverInfo::EPOCH,
                          RdmaReceiverInfo::EPOCH,
                          "Epoch",
                          RdmaReceiverInfo::TIME,
                          "Time"))
            .Attribute(
                "Message",
                "Value that the receiver sends to the sender at each commit: Window or Rate.",
                HpccField(&RdmaReceiverComputation::m_message,
                          WINDOW,
                          WINDOW,
                          "Window",
                          RATE,
                          "Rate"));
    return tid;
}

} // namespace ns3
