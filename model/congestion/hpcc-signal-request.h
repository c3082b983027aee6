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
 * Chooses the quantity that a packet requests from the bottleneck hop, in formats that carry one at
 * a time (TelemetryCapabilities::pathExtreme): the queue delay or the utilisation.
 * HpccBottleneckRecord combines the returned values.
 */
class HpccSignalRequest
{
  public:
    /**
     * @param telemetry capabilities of a format
     * @return true if each packet can request only one of the two quantities
     */
    static bool AsksInTurn(const TelemetryCapabilities& telemetry)
    {
        return telemetry.pathExtreme && !(telemetry.fields & TELEMETRY_LOAD);
    }

    /**
     * Returns the quantity that the next packet should request. If the records of all packets
     * return, this is the queue delay if the last queue delay was above 0, else the utilisation;
     * every fourth packet requests the other quantity. If few records return
     * (HpccFlow::Extreme::packetsPerRecord), the two quantities alternate from record to record,
     * except that the queue delay is not requested while the last queue delay was 0 and the last
     * utilisation was too low for a queue.
     * @param flow the flow's state
     * @return TELEMETRY_QUEUE_DELAY or TELEMETRY_UTILIZATION
     */
    static uint16_t WantedSignal(const HpccFlow& flow);

    /**
     * Counts a packet that has requested WantedSignal().
     * @param flow the flow's state
     */
    static void NoteSent(HpccFlow& flow);

    /**
     * Counts a packet and chooses the quantity that it requests.
     * @param flow the flow's state
     * @param telemetry capabilities of the format
     * @param single true if the packet is the only one of its round. Then queue delay and
     * utilisation are requested alternately; after a delay above 0 the delay is requested once
     * more, because otherwise the queue would not be reported for two rounds. If false,
     * WantedSignal() is requested
     * @return TelemetryOrigin::request; 0 if the format has no choice
     */
    static uint16_t AskNext(HpccFlow& flow, const TelemetryCapabilities& telemetry, bool single);
};

} // namespace ns3

#endif // HPCC_SIGNAL_REQUEST_H
