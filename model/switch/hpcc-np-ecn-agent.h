/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_NP_ECN_AGENT_H
#define HPCC_NP_ECN_AGENT_H

#include "hpcc-switch-agent.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Non-PAUSE ECN, the congestion point of PCN ("Re-architecting Congestion Management in Lossless
 * Ethernet", NSDI 2020, figure 7). A packet is marked at the start of its transmission if more than
 * Threshold bytes of its priority wait behind it. Exception: a packet that a pause has held up is
 * not marked.
 *
 * The paper's switch counts the packets in the queue when a RESUME arrives, and does not mark that
 * many packets. A queue is first in, first out, so these are the packets that had arrived when the
 * last pause of their priority ended. A pause that ends because its time runs out is treated like a
 * pause that a RESUME ends. A packet that arrives after the RESUME is marked like any other packet,
 * even if it waits behind packets that were held up. Therefore some packets of a victim flow are
 * marked, too. The receiver must distinguish a victim flow from a flow that causes congestion by
 * the share of marked packets.
 *
 * The agent marks ECT(1) packets. While the agent is installed, the switch's Marker does not mark
 * ECT(1) packets.
 *
 * Name: "np-ecn".
 *
 * Attribute: Threshold, bytes. With a Threshold of 0, the value in the paper, a packet is marked if
 * any packet waits behind it.
 */
class NpEcnAgent : public SwitchAgent
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt) override;
    bool SetBaseRtt(Time baseRtt) override;
    void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;
    uint8_t GetMarkedCodepoint() const override;

    /// Returns the number of packets marked CE.
    uint64_t GetMarks() const
    {
        return m_marks;
    }

    /// Returns the number of packets that would have been marked if a pause had not held them up.
    uint64_t GetHeldUp() const
    {
        return m_heldUp;
    }

  private:
    uint32_t m_threshold; ///< attribute Threshold
    uint64_t m_marks{0};  ///< packets marked
    uint64_t m_heldUp{0}; ///< packets not marked because of a pause
};

} // namespace ns3

#endif // HPCC_NP_ECN_AGENT_H
