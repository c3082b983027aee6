/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_EGRESS_H
#define QBB_EGRESS_H

#include "hpcc-drop-reason.h"
#include "hpcc-frame-handler.h"
#include "hpcc-frame-queue.h"
#include "hpcc-frame.h"
#include "hpcc-node-agenda.h"
#include "qbb-port-core.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

class LazyStackPort;

/**
 * @ingroup hpcc
 *
 * The part of a port that queues frames, chooses the next frame and sends it.
 *
 * There is one queue per priority; an EgressScheduler decides which priority sends. PFC frames are
 * sent before all other frames, and emitted frames before queued frames. A free port also pulls
 * frames from the node's FrameHandler, if the handler supplies any. Within a priority, queued RoCE
 * feedback is sent before pulled data, and other queued frames alternate with pulled data.
 *
 * A transmission takes exactly bytes * 8 / rate, unless WholeNanoseconds is set. Simulated times
 * are whole ns. A busy port therefore carries the remaining fraction of a ns over to the next
 * frame, so that the port sends at exactly its rate.
 */
class QbbEgress : public AgendaClient
{
  public:
    /**
     * Creates the sending part of a port.
     * @param core state shared by the parts of the port
     * @param stack interface to ns-3's stack; it is notified of changes of queues, see SetStopped()
     */
    QbbEgress(const QbbPortCore& core, LazyStackPort& stack)
        : m_core(core),
          m_stack(stack)
    {
    }

    /// Sets the handler of the node's frames.
    /// @param handler the handler; null for none
    void SetHandler(FrameHandler* handler)
    {
        m_handler = handler;
        m_pulls = handler && handler->SuppliesFrames();
    }

    /// Returns the handler of the node's frames; null if there is none.
    FrameHandler* GetHandler() const
    {
        return m_handler;
    }

    /// Returns true if the handler supplies frames.
    bool Pulls() const
    {
        return m_pulls;
    }

    /**
     * Queues a frame, or starts its transmission if the port is idle and the priority not paused.
     * @param frame the frame, priority set
     */
    void Enqueue(Frame* frame);

    /**
     * Sends a frame ahead of all queues, see QbbNetDevice::Emit().
     * @param frame frame to send
     */
    void Emit(Frame* frame);

    /**
     * Makes the port call PullFrame(). Must be called after a change that may allow PullFrame() to
     * return a frame.
     * @param atNs the earliest time at which PullFrame() may return a frame, ns
     */
    void Kick(int64_t atNs);

    /**
     * Starts the next frame if the port is free and a frame may be sent.
     * @param nowNs current time, ns
     */
    void TransmitNext(int64_t nowNs);

    /// Returns the PFC frame that waits for transmission and can therefore still be changed; null
    /// if there is none.
    Frame* GetWaitingPfc() const
    {
        return m_control.tail;
    }

    /**
     * Drops all frames that wait in a queue.
     * @param priority the queue
     * @param reason reason for the drops
     */
    void DropQueue(uint8_t priority, DropReason reason);

    /// Drops all frames that wait at this port, with DropReason::LINK_DOWN.
    void DropAll();

    /// Returns the priorities that must not send, one bit each.
    uint8_t GetPaused() const
    {
        return m_paused;
    }

    /// Sets which priorities must not send. Starts no frame.
    /// @param priorities priorities that must not send, one bit each
    void SetPaused(uint8_t priorities)
    {
        m_paused = priorities;
    }

    /// Returns the priorities for which the stack's queues are stopped, one bit each.
    uint8_t GetStopped() const
    {
        return m_stopped;
    }

    /**
     * Sets the priorities for which the queues of ns-3's stack are stopped. While any of these
     * queues is stopped, StackPort::QueueChanged() is called for every change of a queue of the
     * port.
     * @param priorities priorities whose queues in the stack are stopped, one bit each
     */
    void SetStopped(uint8_t priorities)
    {
        m_stopped = priorities;
    }

    /// Returns the size of all queued frames, without FCS, bytes.
    uint64_t GetQueueBytes() const
    {
        return m_totalBytes;
    }

    /**
     * Returns the size of the frames in the queue of a priority, without FCS, bytes.
     * @param priority priority of the queue, 0 to 7
     */
    uint64_t GetQueueBytes(uint8_t priority) const
    {
        return m_queues[priority].bytes;
    }

    /**
     * Returns the first frame in the queue of a priority; null if the queue is empty.
     * Frame::arrivalNs is the time at which the frame joined the queue.
     * @param priority priority of the queue, 0 to 7
     */
    const Frame* GetHead(uint8_t priority) const
    {
        return m_queues[priority].head;
    }

    /**
     * Returns the last frame in the queue of a priority; null if the queue is empty.
     * @param priority priority of the queue, 0 to 7
     */
    const Frame* GetLast(uint8_t priority) const
    {
        return m_queues[priority].tail;
    }

    /**
     * Removes the last frame of a queue.
     * @param priority a priority whose queue is not empty
     * @return the frame
     */
    Frame* TakeLast(uint8_t priority);

    /**
     * Returns the ingress ports of a queue's frames.
     * @param priority priority of the queue
     * @return ports by which the frames in the queue entered the switch, in ascending order,
     * without repetition
     */
    std::vector<uint16_t> GetIngressPorts(uint8_t priority) const;

    /// Returns the time at which the most recently started transmission ends, ns.
    int64_t GetFreeNs() const
    {
        return m_freeNs;
    }

    /// Returns the priority of the last frame whose transmission has started since
    /// QbbPortSettings::CountClasses() was called; PRIORITIES if this frame was a PFC frame, or if
    /// there was no frame.
    uint8_t GetLastPriority() const
    {
        return m_lastPriority;
    }

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  private:
    /**
     * Chooses the next frame and removes it from its queue.
     * @param nowNs current time, ns
     * @return the frame; null if no frame may be sent now
     */
    Frame* SelectFrame(int64_t nowNs);

    /**
     * Starts the transmission of a frame.
     * @param frame the frame, whose first bit is sent now
     * @param nowNs current time, ns
     */
    void StartTransmission(Frame* frame, int64_t nowNs);

    /// Reports the start of a frame to the scheduler if the scheduler watches the priority of the
    /// frame.
    /// @param priority priority of the frame
    void CountServed(uint8_t priority);

    /**
     * Counts a frame for its traffic class and charges it to the scheduler, at the start of its
     * transmission.
     * @param frame frame whose first bit is sent now
     * @param txBytes bytes that the frame adds to the port's byte counter
     * @param linkBytes bytes that the frame occupies on the link
     */
    void CountClass(const Frame& frame, uint32_t txBytes, uint32_t linkBytes);

    /// Returns true if a frame waits in a queue.
    bool HasQueued() const
    {
        return m_queued || m_control.head || m_emitted.head;
    }

    /**
     * Drops all frames of a queue.
     * @param queue queue to empty
     * @param reason the reason for the drops
     */
    void Lose(FrameQueue& queue, DropReason reason);

    /// Schedules a call of TransmitNext(), unless a call at this or an earlier time is scheduled.
    /// @param atNs the time, ns
    void NoteWake(int64_t atNs);

    /**
     * Informs the trace, the watches and the stack that a queue has changed.
     * @param priority priority of the queue, 0 to 7
     * @param nowNs current time, ns
     */
    void NotifyQueue(uint8_t priority, int64_t nowNs);

    const QbbPortCore m_core;              ///< state shared by the parts
    FrameHandler* m_handler{nullptr};      ///< see GetHandler()
    int64_t m_freeNs{0};                   ///< see GetFreeNs()
    uint64_t m_remainder{0};               ///< fraction of a ns by which the last transmission ends
                                           ///< after m_freeNs, multiplied by the rate in bit/s
    int64_t m_wakeNs{FrameHandler::NEVER}; ///< earliest scheduled call of TransmitNext()
    uint64_t m_totalBytes{0};              ///< see GetQueueBytes()
    uint8_t m_queued{0};                   ///< priorities with queued frames
    uint8_t m_paused{0};                   ///< see GetPaused()
    bool m_pulls{false};                   ///< see Pulls()
    uint8_t m_pulledLast{0};               ///< priorities, one bit each, whose last frame came from
                                           ///< the handler instead of the queue
    bool m_starting{false};                ///< true while a frame is being selected or started and
                                           ///< the end of its transmission is not known yet
    bool m_selectAgain{false};             ///< true if TransmitNext() was called while m_starting
                                           ///< was true
    uint8_t m_stopped{0};                  ///< see GetStopped()
    uint8_t m_lastPriority{PRIORITIES};    ///< see GetLastPriority()
    std::array<FrameQueue, PRIORITIES> m_queues; ///< egress queues
    FrameQueue m_control;                        ///< PFC frames
    FrameQueue m_emitted;                        ///< emitted frames
    LazyStackPort& m_stack;                      ///< see the constructor
};

} // namespace ns3

#endif // QBB_EGRESS_H
