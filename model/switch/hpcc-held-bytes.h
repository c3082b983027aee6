/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_HELD_BYTES_H
#define HPCC_HELD_BYTES_H

#include "ns3/qbb-egress.h"
#include "ns3/qbb-net-device.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Computes how many bytes of a priority a port holds: the frames that wait, and the frame in
 * transmission until its last bit has left.
 */
class HeldBytes
{
  public:
    /**
     * Returns the bytes of a priority that the port holds.
     * @param port the port
     * @param priority the priority
     * @param nowNs simulated time, ns
     */
    uint64_t Get(const QbbNetDevice& port, uint8_t priority, int64_t nowNs) const
    {
        const bool sending = nowNs < m_untilNs && m_priority == priority;
        return port.GetEgress().GetQueueBytes(priority) + (sending ? m_bytes : 0);
    }

    /**
     * Records a frame whose transmission starts. Frames of priorities for which Get() is never
     * called need not be recorded.
     * @param port the port
     * @param frame the frame
     * @param nowNs simulated time, ns
     */
    void NoteStart(const QbbNetDevice& port, const Frame& frame, int64_t nowNs)
    {
        m_bytes = frame.bytes;
        m_priority = frame.priority;
        m_untilNs = nowNs + static_cast<int64_t>(port.GetLinkBytes(frame.bytes) *
                                                 uint64_t{8000000000} / port.GetRateBps());
    }

  private:
    int64_t m_untilNs{0};  ///< end of the transmission of the last recorded frame, ns
    uint32_t m_bytes{0};   ///< size of the last recorded frame
    uint8_t m_priority{0}; ///< priority of the last recorded frame
};

} // namespace ns3

#endif // HPCC_HELD_BYTES_H
