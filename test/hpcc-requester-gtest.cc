/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests RdmaRequester without a host: the packets that it sends, and its handling of
// acknowledgements.

#include "fuzz/fuzz-sack-targets.h"
#include "hpcc-test-parts.h"

#include "ns3/hpcc-int-md-format.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/rdma-prober.h"
#include "ns3/rdma-requester.h"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Tests with a requester and one of its queue pairs.
class RdmaRequesterTest : public PartsTest<RequesterParts>
{
  protected:
    /// @return the headers of the next packet of the queue pair
    FrameHeaders Next()
    {
        Frame* frame = requester.MakePacket(qp, 0);
        const FrameHeaders headers = *frame;
        FramePool::Free(frame);
        return headers;
    }

    /// Posts a WRITE and sends all its packets.
    /// @param packets number of full packets
    void Send(uint32_t packets)
    {
        requester.Append(qp, RdmaVerb::WRITE, packets * MTU, 0, 0);
        for (uint32_t i = 0; i < packets; ++i)
        {
            Next();
        }
    }

    /**
     * Passes an acknowledgement to the requester.
     * @param psn sequence number of the acknowledgement
     * @param syndrome syndrome of the ACK or NAK
     */
    void Acknowledge(uint32_t psn, uint8_t syndrome)
    {
        Frame* frame = Arriving(ROCE_ACK, psn);
        frame->syndrome = syndrome;
        frame->ttl = 63;
        requester.ReceiveAck(qp, frame, 9000);
    }

    RdmaQueuePair& qp{AddQueuePair()};
};

} // namespace

TEST_F(RdmaRequesterTest, AMessageLeavesInPacketsOfTheMtu)
{
    requester.Append(qp, RdmaVerb::WRITE, 2500, 0, 0);
    const std::vector<FrameHeaders> packets{Next(), Next(), Next()};
    EXPECT_EQ(packets[0].opcode, ROCE_WRITE_FIRST);
    EXPECT_EQ(packets[1].opcode, ROCE_WRITE_MIDDLE);
    EXPECT_EQ(packets[2].opcode, ROCE_WRITE_LAST);
    for (uint32_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(packets[i].psn, i);
        EXPECT_EQ(packets[i].payloadBytes, i < 2 ? MTU : 500);
        EXPECT_EQ(packets[i].bthFlags, i < 2 ? 0 : ROCE_ACK_REQUEST);
    }
    EXPECT_FALSE(qp.MaySend());
    EXPECT_EQ(qp.InFlight(), 2500U);
}

TEST_F(RdmaRequesterTest, ThePacketThatClosesTheWindowAsksForItsAck)
{
    requester.Append(qp, RdmaVerb::WRITE, 5000, 0, 0);
    qp.cc->windowBytes = 2 * MTU;
    EXPECT_EQ(Next().bthFlags, 0);
    EXPECT_EQ(Next().bthFlags, ROCE_ACK_REQUEST);
    EXPECT_FALSE(qp.MaySend());
}

TEST_F(RdmaRequesterTest, PacketsAreAsFarApartAsTheRateSays)
{
    requester.Append(qp, RdmaVerb::WRITE, 5000, 0, 0);
    qp.cc->rateBps = 10e9;
    Next();
    EXPECT_DOUBLE_EQ(qp.nextSendNs, qp.lastLinkBytes * 8 / 10.0);
}

TEST_F(RdmaRequesterTest, AnAckSaysWhatIsAcknowledgedAndWhatIsSent)
{
    Send(3);
    Acknowledge(1, ROCE_SYNDROME_ACK);
    ASSERT_EQ(policy->acks.size(), 1U);
    const RdmaAckInfo& ack = policy->acks.front();
    EXPECT_EQ(ack.newlyAckedBytes, 2 * MTU);
    EXPECT_EQ(ack.ackSeq, 2 * MTU);
    EXPECT_EQ(ack.sndNxt, 3 * MTU);
    EXPECT_EQ(ack.rttNs, 9000);
    EXPECT_EQ(ack.hopsBack, 1);
    EXPECT_FALSE(ack.negative);
    EXPECT_EQ(qp.InFlight(), MTU);
}

TEST_F(RdmaRequesterTest, AcksAreCountedInBytesAcrossMessagesOfAnyLength)
{
    for (const uint64_t bytes : {2500, 700, 3000})
    {
        requester.Append(qp, RdmaVerb::WRITE, bytes, 0, 0);
    }
    for (uint32_t i = 0; i < 7; ++i)
    {
        Next();
    }
    const std::vector<uint64_t> ends{1000, 2000, 2500, 3200, 4200, 5200, 6200};
    for (const uint32_t psn : {0, 2, 3, 5, 6}) // some are within a message, some are at its end
    {
        Acknowledge(psn, ROCE_SYNDROME_ACK);
        EXPECT_EQ(qp.sndUnaByte, ends[psn]) << psn;
        EXPECT_EQ(policy->acks.back().ackSeq, ends[psn]) << psn;
    }
    EXPECT_EQ(qp.oldest, nullptr);
}

TEST_F(RdmaRequesterTest, AMessageIsCompleteWithItsLastPacket)
{
    std::vector<RdmaMessageRecord> done;
    traces.messageAcknowledged.ConnectWithoutContext(Callback<void, const RdmaMessageRecord&>(
        [&done](const RdmaMessageRecord& record) { done.push_back(record); }));
    Send(3);
    Acknowledge(1, ROCE_SYNDROME_ACK);
    EXPECT_TRUE(done.empty());
    Acknowledge(2, ROCE_SYNDROME_ACK);
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done.front().bytes, 3 * MTU);
    EXPECT_EQ(done.front().completedNs, 9000);
    EXPECT_EQ(qp.oldest, nullptr);
}

TEST_F(RdmaRequesterTest, AnAckOfWhatWasNeverSentIsDropped)
{
    Send(3);
    Acknowledge(3, ROCE_SYNDROME_ACK);
    EXPECT_TRUE(policy->acks.empty());
    EXPECT_EQ(qp.InFlight(), 3 * MTU);
    EXPECT_EQ(core.agenda->Frames().GetOutstanding(), 0U);
}

TEST_F(RdmaRequesterTest, ANakRetransmitsFromThePacketThatItNames)
{
    Send(3);
    Acknowledge(1, ROCE_SYNDROME_NAK_SEQUENCE);
    ASSERT_EQ(policy->acks.size(), 1U);
    EXPECT_TRUE(policy->acks.front().negative);
    EXPECT_EQ(policy->acks.front().newlyAckedBytes, MTU);
    ASSERT_TRUE(qp.MaySend());
    EXPECT_EQ(Next().psn, 1U);
    EXPECT_EQ(qp.retransmissions, 1U);
}

TEST_F(RdmaRequesterTest, ARepeatedRequestGoesBackWithoutANak)
{
    requester.Append(qp, RdmaVerb::READ_RESPONSE, 3 * MTU, 0, 0);
    for (int i = 0; i < 3; ++i)
    {
        Next();
    }
    Frame* request = Arriving(ROCE_READ_REQUEST, 7);
    request->ttl = 62;
    requester.GoBackTo(qp, 1, *request, 9000);
    EXPECT_EQ(core.agenda->Frames().GetOutstanding(), 1U) << "only the request";
    ASSERT_EQ(policy->acks.size(), 1U);
    EXPECT_TRUE(policy->acks.front().negative);
    EXPECT_EQ(policy->acks.front().newlyAckedBytes, MTU);
    EXPECT_EQ(policy->acks.front().hopsBack, 2);
    ASSERT_TRUE(qp.MaySend());
    EXPECT_EQ(Next().psn, 1U);
    FramePool::Free(request);
}

TEST_F(RdmaRequesterTest, APlainCnpReachesThePolicyAsOne)
{
    std::vector<std::string> events;
    policy->onEvent = [&events](const std::string& event, RdmaCongestionState&) {
        events.push_back(event);
    };
    Send(1);
    Frame* cnp = Arriving(ROCE_CNP, 0);
    cnp->notification = {};
    requester.ReceiveCnp(qp, cnp, 9000);
    EXPECT_EQ(events, std::vector<std::string>{"OnCongestionMessage"});
}

TEST_F(RdmaRequesterTest, OrdinaryPacketsTouchNothingThatOnlySomeQueuePairsUse)
{
    const auto place = [this](const auto& member) {
        return reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&qp);
    };
    const auto expectBetween = [](size_t begin, size_t end, const std::vector<ptrdiff_t>& places) {
        for (const auto at : places)
        {
            EXPECT_GE(at, static_cast<ptrdiff_t>(begin));
            EXPECT_LT(at, static_cast<ptrdiff_t>(end));
        }
    };
    using Pair = RdmaQueuePair;
    expectBetween(0, Pair::HOT_BYTES, {place(qp.endPsn), place(qp.lastCnpNs), place(qp.messages)});
    expectBetween(
        0,
        Pair::RESPONDER_BYTES,
        {place(qp.expectedPsn), place(qp.ackInterval), place(qp.flowHash), place(qp.sendsCnp)});
    expectBetween(Pair::REQUESTER_BEGIN,
                  Pair::REQUESTER_BEGIN + Pair::REQUESTER_BYTES,
                  {place(qp.rttNs),
                   place(qp.echoForPolicy),
                   place(qp.cc),
                   place(qp.limits),
                   place(qp.oldestEndPsn),
                   place(qp.rare),
                   place(qp.idleNs)});
    expectBetween(Pair::HOT_BYTES,
                  sizeof(Pair),
                  {place(qp.path),
                   place(qp.feedback),
                   place(qp.reflector),
                   place(qp.control),
                   place(qp.authenticator),
                   place(qp.receiver)});
}

namespace
{

/// Tests with several queue pairs whose feedback mode sends probes.
class RdmaProberTest : public PartsTest<HostParts>, public FrameHandler
{
  protected:
    RdmaProberTest()
    {
        core.port->SetFrameHandler(this);
    }

    void ReceiveFrame(QbbNetDevice&, Frame* frame, int64_t) override
    {
        FramePool::Free(frame);
    }

    void StartOfTransmission(QbbNetDevice&, Frame& frame, int64_t nowNs) override
    {
        prober.OnTransmission(frame, nowNs);
    }

    /**
     * @param packets number of packets in flight
     * @return a queue pair that sends probes and has packets in flight
     */
    RdmaQueuePair& AddProbing(uint64_t packets)
    {
        RdmaQueuePair& qp = AddQueuePair();
        qp.feedback = std::make_unique<RdmaFeedbackState>();
        qp.feedback->probes = std::make_unique<HpccProbes>();
        qp.feedback->probes->Open(0);
        qp.cc = policy->Open({qp.number, 100'000'000'000, MTU, 48, 0, 0}, 0);
        qp.format = PeekPointer(format);
        qp.sndNxtPsn = qp.sndMaxPsn = packets;
        qp.sndNxtByte = packets * MTU;
        return qp;
    }

    Ptr<TelemetryFormat> format{CreateObject<IntMdFormat>()}; ///< format of all queue pairs
    RdmaPacer pacer{core};
    RdmaProber prober{core, pacer};
};

} // namespace

TEST_F(RdmaProberTest, AProbeIsStampedByItsOwnQueuePairWhenItLeaves)
{
    RdmaQueuePair& first = AddProbing(5);
    RdmaQueuePair& second = AddProbing(9);
    prober.OnData(first);
    prober.OnData(second);
    EXPECT_FALSE(prober.IsIdle());
    Frame* data = Arriving(ROCE_WRITE_MIDDLE, 0);
    data->bytes = MTU;
    core.port->Enqueue(data);
    EXPECT_EQ(counts.probesSent, 2U);
    first.sndNxtPsn = 6;
    second.sndNxtPsn = 12;
    Deliver();
    ASSERT_EQ(peer.frames.size(), 3U);
    EXPECT_EQ(peer.frames[1].destinationQp, first.peerNumber);
    EXPECT_EQ(peer.frames[1].psn, 6U);
    EXPECT_EQ(peer.frames[2].destinationQp, second.peerNumber);
    EXPECT_EQ(peer.frames[2].psn, 12U);
    EXPECT_TRUE(prober.IsIdle());
}

TEST(SackRequesterTest, TheTimeoutFollowsTheRoundTripTimeUntilAPacketIsTrimmed)
{
    for (const bool trimmed : {false, true})
    {
        SackRequester ends(0);
        ends.qp.sack->terms->timeoutRtts = 2;
        ends.Post(3 * HostParts::MTU);
        ends.Send(3);
        ends.Wait(60'000);
        ends.Answer(ROCE_SYNDROME_SACK, 1, 0, ends.qp.udpSourcePort, {0, 1000, 0, 2, 0, 0});
        if (trimmed)
        {
            ends.Answer(ROCE_SYNDROME_NACK_TRIMMED,
                        1,
                        0,
                        ends.qp.udpSourcePort,
                        {0, 1000, 1, 2, 0, 0});
        }
        EXPECT_EQ(ends.qp.limits.timeoutNs, 63'000);
        ends.Wait(4'000);
        EXPECT_EQ(ends.counts.timeouts, trimmed ? 1U : 0U);
        ends.Wait(56'000);
        EXPECT_EQ(ends.counts.timeouts, trimmed ? 1U : 2U) << "packets that were not trimmed";
    }
}

TEST(SackRequesterTest, EachPacketHasATimeoutFromItsDeparture)
{
    constexpr uint32_t packets = 10;
    SackRequester ends(0);
    ends.Post(packets * HostParts::MTU);
    for (uint32_t i = 0; i < packets; ++i)
    {
        ends.Send(1);
        ends.Wait(1'000);
    }
    ends.Wait(ends.qp.limits.timeoutNs - 1'000 * packets);
    for (uint32_t i = 1; i < 2 * packets; ++i)
    {
        EXPECT_EQ(ends.counts.timeouts, i);
        ends.Send(1);
        EXPECT_EQ(ends.qp.retransmissions, i);
        ends.Wait(i == packets ? ends.qp.limits.timeoutNs - 1'000 * (packets - 1) : 1'000);
    }
}

TEST(SackRequesterTest, PacketsThatAreOverdueTogetherLeaveTogether)
{
    SackRequester ends(0);
    ends.Post(20 * HostParts::MTU);
    ends.Send(20);
    ends.Wait(ends.qp.limits.timeoutNs);
    EXPECT_EQ(ends.counts.timeouts, 20U);
    ends.Send(20);
    EXPECT_EQ(ends.qp.retransmissions, 20U);
    ends.Wait(1);
    EXPECT_EQ(ends.counts.timeouts, 20U) << "the packets that have just left";
}

TEST(SackRequesterTest, TelemetryIsRequestedEightTimesInWhatARateSendsPerBaseRtt)
{
    struct Case
    {
        double rateBps;    ///< rate of a policy without a window
        int64_t baseRttNs; ///< T; 0 if unknown
        uint32_t requests; ///< number of requests for SACKs in 16 packets
    };

    ObjectFactory factory;
    ASSERT_TRUE(HpccPresets::Find(TelemetryFormat::GetTypeId(), "int-md", factory));
    const auto format = factory.Create<TelemetryFormat>();
    for (const Case& c : {Case{8e9, 8000, 16}, Case{32e9, 8000, 4}, Case{32e9, 0, 0}})
    {
        SackRequester ends(0);
        ends.qp.format = PeekPointer(format);
        ends.qp.sack->terms->baseRttNs = c.baseRttNs;
        ends.Post(100 * HostParts::MTU);
        ends.qp.cc->windowBytes = HUGE_VAL;
        ends.qp.cc->rateBps = c.rateBps;
        uint32_t requests = 0;
        for (uint32_t i = 0; i < 16; ++i)
        {
            ends.Send(1);
            requests += ends.qp.sack->sinceAsked == 0;
        }
        EXPECT_EQ(requests, c.requests) << c.rateBps << " " << c.baseRttNs;
    }
}
