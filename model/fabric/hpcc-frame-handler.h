/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FRAME_HANDLER_H
#define HPCC_FRAME_HANDLER_H

#include "hpcc-frame.h"

#include <cstdint>

namespace ns3
{

class QbbNetDevice;

/**
 * @ingroup hpcc
 *
 * Handles the frames of a node's ports. A switch forwards frames; a host's RDMA stack receives
 * frames and supplies the frames to send.
 */
class FrameHandler
{
  public:
    virtual ~FrameHandler() = default;

    /**
     * Handles a frame that has arrived.
     * @param port port at which the frame has arrived
     * @param frame the frame, now owned by the handler
     * @param nowNs simulated time, ns
     */
    virtual void ReceiveFrame(QbbNetDevice& port, Frame* frame, int64_t nowNs) = 0;

    /**
     * Handles a frame that has left its queue and whose transmission starts. The port's byte
     * counter does not yet include the frame.
     * @param port egress port
     * @param frame frame whose first bit is sent now
     * @param nowNs simulated time, ns
     */
    virtual void StartOfTransmission(QbbNetDevice& port, Frame& frame, int64_t nowNs)
    {
        (void)port;
        (void)frame;
        (void)nowNs;
    }

    /**
     * Handles a change of the port's link to down or up.
     * @param port port at this end of the link
     * @param up true if the link is up now
     */
    virtual void LinkChanged(QbbNetDevice& port, bool up)
    {
        (void)port;
        (void)up;
    }

    /**
     * Handles a frame that is about to be dropped because the link is down. The frame has been
     * removed from its queue.
     * @param port egress port
     * @param frame frame that will be dropped
     */
    virtual void OnFrameLost(QbbNetDevice& port, const Frame& frame)
    {
        (void)port;
        (void)frame;
    }

    /**
     * Prefetches the state that is needed when the next frame arrives. Must not change any state.
     * @param frame frame that will arrive next
     */
    virtual void PrefetchFor(const Frame& frame)
    {
        (void)frame;
    }

    /// Returns true if the handler supplies frames, as hosts do: the port then calls PullFrame() to
    /// get frames to send, and calls PrefetchFor() before arrivals. Default: false.
    virtual bool SuppliesFrames() const
    {
        return false;
    }

    /**
     * Returns the priorities for which the node has frames. Called when the port is free.
     * @param port port that is free
     * @param nowNs simulated time, ns
     * @return priorities for which PullFrame() may return a frame now, one bit each
     */
    virtual uint8_t ReadyPriorities(QbbNetDevice& port, int64_t nowNs)
    {
        (void)port;
        (void)nowNs;
        return 0;
    }

    /**
     * Takes the next frame of a priority from the node.
     * @param port port that will send the frame
     * @param priority one of ReadyPriorities()
     * @param nowNs simulated time, ns
     * @return the frame; null if there is none
     */
    virtual Frame* PullFrame(QbbNetDevice& port, uint8_t priority, int64_t nowNs)
    {
        (void)port;
        (void)priority;
        (void)nowNs;
        return nullptr;
    }

    /**
     * Returns the earliest time, at or after freeNs, at which PullFrame() may return a frame, ns.
     * Returns NEVER if an event must occur first, such as the arrival of a frame, a posted message
     * or a timer.
     * @param port port that will send the frame
     * @param priorities priorities that are not paused, one bit each
     * @param freeNs time at which the port can start a frame again, ns
     */
    virtual int64_t NextPullNs(QbbNetDevice& port, uint8_t priorities, int64_t freeNs)
    {
        (void)port;
        (void)priorities;
        (void)freeNs;
        return NEVER;
    }

    static constexpr int64_t NEVER = INT64_MAX; ///< returned by NextPullNs() if an event must occur
                                                ///< first
};

} // namespace ns3

#endif // HPCC_FRAME_HANDLER_H
