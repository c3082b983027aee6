/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-reflections.h"

#include "rdma-receiver-control.h"
#include "rdma-reflector.h"

#include "ns3/hpcc-feedback-authenticator.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-roce-feedback.h"

#include <array>

namespace ns3
{

void
RdmaReflections::FillAck(RdmaQueuePair& qp, Frame& frame, int64_t nowNs)
{
    if (qp.reflector)
    {
        qp.reflector->Fill(frame);
    }
    Finish(qp, frame, false, nowNs);
}

void
RdmaReflections::Finish(RdmaQueuePair& qp, Frame& frame, bool allHops, int64_t nowNs)
{
    if (frame.format && qp.responderUses & USES_FORGER)
    {
        m_forgers.Forge(qp, frame, nowNs);
    }
    if (frame.format && !allHops && qp.reflector && qp.reflector->GetReport())
    {
        Condense(qp, frame, nowNs);
    }
    if (!frame.format)
    {
        return;
    }
    frame.reportedFlows = qp.control ? qp.control->GetReportedFlows() : 0;
    Number(qp, frame);
    if (qp.signer)
    {
        frame.reflection.flags |= REFLECTION_AUTHENTICATED;
        frame.reflection.tag = SignReflection(*qp.signer, qp.reflections, frame);
    }
}

void
RdmaReflections::Condense(const RdmaQueuePair& qp, Frame& frame, int64_t nowNs)
{
    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> hops;
    const TelemetryCapabilities& carried = frame.format->GetCapabilities();
    const uint32_t count =
        m_core.telemetry.ReadHops(*frame.format, frame.telemetry, frame.priority, hops.data());
    const uint16_t pathId = frame.telemetry.pathId;
    if (count == 0 ||
        !qp.reflector->GetReport()->Pick({nowNs, 0, 0, 0, hops.data(), count, pathId, 0, &carried},
                                         m_report))
    {
        frame.format = nullptr;
        return;
    }
    const bool bare = qp.reflector->ReportsBareHop();
    frame.reflection.flags |= bare ? REFLECTION_BARE_HOP : REFLECTION_BOTTLENECK_HOP;
    frame.telemetry.hops = 1;
    frame.telemetry.pathId = 0;
    if (bare)
    {
        m_report.WriteBare(carried, frame.telemetry.words.data());
    }
    else
    {
        m_report.Write(carried, frame.telemetry.words.data());
    }
}

} // namespace ns3
