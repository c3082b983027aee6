/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_NIC_H
#define HPCC_TEST_NIC_H

#include "hpcc-test-rdma.h"

#include "ns3/data-rate.h"
#include "ns3/pointer.h"
#include "ns3/rdma-nic.h"
#include "ns3/string.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// Contains the base class of tests of hosts with processing delays.
namespace hpcctest
{

inline constexpr uint32_t MTU = 1000; ///< default payload per packet of RdmaHost, bytes

/// Attributes of ns3::RdmaNic by name.
using Delays = std::map<std::string, std::string>;

/// @param ns the delay, ns
/// @return a constant random variable with this value
inline std::string
Constant(int64_t ns)
{
    return "ns3::ConstantRandomVariable[Constant=" + std::to_string(ns) + "]";
}

/// @param ns largest delay, ns
/// @return a random variable that is uniformly distributed between 0 and this value
inline std::string
UpTo(int64_t ns)
{
    return "ns3::UniformRandomVariable[Min=0|Max=" + std::to_string(ns) + "]";
}

/// Frames of one opcode that a host has sent.
struct Sent
{
    std::vector<int64_t> atNs;        ///< start times of the transmissions, ns
    std::vector<FrameHeaders> frames; ///< headers of these frames
};

/// Base class of tests with hosts that have delays.
class NicTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /// Observations of a run.
    struct Outcome
    {
        std::map<uint8_t, Sent> sender;   ///< frames of host 0 by opcode
        std::map<uint8_t, Sent> receiver; ///< frames of the last host by opcode
        std::vector<int64_t> policyNs;    ///< times at which the policy of host 0 received ACKs, ns
        std::vector<uint64_t> ackSeqs;    ///< byte numbers that these ACKs acknowledge
        std::vector<RdmaMessageRecord> acknowledged; ///< messages completed at host 0
        std::vector<RdmaMessageRecord> delivered;    ///< messages completed at the receiver
    };

    /// Sets the delays of the hosts that are installed afterwards.
    /// @param delays the delays
    void SetDelays(const Delays& delays)
    {
        for (const auto& [name, value] : delays)
        {
            m_saved[name] = Attribute(name).initialValue;
            RdmaNic::GetTypeId().SetAttributeInitialValue(
                IndexOf(name),
                name == "RateStep" ? Ptr<AttributeValue>(Create<DataRateValue>(DataRate(value)))
                                   : Ptr<AttributeValue>(Create<StringValue>(value)));
        }
    }

    /// Observes the frames of two hosts.
    /// @param outcome stores the observations
    /// @param receiver number of the receiving host
    void Observe(Outcome& outcome, uint32_t receiver)
    {
        for (auto [host, sent] :
             {std::pair(0U, &outcome.sender), std::pair(receiver, &outcome.receiver)})
        {
            OnTransmit(Host(host).GetPort(), [sent = sent](int64_t nowNs, const Frame& frame) {
                (*sent)[frame.opcode].atNs.push_back(nowNs);
                (*sent)[frame.opcode].frames.push_back(frame);
            });
        }
    }

    /**
     * Sends messages from one host to another host over a link, and returns what has been observed.
     * @param delays delays of both hosts
     * @param packets number of packets of each message. Messages are posted at intervals of 100 ns
     * @param verb operation of the messages
     * @param stream number of the first random stream
     * @return observations of the run
     */
    Outcome Run(const Delays& delays,
                const std::vector<uint64_t>& packets = {1},
                RdmaVerb verb = RdmaVerb::WRITE,
                int64_t stream = 1)
    {
        SetDelays(delays);
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        Fabric().AssignStreams(stream);
        Outcome outcome;
        Observe(outcome, 1);
        auto policy = CreateObject<FixedPolicy>();
        policy->onAck = [&outcome](RdmaCongestionState&, const RdmaAckInfo& ack) {
            outcome.policyNs.push_back(ack.nowNs);
            outcome.ackSeqs.push_back(ack.ackSeq);
        };
        Ptr<FixedPolicy> responder;
        if (verb == RdmaVerb::READ)
        {
            responder = CreateObject<FixedPolicy>();
        }
        const uint32_t queuePair = Connect(0, 1, policy, responder);
        for (size_t i = 0; i < packets.size(); ++i)
        {
            Post(0, queuePair, packets[i] * MTU, NanoSeconds(100 * i), verb);
        }
        return Finish(outcome);
    }

    /**
     * Runs the simulation to its end, and completes the observations.
     * @param outcome observations of the run
     * @return these observations, including the completions
     */
    Outcome Finish(Outcome& outcome)
    {
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "every frame is back in its pool");
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 0, "drops");
        outcome.acknowledged = std::exchange(m_acknowledged, {});
        outcome.delivered = std::exchange(m_delivered, {});
        DoTeardown();
        return outcome;
    }

    void DoTeardown() override
    {
        RdmaTestCase::DoTeardown();
        for (const auto& [name, value] : m_saved)
        {
            RdmaNic::GetTypeId().SetAttributeInitialValue(IndexOf(name), value);
        }
        m_saved.clear();
    }

  private:
    static size_t IndexOf(const std::string& name)
    {
        size_t index = 0;
        while (RdmaNic::GetTypeId().GetAttribute(index).name != name)
        {
            ++index;
        }
        return index;
    }

    static TypeId::AttributeInformation Attribute(const std::string& name)
    {
        return RdmaNic::GetTypeId().GetAttribute(IndexOf(name));
    }

    std::map<std::string, Ptr<const AttributeValue>> m_saved; ///< old values, by name
};

} // namespace hpcctest

#endif // HPCC_TEST_NIC_H
