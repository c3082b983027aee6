/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_PORT_PARTS_H
#define QBB_PORT_PARTS_H

#include "hpcc-stack-port.h"
#include "qbb-egress.h"
#include "qbb-flow-control.h"
#include "qbb-ingress.h"
#include "qbb-port-core.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The parts that implement a QbbNetDevice. None of them uses a NetDevice.
 */
struct QbbPortParts
{
    /**
     * Builds the parts.
     * @param shared references that they share
     */
    explicit QbbPortParts(const QbbPortCore& shared)
        : core(shared),
          stack(shared.device),
          egress(core, stack),
          flowControl(core, egress),
          ingress(core, egress, flowControl, stack)
    {
    }

    const QbbPortCore core;     ///< references that the parts share
    LazyStackPort stack;        ///< interface to ns-3's IP stack
    QbbEgress egress;           ///< queues and sends
    QbbFlowControl flowControl; ///< requests and obeys pauses
    QbbIngress ingress;         ///< receives
};

} // namespace ns3

#endif // QBB_PORT_PARTS_H
