/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SAMPLE_H
#define HPCC_SAMPLE_H

#include "ns3/hpcc-hop-telemetry.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The telemetry of one acknowledgement, as decoded from the wire.
 */
struct HpccSample
{
    int64_t nowNs;            ///< local clock of the host that runs the control law, ns
    uint64_t ackSeq;          ///< next byte the receiver expects, as an unwrapped sequence number
    uint64_t sndNxt;          ///< snd_nxt: next byte to be sent, as an unwrapped sequence number
    int64_t idleNs;           ///< longest period since the last sample in which the sender had no
                              ///< message to send, ns
    const HopTelemetry* hops; ///< records, first hop of the path first
    uint32_t hopCount;        ///< number of records in hops
    uint16_t pathId;          ///< path identifier if the format has one
    uint16_t reportedFlows;   ///< number of flows on the last hop as counted by the receiver; 0 if
                              ///< the receiver does not count flows
    const TelemetryCapabilities* telemetry; ///< capabilities of the format, not null
    /// The hop's previous record, if the receiver returns the record of only one hop. It has no
    /// valid fields if the previous record is unknown. Null if the receiver returns the records of
    /// all hops.
    const HopTelemetry* previous{nullptr};
};

} // namespace ns3

#endif // HPCC_SAMPLE_H
