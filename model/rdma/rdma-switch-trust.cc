/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-switch-trust.h"

#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-roce-feedback.h"
#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSwitchTrust);

TypeId
RdmaSwitchTrust::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaSwitchTrust, Object>("ns3::RdmaSwitchTrust")
            .Attribute("Key",
                       "Secret to authenticate responses of switches; must equal "
                       "ns3::SwitchResponder::FeedbackKey. If it or RdmaHost::FeedbackKey is set, "
                       "only authentic responses are accepted.",
                       HpccField(&RdmaSwitchTrust::m_key, ""));
    return tid;
}

RdmaSwitchTrust&
RdmaSwitchTrust::Of(Object& host)
{
    auto trust = host.GetObject<RdmaSwitchTrust>();
    if (!trust)
    {
        trust = CreateObject<RdmaSwitchTrust>();
        host.AggregateObject(trust);
    }
    return *trust;
}

RdmaSwitchTrust::RdmaSwitchTrust() = default;

RdmaSwitchTrust::~RdmaSwitchTrust() = default;

RdmaSwitchTrust::Verdict
RdmaSwitchTrust::Check(const Frame& response)
{
    if (m_key.empty() || !(response.response.flags & REFLECTION_AUTHENTICATED))
    {
        return Verdict::FORGED;
    }
    const uint32_t id = response.response.switchId;
    const auto known = m_switches.find(id);
    Switch from = known != m_switches.end()
                      ? known->second
                      : Switch{{m_key, SwitchResponseContext(id, response.destination)}, 0};
    const int64_t ahead =
        static_cast<int16_t>(response.reflectionSeq - static_cast<uint16_t>(from.newest));
    const uint64_t number = from.newest + static_cast<uint64_t>(ahead);
    if (response.response.tag != SignReflection(from.authenticator, number, response))
    {
        return Verdict::FORGED;
    }
    if (ahead <= 0)
    {
        return Verdict::REPLAYED;
    }
    from.newest = number;
    m_switches.insert_or_assign(id, from);
    return Verdict::GENUINE;
}

} // namespace ns3
