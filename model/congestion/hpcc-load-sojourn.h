/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_LOAD_SOJOURN_H
#define HPCC_LOAD_SOJOURN_H

#include "ns3/hpcc-hop-telemetry.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Replaces the first term of line 5 if HpccParameters::SIGNAL_SOJOURN is selected
 * (draft-miao-tsv-hpcc-01, section 9.3). The term is the time that the packet has spent in the
 * switch, divided by T. The time in the switch is a suitable signal at ports with several queues,
 * and does not require B. With SIGNAL_SOJOURN, comments elsewhere about the queue length apply to
 * this time instead.
 */
struct HpccLoadSojourn
{
    static constexpr TelemetryField FIELD = TELEMETRY_HOP_LATENCY; ///< required field of a record

    /**
     * Returns the queue term of u': the time in the switch divided by T.
     * @param timeNs time in the switch, ns; the smaller of two times if QueueFilter selects the
     * minimum
     * @param perWindowTime factor by which the time is multiplied, 1/ns, see
     * HpccInflight::GetPerWindowTime()
     */
    static double QueueTerm(uint64_t timeNs, double perWindowTime)
    {
        return static_cast<double>(timeNs) * perWindowTime;
    }
};

} // namespace ns3

#endif // HPCC_LOAD_SOJOURN_H
