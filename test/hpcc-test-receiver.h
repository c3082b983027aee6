/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_RECEIVER_H
#define HPCC_TEST_RECEIVER_H

#include "hpcc-test-rdma.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-roce-headers.h"

#include <algorithm>
#include <map>
#include <string>

/**
 * \file
 * \ingroup hpcc
 * Fixture of the tests of receivers that run the control law: an incast, and its results.
 */

namespace hpcctest
{

using namespace ns3;

/// Returns true if @p frame carries a window or a rate.
inline bool
TellsWindow(const Frame& frame)
{
    return frame.kind == Frame::Kind::ROCE && frame.opcode == ROCE_CNP &&
           frame.notification.kind != RoceNotificationHeader::NONE;
}

/// Base class with an incast: 16 hosts send 500 KB each to one host at 100 Gb/s through one switch.
/// T is 4.3 us.
class RxTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    static constexpr uint32_t SENDERS = 16;   ///< number of sending hosts
    static constexpr uint64_t BYTES = 500000; ///< payload of each sender

    /// Results of an incast.
    struct Outcome
    {
        double meanGbps;        ///< mean throughput of the receiver's link from 60 to 500 us, Gb/s
        double worstGbps;       ///< lowest throughput in an interval of 10 us from 60 to 500 us,
                                ///< Gb/s
        size_t finished;        ///< number of completed flows
        double lastUs;          ///< completion time of the last flow
        uint64_t queueP99;      ///< 99th percentile of the queue from 120 to 500 us, bytes
        uint64_t acks;          ///< number of ACKs and NAKs that the receiver sent
        uint64_t windows;       ///< number of messages that carry a window or rate
        uint64_t telemetry;     ///< number of ACKs with telemetry
        uint64_t feedbackBytes; ///< bytes of feedback that the receiver sent
    };

    /**
     * Runs an incast.
     * @param feedback short name of the feedback
     * @param ackInterval packets per ACK
     * @param telemetry short name of the telemetry format
     * @return results of the incast
     */
    Outcome RunIncast(const std::string& feedback,
                      uint32_t ackInterval = 1,
                      const std::string& telemetry = "")
    {
        Fabric().SetHostAttribute("AckInterval", UintegerValue(ackInterval));
        Install(Star(SENDERS + 1, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", telemetry, feedback);
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            Post(host, Fabric().Connect(host, SENDERS, spec, 0, true), BYTES);
        }
        Outcome outcome{};
        QbbNetDevice& port = *Fabric().GetSwitch(SENDERS + 1)->GetPorts()[SENDERS];
        std::map<int64_t, uint64_t> bins;
        OnTransmit(port, [&](int64_t nowNs, const Frame& frame) {
            bins[nowNs / 10000] += port.GetLinkBytes(frame.bytes);
        });
        std::map<uint64_t, int64_t> heldNs;
        uint64_t queued = 0;
        int64_t sinceNs = 0;
        OnQueue(port, [&](int64_t nowNs, uint64_t bytes) {
            const int64_t ns =
                std::min<int64_t>(nowNs, 500000) - std::max<int64_t>(sinceNs, 120000);
            heldNs[queued] += std::max<int64_t>(ns, 0);
            queued = bytes;
            sinceNs = nowNs;
        });
        OnTransmit(Host(SENDERS).GetPort(), [&](int64_t, const Frame& frame) {
            outcome.acks += frame.opcode == ROCE_ACK;
            outcome.telemetry += frame.opcode == ROCE_ACK && frame.format;
            outcome.windows += TellsWindow(frame);
        });
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        outcome.finished = m_acknowledged.size();
        outcome.lastUs = m_acknowledged.empty()
                             ? 0
                             : static_cast<double>(m_acknowledged.back().completedNs) / 1e3;
        outcome.worstGbps = OPEN;
        for (int64_t bin = 6; bin < 50; ++bin)
        {
            const double gbps = static_cast<double>(bins[bin]) * 8 / 10000;
            outcome.meanGbps += gbps / 44;
            outcome.worstGbps = std::min(outcome.worstGbps, gbps);
        }
        outcome.queueP99 = Quantile(heldNs, 0.99);
        outcome.feedbackBytes = Host(SENDERS).GetFeedbackBytes();
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames");
        Again();
        return outcome;
    }

    /**
     * Returns the least value that is not exceeded during a given share of the time.
     * @param time duration by value
     * @param share share of the time, 0 to 1
     */
    static uint64_t Quantile(const std::map<uint64_t, int64_t>& time, double share)
    {
        double total = 0;
        for (const auto& [value, ns] : time)
        {
            total += static_cast<double>(ns);
        }
        double seen = 0;
        for (const auto& [value, ns] : time)
        {
            seen += static_cast<double>(ns);
            if (seen >= share * total)
            {
                return value;
            }
        }
        return 0;
    }

    /// Removes the simulation, so that the case can run another simulation.
    void Again()
    {
        m_acknowledged.clear();
        m_delivered.clear();
        RdmaTestCase::DoTeardown();
    }
};

} // namespace hpcctest

#endif // HPCC_TEST_RECEIVER_H
