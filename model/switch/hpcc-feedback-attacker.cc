/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-feedback-attacker.h"

#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-net-device.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FeedbackAttacker);

TypeId
FeedbackAttacker::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<FeedbackAttacker, Object>("ns3::FeedbackAttacker")
            .Attribute(
                "Attack",
                "Attack on ACKs and notifications: Forge adds copies that show an idle path; "
                "Replay adds copies with the first ACK's telemetry; Alter makes the originals "
                "show an idle path.",
                HpccField(&FeedbackAttacker::m_attack,
                          FeedbackAttacker::FORGE,
                          FeedbackAttacker::FORGE,
                          "Forge",
                          FeedbackAttacker::REPLAY,
                          "Replay",
                          FeedbackAttacker::ALTER,
                          "Alter"));
    return tid;
}

void
FeedbackAttacker::SetTarget(uint32_t sender)
{
    m_target = sender;
}

bool
FeedbackAttacker::WantsEnqueue() const
{
    return true;
}

void
FeedbackAttacker::OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t)
{
    if (frame.kind != Frame::Kind::ROCE || !frame.IsAcknowledgement() || !frame.format ||
        frame.ReportsBottleneckHop() || frame.destination != m_target)
    {
        return;
    }
    uint32_t flow = frame.destinationQp;
    if (m_attack == ALTER)
    {
        m_forgers[flow].Forge(*frame.format, frame.telemetry);
        ++m_false;
        return;
    }
    auto [first, isFirst] =
        m_recordings.try_emplace(flow,
                                 Recording{frame.telemetry, frame.reflection, frame.reflectionSeq});
    if (isFirst)
    {
        return;
    }
    Frame* copy = NodeAgenda::Of(port.GetNode())->Frames().Clone(frame);
    if (m_attack == FORGE)
    {
        m_forgers[flow].Forge(*copy->format, copy->telemetry);
    }
    else
    {
        copy->telemetry = first->second.stack;
        copy->reflection = first->second.reflection;
        copy->reflectionSeq = first->second.sequence;
    }
    ++m_false;
    port.Emit(copy);
}

} // namespace ns3
