/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-switch-responder.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-roce-feedback.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-net-device.h"

#include <string>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SwitchResponder);

TypeId
SwitchResponder::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<SwitchResponder, SwitchAgent>("ns3::SwitchResponder")
            .Presets("switch-response;switch-response:receiver=Target:Receiver")
            .Attribute("Threshold",
                       "Load of a port, 1 + qlen/(B T), at or above which it responds; 1: whenever "
                       "it has a queue. Without a queue it never responds.",
                       HpccField(&SwitchResponder::m_threshold, 2, 1))
            .Attribute("Interval",
                       "Period in which a flow triggers at most one response of the switch. 0: T.",
                       HpccField(&SwitchResponder::m_interval, Time(0), Time(0)))
            .Attribute("Spacing",
                       "Shortest time between two responses of a port.",
                       HpccField(&SwitchResponder::m_spacing, Time(0), Time(0)))
            .Attribute("SubscribedDscp",
                       "DSCP of data packets that subscribe to responses. 64: none.",
                       HpccField(&SwitchResponder::m_subscribedDscp, 64, 0, 64))
            .Attribute("Dscp",
                       "DSCP of responses, which determines their priority.",
                       HpccField(&SwitchResponder::m_dscp, 48, 0, 63))
            .Attribute("Ttl", "TTL of responses.", HpccField(&SwitchResponder::m_ttl, 64, 1))
            .Attribute("Target",
                       "Destination of responses: Sender, the sender of the packet; Receiver, its "
                       "receiver, if the receiver computes the window.",
                       HpccField(&SwitchResponder::m_target,
                                 SENDER,
                                 SENDER,
                                 "Sender",
                                 RECEIVER,
                                 "Receiver"))
            .Attribute(
                "Format",
                "Short name of the telemetry format of responses to packets without telemetry.",
                HpccField(&SwitchResponder::m_formatName, "int-md"))
            .Attribute("T",
                       "Base RTT used to compute the load. 0: the base RTT of the network.",
                       HpccField(&SwitchResponder::m_baseRtt, Time(0), Time(0)))
            .Attribute("FeedbackKey",
                       "Secret that switches and hosts (ns3::RdmaSwitchTrust::Key) share to "
                       "authenticate responses. Empty: they are not authenticated.",
                       HpccField(&SwitchResponder::m_feedbackKey, ""))
            .Trace("Response",
                   "A response is sent; gives the egress port of the packet and the response.",
                   &SwitchResponder::m_responseTrace,
                   "ns3::SwitchResponder::ResponseTracedCallback");
    return tid;
}

SwitchResponder::SwitchResponder() = default;

SwitchResponder::~SwitchResponder() = default;

void
SwitchResponder::Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt)
{
    const Ptr<Node> node = ports.front()->GetNode();
    m_telemetry = node->GetObject<TelemetryAgent>();
    m_switch = node->GetObject<QbbSwitch>();
    HPCC_REFUSE_IF(!m_telemetry || !m_switch,
                   "ns3::SwitchResponder: node " + std::to_string(node->GetId()) + " has no " +
                       (m_switch ? "ns3::TelemetryAgent" : "ns3::QbbSwitch") + "; it needs both");
    ShareFormat(m_format);
    const Time rtt = m_baseRtt.IsZero() ? baseRtt : m_baseRtt;
    m_perBaseRtt = 1 / static_cast<double>(rtt.GetNanoSeconds());
    m_filter.SetPeriod((m_interval.IsZero() ? rtt : m_interval).GetNanoSeconds());
    m_lastNs.assign(ports.size(), INT64_MIN / 2);
}

Ptr<TelemetryFormat>
SwitchResponder::ShareFormat(const Ptr<TelemetryFormat>& format)
{
    m_format = format;
    if (!m_format)
    {
        ObjectFactory factory;
        HPCC_REFUSE_IF(!HpccPresets::Find(TelemetryFormat::GetTypeId(), m_formatName, factory),
                       DescribeUnknownPreset("ns3::SwitchResponder::Format: unknown",
                                             m_formatName,
                                             TelemetryFormat::GetTypeId()));
        m_format = factory.Create<TelemetryFormat>();
        HPCC_REFUSE_IF(!m_format->GetSwitchAgent().empty(),
                       "ns3::SwitchResponder::Format is " + m_formatName + ", but the agent \"" +
                           m_format->GetSwitchAgent() +
                           "\" fills in this format, and a response needs a record of the "
                           "switch; allowed are the other formats");
    }
    return m_format;
}

bool
SwitchResponder::WantsEnqueue() const
{
    return true;
}

bool
SwitchResponder::IsSubscribed(const Frame& frame) const
{
    return frame.kind == Frame::Kind::ROCE && frame.payloadBytes > 0 &&
           (frame.tos >> 2 == m_subscribedDscp ||
            (frame.format && frame.telemetry.flags & TELEMETRY_SUBSCRIBED));
}

double
SwitchResponder::LoadOf(const HopSnapshot& hop) const
{
    return 1 + static_cast<double>(hop.queueBytes) * 8e9 / static_cast<double>(hop.bandwidthBps) *
                   m_perBaseRtt;
}

void
SwitchResponder::OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    if (!IsSubscribed(frame))
    {
        return;
    }
    const HopSnapshot hop = m_telemetry->Snapshot(port, frame, nowNs);
    if (hop.queueBytes == 0 || LoadOf(hop) < m_threshold)
    {
        return;
    }
    int64_t& lastNs = m_lastNs[port.GetPortIndex()];
    if (nowNs - lastNs < m_spacing.GetNanoSeconds())
    {
        ++m_spaced;
        return;
    }
    if (!m_filter.Add(frame.flowHash, nowNs))
    {
        return;
    }
    lastNs = nowNs;
    Respond(port, frame, hop);
}

void
SwitchResponder::Respond(QbbNetDevice& port, const Frame& frame, const HopSnapshot& hop)
{
    Frame* response = port.GetAgenda().Frames().Clone(frame);
    if (!response->format)
    {
        response->format = PeekPointer(m_format);
        m_format->Open(
            response->telemetry,
            {frame.destinationPort, frame.protocol, static_cast<uint8_t>(frame.tos >> 2)});
    }
    response->format->Insert(response->telemetry, hop, port.GetMaxFrameBytes());
    if (m_target == SENDER)
    {
        std::swap(response->source, response->destination);
    }
    response->destinationPort = ROCE_UDP_PORT;
    response->protocol = 17;
    response->flowHash = HashFiveTuple(response->source,
                                       response->destination,
                                       response->sourcePort,
                                       response->destinationPort,
                                       response->protocol);
    response->tos = static_cast<uint8_t>(m_dscp << 2);
    response->ttl = m_ttl;
    response->opcode = ROCE_SWITCH_RESPONSE;
    response->bthFlags = 0;
    response->payloadBytes = 0;
    response->trimmed = false;
    response->ipId = 0;
    response->reportedFlows = 0;
    response->reflectionSeq = static_cast<uint16_t>(++m_responses);
    response->response.flags = 0;
    response->response.switchId = m_telemetry->GetSwitchId();
    response->response.forReceiver = m_target == RECEIVER;
    if (!m_feedbackKey.empty())
    {
        Sign(*response);
    }
    response->bytes = RoceFrameBytes(*response);
    m_responseBytes += response->bytes;
    m_responseTrace(port.GetPortIndex(), *response);
    m_switch->Inject(response);
}

void
SwitchResponder::Sign(Frame& response)
{
    const auto [known, isNew] = m_proofs.try_emplace(response.destination);
    Proof& proof = known->second;
    if (isNew)
    {
        proof.authenticator.emplace(
            m_feedbackKey,
            SwitchResponseContext(response.response.switchId, response.destination));
    }
    response.reflectionSeq = static_cast<uint16_t>(++proof.responses);
    response.response.flags |= REFLECTION_AUTHENTICATED;
    response.response.tag = SignReflection(*proof.authenticator, proof.responses, response);
}

void
SwitchResponder::DoDispose()
{
    m_telemetry = nullptr;
    m_switch = nullptr;
    m_format = nullptr;
    SwitchAgent::DoDispose();
}

} // namespace ns3
