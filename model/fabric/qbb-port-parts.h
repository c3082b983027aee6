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
#include "qbb-port-traces.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/node.h"
#include "ns3/ptr.h"

#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The trace sources and the parts that implement a QbbNetDevice. None of these parts uses a
 * NetDevice.
 */
struct QbbPortParts
{
    /**
     * Builds the parts.
     * @param device the port, which the parts use only as an argument
     * @param end the port's link and agenda, and the index of the port on that agenda
     * @param settings attributes of the port
     * @param counts counters of the port
     */
    QbbPortParts(QbbNetDevice& device,
                 QbbLinkEnd& end,
                 const QbbPortSettings& settings,
                 QbbPortCounts& counts)
        : traces(end, counts),
          core{device, end, settings, traces, counts},
          stack(device),
          egress(core, stack),
          flowControl(core, egress),
          ingress(core, egress, flowControl, stack)
    {
    }

    /**
     * Refuses calls of a device without a node.
     * @param node node of the device; may be null
     * @param function name of the function of QbbNetDevice that needs the node
     */
    static void RequireNode(const Ptr<Node>& node, const char* function)
    {
        HPCC_REFUSE_IF(!node,
                       std::string("ns3::QbbNetDevice::") + function +
                           ": the device has no node; call Node::AddDevice() first");
    }

    QbbPortTraces traces;       ///< trace sources and drops
    const QbbPortCore core;     ///< references that the parts share
    LazyStackPort stack;        ///< interface to ns-3's IP stack
    QbbEgress egress;           ///< queues and sends
    QbbFlowControl flowControl; ///< requests and obeys pauses
    QbbIngress ingress;         ///< receives
};

} // namespace ns3

#endif // QBB_PORT_PARTS_H
