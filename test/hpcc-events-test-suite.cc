/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-rdma.h"

#include "ns3/map-scheduler.h"

#include <algorithm>
#include <tuple>
#include <vector>

/// Tests simulations in which ns-3's 32-bit event numbers wrap around. The suite hpcc-determinism
/// tests that the order of events in the same nanosecond does not affect results.

using namespace ns3;
using namespace hpcctest;

namespace
{

/// A scheduler that adds a constant to the numbers of events, so that they wrap around after a
/// given number of events.
class ShiftingScheduler : public MapScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::hpcctest::ShiftingScheduler")
                                .SetParent<MapScheduler>()
                                .AddConstructor<ShiftingScheduler>()
                                .AddAttribute("Shift",
                                              "Added to numbers of events, modulo 2^32.",
                                              UintegerValue(0),
                                              MakeUintegerAccessor(&ShiftingScheduler::m_shift),
                                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

    void Insert(const Event& event) override
    {
        MapScheduler::Insert(Shifted(event));
    }

    void Remove(const Event& event) override
    {
        MapScheduler::Remove(Shifted(event));
    }

  private:
    Event Shifted(Event event) const
    {
        event.key.m_uid += m_shift;
        return event;
    }

    uint32_t m_shift{0}; ///< attribute Shift
};

class EventNumbersTestCase : public TestCase
{
  public:
    EventNumbersTestCase()
        : TestCase("a run during which the numbers of ns-3's events begin anew is the same run")
    {
    }

  private:
    /// Host, queue pair and time of each completion.
    using Completions = std::vector<std::tuple<uint32_t, uint32_t, int64_t>>;

    void Acknowledged(const RdmaMessageRecord& record)
    {
        m_completions.emplace_back(record.source, record.queuePair, record.completedNs);
    }

    /**
     * Runs DCQCN flows on a fat tree.
     * @param left number of events until ns-3's 32-bit event numbers wrap around
     * @param maxLag MaxLag of the nodes
     * @return completions in order
     */
    Completions Run(uint32_t left, Time maxLag)
    {
        m_completions.clear();
        ObjectFactory scheduler;
        scheduler.SetTypeId(ShiftingScheduler::GetTypeId());
        scheduler.Set("Shift", UintegerValue(uint32_t{0} - left));
        Simulator::SetScheduler(scheduler);
        {
            HpccFabricHelper fabric;
            fabric.SetMaxLag(maxLag);
            fabric.SetBufferAttribute("BufferBytes", UintegerValue(1000000));
            fabric.Install(HpccTopology::FatTree(4, {}));
            fabric.AssignStreams(1);
            auto hosts = fabric.GetTopology().GetHosts();
            auto spec = HpccFabricHelper::MakePolicy("dcqcn");
            for (uint32_t host : hosts)
            {
                fabric.GetHost(host)->TraceConnectWithoutContext(
                    "MessageAcknowledged",
                    MakeCallback(&EventNumbersTestCase::Acknowledged, this));
                if (host > 1)
                {
                    fabric.AddMessage(host, fabric.Connect(host, host % 2, spec), 60000, Time(0));
                }
            }
            Simulator::Run();
            m_events = Simulator::GetEventCount();
        }
        Simulator::Destroy();
        std::sort(m_completions.begin(), m_completions.end());
        return m_completions;
    }

    void DoRun() override
    {
        for (const Time& maxLag : {NanoSeconds(0), MicroSeconds(1)})
        {
            const Completions plain = Run(UINT32_MAX, maxLag);
            const auto events = static_cast<uint32_t>(m_events);
            NS_TEST_ASSERT_MSG_EQ(plain.size(), 14, "messages");
            NS_TEST_ASSERT_MSG_GT(events, 1000, "events");
            for (uint32_t left : {10U, events / 3, events / 2, events - 10})
            {
                NS_TEST_EXPECT_MSG_EQ((Run(left, maxLag) == plain),
                                      true,
                                      "numbers begin anew after " << left << " of " << events
                                                                  << " events");
            }
        }
    }

    Completions m_completions; ///< completions of the run
    uint64_t m_events{0};      ///< number of events of the run
};

class HpccEventsTestSuite : public TestSuite
{
  public:
    HpccEventsTestSuite()
        : TestSuite("hpcc-events", Type::SYSTEM)
    {
        AddTestCase(new EventNumbersTestCase);
    }
};

HpccEventsTestSuite g_hpccEventsTestSuite; ///< registers the suite

} // namespace
