/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-network.h"
#include "hpcc-test-refusal.h"

#include "ns3/qbb-flow-control.h"

#include <algorithm>
#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Bytes that a frame of 1000 bytes occupies on the link.
constexpr int64_t LINK_BYTES = 1000 + ETHERNET_OVERHEAD_BYTES;

/**
 * Base class with a host that sends frames in priorities 3 and 5, and receives PFC frames that the
 * test creates. At 8 Gb/s, a byte takes 1 ns, and a quantum of 512 bit times takes 64 ns.
 */
class PauseTestCase : public NetworkTestCase
{
  public:
    /// A PFC frame that the receiver sends.
    struct Pfc
    {
        int64_t atNs;                            ///< time of arrival
        uint8_t classes;                         ///< class-enable vector
        std::array<uint16_t, PRIORITIES> quanta; ///< pause times
    };

    /// An interval in which a priority must not send.
    struct Silence
    {
        uint8_t priority; ///< paused priority
        int64_t fromNs;   ///< arrival of the pause
        int64_t untilNs;  ///< end of the pause
        bool expired;     ///< true if the pause ended by its timer
    };

    PauseTestCase(const std::string& name, std::vector<Pfc> pfcs, std::vector<Silence> silences)
        : NetworkTestCase(name),
          m_pfcs(std::move(pfcs)),
          m_silences(std::move(silences))
    {
    }

    /// Arrival time of a PFC frame that an idle port sends at time 0, ns: the transmission of 84
    /// bytes plus the delay.
    static constexpr int64_t ARRIVAL_NS = 84 + 100;
    /// Length of a quantum, ns.
    static constexpr int64_t QUANTUM_NS = 64;

  protected:
    void DoRun() override
    {
        m_device.Set("LosslessPriorities", UintegerValue(1 << 3 | 1 << 5));
        MakeLink("8Gbps", NanoSeconds(100));
        m_hosts[0]->toPull = {0, 0, 0, 100, 0, 100, 0, 0};
        m_ports[0]->Kick(0);
        for (const auto& pfc : m_pfcs)
        {
            At(NanoSeconds(pfc.atNs),
               [this, &pfc] { m_ports[1]->Emit(MakePfc(*m_ports[1], pfc.classes, pfc.quanta)); });
        }
        m_ports[0]->TraceConnectWithoutContext("PauseStart",
                                               MakeCallback(&PauseTestCase::Start, this));
        m_ports[0]->TraceConnectWithoutContext("PauseEnd", MakeCallback(&PauseTestCase::End, this));
        m_ports[0]->TraceConnectWithoutContext("PfcReceived",
                                               MakeCallback(&PauseTestCase::Received, this));
        Simulator::Run();
        Check();
    }

    /// Checks that paused priorities are silent, and that the port never idles without need.
    void Check()
    {
        uint64_t received = 0;
        for (const auto& pfc : m_pfcs)
        {
            received += __builtin_popcount(pfc.classes);
        }
        NS_TEST_ASSERT_MSG_EQ(m_received, received, "PfcReceived, once per class");
        NS_TEST_ASSERT_MSG_EQ(m_ended.size(), m_silences.size(), "pauses ended");
        NS_TEST_ASSERT_MSG_EQ(m_ports[0]->GetPauses(), m_silences.size(), "pauses begun");
        NS_TEST_ASSERT_MSG_EQ(m_ports[0]->GetPausesEnded(), m_silences.size(), "pauses ended");
        NS_TEST_ASSERT_MSG_EQ(m_begun, m_silences.size(), "PauseStart");
        int64_t pausedNs = 0;
        for (size_t i = 0; i < m_silences.size(); ++i)
        {
            const auto& s = m_silences[i];
            NS_TEST_ASSERT_MSG_EQ((m_ended[i].priority == s.priority), true, "PauseEnd: priority");
            NS_TEST_ASSERT_MSG_EQ(m_ended[i].fromNs, s.fromNs, "PauseEnd: start");
            NS_TEST_ASSERT_MSG_EQ(m_ended[i].untilNs, s.untilNs, "PauseEnd: end");
            NS_TEST_ASSERT_MSG_EQ(m_ended[i].expired, s.expired, "PauseEnd: expired");
            pausedNs += s.untilNs - s.fromNs;
            // During a silence, the frame in transmission is completed, and frames of other
            // priorities are sent without gaps.
            int64_t inside = 0;
            for (const auto& start : m_hosts[0]->starts)
            {
                if (start.priority == s.priority)
                {
                    inside += start.atNs > s.fromNs && start.atNs < s.untilNs;
                }
            }
            NS_TEST_ASSERT_MSG_EQ(inside, 0, "starts of priority " << +s.priority << " in a pause");
        }
        NS_TEST_ASSERT_MSG_EQ(m_ports[0]->GetPausedNs(), pausedNs, "paused time");
        NS_TEST_ASSERT_MSG_EQ(m_hosts[1]->arrivals.size(), 200, "everything arrives in the end");
        // The port must not idle without need: each frame starts when the previous frame or a pause
        // ends.
        const auto& starts = m_hosts[0]->starts;
        for (size_t i = 1; i < starts.size(); ++i)
        {
            int64_t free = starts[i - 1].atNs + LINK_BYTES;
            bool atEnd = std::any_of(m_silences.begin(), m_silences.end(), [&](const auto& s) {
                return s.untilNs == starts[i].atNs;
            });
            NS_TEST_ASSERT_MSG_EQ((starts[i].atNs == free || atEnd),
                                  true,
                                  "start at " << starts[i].atNs << " after " << free);
        }
    }

    std::vector<Pfc> m_pfcs;         ///< PFC frames that the receiver sends
    std::vector<Silence> m_silences; ///< expected silences, in the order of their ends

  private:
    void Start(uint8_t, int64_t)
    {
        ++m_begun;
    }

    void End(uint8_t priority, int64_t startNs, int64_t endNs, bool expired)
    {
        m_ended.push_back({priority, startNs, endNs, expired});
    }

    void Received(uint8_t, uint16_t)
    {
        ++m_received;
    }

    std::vector<Silence> m_ended; ///< pauses that ended
    uint64_t m_begun{0};          ///< pauses that began
    uint64_t m_received{0};       ///< calls of PfcReceived
};

class PauseBothTestCase : public PauseTestCase
{
  public:
    PauseBothTestCase()
        : PauseTestCase("a pause of both sending priorities silences the port after the frame in "
                        "flight, which arrives",
                        {{0, 1 << 3 | 1 << 5, {0, 0, 0, 100, 0, 100, 0, 0}}},
                        {{3, ARRIVAL_NS, ARRIVAL_NS + 100 * QUANTUM_NS, true},
                         {5, ARRIVAL_NS, ARRIVAL_NS + 100 * QUANTUM_NS, true}})
    {
    }

  private:
    void DoRun() override
    {
        PauseTestCase::DoRun();
        NS_TEST_ASSERT_MSG_GT(m_hosts[1]->arrivals.size(), 1, "frames");
        NS_TEST_ASSERT_MSG_EQ(m_hosts[1]->arrivals[0].atNs, LINK_BYTES + 100, "frame in flight");
        NS_TEST_ASSERT_MSG_EQ(m_hosts[1]->arrivals[1].atNs,
                              ARRIVAL_NS + 100 * QUANTUM_NS + LINK_BYTES + 100,
                              "the frame after the pause");
    }
};

class PfcOffTestCase : public NetworkTestCase
{
  public:
    PfcOffTestCase()
        : NetworkTestCase("with PfcEnabled off a port ignores pauses and sends none")
    {
    }

  private:
    void DoRun() override
    {
        m_device.Set("PfcEnabled", BooleanValue(false));
        MakeLink("8Gbps", NanoSeconds(100));
        m_hosts[0]->toPull[3] = 20;
        m_ports[0]->Kick(0);
        m_ports[1]->Emit(MakePfc(*m_ports[1], 0xff, {9, 9, 9, 9, 9, 9, 9, 9}));
        uint32_t pfcs = 0;
        m_hosts[0]->onStart = [&pfcs](Frame& frame, int64_t) {
            pfcs += frame.kind == Frame::Kind::PFC;
        };
        NS_TEST_ASSERT_MSG_NE(RefusalOf([this] { m_ports[0]->RequestPause(3); }),
                              "",
                              "a request is refused");
        Simulator::Stop(MilliSeconds(100));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_hosts[1]->arrivals.size(), 20, "frames");
        NS_TEST_ASSERT_MSG_EQ(m_hosts[1]->arrivals.back().atNs, 20 * LINK_BYTES + 100, "no pause");
        NS_TEST_ASSERT_MSG_EQ(m_ports[0]->GetPauses(), 0, "pause intervals");
        NS_TEST_ASSERT_MSG_EQ(pfcs, 0, "PFC frames sent");
    }
};

/// Tests how a port renews the pause of its neighbour, which sends at 8 Gb/s.
class PauseRefreshTestCase : public NetworkTestCase
{
  public:
    /**
     * @param rate line rate of the port
     * @param name the sentence that the case proves
     */
    PauseRefreshTestCase(const std::string& rate, const std::string& name)
        : NetworkTestCase(name),
          m_rate(rate)
    {
    }

  private:
    void DoRun() override
    {
        m_device.Set("Mtu", UintegerValue(1000));
        m_device.Set("PauseQuanta", UintegerValue(200));
        MakeLink("8Gbps", NanoSeconds(100));
        m_ports[1]->SetAttribute("DataRate", StringValue(m_rate));
        m_hosts[0]->toPull[3] = 100;
        m_ports[0]->Kick(0);
        std::vector<int64_t> sent;
        m_hosts[1]->onStart = [&sent](Frame&, int64_t nowNs) { sent.push_back(nowNs); };
        constexpr int64_t pauseNs = 200 * PauseTestCase::QUANTUM_NS;
        constexpr int64_t releaseNs = 10 * pauseNs + 500;
        At(NanoSeconds(0), [this] { m_ports[1]->RequestPause(3); });
        At(NanoSeconds(releaseNs), [this] { m_ports[1]->ReleasePause(3); });
        At(NanoSeconds(releaseNs + 1), [this] { m_ports[1]->ReleasePause(3); });
        Simulator::Run();
        // The port sends pauses after 0, 0.5, 1, ..., 10 pause times, and then a resume.
        NS_TEST_ASSERT_MSG_EQ(sent.size(), 22, "PFC frames");
        for (size_t i = 0; i < 21; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(sent[i], static_cast<int64_t>(i) * pauseNs / 2, "refresh " << i);
        }
        NS_TEST_ASSERT_MSG_EQ(sent[21], releaseNs, "resume");
        NS_TEST_ASSERT_MSG_EQ(m_ports[0]->GetPauses(), 1, "pauses");
        NS_TEST_ASSERT_MSG_EQ(m_ports[0]->GetPausesEnded(), 1, "ended");
        NS_TEST_ASSERT_MSG_EQ(m_ports[0]->GetPausedNs(), releaseNs, "its length");
        NS_TEST_ASSERT_MSG_EQ(m_hosts[1]->arrivals.size(), 100, "all frames");
    }

    std::string m_rate; ///< line rate of the port that pauses
};

class PresentPauseTestCase : public NetworkTestCase
{
  public:
    PresentPauseTestCase()
        : NetworkTestCase("the time in pause includes the pauses that have not ended")
    {
    }

  private:
    void DoRun() override
    {
        m_device.Set("LosslessPriorities", UintegerValue(1 << 3 | 1 << 5));
        MakeLink("8Gbps", NanoSeconds(100));
        constexpr int64_t startNs = PauseTestCase::ARRIVAL_NS;
        constexpr int64_t shortNs = 40 * PauseTestCase::QUANTUM_NS;
        constexpr int64_t longNs = 100 * PauseTestCase::QUANTUM_NS;
        m_ports[1]->Emit(MakePfc(*m_ports[1], 1 << 3 | 1 << 5, {0, 0, 0, 40, 0, 100, 0, 0}));
        Expect(startNs, 0);
        Expect(startNs + 1000, 2 * 1000);
        Expect(startNs + shortNs + 1000, shortNs + shortNs + 1000);
        Expect(startNs + longNs + 1000, shortNs + longNs);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_ports[0]->GetPausedNs(), shortNs + longNs, "of those that ended");
    }

    /// Expects that at a given time, the time in pause, summed over both priorities, has a given
    /// value.
    void Expect(int64_t atNs, int64_t pausedNs)
    {
        At(NanoSeconds(atNs), [this, atNs, pausedNs] {
            m_ports[0]->GetAgenda().CatchUp();
            NS_TEST_EXPECT_MSG_EQ(m_ports[0]->GetFlowControl().GetPausedNs(atNs),
                                  pausedNs,
                                  "time in pause at " << atNs);
        });
    }
};

class PfcMergeTestCase : public NetworkTestCase
{
  public:
    PfcMergeTestCase()
        : NetworkTestCase("what is to be said by PFC while the port is busy goes in one frame, the "
                          "last word of each priority")
    {
    }

  private:
    void DoRun() override
    {
        m_device.Set("LosslessPriorities", UintegerValue(0xff));
        MakeLink("8Gbps", NanoSeconds(100));
        std::vector<Frame::Pfc> sent;
        m_hosts[0]->onStart = [&sent](Frame& frame, int64_t) {
            if (frame.kind == Frame::Kind::PFC)
            {
                sent.push_back(frame.pfc);
            }
        };
        m_ports[0]->TraceConnectWithoutContext("PfcSent",
                                               MakeCallback(&PfcMergeTestCase::Sent, this));
        Send(0, {});
        At(NanoSeconds(10), [this] {
            m_ports[0]->RequestPause(2);
            m_ports[0]->RequestPause(5);
            m_ports[0]->RequestPause(6);
            m_ports[0]->ReleasePause(2);
            m_ports[0]->ReleasePause(6);
            m_ports[0]->RequestPause(6);
        });
        At(NanoSeconds(5000), [this] {
            m_ports[0]->ReleasePause(5);
            m_ports[0]->ReleasePause(6);
        });
        Simulator::Run();
        // The first frame that is requested at 5000 ns is sent at once. The second frame waits for
        // its end.
        NS_TEST_ASSERT_MSG_EQ(sent.size(), 3, "PFC frames");
        NS_TEST_ASSERT_MSG_EQ(sent[0].classEnable,
                              (1 << 2 | 1 << 5 | 1 << 6),
                              "class-enable vector");
        NS_TEST_ASSERT_MSG_EQ(sent[0].quanta[2], 0, "taken back");
        NS_TEST_ASSERT_MSG_EQ(sent[0].quanta[5], 65535, "asked for");
        NS_TEST_ASSERT_MSG_EQ(sent[0].quanta[6], 65535, "taken back and asked for again");
        NS_TEST_ASSERT_MSG_EQ(sent[1].classEnable, (1 << 5), "resume");
        NS_TEST_ASSERT_MSG_EQ(sent[2].classEnable, (1 << 6), "resume");
        NS_TEST_ASSERT_MSG_EQ(m_sent, 5, "PfcSent, once per priority in a frame");
        NS_TEST_ASSERT_MSG_EQ(m_ports[1]->GetPauses(), 2, "pauses");
        NS_TEST_ASSERT_MSG_EQ(m_ports[1]->GetPausesEnded(), 2, "ended");
    }

    void Sent(uint8_t, uint16_t)
    {
        ++m_sent;
    }

    uint32_t m_sent{0}; ///< calls of PfcSent
};

class PfcBeforeEmittedTestCase : public NetworkTestCase
{
  public:
    PfcBeforeEmittedTestCase()
        : NetworkTestCase("PFC frames go before emitted frames, and emitted frames before queues")
    {
    }

  private:
    void DoRun() override
    {
        MakeLink("8Gbps", NanoSeconds(100));
        std::string order;
        m_hosts[0]->onStart = [&order](Frame& frame, int64_t) {
            order += frame.kind == Frame::Kind::PFC ? 'P' : static_cast<char>('0' + frame.psn);
        };
        for (uint32_t psn = 0; psn < 2; ++psn)
        {
            Send(0, FrameSpec{1000, 7, psn});
        }
        for (uint32_t psn = 2; psn < 5; ++psn)
        {
            m_ports[0]->Emit(MakeFrame(*m_ports[0], FrameSpec{1000, 0, psn}));
        }
        m_ports[0]->RequestPause(3);
        Simulator::Stop(MicroSeconds(10));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(order, "0P2341", "order of transmission");
    }
};

class EmittedObeysPauseTestCase : public NetworkTestCase
{
  public:
    EmittedObeysPauseTestCase()
        : NetworkTestCase("an emitted frame obeys the pause of its priority and holds up no other")
    {
    }

  private:
    void DoRun() override
    {
        MakeLink("8Gbps", NanoSeconds(100));
        m_ports[1]->Emit(MakePfc(*m_ports[1], 1 << 3, {0, 0, 0, 100, 0, 0, 0, 0}));
        At(MicroSeconds(1), [this] {
            m_ports[0]->Emit(MakeFrame(*m_ports[0], FrameSpec{1000, 3, 1}));
            m_ports[0]->Emit(MakeFrame(*m_ports[0], FrameSpec{1000, 6, 2}));
            Send(0, FrameSpec{1000, 0, 3});
        });
        Simulator::Run();
        const auto& starts = m_hosts[0]->starts;
        NS_TEST_ASSERT_MSG_EQ(starts.size(), 3, "frames");
        NS_TEST_ASSERT_MSG_EQ(starts[0].psn, 2, "emitted, not paused");
        NS_TEST_ASSERT_MSG_EQ(starts[1].psn, 3, "queued, not paused");
        NS_TEST_ASSERT_MSG_EQ(starts[2].psn, 1, "emitted, paused");
        NS_TEST_ASSERT_MSG_EQ(starts[2].atNs,
                              PauseTestCase::ARRIVAL_NS + 100 * PauseTestCase::QUANTUM_NS,
                              "at the end of the pause");
    }
};

/// Tests priority flow control: pauses, resumes and renewed pauses.
class HpccPfcTestSuite : public TestSuite
{
  public:
    HpccPfcTestSuite()
        : TestSuite("hpcc-pfc", Type::UNIT)
    {
        constexpr int64_t in = PauseTestCase::ARRIVAL_NS;
        constexpr int64_t quantum = PauseTestCase::QUANTUM_NS;
        AddTestCase(new PauseTestCase("a pause expires by itself and stops its own priority only",
                                      {{0, 1 << 3, {0, 0, 0, 100, 0, 0, 0, 0}}},
                                      {{3, in, in + 100 * quantum, true}}));
        AddTestCase(
            new PauseTestCase("a resume ends a pause before its time",
                              {{0, 1 << 3, {0, 0, 0, 1000, 0, 0, 0, 0}}, {5000, 1 << 3, {}}},
                              {{3, in, 5000 + in, false}}));
        AddTestCase(new PauseTestCase(
            "a second pause while one runs prolongs it, and is one interval",
            {{0, 1 << 3, {0, 0, 0, 100, 0, 0, 0, 0}}, {3200, 1 << 3, {0, 0, 0, 100, 0, 0, 0, 0}}},
            {{3, in, 3200 + in + 100 * quantum, true}}));
        AddTestCase(new PauseTestCase(
            "a second pause may also shorten the first",
            {{0, 1 << 3, {0, 0, 0, 1000, 0, 0, 0, 0}}, {3200, 1 << 3, {0, 0, 0, 10, 0, 0, 0, 0}}},
            {{3, in, 3200 + in + 10 * quantum, true}}));
        AddTestCase(new PauseTestCase(
            "one frame pauses several priorities for different times",
            {{0, 1 << 3 | 1 << 5, {0, 0, 0, 40, 0, 100, 0, 0}}},
            {{3, in, in + 40 * quantum, true}, {5, in, in + 100 * quantum, true}}));
        AddTestCase(new PauseTestCase(
            "one frame pauses one priority and resumes another",
            {{0, 1 << 5, {0, 0, 0, 0, 0, 500, 0, 0}},
             {3000, 1 << 3 | 1 << 5, {0, 0, 0, 100, 0, 0, 0, 0}}},
            {{5, in, 3000 + in, false}, {3, 3000 + in, 3000 + in + 100 * quantum, true}}));
        AddTestCase(new PauseTestCase("quanta without their class bit mean nothing",
                                      {{0, 1 << 3, {9, 9, 9, 100, 9, 900, 9, 9}}},
                                      {{3, in, in + 100 * quantum, true}}));
        AddTestCase(new PauseTestCase(
            "a resume of what is not paused and a pause of a lossy "
            "priority are ignored",
            {{0, 1 << 3 | 1 << 5, {}}, {1000, 1 << 0 | 1 << 7, {50, 0, 0, 0, 0, 0, 0, 50}}},
            {}));
        AddTestCase(new PauseBothTestCase);
        AddTestCase(new PfcOffTestCase);
        AddTestCase(new PauseRefreshTestCase("8Gbps",
                                             "a pause is refreshed at half time until it is "
                                             "released, so the neighbour is silent for one "
                                             "unbroken interval"));
        AddTestCase(new PauseRefreshTestCase("2Gbps",
                                             "a slower port refreshes a pause at half the time "
                                             "that it lasts at the neighbour"));
        AddTestCase(new PresentPauseTestCase);
        AddTestCase(new PfcMergeTestCase);
        AddTestCase(new PfcBeforeEmittedTestCase);
        AddTestCase(new EmittedObeysPauseTestCase);
    }
};

/// Registers the suite.
HpccPfcTestSuite g_hpccPfcTestSuite;

} // namespace
