/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_RATE_POLICIES_H
#define HPCC_TEST_RATE_POLICIES_H

#include "hpcc-test-policies.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup hpcc
 * Functions that the tests of rate-based policies share: policies for a base RTT of 13 us, and
 * queue pairs with ACKs that the test creates.
 */

namespace hpcctest
{

using namespace ns3;

/**
 * Returns a rate-based policy.
 * @param name short name of the policy
 * @param baseRttNs base RTT of the network, which becomes T
 */
inline Ptr<RdmaCongestionOps>
MakeRate(const std::string& name, int64_t baseRttNs = 13000)
{
    auto ops = Make(name);
    ops->SetNetworkBaseRtt(baseRttNs);
    EXPECT_EQ(ops->Validate(baseRttNs, nullptr), "") << name;
    return ops;
}

/// A queue pair with ACKs that the test creates. From ACK to ACK, the time and the acknowledged
/// bytes increase.
class RateQueuePair : public PolicyQueuePair
{
  public:
    explicit RateQueuePair(const Ptr<RdmaCongestionOps>& ops,
                           uint64_t lineRateBps = 100'000'000'000,
                           uint64_t firstSeq = 0)
        : PolicyQueuePair(ops, {7, lineRateBps, 1000, 48, 0, firstSeq}),
          m_acked(firstSeq),
          m_sent(firstSeq)
    {
    }

    /// Passes an ACK of @p bytes bytes to the policy. @p window bytes are in flight.
    void Ack(int64_t rttNs, bool marked = false, uint64_t bytes = 1000, uint64_t window = 50000)
    {
        m_acked += bytes;
        m_sent = std::max(m_sent, m_acked - bytes + window);
        m_nowNs += std::max<int64_t>(rttNs, 1);
        RdmaAckInfo ack{};
        ack.nowNs = m_nowNs;
        ack.ackSeq = m_acked;
        ack.sndNxt = m_sent;
        ack.newlyAckedBytes = bytes;
        ack.rttNs = rttNs;
        ack.congestionExperienced = marked;
        m_ops->OnAck(m_state, ack);
    }

    /// Passes an ACK of all bytes that were sent before the previous ACK. This ends a round trip.
    void RoundTrip(int64_t rttNs, bool marked = false)
    {
        Ack(rttNs, marked, m_sent + 1000 - m_acked);
    }

    /// Passes one ACK per round trip. The ACKs have the given RTTs, us.
    void Rtts(const std::vector<int64_t>& us)
    {
        for (int64_t rtt : us)
        {
            RoundTrip(rtt * US);
        }
    }

    /// Passes the ACKs of a window of packets, of which the first @p marked packets are marked.
    void Window(uint32_t packets, uint32_t marked)
    {
        for (uint32_t i = 0; i < packets; ++i)
        {
            Ack(-1, i < marked, 1000, packets * 1000);
        }
    }

    double Bps() const
    {
        return m_state->rateBps;
    }

  private:
    uint64_t m_acked;
    uint64_t m_sent;
    int64_t m_nowNs{0};
};

/// Stores the values that a trace source of type double reports.
struct Recorder
{
    void Value(uint32_t flowId, double value)
    {
        EXPECT_EQ(flowId, 7U);
        values.push_back(value);
    }

    std::vector<double> values;
};

} // namespace hpcctest

#endif // HPCC_TEST_RATE_POLICIES_H
