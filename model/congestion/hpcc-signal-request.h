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
 * Chooses the quantity that a packet asks the bottleneck hop for, in formats that carry one at a
 * time (TelemetryCapabilities::pathExtreme): the queue delay or the utilisation.
 * HpccBottleneckRecord combines what comes back.
 */
class HpccSignalRequest
{
  public:
    /**
     * @param telemetry capabilities of a format
     * @return true if packets must ask for one quantity of the bottleneck hop after the other
     */
    static bool AsksInTurn(const TelemetryCapabilities& telemetry)
    {
        return telemetry.pathExtreme && !(telemetry.fields & TELEMETRY_LOAD);
    }

    /**
     * Returns the signal that the next packet should request. If the records of all packets come
     * back, the queue delay while the last one was above 0, else the utilisation, and the other one
     * by every fourth packet. If few come back (HpccFlow::Extreme::packetsPerRecord), the two
     * alternate from record to record, but the queue is not asked for where the last one was 0 and
     * the utilisation leaves no room for one.
     * @param flow the flow's state
     * @return TELEMETRY_QUEUE_DELAY or TELEMETRY_UTILIZATION
     */
    static uint16_t WantedSignal(const HpccFlow& flow);

    /**
     * Counts a packet that has asked for WantedSignal().
     * @param flow the flow's state
     */
    static void NoteSent(HpccFlow& flow);

    /**
     * Counts a packet and chooses the quantity that it requests.
     * @param flow the flow's state
     * @param telemetry capabilities of the format
     * @param single true if the packet is the only one of its round. Then queue delay and
     * utilisation are requested alternately; after a delay above 0 the delay is requested once
     * more, because otherwise the queue would not be seen for two rounds. If false, WantedSignal()
     * is requested
     * @return TelemetryOrigin::request; 0 if the format has no choice
     */
    static uint16_t AskNext(HpccFlow& flow, const TelemetryCapabilities& telemetry, bool single);
};

} // namespace ns3

#endif // HPCC_SIGNAL_REQUEST_H
