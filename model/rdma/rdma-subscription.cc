/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-subscription.h"

#include "ns3/hpcc-telemetry-format.h"
#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSubscription);
NS_OBJECT_ENSURE_REGISTERED(RdmaFlagSubscription);
NS_OBJECT_ENSURE_REGISTERED(RdmaDscpSubscription);

TypeId
RdmaSubscription::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<RdmaSubscription, RdmaFeedbackPart>("ns3::RdmaSubscription");
    return tid;
}

std::string
RdmaSubscription::GetSwitchAgent(bool atReceiver) const
{
    return atReceiver ? "switch-response:receiver" : "switch-response";
}

TypeId
RdmaFlagSubscription::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaFlagSubscription, RdmaSubscription>("ns3::RdmaFlagSubscription")
            .Presets("switch");
    return tid;
}

void
RdmaFlagSubscription::Mark(Frame& packet, bool collects) const
{
    if (collects)
    {
        packet.telemetry.flags |= TELEMETRY_SUBSCRIBED;
    }
}

std::string
RdmaFlagSubscription::CheckFormat(const TelemetryFormat& format) const
{
    return format.CarriesSubscription() ? ""
                                        : "ns3::RdmaFeedback::Subscription is switch, but " +
                                              format.GetInstanceTypeId().GetName() +
                                              " has no subscription flag; allowed is switch:dscp";
}

TypeId
RdmaDscpSubscription::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaDscpSubscription, RdmaSubscription>("ns3::RdmaDscpSubscription")
            .Presets("switch:dscp")
            .Attribute("Dscp",
                       "DSCP by which data packets subscribe to switch responses, of the priority "
                       "of RdmaHost::DataDscp at every port. HpccFabricHelper sets it at switches.",
                       HpccField(&RdmaDscpSubscription::m_dscp, 24, 0, 63));
    return tid;
}

void
RdmaDscpSubscription::Mark(Frame& packet, bool) const
{
    packet.tos = static_cast<uint8_t>(m_dscp << 2 | (packet.tos & 3));
}

std::string
RdmaDscpSubscription::CheckFormat(const TelemetryFormat& format) const
{
    return format.GetMarking().dscp < 0 ? ""
                                        : "ns3::RdmaFeedback::Subscription is switch:dscp, but " +
                                              format.GetInstanceTypeId().GetName() +
                                              " is itself marked by a DSCP; allowed is switch";
}

} // namespace ns3
