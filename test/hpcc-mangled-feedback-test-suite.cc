/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-out-of-band.h"
#include "hpcc-test-seeds.h"

#include "ns3/hpcc-bottleneck-hop.h"
#include "ns3/hpcc-idle-path-forger.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-port-agent.h"

#include <iostream>
#include <map>
#include <random>

using namespace hpcctest;

namespace
{

/// A port agent that duplicates, delays and forges probes and returned telemetry.
class Mangler : public PortAgent
{
  public:
    /**
     * @param seed seed of its random choices
     * @param forgesNumbers true if forged messages may change acknowledged numbers
     */
    Mangler(uint32_t seed, bool forgesNumbers)
        : m_random(seed),
          m_forgesNumbers(forgesNumbers)
    {
    }

    /// Frees the delayed frames.
    void Clear()
    {
        for (auto& [port, frame] : m_held)
        {
            if (frame)
            {
                FramePool::Free(frame);
            }
        }
        m_held.clear();
    }

    bool WantsEnqueue() const override
    {
        return true;
    }

    void OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t) override
    {
        if (frame.kind != Frame::Kind::ROCE)
        {
            return;
        }
        FramePool& pool = NodeAgenda::Of(port.GetNode())->Frames();
        if (Frame*& held = m_held[&port]; held && Draw(7) == 0)
        {
            port.Emit(held); // a delayed frame
            held = nullptr;
        }
        if (frame.opcode != ROCE_PROBE && !(frame.IsAcknowledgement() && frame.format))
        {
            return;
        }
        if (Draw(19) == 0)
        {
            port.Emit(pool.Clone(frame));
        }
        if (Draw(19) == 0 && !m_held[&port])
        {
            m_held[&port] = pool.Clone(frame);
        }
        if (Draw(19) == 0)
        {
            Frame* forged = pool.Clone(frame);
            Forge(*forged);
            port.Emit(forged);
        }
    }

    uint64_t forged{0}; ///< forged notifications and ACKs

  private:
    uint32_t Draw(uint32_t most)
    {
        return static_cast<uint32_t>(m_random() % (most + 1));
    }

    void Forge(Frame& frame)
    {
        if (frame.opcode == ROCE_PROBE)
        {
            frame.psn = (frame.psn + Draw(200) - 100) & 0xffffff;
            return;
        }
        ++forged;
        if (frame.ReportsBottleneckHop())
        {
            frame.telemetry.words[Draw(HpccBottleneckHop::WORDS - 1)] =
                static_cast<uint32_t>(m_random());
        }
        else
        {
            m_forger.Forge(*frame.format, frame.telemetry);
        }
        if (frame.opcode == ROCE_NOTIFICATION && Draw(1))
        {
            frame.reflection.namedPsn = frame.reflection.namedPsn + Draw(40) - 20;
        }
        if (m_forgesNumbers)
        {
            frame.psn = (frame.psn + Draw(40) - 20) & 0xffffff;
        }
        if (Draw(3) == 0)
        {
            frame.reflectionSeq = static_cast<uint16_t>(frame.reflectionSeq + Draw(4));
        }
    }

    std::mt19937 m_random;                  ///< source of random choices
    bool m_forgesNumbers;                   ///< true if forged messages may change acknowledged
                                            ///< numbers
    IdlePathForger m_forger;                ///< forges records
    std::map<QbbNetDevice*, Frame*> m_held; ///< delayed frames, by port
};

/// Tests losses, duplicates, reordering and forgeries of feedback.
class MangledTestCase : public OutOfBandTestCase
{
  public:
    MangledTestCase()
        : OutOfBandTestCase("whatever becomes of probes and notifications, no flow stalls, no "
                            "window runs away, and probes do not multiply")
    {
    }

  private:
    void DoRun() override
    {
        const auto [seed, rounds] = ChooseRuns(12);
        std::mt19937 random(seed);
        for (uint32_t round = 0; round < rounds && !IsStatusFailure(); ++round)
        {
            Once(round, random());
        }
        std::cout << "hpcc-mangled-feedback: " << m_probes << " probes, " << m_late
                  << " time-outs of data, " << m_forged << " forgeries, " << m_rejected
                  << " rejected\n";
        NS_TEST_EXPECT_MSG_GT(m_forged, 0, "something is forged");
        NS_TEST_EXPECT_MSG_GT(m_rejected, 0, "and rejected");
    }

    void Once(uint32_t round, uint32_t seed)
    {
        std::mt19937 random(seed);
        auto draw = [&random](uint32_t most) {
            return static_cast<uint32_t>(random() % (most + 1));
        };
        const char* ways[] = {"probe", "notification", "roce-reference", "packet:worst-hop"};
        const char* formats[] = {"int-md", "ifa", "sigcomm19", "int-md-no-ts", "ioam"};
        const std::string feedback = ways[round % 4];
        const std::string telemetry = formats[draw(4)];
        const std::string what = std::to_string(round) + ": " + feedback + ", " + telemetry +
                                 ", seed " + std::to_string(seed);
        const bool keyed = draw(1);
        Fabric().SetHostAttribute("FeedbackKey", StringValue(keyed ? "secret" : ""));
        Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(100 + draw(200))));
        Fabric().SetHostAttribute("NakInterval", TimeValue(MicroSeconds(10 + draw(50))));
        Fabric().SetHostAttribute("AckInterval", UintegerValue(1 + draw(7)));
        Fabric().SetHostAttribute("ProbeSpacing", TimeValue(NanoSeconds(draw(1) * draw(3000))));
        Fabric().SetHostAttribute("Recovery", StringValue(draw(1) ? "irn" : "go-back-n"));
        constexpr uint32_t hosts = 4;
        Install(Star(hosts, "100Gbps", MicroSeconds(1)));
        const double loss = 0.002 * draw(10);
        for (const auto& device : Fabric().GetDevices())
        {
            auto model = CreateObject<RateErrorModel>();
            model->SetAttribute("ErrorRate", DoubleValue(loss));
            model->SetAttribute("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
            model->AssignStreams(draw(1000000));
            device->SetAttribute("ReceiveErrorModel", PointerValue(model));
        }
        // If the PSN of an acknowledgement is forged, the sender discards data that may not have
        // arrived. Only a key prevents this.
        Mangler mangler(draw(1000000), keyed && feedback != "packet:worst-hop");
        Fabric().GetSwitch(hosts)->AddAgent(&mangler);
        auto spec = SpecOf(feedback, telemetry);
        double largest = 0;
        double smallest = 1e9;
        uint64_t bytes = 0;
        size_t messages = 0;
        uint32_t flows = 0;
        m_largest = &largest;
        m_smallest = &smallest;
        for (uint32_t host = 0; host + 1 < hosts; ++host)
        {
            for (uint32_t i = 0, last = draw(2); i <= last; ++i)
            {
                const bool single = i > 0 && draw(1);
                const uint32_t qp = Fabric().Connect(host, hosts - 1, spec, 0, single);
                if (i == 0)
                {
                    Host(host).GetQueuePair(qp).ops->TraceConnectWithoutContext(
                        "Window",
                        MakeCallback(&MangledTestCase::NoteWindow, this));
                }
                ++flows;
                const uint64_t size = 1 + draw(300000);
                Post(host, qp, size, MicroSeconds(draw(50)));
                bytes += size;
                ++messages;
            }
        }
        Simulator::Stop(MilliSeconds(400));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), messages, what << ": messages that end");
        uint64_t received = 0;
        for (const auto& record : m_delivered)
        {
            received += record.bytes;
        }
        NS_TEST_EXPECT_MSG_EQ(received, bytes, what << ": bytes delivered");
        const double initial = 100e9 / 8e9 * static_cast<double>(Fabric().GetNetworkBaseRttNs());
        NS_TEST_EXPECT_MSG_LT_OR_EQ(largest, initial * 1.0001, what << ": window");
        NS_TEST_EXPECT_MSG_GT(smallest, 0, what << ": window");
        const double lastUs = static_cast<double>(m_acknowledged.back().completedNs) / 1e3;
        for (uint32_t host = 0; host < hosts; ++host)
        {
            m_probes += Host(host).GetProbesSent();
            m_late += Host(host).GetTimeouts();
            m_rejected += Host(host).GetRejectedFeedback(FeedbackRejection::FORGED);
            // A round trip takes at least 4 us. A forged answer may end it after half of this time.
            NS_TEST_EXPECT_MSG_LT(static_cast<double>(Host(host).GetProbesSent()),
                                  flows * (lastUs / 2 + 2),
                                  what << ": probes");
        }
        m_forged += mangler.forged;
        mangler.Clear();
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, what << ": frames");
        m_acknowledged.clear();
        m_delivered.clear();
        RdmaTestCase::DoTeardown();
    }

    void NoteWindow(uint32_t, double bytes)
    {
        *m_largest = std::max(*m_largest, bytes);
        *m_smallest = std::min(*m_smallest, bytes);
    }

    double* m_largest{nullptr};  ///< largest window
    double* m_smallest{nullptr}; ///< smallest window
    uint64_t m_probes{0};        ///< number of probes in all runs
    uint64_t m_late{0};          ///< number of time-outs in all runs
    uint64_t m_forged{0};        ///< number of forged messages in all runs
    uint64_t m_rejected{0};      ///< number of rejected messages in all runs
};

/// Tests probes and notifications that are lost, duplicated, late or forged.
class HpccMangledFeedbackTestSuite : public TestSuite
{
  public:
    HpccMangledFeedbackTestSuite()
        : TestSuite("hpcc-mangled-feedback", Type::UNIT)
    {
        AddTestCase(new MangledTestCase);
    }
};

/// Registers the suite.
HpccMangledFeedbackTestSuite g_hpccMangledFeedbackTestSuite;

} // namespace
