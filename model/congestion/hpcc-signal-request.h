/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SIGNAL_REQUEST_H
#define HPCC_SIGNAL_REQUEST_H

#include "hpcc-flow.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Chooses whether a packet requests the queue delay or the utilisation of the bottleneck hop. The
 * class is used with formats that carry one quantity at a time
 * (TelemetryCapabilities::pathExtreme). HpccBottleneckRecord combines the returned values.
 */
class HpccSignalRequest
{
  public:
    /**
     * Returns true if each packet can request only one of the two quantities.
     * @param telemetry capabilities of a format
     */
    static bool AsksInTurn(const TelemetryCapabilities& telemetry)
    {
        return telemetry.pathExtreme && !(telemetry.fields & TELEMETRY_LOAD);
    }

    /**
     * Returns the quantity that the next packet should request. If the records of all packets
     * return, the last queue delay decides: while it is above 0, packets request the queue delay;
     * while it is 0, they request the utilisation. Every fourth packet requests the other quantity.
     * If only some records return (HpccFlow::Extreme::packetsPerRecord is above 0), the two
     * quantities alternate from record to record. Exception: if the last queue delay was 0 and the
     * last utilisation was too low for a queue, packets request only the utilisation.
     * @param flow the flow's state
     * @return TELEMETRY_QUEUE_DELAY or TELEMETRY_UTILIZATION
     */
    static uint16_t WantedSignal(const HpccFlow& flow);

    /**
     * Counts a packet that has requested the quantity returned by WantedSignal().
     * @param flow the flow's state
     */
    static void NoteSent(HpccFlow& flow);

    /**
     * Counts a packet and chooses the quantity that it requests. If all packets request a quantity,
     * this is the quantity that WantedSignal() returns. If only one packet per round does, the
     * requests alternate between queue delay and utilisation. Exception: while the last reported
     * delay is above 0, two of three requests are for the delay, so that the control law reacts to
     * the queue in time.
     * @param flow the flow's state
     * @param telemetry capabilities of the format
     * @param single true if only this packet requests a quantity in its round
     * @return value for TelemetryOrigin::request; 0 if the format does not let the sender choose a
     * quantity
     */
    static uint16_t AskNext(HpccFlow& flow, const TelemetryCapabilities& telemetry, bool single);
};

} // namespace ns3

#endif // HPCC_SIGNAL_REQUEST_H
