/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FEEDBACK_PART_H
#define RDMA_FEEDBACK_PART_H

#include "ns3/object.h"

#include <string>

namespace ns3
{

class TelemetryFormat;

/**
 * @ingroup hpcc
 *
 * Base of RdmaFeedback, which is a whole feedback mode, and of the parts that it combines. The
 * choices are independent, each a family of classes below its own base:
 *
 * - RdmaSampling: which data packets collect telemetry
 * - RdmaReturn: which message returns it
 * - RdmaReport: how much of it is returned
 * - RdmaReceiverComputation: the receiver computes
 * - RdmaSubscription: switches respond, too
 * - RdmaFlowCount: the receiver counts flows
 *
 * The default of each choice needs no class. To add one, write a file pair: derive from
 * RdmaSampling, RdmaReturn, RdmaReport or RdmaSubscription, implement the pure functions, register
 * a TypeId and its short names with AddHpccPresets(). --feedback=NAME is then the default with this
 * one choice, and RdmaFeedback's attribute of the family combines it with others. Short names
 * must be unique across all families and RdmaFeedback.
 */
class RdmaFeedbackPart : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Checks whether a telemetry format is suitable, before simulated time starts. By default all
     * are.
     * @param format the telemetry format
     * @return an empty string, or one line that names attribute, value and what is allowed
     */
    virtual std::string CheckFormat(const TelemetryFormat& format) const;
};

} // namespace ns3

#endif // RDMA_FEEDBACK_PART_H
