/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A user's congestion control in a user's program: the class below is not part of the module, yet
// --cc accepts its name beside those of the module, in one command.
//
// The policy is "aimd": additive increase by one packet per round trip, and on an ECN mark a cut to
// a share of the window, at most once per round trip. It declares which feedback it needs, and gets
// only information that the wire carried.

#include "ns3/double.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-presets.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/string.h"

#include <algorithm>

using namespace ns3;

/// State of the policy for a queue pair. The base class has the window, the rate and the timer that
/// the sender obeys.
struct AimdState : RdmaCongestionState
{
    double mtu;          ///< bytes
    double largest;      ///< largest window, bytes
    uint64_t nextCut{0}; ///< sequence number from which on a mark cuts again
    double secondsRtt;   ///< base RTT, to turn the window into a rate
    double lineRateBps;  ///< the sender's port, bit/s
};

class RdmaAimd : public RdmaCongestionOpsBase<AimdState>
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            AddHpccPresets(
                TypeId("ns3::RdmaAimd").SetParent<RdmaCongestionOps>().AddConstructor<RdmaAimd>(),
                "aimd;aimd:gentle=Keep:0.8")
                .AddAttribute("Keep",
                              "Share of the window that a mark leaves.",
                              DoubleValue(0.5),
                              MakeDoubleAccessor(&RdmaAimd::m_keep),
                              MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    uint32_t Needs() const override
    {
        return NEED_ECN; // packets are ECN-capable; without NEED_CNP, ACKs echo the marks
    }

    void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) override
    {
        AimdState& own = Own(state);
        if (ack.congestionExperienced && ack.ackSeq >= own.nextCut)
        {
            own.windowBytes = std::max(own.windowBytes * m_keep, own.mtu);
            own.nextCut = ack.sndNxt;
        }
        else
        {
            double acked = static_cast<double>(ack.newlyAckedBytes);
            own.windowBytes =
                std::min(own.windowBytes + own.mtu * acked / own.windowBytes, own.largest);
        }
        own.rateBps = std::min(own.windowBytes * 8 / own.secondsRtt, own.lineRateBps);
    }

  protected:
    void DoOpen(AimdState& state, const RdmaFlowInfo& info, int64_t) override
    {
        state.mtu = info.mtuBytes;
        state.lineRateBps = static_cast<double>(info.lineRateBps);
        state.secondsRtt = static_cast<double>(std::max<int64_t>(info.baseRttNs, 1)) * 1e-9;
        state.largest = std::max(state.lineRateBps / 8 * state.secondsRtt, 2 * state.mtu);
        state.windowBytes = state.largest;
    }

  private:
    double m_keep; ///< attribute
};

NS_OBJECT_ENSURE_REGISTERED(RdmaAimd);

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        uint32_t senders = 8;
        uint64_t bytes = 2000000;
        HpccExperiment experiment("hpcc-own-policy",
                                  "An incast with a policy that is defined in this program",
                                  "aimd,aimd:gentle,hpcc++");
        experiment.AddOption("senders", "hosts that send, at least 1", senders);
        experiment.AddOption("bytes", "payload of each sender, bytes, at least 1", bytes);
        experiment.Parse(argc, argv);
        if (senders < 1)
        {
            throw HpccInputError("--senders: 0 is not allowed; at least 1");
        }
        if (bytes < 1)
        {
            throw HpccInputError("--bytes: 0 is not allowed; at least 1");
        }
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(senders + 1, {});
        for (uint32_t i = 0; i < senders; ++i)
        {
            scenario.flows.push_back({i, senders, bytes, 0, 0, 0});
        }
        experiment.Run(scenario, [](HpccFabricHelper& fabric) {
            fabric.SetEcnAttribute("Thresholds", StringValue("100Gbps:50000:50000:1"));
        });
    });
}
