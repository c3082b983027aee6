/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_LOAD_UTILIZATION_H
#define HPCC_LOAD_UTILIZATION_H

#include "ns3/hpcc-hop-telemetry.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Replaces line 4 for formats whose records contain the utilisation of the link instead of a byte
 * counter. The utilisation is the second term of line 5, so this term needs no previous record and
 * no B.
 */
struct HpccLoadUtilization
{
    static constexpr TelemetryField FIELD = TELEMETRY_UTILIZATION; ///< required field of a record

    /// Returns the ratio txRate/B that a record contains.
    /// @param hop the record
    static double Rate(const HopTelemetry& hop)
    {
        return hop.utilization;
    }
};

} // namespace ns3

#endif // HPCC_LOAD_UTILIZATION_H
