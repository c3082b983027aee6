/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-law.h"

// Handles acknowledgements of packets that requested telemetry but collected no records. Such an
// acknowledgement has an effect only if W is below W_init, no record has arrived for more than 2 T,
// and HpccParameters::quietLoad is above 0. If these conditions are met, U is set to quietLoad once
// per round. Without this rule, W would never grow again in a network whose switches insert records
// only during congestion. The rule does not apply if switches insert records at intervals
// (THINNED_BY_TIME): if many flows share a port, a flow may get no record for a long time although
// there is a queue. The rule does not apply to formats with TelemetryCapabilities::pathExtreme
// either.

namespace ns3
{

void
HpccLaw::TakeQuiet(HpccFlow& flow, const HpccSample& sample)
{
    if (m_parameters.quietLoad > 0 && flow.thinned != THINNED_BY_TIME && sample.telemetry &&
        !sample.telemetry->pathExtreme && flow.windowBytes < flow.initialBytes &&
        sample.ackSeq > flow.lastUpdateSeq &&
        static_cast<double>(sample.nowNs - flow.lastSampleNs) > 2 * m_parameters.baseRttNs)
    {
        flow.utilization = m_parameters.quietLoad;
        SetHopUtilization(flow, m_parameters.quietLoad);
        flow.windowBytes = ComputeWind(flow, true);
        flow.lastUpdateSeq = sample.sndNxt;
        m_outcome.branch = HpccBranch::COMMIT;
        m_outcome.u = m_parameters.quietLoad;
        m_outcome.tauNs = m_parameters.baseRttNs;
    }
}

} // namespace ns3
