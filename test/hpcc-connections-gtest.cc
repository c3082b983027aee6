/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the class for the queue pairs of a host without a host: numbers, slots and roles. Also
// tests that a host does not reuse the roles of the last queue pair after a change.

#include "hpcc-test-refusal.h"

#include "ns3/hpcc-fabric-helper.h"
#include "ns3/nstime.h"
#include "ns3/rdma-connections.h"
#include "ns3/rdma-host.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <tuple>

using namespace ns3;

namespace
{

/// Three queue pairs, none of them in use.
class RdmaConnectionsTest : public ::testing::Test
{
  protected:
    RdmaConnectionsTest()
    {
        for (uint32_t i = 0; i < 3; ++i)
        {
            connections.Add({0x0b000010 + i, 70 + i, static_cast<uint16_t>(50000 + i)});
        }
    }

    /// @return number of the queue pair with an index
    static uint32_t NumberOf(uint32_t index)
    {
        return RdmaConnections::NumberOfIndex(index);
    }

    RdmaConnections connections;
};

} // namespace

TEST_F(RdmaConnectionsTest, AQueuePairIsFoundByItsNumberWhileItIsInUse)
{
    EXPECT_EQ(connections.Find(NumberOf(1)), nullptr);
    RdmaQueuePair& qp = connections.CreateState(1);
    EXPECT_EQ(connections.Find(NumberOf(1)), &qp);
    EXPECT_EQ(qp.number, NumberOf(1));
    EXPECT_EQ(qp.peerNumber, 71U);
    EXPECT_EQ(qp.peer, 0x0b000011U);
    EXPECT_EQ(qp.udpSourcePort, 50001);
    connections.FreeSlot(qp);
    EXPECT_EQ(connections.Find(NumberOf(1)), nullptr);
}

TEST_F(RdmaConnectionsTest, NumbersFromTheWireThatNobodyHasAreNotFound)
{
    for (uint32_t number : {0U, 1U, NumberOf(3), 0xffffffU})
    {
        EXPECT_EQ(connections.FindEnd(number), nullptr) << number;
        EXPECT_EQ(connections.Find(number), nullptr) << number;
    }
}

TEST_F(RdmaConnectionsTest, AFreeSlotIsUsedByTheNextQueuePair)
{
    RdmaQueuePair& first = connections.CreateState(0);
    connections.CreateState(1);
    const uint32_t slot = first.slot;
    connections.FreeSlot(first);
    EXPECT_EQ(connections.CreateState(2).slot, slot);
    EXPECT_EQ(connections.queuePairs.GetSlots(), 2U);
}

TEST_F(RdmaConnectionsTest, AReservedSlotHasNoStateUntilItIsUsed)
{
    connections.ReserveSlot(0);
    connections.ReserveSlot(1);
    EXPECT_EQ(connections.Find(NumberOf(1)), nullptr);
    EXPECT_EQ(connections.queuePairs.begin(), connections.queuePairs.end());
    EXPECT_EQ(connections.CreateState(1).slot, 1U) << "slots have the order of the reservations";
    EXPECT_EQ(connections.CreateState(2).slot, 2U);
    RdmaQueuePair& first = connections.CreateState(0);
    EXPECT_EQ(first.slot, 0U);
    EXPECT_EQ(&connections.queuePairs[0], &first);
    EXPECT_EQ(connections.Find(NumberOf(0)), &first);
}

TEST_F(RdmaConnectionsTest, TheRecordKeepsWhatWasReceived)
{
    RdmaQueuePair& qp = connections.CreateState(0);
    qp.expectedPsn = 42;
    connections.FreeSlot(qp);
    EXPECT_TRUE(connections.GetEnd(0).done);
    EXPECT_EQ(connections.GetEnd(0).donePsn, 42U);
    EXPECT_EQ(connections.CreateState(0).expectedPsn, 0U) << "the slot is as new";
}

TEST_F(RdmaConnectionsTest, EqualRolesAreStoredOnce)
{
    RdmaSenderRole role{};
    role.config.dscp = 26;
    const uint16_t index = connections.StoreRole(role);
    EXPECT_EQ(connections.StoreRole(role), index);
    role.config.dscp = 27;
    EXPECT_NE(connections.StoreRole(role), index);
    role.flow.packetsPerRecord = 16;
    EXPECT_EQ(connections.StoreRole(role), 2U) << "a policy has other parameters";
    RdmaReceiverRole receiver{};
    const uint16_t own = connections.StoreRole(receiver);
    EXPECT_EQ(connections.StoreRole(receiver), own);
    receiver.cnpIntervalNs = 50;
    EXPECT_NE(connections.StoreRole(receiver), own);
}

TEST(RdmaRoles, AQueuePairLikeTheLastOneFollowsChangesMadeInBetween)
{
    {
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::ByName("star:2"));
        const auto spec = HpccFabricHelper::MakePolicy("dcqcn");
        const auto sender = fabric.GetHost(0);
        const auto receiver = fabric.GetHost(1);
        const auto connect = [&] {
            const uint32_t index = fabric.Connect(0, 1, spec);
            const RdmaQueuePair& qp = sender->GetQueuePair(index);
            return std::tuple(int{qp.tos >> 2},
                              int{qp.priority},
                              qp.limits.timeoutNs,
                              receiver->GetQueuePair(index).cnpIntervalNs);
        };
        EXPECT_EQ(connect(), std::tuple(26, 3, 4000000, 4000));
        EXPECT_EQ(connect(), std::tuple(26, 3, 4000000, 4000));
        sender->GetQueuePair(0).ops->SetAttribute("CnpInterval", TimeValue(MicroSeconds(5)));
        EXPECT_EQ(connect(), std::tuple(26, 3, 4000000, 5000)) << "an attribute of the policy";
        receiver->SetAttribute("CnpInterval", TimeValue(MicroSeconds(7)));
        EXPECT_EQ(connect(), std::tuple(26, 3, 4000000, 7000)) << "a setting of the other host";
        sender->GetPort().SetAttribute("DscpToPriority", StringValue("26:4,27:3,48:6"));
        EXPECT_EQ(connect(), std::tuple(26, 4, 4000000, 7000)) << "a setting of the port";
        sender->SetAttribute("DataDscp", UintegerValue(27));
        EXPECT_EQ(connect(), std::tuple(27, 3, 4000000, 7000)) << "a setting of the host";
        sender->SetAttribute("RetransmitTimeout", TimeValue(MilliSeconds(5)));
        EXPECT_EQ(connect(), std::tuple(27, 3, 5000000, 7000));
    }
    Simulator::Destroy();
}

TEST(RdmaRoles, AQueuePairWithReadsIsNoneLikeTheLastOneWithout)
{
    {
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::ByName("star:2"));
        const auto spec = HpccFabricHelper::MakePolicy("dcqcn");
        const auto host = fabric.GetHost(0);
        for (const bool reads : {false, true, false})
        {
            const uint32_t index = fabric.Connect(0, 1, spec, 0, false, reads);
            const auto post = [&] { host->Post(index, RdmaVerb::READ, 1000); };
            EXPECT_EQ(hpcctest::RefusalOf(post).empty(), reads) << index;
        }
    }
    Simulator::Destroy();
}
