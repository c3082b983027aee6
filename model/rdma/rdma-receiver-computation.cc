/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-receiver-computation.h"

#include "ns3/enum.h"
#include "ns3/hpcc-compat.h"
#include "ns3/hpcc-presets.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaReceiverComputation);

TypeId
RdmaReceiverComputation::GetTypeId()
{
    static TypeId tid =
        AddHpccPresets(TypeId("ns3::RdmaReceiverComputation")
                           .SetParent<RdmaFeedbackPart>()
                           .SetGroupName("Hpcc")
                           .AddConstructor<RdmaReceiverComputation>(),
                       "receiver;receiver:literal=CommitRule:Time;receiver:rate=Message:Rate")
            .AddAttribute(
                "CommitRule",
                "When the receiver commits, once T has passed: Epoch, only for a packet that left "
                "under the last window it sent; Time, at once, as line 29 of the draft has it.",
                EnumValue(RdmaCommitRule::EPOCH),
                MakeHpccEnumAccessor<RdmaCommitRule::Kind>(&RdmaReceiverComputation::m_commitRule),
                MakeEnumChecker(RdmaCommitRule::EPOCH, "Epoch", RdmaCommitRule::TIME, "Time"))
            .AddAttribute("Message",
                          "What the receiver sends: Window or Rate.",
                          EnumValue(WINDOW),
                          MakeHpccEnumAccessor<Message>(&RdmaReceiverComputation::m_message),
                          MakeEnumChecker(WINDOW, "Window", RATE, "Rate"));
    return tid;
}

} // namespace ns3
