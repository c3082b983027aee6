/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-flow.h"

namespace ns3
{

void
HpccFlow::Forget(HpccReset why)
{
    if (hopCount > 0)
    {
        pendingReset = why;
    }
    hopCount = 0;
    paths.clear();
}

void
HpccFlow::TakePrevious(const HpccSample& sample)
{
    if (hopCount == 0)
    {
        return;
    }
    const HopTelemetry& previous = *sample.previous;
    if (previous.fields == 0)
    {
        Forget(HpccReset::PATH_CHANGE);
        return;
    }
    Record& record = records[0];
    record.SetIds(previous, 0);
    record.Store(previous, previous.queueBytes);
}

} // namespace ns3
