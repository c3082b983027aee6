/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_PORT_WATCH_H
#define QBB_PORT_WATCH_H

#include <cstdint>

namespace ns3
{

struct Frame;

/**
 * @ingroup hpcc
 *
 * An object that a port calls for every frame, see QbbNetDevice::AddWatch(). The functions of a
 * watch are called at the same times as the sinks of the trace sources QueueBytes and Transmit. For
 * statistics of every frame, calling a virtual function is several times faster than calling a
 * trace sink.
 */
class QbbPortWatch
{
  public:
    virtual ~QbbPortWatch() = default;

    /**
     * Called when the number of bytes in the egress queues of the port has changed.
     * @param portBytes bytes in all queues
     * @param nowNs the time, ns
     */
    virtual void QueueChanged(uint64_t portBytes, int64_t nowNs) = 0;

    /**
     * Called when the transmission of a frame starts.
     * @param nowNs the time, ns
     * @param frame frame whose first bit is sent now
     */
    virtual void Transmitted(int64_t nowNs, const Frame& frame) = 0;

  private:
    friend class QbbPortTraces;

    QbbPortWatch* m_next{nullptr}; ///< next watch of the same port
    bool m_used{false};            ///< true if the object belongs to a port
};

} // namespace ns3

#endif // QBB_PORT_WATCH_H
