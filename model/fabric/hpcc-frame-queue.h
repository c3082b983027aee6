/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FRAME_QUEUE_H
#define HPCC_FRAME_QUEUE_H

#include "hpcc-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A queue of frames, linked by Frame::next.
 */
struct FrameQueue
{
    Frame* head{nullptr}; ///< first frame
    Frame* tail{nullptr}; ///< last frame
    uint64_t bytes{0};    ///< size of all frames without FCS, bytes

    /**
     * Appends a frame.
     * @param frame frame to append; must not be in a queue
     */
    void Push(Frame* frame)
    {
        frame->next = nullptr;
        if (tail)
        {
            tail->next = frame;
        }
        else
        {
            head = frame;
        }
        tail = frame;
        bytes += frame->bytes;
    }

    /**
     * Removes the first frame.
     * @return the frame; the queue must not be empty
     */
    Frame* Pop()
    {
        Frame* frame = head;
        head = frame->next;
        if (head)
        {
            head->Prefetch();
        }
        else
        {
            tail = nullptr;
        }
        bytes -= frame->bytes;
        return frame;
    }

    /**
     * Removes the last frame, in a time proportional to the length of the queue.
     * @return the frame; the queue must not be empty
     */
    Frame* PopLast()
    {
        Frame* before = nullptr;
        for (Frame* frame = head; frame != tail; frame = frame->next)
        {
            before = frame;
        }
        Frame* last = tail;
        tail = before;
        (before ? before->next : head) = nullptr;
        bytes -= last->bytes;
        return last;
    }

    /**
     * Removes the first frame whose priority is in a given set.
     * @param open the set, one bit per priority
     * @return the frame; null if there is none
     */
    Frame* PopFirst(uint8_t open)
    {
        Frame* before = nullptr;
        Frame* frame = head;
        while (frame && !(open >> frame->priority & 1))
        {
            before = frame;
            frame = frame->next;
        }
        if (!frame || !before)
        {
            return frame ? Pop() : nullptr;
        }
        before->next = frame->next;
        if (tail == frame)
        {
            tail = before;
        }
        bytes -= frame->bytes;
        return frame;
    }
};

} // namespace ns3

#endif // HPCC_FRAME_QUEUE_H
