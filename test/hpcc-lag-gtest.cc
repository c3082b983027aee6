/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-node-agenda.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <map>

// Tests MaxLag at a node with a link to another rank. Each agenda item must be executed before the
// end of the time window in which it is due.

using namespace ns3;

namespace
{

/// Records, for each agenda item, the time of ns-3's clock when it is executed, by the time of the
/// item.
struct Clock : public AgendaClient
{
    std::map<int64_t, int64_t> doneAt;

    void Due(AgendaKind, uint32_t, int64_t nowNs) override
    {
        doneAt[nowNs] = Simulator::Now().GetNanoSeconds();
    }
};

/// @return ns-3's clock when @p items are executed, by their times, with MaxLag @p lagNs and time
/// windows of 400 ns
std::map<int64_t, int64_t>
DoneAt(int64_t lagNs, const std::vector<int64_t>& items)
{
    Clock clock;
    auto agenda = NodeAgenda::Of(CreateObject<Node>());
    agenda->SetAttribute("MaxLag", TimeValue(NanoSeconds(lagNs)));
    agenda->Register(AgendaKind::SAMPLER, 0, &clock);
    for (int64_t atNs : items)
    {
        agenda->Schedule(AgendaKind::SAMPLER, 0, atNs);
    }
    Simulator::Schedule(NanoSeconds(0), &NodeAgenda::LagWithin, agenda, 400, nullptr);
    Simulator::Run();
    Simulator::Destroy();
    return clock.doneAt;
}

} // namespace

TEST(NodeAgendaLag, EndsWithTheStep)
{
    const std::map<int64_t, int64_t> expected{{10, 399}, {399, 399}, {400, 799}, {2000, 2399}};
    EXPECT_EQ(DoneAt(1000, {10, 399, 400, 2000}), expected);
}

TEST(NodeAgendaLag, IsAsBeforeInsideAStep)
{
    const std::map<int64_t, int64_t> expected{{10, 110}, {390, 399}, {399, 399}, {450, 550}};
    EXPECT_EQ(DoneAt(100, {10, 390, 399, 450}), expected);
}
