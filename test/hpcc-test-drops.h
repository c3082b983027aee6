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
 * \ingroup hpcc Counts of the drops at a switch, from trace sources and from counters of the
 * switch.
 */

namespace hpcctest
{

using namespace ns3;

/// Counts the drops that the trace sources Drop of the ports of a switch report.
class DropLog
{
  public:
    /// Starts to count the drops at a switch.
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

    /// @return number of drops reported
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
