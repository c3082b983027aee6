/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_COMMIT_RULE_H
#define RDMA_COMMIT_RULE_H

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Decides when a receiver that computes windows may commit one, in addition to the condition that T
 * has passed since the last commit (draft-miao-tsv-hpcc-01, line 29). Guidelines of
 * draft-pan-tsvwg-hpccplus-02, section 6.1, want at most one commit in a round trip. With a queue a
 * round trip is longer than T, so a receiver that commits by time alone cuts repeatedly for
 * congestion that its first cut has already removed.
 *
 * EPOCH therefore waits for a packet that left under the last window sent. A lost message does not
 * hold commits for ever: counted from the last commit, the wait ends after 2 T plus the largest
 * queueing delay reported since.
 */
class RdmaCommitRule
{
  public:
    /// The rule.
    enum Kind : uint8_t
    {
        EPOCH, ///< as above
        TIME,  ///< T alone: the draft's letter
    };

    /**
     * @param kind the rule
     * @param baseRttNs T, ns
     */
    void Open(Kind kind, int64_t baseRttNs)
    {
        m_kind = kind;
        m_baseRttNs = baseRttNs;
    }

    /**
     * Decides whether the rule permits a commit by a packet with telemetry that has arrived.
     * @param nowNs when, ns
     * @param current true if it left after the sender had applied the last window that was sent to
     * it
     * @param delayNs queueing delay of the path that it reports, ns
     * @return true if it must not commit
     */
    bool Holds(int64_t nowNs, bool current, double delayNs)
    {
        m_delayNs = std::max(m_delayNs, static_cast<int64_t>(delayNs));
        return m_kind == EPOCH && !current && nowNs <= m_commitNs + 2 * m_baseRttNs + m_delayNs;
    }

    /// Notes that a window is committed.
    /// @param nowNs current time, ns
    void Commit(int64_t nowNs)
    {
        m_commitNs = nowNs;
        m_delayNs = 0;
    }

  private:
    Kind m_kind{EPOCH};     ///< the rule
    int64_t m_baseRttNs{0}; ///< T, ns
    int64_t m_commitNs{0};  ///< last commit, ns
    int64_t m_delayNs{0};   ///< largest queueing delay reported since, ns
};

} // namespace ns3

#endif // RDMA_COMMIT_RULE_H
