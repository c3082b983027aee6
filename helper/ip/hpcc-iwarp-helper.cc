/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-iwarp-helper.h"

#include "hpcc-ip-checks.h"

#include "ns3/hpcc-factory-attribute.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-iwarp-target.h"
#include "ns3/hpcc-iwarp-writer.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/uinteger.h"

#include <string>

namespace ns3
{

namespace
{

/**
 * Converts an application to its class. An application of another class throws HpccInputError.
 * @tparam T expected class of the application
 * @param application application to convert
 * @param function name of the function that got the application
 * @param allowed names of the expected classes
 * @return the application
 */
template <typename T>
const T&
Expect(Ptr<const Application> application, const char* function, const char* allowed)
{
    const auto* found = dynamic_cast<const T*>(PeekPointer(application));
    HPCC_REFUSE_IF(
        !found,
        std::string("ns3::HpccIwarpHelper::") + function + ": the application is " +
            (application ? application->GetInstanceTypeId().GetName() : std::string("null")) +
            "; allowed is " + allowed);
    return *found;
}

/**
 * Refuses a node without TCP.
 * @param node node to check
 */
void
RequireTcp(Ptr<Node> node)
{
    HPCC_REFUSE_IF(!node->GetObject<TcpL4Protocol>(),
                   "ns3::HpccIwarpHelper: node " + std::to_string(node->GetId()) +
                       " has no TCP: HpccInternetHelper comes before HpccIwarpHelper");
}

} // namespace

HpccIwarpHelper::HpccIwarpHelper()
{
    m_targets.SetTypeId("ns3::HpccIwarpTarget");
    m_writers.SetTypeId("ns3::HpccIwarpWriter");
}

void
HpccIwarpHelper::SetTargetAttribute(const std::string& name, const AttributeValue& value)
{
    RequireNotSetBy("HpccIwarpHelper::SetTargetAttribute",
                    name,
                    {{"Local", "AddTarget()"}, {"RegionBytes", "AddTarget()"}});
    SetFactoryAttribute(m_targets, name, value);
}

void
HpccIwarpHelper::SetWriterAttribute(const std::string& name, const AttributeValue& value)
{
    RequireNotSetBy("HpccIwarpHelper::SetWriterAttribute",
                    name,
                    {{"Remote", "AddWriter()"}, {"MaxBytes", "AddWriter()"}});
    SetFactoryAttribute(m_writers, name, value);
}

Ptr<Application>
HpccIwarpHelper::AddTarget(Ptr<Node> node, const Address& local, uint64_t bytes)
{
    RequireNode("HpccIwarpHelper::AddTarget", node);
    RequireTcp(node);
    RequireAtLeast("ns3::HpccIwarpHelper::AddTarget: bytes", bytes, 1);
    m_targets.Set("Local", AddressValue(local));
    m_targets.Set("RegionBytes", UintegerValue(bytes));
    auto target = m_targets.Create<Application>();
    node->AddApplication(target);
    return target;
}

Ptr<Application>
HpccIwarpHelper::AddWriter(Ptr<Node> node, const Address& remote, uint64_t bytes, Time start)
{
    RequireNode("HpccIwarpHelper::AddWriter", node);
    RequireTcp(node);
    RequireAtLeast("ns3::HpccIwarpHelper::AddWriter: bytes", bytes, 1);
    RequireStart("HpccIwarpHelper::AddWriter", start);
    m_writers.Set("Remote", AddressValue(remote));
    m_writers.Set("MaxBytes", UintegerValue(bytes));
    auto writer = m_writers.Create<Application>();
    StartAt(node, writer, start);
    return writer;
}

HpccIwarpHelper::Progress
HpccIwarpHelper::Observe(Ptr<const Application> target)
{
    const auto& side = Expect<HpccIwarpTarget>(target, "Observe", "ns3::HpccIwarpTarget");
    return {side.GetPlacedBytes(),
            side.GetRepeatedBytes(),
            side.GetCompletedWrites(),
            side.GetRefusedConnections(),
            side.HasAll()};
}

std::string
HpccIwarpHelper::GetError(Ptr<const Application> application)
{
    return ToString(Expect<HpccIwarpEndpoint>(application,
                                              "GetError",
                                              "ns3::HpccIwarpTarget or ns3::HpccIwarpWriter")
                        .GetError());
}

} // namespace ns3
