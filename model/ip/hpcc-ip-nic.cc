/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-ip-nic.h"

#include "qbb-ip-port.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

TypeId
HpccIpNic::AddCommon(TypeId tid)
{
    return tid
        .AddAttribute("ProbeDscp",
                      "DSCP of probes, with the priority of the data; no other packet of this "
                      "transport may have it.",
                      UintegerValue(21),
                      MakeUintegerAccessor(&HpccIpNic::m_probeDscp),
                      MakeUintegerChecker<uint8_t>(0, 63))
        .AddAttribute("ResponseDscp",
                      "DSCP of answers to probes; no other packet of this transport may have it.",
                      UintegerValue(22),
                      MakeUintegerAccessor(&HpccIpNic::m_responseDscp),
                      MakeUintegerChecker<uint8_t>(0, 63))
        .AddAttribute("FeedbackKey",
                      "Secret that all hosts share to authenticate feedback. Empty: it is not "
                      "authenticated.",
                      StringValue(""),
                      MakeStringAccessor(&HpccIpNic::m_feedbackKey),
                      MakeStringChecker())
        .AddAttribute(
            "CountFlows",
            "Whether the NIC counts arriving flows by priority and reports their number to "
            "the senders, which use it as N.",
            BooleanValue(false),
            MakeBooleanAccessor(&HpccIpNic::m_countFlows),
            MakeBooleanChecker())
        .AddAttribute("CountWindow",
                      "Time after a data packet for which its flow counts, with CountFlows; 0 for "
                      "the network's base RTT.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&HpccIpNic::m_countWindow),
                      MakeTimeChecker(Time(0)))
        .AddTraceSource("ProbeSent",
                        "A probe leaves.",
                        MakeTraceSourceAccessor(&HpccIpNic::m_probeTrace),
                        "ns3::HpccIpNic::ProbeSentTracedCallback");
}

std::string
HpccIpNic::Validate(const TelemetryFormat& format)
{
    return HpccNicPackets::Validate(format);
}

std::string
HpccIpNic::CheckCount(const TelemetryFormat& format) const
{
    return m_countFlows && format.GetCapabilities().pathExtreme
               ? GetInstanceTypeId().GetName() +
                     "::CountFlows is true, allowed is false with telemetry format " +
                     format.GetInstanceTypeId().GetName() +
                     ", which does not tell the last hop from others"
               : "";
}

void
HpccIpNic::CheckPriority(const FrameHeaders& frame) const
{
    const uint8_t wanted = m_port->GetPriority(frame.tos);
    const uint8_t found = m_port->GetPriority(static_cast<uint8_t>(m_probeDscp << 2));
    if (wanted != found)
    {
        throw HpccInputError(GetInstanceTypeId().GetName() + "::ProbeDscp " +
                             std::to_string(m_probeDscp) + " has priority " +
                             std::to_string(found) + ", but data with DSCP " +
                             std::to_string(frame.tos >> 2) + " has " + std::to_string(wanted) +
                             "; ns3::QbbNetDevice::DscpToPriority must give both the same");
    }
}

void
HpccIpNic::Install(Ptr<QbbNetDevice> port,
                   Ptr<const TelemetryFormat> format,
                   Ptr<const TelemetryInventory> inventory,
                   int64_t baseRttNs)
{
    const std::string name = GetInstanceTypeId().GetName();
    const std::string why = Check(*format);
    if (!why.empty())
    {
        throw HpccInputError(name + "::Install: " + why);
    }
    const int marked = format->GetMarking().dscp;
    if (marked >= 0 && marked != m_probeDscp)
    {
        throw HpccInputError(name + "::ProbeDscp is " + std::to_string(m_probeDscp) +
                             ", but the DSCP that marks telemetry is " + std::to_string(marked) +
                             "; both must be the same");
    }
    if (m_probeDscp == m_responseDscp)
    {
        throw HpccInputError(name + "::ProbeDscp and ResponseDscp are both " +
                             std::to_string(m_probeDscp) + "; they must differ");
    }
    m_port = port;
    m_format = format;
    m_packets.Open(port, format, inventory);
    m_baseRttNs = baseRttNs;
    for (HpccFlowCounter& counter : m_flowCounters)
    {
        counter.Cover(m_countWindow.IsZero() ? baseRttNs : m_countWindow.GetNanoSeconds());
    }
    m_timer = m_port->GetAgenda().Register(AgendaKind::HOST_TIMER, this);
    QbbIpPort::Of(*m_port).AddTap(this);
    DoInstall();
}

void
HpccIpNic::ScheduleProbes(int64_t atNs)
{
    m_port->GetAgenda().Note(AgendaKind::HOST_TIMER, m_timer, atNs);
}

void
HpccIpNic::Due(AgendaKind, uint32_t, int64_t nowNs)
{
    m_probes.RunTimers(nowNs);
}

void
HpccIpNic::DoDispose()
{
    m_packets.Close();
    m_port = nullptr;
    m_format = nullptr;
    Object::DoDispose();
}

} // namespace ns3
