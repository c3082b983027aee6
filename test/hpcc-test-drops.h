/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_DROPS_H
#define HPCC_TEST_DROPS_H

#include "ns3/callback.h"
#include "ns3/packet.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"

#include <cstdint>
#include <map>

/**
 * \file
 * \ingroup hpcc
 * Drops at a switch, as reported by trace sources and by counters.
 */

namespace hpcctest
{

using namespace ns3;

/// Counts the events of the Drop sources of a switch's ports.
class DropLog
{
  public:
    /// Counts the drops at a switch from now on.
    /// @param device the switch
    void Watch(QbbSwitch& device)
    {
        for (auto* port : device.GetPorts())
        {
            port->TraceConnectWithoutContext("Drop", MakeCallback(&DropLog::Note, this));
        }
    }

    /// Returns the number of drops traced for @p reason.
    uint64_t Get(DropReason reason)
    {
        return m_drops[reason];
    }

    /// @return drops traced
    uint64_t GetAll() const
    {
        return m_all;
    }

  private:
    void Note(Ptr<const Packet>, DropReason reason)
    {
        ++m_drops[reason];
        ++m_all;
    }

    std::map<DropReason, uint64_t> m_drops; ///< drops by reason
    uint64_t m_all{0};                      ///< all drops
};

/**
 * Returns the number of drops that a switch has counted at all its ports.
 * @param device the switch
 * @param reason the reason for the drops
 */
inline uint64_t
CountDrops(const QbbSwitch& device, DropReason reason)
{
    uint64_t drops = 0;
    for (const auto* port : device.GetPorts())
    {
        drops += port->GetDrops(reason);
    }
    return drops;
}

} // namespace hpcctest

#endif // HPCC_TEST_DROPS_H
