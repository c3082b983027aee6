/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the bandwidth that probes and notifications use, and how well flows perform with them.

#include "hpcc-test-out-of-band.h"

#include <algorithm>
#include <iostream>
#include <string>

using namespace hpcctest;

namespace
{

/// Tests the bandwidth that probes use.
class CostTestCase : public OutOfBandTestCase
{
  public:
    CostTestCase(uint32_t flows, Time spacing)
        : OutOfBandTestCase("probes of " + std::to_string(flows) + " flows" +
                            (spacing.IsZero() ? "" : " with a budget") +
                            " take at most n times their bytes over B T of a link"),
          m_flows(flows),
          m_spacing(spacing)
    {
    }

  private:
    static constexpr int64_t FROM_NS = 100000;
    static constexpr int64_t UNTIL_NS = 300000;

    void DoRun() override
    {
        Fabric().SetHostAttribute("ProbeSpacing", TimeValue(m_spacing));
        Build(2);
        for (uint32_t i = 0; i < m_flows; ++i)
        {
            Post(0, Fabric().Connect(0, 1, SpecOf("probe")), 5000000 / m_flows);
        }
        uint64_t probeBytes = 0;
        uint64_t answerBytes = 0;
        QbbNetDevice& there = *Fabric().GetSwitch(2)->GetPorts()[1];
        OnTransmit(there, [&](int64_t nowNs, const Frame& frame) {
            const bool counts = nowNs >= FROM_NS && nowNs < UNTIL_NS;
            probeBytes +=
                counts && frame.opcode == ROCE_PROBE ? there.GetLinkBytes(frame.bytes) : 0;
        });
        QbbNetDevice& back = Host(1).GetPort();
        OnTransmit(back, [&](int64_t nowNs, const Frame& frame) {
            const bool counts = nowNs >= FROM_NS && nowNs < UNTIL_NS;
            answerBytes +=
                counts && frame.opcode == ROCE_NOTIFICATION ? back.GetLinkBytes(frame.bytes) : 0;
        });
        Run(MilliSeconds(2));
        ExpectQuiet(m_flows);
        const double linkBytes = 100e9 / 8 * (UNTIL_NS - FROM_NS) * 1e-9;
        // A probe with the record of one hop has 122 bytes. If a probe does not wait for a data
        // packet, its round trip takes 4.05 us, which is less than T.
        const double byFlows = m_flows * 122 * 8 / (100 * 4050.0);
        const double byBudget =
            m_spacing.IsZero() ? 1 : 122 * 8 / (100.0 * m_spacing.GetNanoSeconds()) * 1.01;
        const double share = static_cast<double>(probeBytes) / linkBytes;
        const double shareBack = static_cast<double>(answerBytes) / linkBytes;
        std::cout << "hpcc-probes-cost: " << m_flows << " flows, spacing "
                  << m_spacing.GetNanoSeconds() << " ns: probes " << 100 * share
                  << " %, notifications " << 100 * shareBack << " %, bound "
                  << 100 * std::min(byFlows, byBudget) << " %, last end "
                  << m_acknowledged.back().completedNs << " ns\n";
        NS_TEST_EXPECT_MSG_LT(share, std::min(byFlows, byBudget), "there");
        NS_TEST_EXPECT_MSG_GT(share, 0.5 * std::min(byFlows, byBudget), "and they are sent");
        if (m_flows == 1)
        {
            NS_TEST_EXPECT_MSG_LT(share, 0.005, "one flow, there");
            NS_TEST_EXPECT_MSG_LT(shareBack, 0.005, "one flow, back");
        }
    }

    uint32_t m_flows; ///< flows from host 0 to host 1
    Time m_spacing;   ///< minimum time between probes
};

/// Tests the 16:1 incast of the HPCC paper with several feedback modes.
class OutcomeTestCase : public OutOfBandTestCase
{
  public:
    OutcomeTestCase()
        : OutOfBandTestCase("16:1 incast: what probes, notifications and reports of one hop keep "
                            "of the default")
    {
    }

  private:
    static constexpr uint32_t SENDERS = 16;

    /// Results of a run.
    struct Outcome
    {
        double lastUs;        ///< completion time of the last flow
        double gbps;          ///< throughput of the bottleneck from 60 to 500 us
        uint64_t queueBytes;  ///< longest queue of the bottleneck from 200 us on
        double overheadBytes; ///< telemetry and feedback on the senders' links, divided by the
                              ///< payload
    };

    Outcome Incast(const std::string& feedback)
    {
        Build(SENDERS + 1);
        QbbNetDevice& port = *Fabric().GetSwitch(SENDERS + 1)->GetPorts()[SENDERS];
        Outcome outcome{};
        uint64_t busy = 0;
        OnTransmit(port, [&](int64_t nowNs, const Frame& frame) {
            busy += nowNs >= 60000 && nowNs < 500000 ? port.GetLinkBytes(frame.bytes) : 0;
        });
        OnQueue(port, [&outcome](int64_t nowNs, uint64_t bytes) {
            outcome.queueBytes = nowNs > 200000 ? std::max(outcome.queueBytes, bytes) : 0;
        });
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            Post(host, Fabric().Connect(host, SENDERS, SpecOf(feedback)), 500000);
        }
        Run(MilliSeconds(5));
        ExpectQuiet(SENDERS);
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 0, "nothing is lost");
        outcome.lastUs = static_cast<double>(m_acknowledged.back().completedNs) / 1e3;
        outcome.gbps = static_cast<double>(busy) * 8 / 440000;
        std::cout << "hpcc-probes-cost: 16:1 incast, " << feedback << ": last " << outcome.lastUs
                  << " us, " << outcome.gbps << " Gb/s, queue after 200 us " << outcome.queueBytes
                  << " bytes\n";
        m_acknowledged.clear();
        RdmaTestCase::DoTeardown();
        return outcome;
    }

    void DoRun() override
    {
        const Outcome usual = Incast("packet");
        for (const char* feedback : {"probe",
                                     "notification",
                                     "roce-reference",
                                     "roce-reference:strict",
                                     "packet:worst-hop"})
        {
            const Outcome other = Incast(feedback);
            NS_TEST_EXPECT_MSG_GT(other.gbps, 0.93 * usual.gbps, feedback << ": throughput");
            NS_TEST_EXPECT_MSG_LT(other.lastUs, 1.08 * usual.lastUs, feedback << ": last end");
            NS_TEST_EXPECT_MSG_LT(other.queueBytes, usual.queueBytes + 12 * 1100, feedback);
        }
    }
};

class HpccProbesCostTestSuite : public TestSuite
{
  public:
    HpccProbesCostTestSuite()
        : TestSuite("hpcc-probes-cost", Type::UNIT)
    {
        for (uint32_t flows : {1, 4, 16, 64})
        {
            AddTestCase(new CostTestCase(flows, Time(0)));
            AddTestCase(new CostTestCase(flows, NanoSeconds(4160)));
        }
        AddTestCase(new OutcomeTestCase);
    }
};

HpccProbesCostTestSuite g_hpccProbesCostTestSuite; ///< registers itself

} // namespace
