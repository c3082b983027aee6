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
 * Common base of RdmaFeedback (a complete feedback mode) and of its parts. Each kind of part is an
 * independent choice and has its own base class:
 *
 * - RdmaSampling: which data packets collect telemetry
 * - RdmaReturn: which messages return telemetry
 * - RdmaReport: which records are returned
 * - RdmaReceiverComputation: whether the receiver computes the window
 * - RdmaSubscription: whether switches respond
 * - RdmaFlowCount: whether the receiver counts flows
 *
 * A choice that is not set has a default. To add a part, write a file pair (.h and .cc): derive a
 * class from RdmaSampling, RdmaReturn, RdmaReport or RdmaSubscription, implement the pure virtual
 * functions, register a TypeId and its short names with HpccTypeId::Presets(), and add
 * NS_OBJECT_ENSURE_REGISTERED. The option --feedback=NAME selects the part and leaves the other
 * choices at their defaults. To combine the part with other choices, set the attribute of
 * RdmaFeedback that selects a part of this kind. No two parts or feedback modes may have the same
 * short name.
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
     * formats are suitable.
     * @param format the telemetry format
     * @return an empty string, or one line that names attribute, value and allowed values
     */
    virtual std::string CheckFormat(const TelemetryFormat& format) const;
};

} // namespace ns3

#endif // RDMA_FEEDBACK_PART_H
