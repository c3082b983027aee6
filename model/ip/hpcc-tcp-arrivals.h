/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TCP_ARRIVALS_H
#define HPCC_TCP_ARRIVALS_H

#include "hpcc-feedback-proof.h"
#include "hpcc-flow-key.h"
#include "hpcc-nic-packets.h"

#include "ns3/hpcc-flow-counter.h"
#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-tcp-option-format.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Manages the TCP connections whose data arrives at a NIC that counts flows or authenticates
 * feedback. Signs the feedback for these connections, and stores the number of flows that the
 * feedback reports.
 */
class HpccTcpArrivals
{
  public:
    /// Sets the key of the authentication.
    /// @param key key that authenticates feedback; if empty, feedback is not authenticated
    void SetKey(const std::string& key)
    {
        m_key = key;
    }

    /**
     * Counts the flow of a data segment.
     * @param key connection of the segment
     * @param frame the segment
     * @param counter counter of the segment's traffic class; must outlive the connection
     * @param nowNs current time, ns
     */
    void Count(const HpccFlowKey& key, const Frame& frame, HpccFlowCounter& counter, int64_t nowNs);

    /**
     * Returns the content of an answer apart from its records.
     * @param key a connection
     * @param probe a probe of the connection, or data with telemetry
     * @param around further bytes that the signature covers
     * @return the number of flows and, if there is a key, the proof with a new message number
     */
    HpccNicPackets::Note MakeNote(const HpccFlowKey& key,
                                  const Frame& probe,
                                  const std::vector<uint8_t>& around);

    /**
     * Signs an option that returns a value, if there is a key.
     * @param key a connection
     * @param frame the leaving segment with the option
     * @param option format of the option
     */
    void Sign(const HpccFlowKey& key, Frame& frame, const TcpOptionFormat& option);

    /// Forgets a connection.
    /// @param key the connection
    void Forget(const HpccFlowKey& key)
    {
        m_flows.erase(key);
    }

    /// Forgets connections without a socket.
    /// @param isOpen function that returns true for a connection with a socket
    void Keep(const std::function<bool(const HpccFlowKey&)>& isOpen);

    /// Returns true if no connection is known.
    bool IsEmpty() const
    {
        return m_flows.empty();
    }

    /// Forgets all connections.
    void Clear()
    {
        m_flows.clear();
    }

  private:
    /// The state of a connection.
    struct Flow
    {
        HpccFlowCounter::Flow flow; ///< the flow's entry in the counter of its class
        uint16_t flows{0}; ///< number of flows of the same class when the newest data arrived
        std::optional<HpccFeedbackProof> proof; ///< signs the answers; empty without a key
    };

    /**
     * Finds the state of a connection.
     * @param key a connection
     * @param frame a packet of the connection
     * @param arrives true if the packet has arrived, false if it leaves
     * @return state of the connection, which is created if it does not exist
     */
    Flow& Find(const HpccFlowKey& key, const Frame& frame, bool arrives);

    std::string m_key;                   ///< see SetKey()
    std::map<HpccFlowKey, Flow> m_flows; ///< state by connection
};

} // namespace ns3

#endif // HPCC_TCP_ARRIVALS_H
