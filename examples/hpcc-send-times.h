/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SEND_TIMES_H
#define HPCC_SEND_TIMES_H

// Computes the times at which a port sends its frames, for examples that count the bytes on a link
// in an interval.

#include "ns3/qbb-net-device.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/// Computes the transmission times of the frames of a port, including fractions of a nanosecond.
/// The port itself reports the start of a frame rounded down to a whole nanosecond.
class HpccSendTimes
{
  public:
    /// The transmission of a frame.
    struct Transmission
    {
        double startNs; ///< time of the first bit, ns
        double ns;      ///< duration, ns

        /**
         * Returns the share of the transmission that lies in an interval.
         * @param fromNs start of the interval, ns
         * @param untilNs end of the interval, ns
         */
        double GetShare(int64_t fromNs, int64_t untilNs) const
        {
            const double end = std::min(startNs + ns, static_cast<double>(untilNs));
            return std::max(0.0, (end - std::max(startNs, static_cast<double>(fromNs))) / ns);
        }
    };

    /**
     * Returns start and duration of the transmission of a frame. Call this function for each frame
     * of the port, in order.
     * @param port the port
     * @param nowNs start of the transmission, as in the trace source Transmit, ns
     * @param linkBytes bytes that the frame occupies on the link
     */
    Transmission Next(const QbbNetDevice& port, int64_t nowNs, uint32_t linkBytes)
    {
        const auto now = static_cast<double>(nowNs);
        // A frame that follows the previous frame without a gap may start at a fraction of a
        // nanosecond.
        const Transmission frame{std::clamp(m_freeNs, now, now + 1),
                                 linkBytes * 8e9 / static_cast<double>(port.GetRateBps())};
        m_freeNs = frame.startNs + frame.ns;
        return frame;
    }

  private:
    double m_freeNs{0}; ///< end of the last transmission, ns
};

} // namespace ns3

#endif // HPCC_SEND_TIMES_H
