/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FLOW_COUNTER_H
#define HPCC_FLOW_COUNTER_H

#include <boost/intrusive/list.hpp>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Counts the flows of which a packet has arrived within the last interval: N of
 * draft-miao-tsv-hpcc-01, section 6.3.2, "the number of outstanding flows". There is one counter
 * for each class of a port. Its cost per packet does not depend on the number of flows.
 */
class HpccFlowCounter
{
  public:
    /// A flow. Its destructor removes it from its counter.
    class Flow : public boost::intrusive::list_base_hook<>
    {
      public:
        Flow() = default;
        Flow(const Flow&) = delete;
        Flow& operator=(const Flow&) = delete;

        ~Flow()
        {
            if (m_counter)
            {
                m_counter->Remove(*this);
            }
        }

      private:
        friend class HpccFlowCounter;
        HpccFlowCounter* m_counter{nullptr}; ///< where it counts; null if nowhere
        int64_t m_seenNs{0};                 ///< its newest packet, ns
    };

    /// Makes a flow count for at least @p windowNs after each of its packets.
    /// @param windowNs time, ns; the longest of all calls applies
    void Cover(int64_t windowNs);

    /**
     * Counts a packet that has arrived.
     * @param flow its flow
     * @param nowNs when, not before the last one, ns
     * @return flows with a packet at most the window ago; 65535 for more
     */
    uint16_t Count(Flow& flow, int64_t nowNs);

  private:
    /// Stops counting a flow.
    /// @param flow the flow
    void Remove(Flow& flow);

    boost::intrusive::list<Flow> m_flows; ///< that count, longest silent first
    int64_t m_windowNs{0};                ///< see Cover()
};

} // namespace ns3

#endif // HPCC_FLOW_COUNTER_H
