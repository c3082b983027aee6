/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-stack-port.h"

#include "ns3/abort.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/object-factory.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(StackPort);

TypeId
StackPort::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<StackPort, Object>("ns3::StackPort");
    return tid;
}

StackPort&
LazyStackPort::Get()
{
    if (!m_stack)
    {
        TypeId type;
        NS_ABORT_MSG_UNLESS(TypeId::LookupByNameFailSafe("ns3::QbbIpPort", &type),
                            "QbbNetDevice: this build has no ns3::QbbIpPort, which packets of "
                            "ns-3's IP stack need");
        ObjectFactory factory;
        factory.SetTypeId(type);
        m_stack = factory.Create<StackPort>();
        m_stack->SetDevice(m_device);
    }
    return *m_stack;
}

void
LazyStackPort::Dispose()
{
    if (m_stack)
    {
        m_stack->Dispose();
    }
}

} // namespace ns3
