/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_COMMIT_RULE_H
#define RDMA_COMMIT_RULE_H

#include "rdma-receiver-ops.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Decides when a receiver that computes windows may commit. The draft's only condition is that T
 * has passed since the last commit (draft-miao-tsv-hpcc-01, line 29). The guidelines of
 * draft-pan-tsvwg-hpccplus-02, section 6.1, ask for at most one commit per round trip. If there is
 * a queue, a round trip is longer than T. A receiver that commits by time alone would then reduce
 * the window several times for the same congestion.
 *
 * The rule EPOCH therefore also waits for a packet that left after the sender had applied the last
 * window. The message with this window may be lost. Therefore the wait ends at the latest 2 T + D
 * after the last commit, where D is the largest queueing delay reported since that commit.
 */
class RdmaCommitRule
{
  public:
    using Kind = RdmaReceiverInfo::CommitRule; ///< the rule

    /**
     * Selects the rule.
     * @param kind rule to apply
     * @param baseRttNs T, ns
     */
    void Open(Kind kind, int64_t baseRttNs)
    {
        m_kind = kind;
        m_baseRttNs = baseRttNs;
    }

    /**
     * Decides whether the rule forbids a commit by an arriving packet with telemetry.
     * @param nowNs time of arrival, ns
     * @param current true if the packet left after the sender had applied the last window of this
     * receiver
     * @param delayNs queueing delay of the path according to the packet's telemetry, ns
     * @return true if the packet must not commit
     */
    bool Holds(int64_t nowNs, bool current, double delayNs)
    {
        m_delayNs = std::max(m_delayNs, static_cast<int64_t>(delayNs));
        return m_kind == Kind::EPOCH && !current &&
               nowNs <= m_commitNs + 2 * m_baseRttNs + m_delayNs;
    }

    /// Stores the time of a commit.
    /// @param nowNs current time, ns
    void Commit(int64_t nowNs)
    {
        m_commitNs = nowNs;
        m_delayNs = 0;
    }

  private:
    Kind m_kind{Kind::EPOCH}; ///< the rule
    int64_t m_baseRttNs{0};   ///< T, ns
    int64_t m_commitNs{0};    ///< time of the last commit, ns
    int64_t m_delayNs{0};     ///< largest queueing delay reported since the last commit, ns
};

} // namespace ns3

#endif // RDMA_COMMIT_RULE_H
