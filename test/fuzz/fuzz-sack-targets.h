/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FUZZ_SACK_TARGETS_H
#define HPCC_FUZZ_SACK_TARGETS_H

#include "../hpcc-test-host-parts.h"
#include "fuzz-input.h"

#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-prober.h"
#include "ns3/rdma-requester.h"
#include "ns3/rdma-sack-state.h"
#include "ns3/rdma-sack.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <cstdint>
#include <string>

namespace hpcctest
{

using namespace ns3;

/// A requester that uses SACKs and NSCC, and sends messages.
class SackRequester : public RequesterParts
{
  public:
    static constexpr int64_t BASE_RTT_NS = 8000; ///< base RTT of the network
    static constexpr uint32_t VALUES = 32;       ///< number of entropy values

    /**
     * @param choices bits 0 and 1: entropy oblivious, reps, mixed or bitmap; bit 2: sack:sleek and
     * nscc:drop; bits 3 and 4, unless bit 2 is set: nscc, nscc:median, nscc:htsim or
     * nscc:htsim-drop
     */
    explicit SackRequester(uint8_t choices)
    {
        const bool sleek = choices >> 2 & 1;
        constexpr const char* policies[] = {"nscc", "nscc:median", "nscc:htsim", "nscc:htsim-drop"};
        constexpr const char* entropies[] = {"oblivious", "reps", "mixed", "bitmap"};
        m_nscc = Make<RdmaCongestionOps>(sleek ? "nscc:drop" : policies[choices >> 3 & 3]);
        m_nscc->SetNetworkBaseRtt(BASE_RTT_NS);
        m_sack = Make<RdmaRecovery>(sleek ? "sack:sleek" : "sack");
        m_entropy = Make<RdmaEntropy>(entropies[choices & 3], VALUES);
        const RdmaRecovery::Path path{100'000'000'000, MTU, BASE_RTT_NS, 4'000'000};
        qp.ops = PeekPointer(m_nscc);
        qp.recovery = PeekPointer(m_sack);
        qp.limits = m_sack->GetLimits(path);
        qp.sack.reset(new RdmaSackState{static_cast<RdmaSackSender&>(qp.Retransmission()),
                                        m_sack->GetSackTerms(path),
                                        m_entropy->MakeState(),
                                        VALUES});
        qp.requesterUses = SENDS_SPRAYED;
        qp.rttPsn = RdmaQueuePair::NO_RTT_PSN;
        qp.recovering = qp.lostNeedsRoom = true;
    }

    /**
     * Posts a WRITE.
     * @param bytes size of the WRITE, at least 1 byte
     */
    void Post(uint64_t bytes)
    {
        requester.Append(qp, RdmaVerb::WRITE, bytes, 0, nowNs);
    }

    /// Sends packets while the queue pair may send.
    /// @param packets maximum number of packets
    void Send(uint32_t packets)
    {
        for (; packets > 0 && qp.MaySend(); --packets)
        {
            Frame* frame = requester.MakePacket(qp, nowNs);
            Require(frame->opcode == ROCE_WRITE_ONLY && frame->payloadBytes > 0 &&
                        frame->reth.length == frame->payloadBytes,
                    "a packet cannot be placed by itself");
            FramePool::Free(frame);
        }
    }

    /**
     * Passes an acknowledgement to the requester.
     * @param syndrome syndrome of a SACK, or of a NACK of a trimmed packet
     * @param psn PSN of the packet expected next
     * @param flags flags of the BTH
     * @param port UDP source port
     * @param sack content of the SACK
     */
    void Answer(uint8_t syndrome, uint32_t psn, uint8_t flags, uint16_t port, const RoceSack& sack)
    {
        Frame* frame = Arriving(ROCE_ACK, psn);
        frame->payloadBytes = 0;
        frame->syndrome = syndrome;
        frame->bthFlags = flags;
        frame->sourcePort = port;
        frame->sack = sack;
        requester.ReceiveAck(qp, frame, nowNs);
    }

    /// Advances the time and runs the timeouts and policy timers that are due.
    /// @param ns time by which to advance, ns
    void Wait(int64_t ns)
    {
        nowNs += ns;
        losses.RunTimeouts(nowNs);
        pacer.RunPolicyTimers(nowNs);
    }

    /// Throws std::logic_error if the states of the packets are inconsistent with the counters of
    /// the queue pair.
    void RequireSound()
    {
        const RdmaSackState& state = *qp.sack;
        const RdmaSackSender& sender = state.sender;
        Require(sender.GetEnd() == qp.sndMaxPsn && qp.sndNxtPsn == qp.sndMaxPsn,
                "the packets that have left are not those known");
        Require(sender.GetFirst() == qp.sndUnaPsn || qp.sndUnaPsn == 0,
                "the packets acknowledged are not those known");
        uint64_t inFlightBytes = 0;
        bool lost = false;
        for (uint64_t psn = sender.GetFirst(); psn < sender.GetEnd(); ++psn)
        {
            const RdmaSackSender::Packet& packet = sender.Get(psn);
            const bool inFlight = packet.state == RdmaSackSender::State::IN_FLIGHT;
            inFlightBytes += inFlight ? packet.bytes : 0;
            lost = lost || packet.state == RdmaSackSender::State::LOST;
        }
        Require(inFlightBytes == qp.InFlight(), "the bytes in flight are not those of the packets");
        Require(lost == sender.HasLost() && lost == qp.lost, "a lost packet is forgotten");
        Require(!sender.IsContradicted(), "the packet that is expected is never sent again");
        Require(state.receivedBytes <= qp.sndNxtByte, "more has arrived than has left");
        Require(!qp.cc || (std::isfinite(qp.cc->windowBytes) && qp.cc->windowBytes >= MTU),
                "the window is no window");
        Require(core.agenda->Frames().GetOutstanding() <= state.probes, "a frame is leaked");
    }

    /// Acknowledges all packets correctly. Throws std::logic_error if a message does not complete.
    void Finish()
    {
        constexpr int most = 10000; // upper bound of the number of remaining packets
        for (int round = 0; qp.oldest && round < most; ++round)
        {
            Send(most);
            const auto end = static_cast<uint32_t>(qp.sndMaxPsn & 0xffffff);
            Answer(ROCE_SYNDROME_SACK,
                   end,
                   0,
                   qp.udpSourcePort,
                   {0, qp.sndNxtByte, end, end, 0, 0});
            Wait(BASE_RTT_NS);
            RequireSound();
        }
        Require(!qp.oldest, "a message never ends");
    }

    int64_t nowNs{0}; ///< time
    RdmaQueuePair& qp{AddQueuePair()};

  private:
    /**
     * Creates an object by its short name.
     * @param name the short name
     * @param values number of entropy values to set; 0 to set none
     * @return the object
     */
    template <typename Part>
    static Ptr<Part> Make(const std::string& name, uint32_t values = 0)
    {
        ObjectFactory factory;
        Require(HpccPresets::Find(Part::GetTypeId(), name, factory), "a short name is unknown");
        if (values > 0)
        {
            factory.Set("Evs", UintegerValue(values));
        }
        return factory.Create<Part>();
    }

    Ptr<RdmaCongestionOps> m_nscc; ///< policy
    Ptr<RdmaRecovery> m_sack;      ///< recovery
    Ptr<RdmaEntropy> m_entropy;    ///< choice of entropy
};

/// Fuzz targets for SACKs; see FuzzTargets.
class FuzzSackTargets
{
  public:
    /// Operations in the input of Requester(). The input is a sequence of steps. The first byte of
    /// a step, modulo STEPS, is its operation.
    enum Step : uint8_t
    {
        POST, ///< posts a WRITE; its size follows, 2 bytes
        SEND, ///< sends packets; their number follows, 1 byte
        WAIT, ///< advances the time; units of 64 ns follow, 2 bytes
        SACK, ///< a SACK arrives; its fields follow: PSN, 3 bytes; flags of the BTH, 1; UDP source
              ///< port, 2; RoceSackHeader
        NACK, ///< a NACK of a trimmed packet arrives; the same fields follow
        STEPS ///< number of operations
    };

    /**
     * Requires that any SACKs leave the state of a requester consistent, and that its messages
     * complete after correct SACKs.
     * @param bytes choices of SackRequester(), 1 byte; then steps
     */
    bool Requester(const Bytes& bytes) const
    {
        constexpr int64_t unitNs = 64;
        constexpr int most = 400; // steps
        FuzzInput input(bytes);
        SackRequester ends(static_cast<uint8_t>(input.Number()));
        ends.Post(50 * HostParts::MTU);
        bool answered = false;
        for (int step = 0; step < most && input.Left() > 0; ++step)
        {
            const auto kind = static_cast<Step>(input.Number() % STEPS);
            switch (kind)
            {
            case POST:
                ends.Post(input.Number(2) + 1);
                break;
            case SEND:
                ends.Send(static_cast<uint32_t>(input.Number()));
                break;
            case WAIT:
                ends.Wait(static_cast<int64_t>(input.Number(2)) * unitNs);
                break;
            default:
                answered = true;
                Answer(ends, kind, input);
            }
            ends.RequireSound();
        }
        ends.Finish();
        return answered;
    }

  private:
    static void Answer(SackRequester& ends, Step kind, FuzzInput& input)
    {
        const auto psn = static_cast<uint32_t>(input.Number(3));
        const auto flags = static_cast<uint8_t>(input.Number());
        const auto port = static_cast<uint16_t>(input.Number(2));
        RoceSackHeader header;
        header.Deserialize(input.Take(RoceSackHeader::BYTES, true).data());
        ends.Answer(kind == SACK ? ROCE_SYNDROME_SACK : ROCE_SYNDROME_NACK_TRIMMED,
                    psn,
                    flags,
                    port,
                    header.sack);
    }
};

} // namespace hpcctest

#endif // HPCC_FUZZ_SACK_TARGETS_H
