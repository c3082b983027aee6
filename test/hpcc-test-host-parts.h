/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_HOST_PARTS_H
#define HPCC_TEST_HOST_PARTS_H

#include "hpcc-test-event-policy.h"

#include "ns3/hpcc-frame-handler.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/node.h"
#include "ns3/qbb-channel.h"
#include "ns3/qbb-net-device.h"
#include "ns3/rdma-go-back-n.h"
#include "ns3/rdma-host-core.h"
#include "ns3/rdma-requester.h"
#include "ns3/rdma-sack-requester.h"
#include "ns3/simulator.h"

#include <array>
#include <cstdint>
#include <vector>

namespace hpcctest
{

using namespace ns3;

/// An EventPolicy that stores the acknowledgements.
class AckPolicy : public EventPolicy
{
  public:
    std::vector<RdmaAckInfo> acks; ///< all acknowledgements; their hops are no longer valid

    void OnAck(RdmaCongestionState*, const RdmaAckInfo& ack) override
    {
        acks.push_back(ack);
    }
};

/// The handler at the other end of the link. It stores the headers of arriving frames.
class FrameRecorder : public FrameHandler
{
  public:
    std::vector<FrameHeaders> frames; ///< headers of all frames that have arrived
    std::vector<RoceSack> sacks;      ///< SACKs of those frames that carry a SACK

    void ReceiveFrame(QbbNetDevice&, Frame* frame, int64_t) override
    {
        frames.push_back(*frame);
        if (frame->HasSack())
        {
            sacks.push_back(frame->sack);
        }
        FramePool::Free(frame);
    }
};

/// The core of a host with its queue pairs, and a link of 100 Gbit/s, whose other end records
/// frames. The parts under test are members of derived classes.
class HostParts : public AgendaClient
{
  public:
    static constexpr uint32_t MTU = 1000; ///< payload of a packet, bytes

    HostParts()
    {
        settings.mtu = MTU;
        settings.dataDscp = settings.ackDscp = 26;
        settings.cnpDscp = 48;
        settings.probeDscp = 25;
        settings.ttl = 64;
        settings.ipv6 = false;
        settings.ackInterval = 1;
        settings.ackDelay = MicroSeconds(10);
        settings.nakInterval = MicroSeconds(500);
        settings.wireProfile = RdmaHostSettings::ROCE;
        settings.retimePending = settings.paceByRate = true;
        settings.dishonestFrom = Time::Max();
        auto channel = CreateObject<QbbChannel>();
        for (auto& port : m_ports)
        {
            port = CreateObject<QbbNetDevice>();
            CreateObject<Node>()->AddDevice(port);
            port->Attach(channel);
        }
        m_ports[1]->SetFrameHandler(&peer);
        core.Install(*m_ports[0], 0x0b000001, *this);
        policy->onEvent = [](const std::string&, RdmaCongestionState&) {};
    }

    ~HostParts() override
    {
        Simulator::Destroy();
    }

    /// @return a new queue pair that sends and receives. Its number at both ends is
    /// RdmaConnections::FIRST_QPN plus the number of queue pairs that were added before
    RdmaQueuePair& AddQueuePair()
    {
        const uint32_t index = core.connections.GetSize();
        RdmaEnd end{0x0b000002, index + RdmaConnections::FIRST_QPN, 49152};
        RdmaSenderRole role{};
        role.flow.lineRateBps = 100'000'000'000;
        role.flow.mtuBytes = MTU;
        end.sender = core.connections.StoreRole(role);
        core.connections.Add(end);
        RdmaQueuePair& qp = core.connections.CreateState(index);
        qp.local = core.address;
        qp.mtu = MTU;
        qp.ops = PeekPointer(policy);
        qp.recovery = PeekPointer(recovery);
        qp.limits.timeoutNs = qp.limits.shortTimeoutNs = 4'000'000;
        return qp;
    }

    /**
     * @param opcode opcode of the frame
     * @param psn sequence number of the frame
     * @return a RoCE frame that has arrived for the first queue pair
     */
    Frame* Arriving(uint8_t opcode, uint32_t psn)
    {
        Frame* frame = core.agenda->Frames().Allocate();
        core.packets.FillHeaders(core.connections.queuePairs[0], *frame);
        frame->opcode = opcode;
        frame->psn = psn;
        frame->payloadBytes = MTU;
        frame->priority = 0;
        frame->tos = ECN_ECT0;
        return frame;
    }

    /// Delivers all frames in flight.
    void Deliver()
    {
        Simulator::Stop(MicroSeconds(100));
        Simulator::Run();
    }

    void Due(AgendaKind, uint32_t, int64_t) override
    {
    }

    RdmaHostSettings settings;                               ///< attributes of the host
    RdmaHostTraces traces;                                   ///< trace sources of the host
    RdmaHostCounts counts;                                   ///< counters of the host
    RdmaHostCore core{settings, traces, counts};             ///< the core that all parts use
    Ptr<AckPolicy> policy{CreateObject<AckPolicy>()};        ///< policy of all queue pairs
    Ptr<RdmaRecovery> recovery{CreateObject<RdmaGoBackN>()}; ///< loss recovery of all queue pairs
    FrameRecorder peer;                                      ///< handler at the other end

  private:
    std::array<Ptr<QbbNetDevice>, 2> m_ports; ///< both ends of the link
};

/// The sending parts of a host, connected as in RdmaHostParts.
class RequesterParts : public HostParts
{
  public:
    RdmaPacer pacer{core};                              ///< schedules packets
    RdmaPathMover paths{core, pacer};                   ///< moves flows to other paths
    RdmaSackRequester sacks{core, pacer};               ///< processes received SACKs
    RdmaLossRecovery losses{core, pacer, paths, sacks}; ///< recovers from losses
    RdmaProber prober{core, pacer};                     ///< sends probes
    RdmaSenderFeedback feedback{core, prober, paths};   ///< processes received feedback
    RdmaRequester requester{core, pacer, losses, feedback, paths, sacks}; ///< sends packets
};

} // namespace hpcctest

#endif // HPCC_TEST_HOST_PARTS_H
