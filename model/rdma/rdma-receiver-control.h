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
 * State of a queue pair's responder that computes the sender's window or counts flows: the messages
 * that it has sent, and its view of the sender's path and pauses. It is behind a pointer, because
 * the default needs none.
 */
class RdmaReceiverControl
{
  public:
    /**
     * @param how how telemetry travels to this end; null if it only counts flows, for others
     * @param sprayed each packet may take another path, so that another UDP source port is no move
     */
    explicit RdmaReceiverControl(const RdmaFeedback* how = nullptr, bool sprayed = false)
        : m_how(how),
          m_sprayed(sprayed)
    {
    }

    /// @return true if this end computes
    bool Computes() const
    {
        return m_how && m_how->ComputesAtReceiver();
    }

    /// @return flows to report: as counted by the newest packet; 0 unless this queue pair counts
    uint16_t GetReportedFlows() const
    {
        return m_how && m_how->CountsFlows() ? m_flows : 0;
    }

    /**
     * Counts the flow of a data packet that has arrived.
     * @param counter of its class
     * @param nowNs now
     */
    void Count(HpccFlowCounter& counter, int64_t nowNs)
    {
        m_flows = counter.Count(m_flow, nowNs);
    }

    /**
     * Handles a data packet that has arrived where the window is computed.
     * @param frame the packet
     * @param endsMessage true if it is the last of its message
     * @param arrival gets what is not in its telemetry
     */
    void OnArrival(const Frame& frame, bool endsMessage, RdmaArrivalInfo& arrival);

    /**
     * Numbers a message and writes it.
     * @param notification the values that it carries
     * @param frame the CNP that carries it
     * @return its number
     */
    uint64_t Write(const RdmaNotification& notification, Frame& frame);

    /**
     * @param frame a CNP of a responder that computes
     * @return its content; not given if it is a plain one
     */
    static RdmaNotification Read(const Frame& frame);

  private:
    const RdmaFeedback* m_how;    ///< see the constructor
    const bool m_sprayed;         ///< see the constructor
    HpccFlowCounter::Flow m_flow; ///< this queue pair at the counter
    uint64_t m_number{0};         ///< of the last message
    uint64_t m_applied{0};        ///< of the one that the sender's last packet had
    int64_t m_silentNs{-1};   ///< since when the sender may have nothing to send, ns; -1 within a
                              ///< message
    uint16_t m_flows{0};      ///< as last counted
    uint16_t m_sourcePort{0}; ///< UDP source port of the last packet; 0 before the first
};

} // namespace ns3

#endif // RDMA_RECEIVER_CONTROL_H
