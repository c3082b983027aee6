/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-seeds.h"
#include "hpcc-test-switch-response.h"

#include "ns3/hpcc-frame-codec.h"

#include <random>
#include <set>

/// Tests switch responses that are lost, duplicated, late or forged.

using namespace hpcctest;

namespace
{

/// A frame handler that manipulates switch responses between a port and its host.
class Meddler : public FrameHandler
{
  public:
    Meddler(RdmaHost& host, uint32_t seed)
        : m_host(host),
          m_random(seed)
    {
        host.GetPort().SetFrameHandler(this);
    }

    ~Meddler() override
    {
        for (Frame* frame : m_held)
        {
            FramePool::Free(frame);
        }
    }

    void ReceiveFrame(QbbNetDevice& port, Frame* frame, int64_t nowNs) override
    {
        if (frame->opcode != ROCE_SWITCH_RESPONSE)
        {
            m_host.ReceiveFrame(port, frame, nowNs);
            Release(port, nowNs);
            if (m_pattern.format && m_random() % 5 == 0)
            {
                Frame* forged = port.GetAgenda().Frames().Clone(m_pattern);
                forged->psn += m_random() % 100;
                Forge(*forged);
                m_host.ReceiveFrame(port, forged, nowNs);
            }
            return;
        }
        m_pattern = *frame;
        m_pattern.packet = nullptr;
        Frame* copy = port.GetAgenda().Frames().Clone(*frame);
        switch (m_random() % 5)
        {
        case 0: // lost
            FramePool::Free(frame);
            FramePool::Free(copy);
            return;
        case 1: // duplicated
            break;
        case 2: // late and out of order
            m_held.push_back(copy);
            FramePool::Free(frame);
            return;
        case 3: // forged
            Forge(*copy);
            break;
        default:
            FramePool::Free(copy);
            copy = nullptr;
        }
        m_host.ReceiveFrame(port, frame, nowNs);
        if (copy)
        {
            m_host.ReceiveFrame(port, copy, nowNs);
        }
    }

    void StartOfTransmission(QbbNetDevice& port, Frame& frame, int64_t nowNs) override
    {
        m_host.StartOfTransmission(port, frame, nowNs);
    }

    void LinkChanged(QbbNetDevice& port, bool up) override
    {
        m_host.LinkChanged(port, up);
    }

    void OnFrameLost(QbbNetDevice& port, const Frame& frame) override
    {
        m_host.OnFrameLost(port, frame);
    }

    bool SuppliesFrames() const override
    {
        return true;
    }

    uint8_t ReadyPriorities(QbbNetDevice& port, int64_t nowNs) override
    {
        return m_host.ReadyPriorities(port, nowNs);
    }

    Frame* PullFrame(QbbNetDevice& port, uint8_t priority, int64_t nowNs) override
    {
        return m_host.PullFrame(port, priority, nowNs);
    }

    int64_t NextPullNs(QbbNetDevice& port, uint8_t priorities, int64_t freeNs) override
    {
        return m_host.NextPullNs(port, priorities, freeNs);
    }

    /// @return forged responses
    uint32_t GetForged() const
    {
        return m_forged;
    }

  private:
    /// Changes a response to a random forged response.
    /// @param frame response to change
    void Forge(Frame& frame)
    {
        ++m_forged;
        const uint32_t what = m_random();
        if (what & 1)
        {
            frame.psn = (frame.psn + m_random() % 200 - 100) & 0xffffff;
        }
        if (what & 2)
        {
            frame.psn = m_random() & 0xffffff;
        }
        if (what % 7 == 0)
        {
            frame.destinationQp = m_random() % 8;
        }
        if (what % 11 == 0)
        {
            frame.source = m_random();
        }
        if (what % 13 == 0)
        {
            frame.response.forReceiver = true;
        }
        for (uint32_t i = 0; what & 4 && i < 12; ++i)
        {
            frame.telemetry.words[i] = m_random();
        }
        if (what & 8)
        {
            frame.telemetry.hops = m_random() % 13;
        }
    }

    /// Passes on held responses at random times.
    void Release(QbbNetDevice& port, int64_t nowNs)
    {
        if (!m_held.empty() && m_random() % 20 == 0)
        {
            const size_t which = m_random() % m_held.size();
            std::swap(m_held[which], m_held.back());
            Frame* frame = m_held.back();
            m_held.pop_back();
            m_host.ReceiveFrame(port, frame, nowNs);
        }
    }

    RdmaHost& m_host;           ///< stack of the host
    std::mt19937 m_random;      ///< source of random choices
    std::vector<Frame*> m_held; ///< responses that have not been passed on yet
    Frame m_pattern{};          ///< last genuine response, a template for forged responses
    uint32_t m_forged{0};       ///< see GetForged()
};

class RobustnessTestCase : public ResponseTestCase
{
  public:
    RobustnessTestCase()
        : ResponseTestCase("with responses lost, duplicated, reordered and forged every flow ends, "
                           "and no window leaves what the law allows")
    {
    }

  private:
    static constexpr uint32_t SENDERS = 4;

    void DoRun() override
    {
        const auto [seed, runs] = ChooseRuns(10);
        uint64_t forged = 0;
        for (uint32_t run = 0; run < runs && !IsStatusFailure(); ++run)
        {
            forged += Run(seed + run);
        }
        NS_TEST_EXPECT_MSG_GT(forged, 10 * runs, "forged responses");
    }

    /**
     * Runs one random case.
     * @param seed seed of the case
     * @return number of forged responses
     */
    uint64_t Run(uint32_t seed)
    {
        std::mt19937 random(seed);
        Install(Star(SENDERS + 1, "100Gbps", MicroSeconds(1)));
        const std::vector<std::string> ways{"switch", "switch:dscp", "switch:per-rtt"};
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", ways[random() % ways.size()]);
        std::vector<std::unique_ptr<Meddler>> meddlers;
        m_bad = 0;
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            // If a queue pair carries a single message, it no longer exists when late responses
            // arrive.
            const bool single = random() % 2;
            const uint32_t qp = Fabric().Connect(host, SENDERS, spec, 0, single);
            if (!single)
            {
                auto* ops = Host(host).GetQueuePair(qp).ops;
                ops->TraceConnectWithoutContext("Window",
                                                MakeCallback(&RobustnessTestCase::See, this));
                ops->TraceConnectWithoutContext("ReferenceWindow",
                                                MakeCallback(&RobustnessTestCase::See, this));
            }
            Post(host, qp, 50000 + random() % 200000, NanoSeconds(random() % 10000));
            meddlers.push_back(std::make_unique<Meddler>(Host(host), random()));
        }
        ResponderOf(SENDERS + 1)->SetAttribute("Threshold", DoubleValue(1 + random() % 2));
        m_initial = 12.5 * static_cast<double>(Fabric().GetNetworkBaseRttNs());
        Simulator::Stop(MilliSeconds(100));
        Simulator::Run();
        const std::string which = "HPCC_TEST_SEED=" + std::to_string(seed) + ": ";
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), SENDERS, which << "messages end");
        NS_TEST_EXPECT_MSG_EQ(m_bad, 0, which << "windows out of bounds");
        uint64_t forged = 0;
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            NS_TEST_EXPECT_MSG_EQ(Host(host).GetTimeouts(), 0, which << "time-outs");
            forged += meddlers[host]->GetForged();
        }
        meddlers.clear();
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, which << "frames returned");
        m_acknowledged.clear();
        RdmaTestCase::DoTeardown();
        return forged;
    }

    void See(uint32_t, double window)
    {
        m_bad += !(window > 0 && window <= m_initial + 1);
    }

    double m_initial{0}; ///< W_init
    uint64_t m_bad{0};   ///< number of windows that are not positive or exceed W_init
};

class HpccSwitchResponseFaultsTestSuite : public TestSuite
{
  public:
    HpccSwitchResponseFaultsTestSuite()
        : TestSuite("hpcc-switch-response-faults", Type::SYSTEM)
    {
        AddTestCase(new RobustnessTestCase);
    }
};

HpccSwitchResponseFaultsTestSuite g_hpccSwitchResponseFaultsTestSuite; ///< the suite

} // namespace
