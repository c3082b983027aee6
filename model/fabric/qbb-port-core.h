/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_PORT_CORE_H
#define QBB_PORT_CORE_H

namespace ns3
{

class QbbLinkEnd;
class QbbNetDevice;
class QbbPortSettings;
class QbbPortTraces;
struct QbbPortCounts;

/**
 * @ingroup hpcc
 *
 * References that the parts of a port share. The device owns this struct and the parts, and each
 * part has a copy of the struct. The parts use the QbbNetDevice only as an argument that identifies
 * the port to FrameHandler, EgressScheduler and StackPort.
 */
struct QbbPortCore
{
    QbbNetDevice& device;            ///< the port, used only as an argument
    QbbLinkEnd& end;                 ///< the port's link and agenda, and the port's index on that
                                     ///< agenda
    const QbbPortSettings& settings; ///< attributes
    QbbPortTraces& traces;           ///< trace sources and drops
    QbbPortCounts& counts;           ///< counters
};

} // namespace ns3

#endif // QBB_PORT_CORE_H
