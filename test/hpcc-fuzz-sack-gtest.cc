/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz/fuzz-sack-targets.h"
#include "hpcc-test-fuzz.h"

#include "ns3/rdma-cnp-sender.h"
#include "ns3/rdma-forgers.h"
#include "ns3/rdma-reads.h"
#include "ns3/rdma-reflections.h"
#include "ns3/rdma-responder.h"
#include "ns3/rdma-sack-responder.h"
#include "ns3/rdma-sack-state.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// A requester, together with a responder that sends SACKs.
class SackResponderParts : public SackRequester
{
  public:
    SackResponderParts()
        : SackRequester(0)
    {
        qp.congestionEcho = true;
        qp.sackReceiver.reset(new RdmaSackReceiver{2 * MTU});
        qp.responderUses = USES_SACK;
    }

    /// Passes a packet to the responder. The packet may be trimmed, marked or a retransmission.
    void Receive(uint32_t psn, bool trimmed, bool marked, bool again)
    {
        Frame* frame = Arriving(ROCE_WRITE_ONLY, psn);
        frame->sourcePort = RdmaEntropy::PortOf(qp.udpSourcePort, psn % VALUES);
        frame->bthFlags = again ? ROCE_FECN | ROCE_ACK_REQUEST : 0;
        frame->tos = marked ? ECN_CE : ECN_ECT0;
        if (trimmed)
        {
            frame->payloadBytes = 0;
            sackResponder.ReceiveTrimmed(qp, frame, nowNs);
            return;
        }
        qp.echoPending = marked;
        sackResponder.Sequence(qp, frame, false, nowNs);
    }

    RdmaForgers forgers{settings};
    RdmaCnpSender cnps{core};
    RdmaReads reads{core, requester};
    RdmaReflections reflections{core, forgers};
    RdmaResponder responder{core, cnps, reads, reflections};
    RdmaSackResponder sackResponder{core, responder, reflections};
};

TEST(SackResponderTest, AnOutOfOrderPacketCountsEvenIfItIsDropped)
{
    SackResponderParts parts;
    parts.Receive(1, false, false, false);
    EXPECT_EQ(parts.qp.outOfOrder, 1U) << "kept";
    parts.Receive(1 << 20, false, false, false);
    EXPECT_EQ(parts.qp.outOfOrder, 2U) << "too far ahead to be kept";
    EXPECT_EQ(parts.qp.receivedBytes, 0U);
}

/// Fuzzes the requester, which reads SACKs.
class SackFuzzTest : public FuzzTest
{
  protected:
    /// Returns an input for FuzzSackTargets::Requester(): a responder's answers to packets that
    /// arrive out of order, some of them trimmed.
    Bytes AnswersSeed(uint8_t choices)
    {
        constexpr uint32_t packets = 50;
        std::vector<uint32_t> order(packets);
        std::iota(order.begin(), order.end(), 0);
        for (uint32_t i = 1; i < packets; ++i)
        {
            std::swap(order[i], order[i - Draw(std::min<uint64_t>(i, 8))]);
        }
        SackResponderParts ends;
        std::vector<uint32_t> trimmed;
        for (const uint32_t psn : order)
        {
            const bool trim = Draw(7) == 0;
            ends.Receive(psn, trim, Draw(3) == 0, false);
            if (trim)
            {
                trimmed.push_back(psn);
            }
        }
        for (const uint32_t psn : trimmed)
        {
            ends.Receive(psn, false, false, true);
        }
        ends.Deliver();
        Bytes seed{choices, FuzzSackTargets::SEND, packets};
        for (size_t i = 0; i < ends.peer.frames.size(); ++i)
        {
            const FrameHeaders& frame = ends.peer.frames[i];
            const bool nack = frame.syndrome == ROCE_SYNDROME_NACK_TRIMMED;
            Append(seed, {FuzzSackTargets::WAIT, 0, static_cast<uint8_t>(Draw(40))});
            Append(seed, {uint8_t(nack ? FuzzSackTargets::NACK : FuzzSackTargets::SACK)});
            Append(seed, frame.psn, 3);
            seed.push_back(frame.bthFlags);
            Append(seed, frame.sourcePort, 2);
            Bytes header(RoceSackHeader::BYTES);
            RoceSackHeader{ends.peer.sacks[i]}.Serialize(header.data());
            Append(seed, header);
            Append(seed, {FuzzSackTargets::SEND, 8});
        }
        return seed;
    }

    FuzzSackTargets m_targets; ///< the target
};

} // namespace

TEST_F(SackFuzzTest, NoSacksBreakARequester)
{
    constexpr int changes = 3000; // a small number, because each change creates a host
    std::vector<Bytes> seeds;
    for (uint8_t choices = 0; choices < 32; ++choices)
    {
        seeds.push_back(AnswersSeed(choices));
        Bytes late{choices, FuzzSackTargets::SEND, 20, FuzzSackTargets::WAIT, 0xff, 0xff};
        Append(late, seeds.back());
        seeds.push_back(late);
    }
    Run(
        "sacks",
        [this](const Bytes& input) { return m_targets.Requester(input); },
        seeds,
        changes);
}
