/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CLASS_TELEMETRY_H
#define HPCC_CLASS_TELEMETRY_H

#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/hpcc-telemetry-format.h"

#include <string>

namespace ns3
{

/// An algorithm and a telemetry format. Check() determines whether both support telemetry about the
/// bandwidth of a traffic class.
struct HpccClassTelemetry
{
    std::string algorithm;         ///< name of the algorithm's class
    bool needsBandwidth{false};    ///< true if the algorithm divides by the bandwidth of a hop.
                                   ///< Records must then carry this bandwidth
    bool needsSwitchAgent{false};  ///< true if the algorithm needs a switch agent
    std::string telemetryName;     ///< name of the format
    const TelemetryFormat& format; ///< the format

    /**
     * Throws HpccInputError if the format or the algorithm does not support telemetry about the
     * bandwidth of a class.
     * @param bandwidth bandwidth that records contain: the line rate of the port, or the guaranteed
     * or residual bandwidth of a class
     */
    void Check(TelemetryAgent::Bandwidth bandwidth) const;
};

} // namespace ns3

#endif // HPCC_CLASS_TELEMETRY_H
