/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-link-plan.h"

#include "hpcc-load-sojourn.h"
#include "hpcc-load-utilization.h"

#include <limits>

namespace ns3
{

HpccLinkPlan::HpccLinkPlan(const HpccParameters& parameters,
                           const TelemetryCapabilities& telemetry,
                           bool itsSparse)
    : timestampModulus(telemetry.timestampModulus),
      txBytesModulus(telemetry.txBytesModulus),
      progressNs(HalfRange(telemetry.timestampModulus)),
      txBytesRange(txBytesModulus == 0 ? std::numeric_limits<double>::infinity()
                                       : static_cast<double>(txBytesModulus)),
      currentFromNs(CurrentFromNs(parameters, itsSparse)),
      fields(telemetry.fields),
      computed(true),
      sparse(itsSparse),
      needsBandwidth(NeedsBandwidth(parameters, telemetry)),
      ownClock(!(telemetry.fields & TELEMETRY_TIMESTAMP)),
      counters(telemetry.fields & TELEMETRY_TX_BYTES),
      sojourn(parameters.queueSignal == HpccParameters::SIGNAL_SOJOURN)
{
    constexpr uint16_t ifCarried = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP;
    const uint16_t queue = sojourn ? HpccLoadSojourn::FIELD : TELEMETRY_QUEUE;
    const uint16_t rate = counters ? TELEMETRY_TX_BYTES : HpccLoadUtilization::FIELD;
    required = queue | rate | (fields & ifCarried);
    estimates = parameters.firstSample == HpccParameters::FIRST_ESTIMATE ||
                (parameters.firstSample == HpccParameters::FIRST_DEFAULT && sparse);
    asDraft = counters && !sojourn && parameters.rateTerm == HpccParameters::RATE_TX &&
              parameters.load == HpccParameters::LOAD_INFLIGHT;
}

bool
HpccLinkPlan::NeedsBandwidth(const HpccParameters& parameters,
                             const TelemetryCapabilities& telemetry)
{
    return !telemetry.pathExtreme && (parameters.queueSignal == HpccParameters::SIGNAL_LENGTH ||
                                      telemetry.fields & TELEMETRY_TX_BYTES);
}

double
HpccLinkPlan::CurrentFromNs(const HpccParameters& parameters, bool itsSparse)
{
    switch (parameters.queueFilter)
    {
    case HpccParameters::QUEUE_CURRENT:
        return 0;
    case HpccParameters::QUEUE_AUTO:
        return parameters.baseRttNs;
    case HpccParameters::QUEUE_DEFAULT:
        return itsSparse ? parameters.baseRttNs : std::numeric_limits<double>::infinity();
    case HpccParameters::QUEUE_MIN:
        break;
    }
    return std::numeric_limits<double>::infinity();
}

} // namespace ns3
