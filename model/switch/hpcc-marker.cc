/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-marker.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(Marker);

TypeId
Marker::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<Marker, Object>("ns3::Marker");
    return tid;
}

void
Marker::SetOwned()
{
    HPCC_REFUSE_IF(
        m_owned,
        "ns3::QbbSwitch::EcnMarker: two switches have the same " + GetInstanceTypeId().GetName() +
            "; each needs one of its own, as with HpccFabricHelper::SetMarking() (--marking)");
    m_owned = true;
}

} // namespace ns3
