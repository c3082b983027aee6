/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-nic.h"

#include <algorithm>

// The part of HpccTcpNic that handles senders waiting for a time-out.

namespace ns3
{

void
HpccTcpNic::Rest(const Key& key, Connection& connection, int64_t nowNs)
{
    if (m_feedback == PROBE && m_pauseAfter > 0 && connection.stalls >= m_pauseAfter &&
        connection.probes.GetTimeoutNs() == NEVER && connection.sndUna < connection.sndNxt)
    {
        const uint32_t doublings =
            std::min<uint32_t>(connection.stalls - m_pauseAfter, MAX_WAIT_DOUBLINGS);
        connection.resumeNs = nowNs + (m_baseRttNs << doublings);
        Arm(key, connection);
    }
}

void
HpccTcpNic::Resume(const Key& key, Connection& connection, int64_t nowNs)
{
    connection.resumeNs = NEVER;
    if (connection.IsServed() && connection.sndUna < connection.sndNxt &&
        connection.probes.OnData())
    {
        SendProbe(key, connection, nowNs);
    }
}

void
HpccTcpNic::NoteAcknowledged(const Key& key, Connection& connection, uint64_t una)
{
    if (una <= connection.sndUna)
    {
        return;
    }
    const bool rests = connection.resumeNs != NEVER;
    connection.sndUna = una;
    connection.stalls = 0;
    if (rests)
    {
        Resume(key, connection, m_port->GetAgenda().NowNs());
    }
}

} // namespace ns3
