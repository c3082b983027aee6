/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RECEIVER_CONTROL_H
#define RDMA_RECEIVER_CONTROL_H

#include "rdma-feedback.h"

#include "ns3/hpcc-flow-counter.h"
#include "ns3/hpcc-frame.h"
#include "ns3/rdma-receiver-ops.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * State of a responder that computes the sender's window or counts flows. The state contains the
 * number of the last window or rate message, the path and idle time of the sender, and the number
 * of flows. This object is separate from the queue pair, because the default feedback mode does not
 * need it.
 */
class RdmaReceiverControl
{
  public:
    /**
     * Creates the control of a queue pair.
     * @param how feedback mode; null if this end only counts its flow, so that other queue pairs
     * get the correct number of flows
     * @param sprayed true if each packet may take a different path. A changed UDP source port then
     * does not mean that the queue pair has moved to another path
     */
    explicit RdmaReceiverControl(const RdmaFeedback* how = nullptr, bool sprayed = false)
        : m_how(how),
          m_sprayed(sprayed)
    {
    }

    /// Returns true if this end computes the window.
    bool Computes() const
    {
        return m_how && m_how->ComputesAtReceiver();
    }

    /// Returns the number of flows to report, as counted when the newest packet arrived; 0 unless
    /// the feedback mode counts flows.
    uint16_t GetReportedFlows() const
    {
        return m_how && m_how->CountsFlows() ? m_flows : 0;
    }

    /**
     * Counts the flow of a data packet that has arrived.
     * @param counter flow counter of the packet's traffic class
     * @param nowNs current time, ns
     */
    void Count(HpccFlowCounter& counter, int64_t nowNs)
    {
        m_flows = counter.Count(m_flow, nowNs);
    }

    /**
     * Handles a data packet that has arrived. Called only if this end computes the window.
     * @param frame the packet
     * @param endsMessage true if the packet is the last packet of its message
     * @param arrival receives the properties of the arrival that the packet's telemetry does not
     * contain; nowNs is already set
     */
    void OnArrival(const Frame& frame, bool endsMessage, RdmaArrivalInfo& arrival);

    /**
     * Assigns a number to a window or rate message, and writes the message into a CNP.
     * @param notification the values to send
     * @param frame the CNP into which the message is written
     * @return the number of the message
     */
    uint64_t Write(const RdmaNotification& notification, Frame& frame);

    /**
     * Returns the content of a CNP. RdmaNotification::given is false for a CNP without window and
     * rate.
     * @param frame a CNP
     */
    static RdmaNotification Read(const Frame& frame);

  private:
    const RdmaFeedback* m_how;    ///< see the constructor
    const bool m_sprayed;         ///< see the constructor
    HpccFlowCounter::Flow m_flow; ///< record of this queue pair's flow for HpccFlowCounter
    uint64_t m_number{0};         ///< number of the last window or rate message
    uint64_t m_applied{0};        ///< number of the newest window or rate message that the sender
                                  ///< had received when it sent the last packet
    int64_t m_silentNs{-1};       ///< time at which the last data message ended, ns; -1 within a
                                  ///< data message
    uint16_t m_flows{0};          ///< number of flows according to the last count
    uint16_t m_sourcePort{0};     ///< UDP source port of the last packet; 0 before the first
};

} // namespace ns3

#endif // RDMA_RECEIVER_CONTROL_H
