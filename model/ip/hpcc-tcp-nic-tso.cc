/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-nic.h"

#include <algorithm>

// HpccTcpNic as HpccTsoPacer sees it.

namespace ns3
{

bool
HpccTcpNic::Allow(const HpccTsoPacer::Key& key,
                  uint32_t sequence,
                  HpccTsoPacer::Allowance& allowance) const
{
    const auto known = m_connections.find(key);
    if (known == m_connections.end() || !known->second.ops || known->second.ops->HasFallenBack())
    {
        return false;
    }
    const Connection& connection = known->second;
    const auto ahead = static_cast<int32_t>(sequence - static_cast<uint32_t>(connection.sndNxt));
    allowance.isAgain = ahead < 0;
    allowance.bytesAhead = connection.sndNxt - connection.sndUna + std::max(ahead, 0);
    allowance.windowBytes = connection.ops->GetWindowBytes();
    allowance.rateBps = connection.ops->GetPacingBps();
    return true;
}

void
HpccTcpNic::WakePacer(const Key& key)
{
    if (m_pacer)
    {
        m_pacer->Wake(key);
    }
}

} // namespace ns3
