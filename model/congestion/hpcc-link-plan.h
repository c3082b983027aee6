/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_LINK_PLAN_H
#define HPCC_LINK_PLAN_H

#include "hpcc-parameters.h"

#include "ns3/hpcc-hop-telemetry.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Settings for comparing two records of a link. The settings depend only on the parameters, the
 * format and HpccFlow::sparse, so they are computed once instead of for each acknowledgement.
 */
struct HpccLinkPlan
{
    uint64_t timestampModulus{0}; ///< modulus of the timestamps, ns; 0 means 2^64
    uint64_t txBytesModulus{0};   ///< modulus of the byte counters, bytes; 0: the counters do not
                                  ///< wrap
    uint64_t progressNs{0};       ///< a record is newer than the stored one if its timestamp minus
                                  ///< the stored timestamp, modulo timestampModulus, is above 0 and
                                  ///< at most this value, ns
    double txBytesRange{0};       ///< bytes; if the link can send fewer bytes than this between two
                                  ///< records, the byte counter cannot have wrapped
    double currentFromNs{0};      ///< time, ns; if two records are at least this far apart, u' is
                                  ///< computed from the newer queue length, otherwise from the
                                  ///< smaller one. Infinity: always from the smaller one
    uint16_t fields{0};           ///< fields that the format carries
    uint16_t required{0};         ///< fields that a record must have
    bool computed{false};         ///< true if the other members are set
    bool sparse{false};           ///< HpccFlow::sparse of the flow
    bool needsBandwidth{false};   ///< see NeedsBandwidth()
    bool ownClock{false};         ///< true if the format carries no timestamps, so that the local
                                  ///< clock is used
    bool counters{false};         ///< true if the format carries byte counters
    bool sojourn{false};          ///< true if the queue signal is HpccParameters::SIGNAL_SOJOURN
    bool asDraft{false};          ///< true if u' is computed as in the draft (lines 4 and 5),
                                  ///< without a variant
    bool estimates{false};        ///< true if a first record that shows a queue yields a u', see
                                  ///< HpccParameters::FirstSample

    /// Initialises an empty plan.
    HpccLinkPlan() = default;

    /**
     * Computes the plan for a format.
     * @param parameters parameters of the control law
     * @param telemetry capabilities of the format
     * @param itsSparse HpccFlow::sparse
     */
    HpccLinkPlan(const HpccParameters& parameters,
                 const TelemetryCapabilities& telemetry,
                 bool itsSparse);

    /**
     * Returns true if the plan was computed for these arguments.
     * @param telemetry capabilities of a format
     * @param itsSparse HpccFlow::sparse
     */
    bool IsFor(const TelemetryCapabilities& telemetry, bool itsSparse) const
    {
        return computed && fields == telemetry.fields && sparse == itsSparse &&
               timestampModulus == telemetry.timestampModulus &&
               txBytesModulus == telemetry.txBytesModulus;
    }

    /**
     * Returns true if the control law cannot use a record without the bandwidth of the link that
     * the record describes.
     * @param parameters parameters of the control law
     * @param telemetry capabilities of a format
     */
    static bool NeedsBandwidth(const HpccParameters& parameters,
                               const TelemetryCapabilities& telemetry);

    /**
     * Returns the value of currentFromNs, ns.
     * @param parameters parameters of the control law
     * @param itsSparse HpccFlow::sparse
     */
    static double CurrentFromNs(const HpccParameters& parameters, bool itsSparse);

    /**
     * Returns half of a clock's range, ns. Of two readings a and b, a is regarded as newer if
     * a - b, modulo @p modulus, is above 0 and at most this value.
     * @param modulus modulus of a clock, ns; 0 means 2^64
     */
    static uint64_t HalfRange(uint64_t modulus)
    {
        return modulus == 0 ? uint64_t{1} << 63 : modulus / 2;
    }
};

} // namespace ns3

#endif // HPCC_LINK_PLAN_H
