/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests RdmaResponder without a host: its handling of packets, and the ACKs, NAKs and CNPs that it
// sends.

#include "hpcc-test-parts.h"

#include "ns3/rdma-responder.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Tests with a responder and one of its queue pairs.
class RdmaResponderTest : public PartsTest<RequesterParts>
{
  protected:
    /**
     * Passes a packet of a long WRITE to the responder.
     * @param psn sequence number of the packet
     * @param tos TOS, which contains the ECN codepoint
     */
    void Receive(uint32_t psn, uint8_t tos = ECN_ECT0)
    {
        Frame* frame = Arriving(psn == 0 ? ROCE_WRITE_FIRST : ROCE_WRITE_MIDDLE, psn);
        frame->tos = tos;
        responder.ReceiveData(qp, frame, 1000);
    }

    /// @return the answers that the other end has received
    const std::vector<FrameHeaders>& Answers()
    {
        Deliver();
        return peer.frames;
    }

    RdmaForgers forgers{settings};
    RdmaCnpSender cnps{core};
    RdmaReads reads{core, requester};
    RdmaReflections reflections{core, forgers};
    RdmaResponder responder{core, cnps, reads, reflections};
    RdmaQueuePair& qp{AddQueuePair()};
};

} // namespace

TEST_F(RdmaResponderTest, APacketInOrderIsAcknowledged)
{
    Receive(0);
    Receive(1);
    ASSERT_EQ(Answers().size(), 2U);
    for (uint32_t psn = 0; psn < 2; ++psn)
    {
        EXPECT_EQ(peer.frames[psn].opcode, ROCE_ACK);
        EXPECT_EQ(peer.frames[psn].syndrome, ROCE_SYNDROME_ACK);
        EXPECT_EQ(peer.frames[psn].psn, psn);
    }
    EXPECT_EQ(qp.receivedBytes, 2 * MTU);
    EXPECT_EQ(core.agenda->Frames().GetOutstanding(), 0U);
}

TEST_F(RdmaResponderTest, AMessageIsDeliveredWithItsLastPacket)
{
    std::vector<RdmaMessageRecord> done;
    traces.messageDelivered.ConnectWithoutContext(Callback<void, const RdmaMessageRecord&>(
        [&done](const RdmaMessageRecord& record) { done.push_back(record); }));
    Receive(0);
    EXPECT_TRUE(done.empty());
    responder.ReceiveData(qp, Arriving(ROCE_WRITE_LAST, 1), 2000);
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done.front().bytes, 2 * MTU);
    EXPECT_EQ(done.front().completedNs, 2000);
    EXPECT_EQ(qp.messagePsn, 2U);
}

TEST_F(RdmaResponderTest, AnAckWaitsForItsInterval)
{
    qp.ackInterval = 3;
    Receive(0);
    Receive(1);
    EXPECT_EQ(core.port->GetTxBytes(), 0U);
    EXPECT_EQ(responder.NextNs(), 11000) << "or for AckDelay";
    Receive(2);
    ASSERT_EQ(Answers().size(), 1U);
    EXPECT_EQ(peer.frames.front().psn, 2U);
    EXPECT_EQ(responder.NextNs(), RdmaTimerHeap::NEVER);
}

TEST_F(RdmaResponderTest, ADelayedAckLeavesWhenItsTimerIsDue)
{
    qp.ackInterval = 3;
    Receive(0);
    responder.RunTimers(11000);
    ASSERT_EQ(Answers().size(), 1U);
    EXPECT_EQ(peer.frames.front().psn, 0U);
    EXPECT_EQ(qp.pendingAck, nullptr);
}

TEST_F(RdmaResponderTest, AnOutOfOrderPacketGivesOneNakForTheMissingOneAndIsTracedAsDropped)
{
    uint32_t dropped = 0;
    traces.outOfOrder.ConnectWithoutContext(Callback<void, const RdmaQueuePair&, int64_t, bool>(
        [&dropped](const RdmaQueuePair&, int64_t, bool kept) { dropped += !kept; }));
    Receive(0);
    Receive(2);
    Receive(3);
    ASSERT_EQ(Answers().size(), 2U) << "the second one is within NakInterval";
    EXPECT_EQ(peer.frames[1].syndrome, ROCE_SYNDROME_NAK_SEQUENCE);
    EXPECT_EQ(peer.frames[1].psn, 1U);
    EXPECT_EQ(qp.outOfOrder, 2U);
    EXPECT_EQ(dropped, 2U);
    EXPECT_EQ(qp.receivedBytes, MTU);
    EXPECT_EQ(counts.naksSent, 1U);
}

TEST_F(RdmaResponderTest, ADuplicateIsAcknowledgedAndNotDelivered)
{
    Receive(0);
    Receive(1);
    Receive(1);
    ASSERT_EQ(Answers().size(), 3U);
    EXPECT_EQ(peer.frames[2].psn, 1U);
    EXPECT_EQ(qp.duplicates, 1U);
    EXPECT_EQ(qp.receivedBytes, 2 * MTU);
}

TEST_F(RdmaResponderTest, MarksAreEchoedOnceInTheAckOfTheMarkedPacket)
{
    qp.congestionEcho = true;
    Receive(0, ECN_CE);
    Receive(1);
    ASSERT_EQ(Answers().size(), 2U);
    EXPECT_EQ(peer.frames[0].bthFlags, ROCE_BECN);
    EXPECT_EQ(peer.frames[1].bthFlags, 0);
}

TEST_F(RdmaResponderTest, MarksGiveOneCnpPerInterval)
{
    qp.sendsCnp = true;
    qp.cnpIntervalNs = 50000;
    Receive(0, ECN_CE);
    Receive(1, ECN_CE);
    uint32_t seen = 0;
    for (const FrameHeaders& frame : Answers())
    {
        seen += frame.opcode == ROCE_CNP;
    }
    EXPECT_EQ(seen, 1U);
    EXPECT_EQ(counts.cnpsSent, 1U);
}

TEST_F(RdmaResponderTest, AReadRequestIsAnsweredByAResponse)
{
    Frame* request = Arriving(ROCE_READ_REQUEST, 0);
    request->payloadBytes = 0;
    request->reth = {0, 0, 2500};
    ASSERT_TRUE(RdmaReads::CanAnswer(qp, *request));
    responder.ReceiveData(qp, request, 1000);
    ASSERT_NE(qp.oldest, nullptr);
    EXPECT_EQ(qp.oldest->verb, RdmaVerb::READ_RESPONSE);
    EXPECT_EQ(qp.oldest->bytes, 2500U);
    EXPECT_TRUE(qp.MaySend());
}

TEST_F(RdmaResponderTest, ARepeatedReadRequestRetransmitsFromTheByteThatItNames)
{
    const auto receive = [this](uint64_t address, uint32_t length) {
        Frame* request = Arriving(ROCE_READ_REQUEST, 0);
        request->payloadBytes = 0;
        request->reth = {address, 0, length};
        responder.ReceiveData(qp, request, 1000);
    };
    receive(0, 3 * MTU);
    while (qp.MaySend())
    {
        FramePool::Free(requester.MakePacket(qp, 1000));
    }
    receive(MTU, 2 * MTU);
    EXPECT_EQ(qp.sndNxtPsn, 1U);
    ASSERT_EQ(policy->acks.size(), 1U);
    EXPECT_TRUE(policy->acks.front().negative);
    ASSERT_EQ(Answers().size(), 2U) << "both requests are acknowledged";
}
