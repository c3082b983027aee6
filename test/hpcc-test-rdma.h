/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_RDMA_H
#define HPCC_TEST_RDMA_H

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/pointer.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"
#include "ns3/rdma-application.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-host.h"
#include "ns3/rdma-receiver-ops.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Contains networks of hosts with the RDMA transport, and a policy that the test controls.
namespace hpcctest
{

using namespace ns3;

/// The value of an unlimited window.
constexpr double OPEN = std::numeric_limits<double>::infinity();

/// A receiver-side part that does nothing.
class IdleReceiver : public RdmaReceiverOps
{
  public:
    std::string ValidateCompute() const override
    {
        return "";
    }

    RdmaReceiverState* OpenReceiver(const RdmaReceiverInfo&) override
    {
        return &m_receiver;
    }

    void CloseReceiver(RdmaReceiverState*) override
    {
    }

    RdmaNotification OnArrival(RdmaReceiverState*, const RdmaArrivalInfo&) override
    {
        return {};
    }

  private:
    RdmaReceiverState m_receiver; ///< receiver-side state, of which there is only one
};

/// A policy with a window, a rate and callbacks that the test sets.
class FixedPolicy : public RdmaCongestionOpsBase<RdmaCongestionState>
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::hpcctest::FixedPolicy").SetParent<RdmaCongestionOps>();
        return tid;
    }

    double window{OPEN};                                  ///< window, bytes
    double rate{0};                                       ///< rate, bit/s; 0 for the line rate
    RdmaPolicyDescription needs;                          ///< see Describe()
    int64_t timerNs{std::numeric_limits<int64_t>::max()}; ///< time at which onTimer is called, ns
    std::function<void(RdmaCongestionState&)> onTimer;    ///< called once, at timerNs
    std::function<void(RdmaCongestionState&, const RdmaAckInfo&)> onAck; ///< called for each ACK
    uint64_t cnps{0};                                                    ///< number of CNPs
                                                                         ///< received
    uint64_t acks{0};                                                    ///< number of ACKs and
                                                                         ///< NAKs received
    uint64_t naks{0};                                                    ///< NAKs received
    uint64_t echoes{0}; ///< number of ACKs received with an echo of a mark

    FixedPolicy()
    {
        needs.cnpIntervalNs = 0;
    }

    RdmaPolicyDescription Describe(const TelemetryCapabilities*) const override
    {
        return needs;
    }

    void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) override
    {
        ++acks;
        naks += ack.negative;
        echoes += ack.congestionExperienced;
        if (onAck)
        {
            onAck(*state, ack);
        }
    }

    void OnCongestionMessage(RdmaCongestionState*, const RdmaCongestionMessage& message) override
    {
        cnps += message.notification == nullptr;
    }

    void OnTimer(RdmaCongestionState* state, int64_t) override
    {
        state->timerNs = std::numeric_limits<int64_t>::max();
        onTimer(*state);
    }

  private:
    void DoOpen(RdmaCongestionState& state, const RdmaFlowInfo&, int64_t) override
    {
        state.windowBytes = window;
        if (rate > 0)
        {
            state.rateBps = rate;
        }
        state.timerNs = timerNs;
    }
};

/// Base class of tests with a fabric of RDMA hosts, which is destroyed at the end of the test.
class RdmaTestCase : public TestCase
{
  public:
    /// @param name name of the test case
    explicit RdmaTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /// Called for each frame that starts its transmission.
    using FrameHook = std::function<void(int64_t nowNs, const Frame& frame)>;
    /// Called with the bytes queued at a port.
    using QueueHook = std::function<void(int64_t nowNs, uint64_t portBytes)>;

    /**
     * @param rate line rate
     * @param delay propagation delay
     * @return a topology of two hosts on one link. GetDevices()[0] is the device of host 0, and
     * GetDevices()[1] that of host 1
     */
    static HpccTopology BackToBack(const std::string& rate, Time delay)
    {
        HpccTopology topology;
        topology.AddNode(false);
        topology.AddNode(false);
        topology.AddLink({0, 1, DataRate(rate), delay});
        return topology;
    }

    /**
     * @param hosts number of hosts
     * @param rate line rate
     * @param delay propagation delay
     * @return a star whose switch has the node number @p hosts
     */
    static HpccTopology Star(uint32_t hosts, const std::string& rate, Time delay)
    {
        return HpccTopology::Star(hosts, {DataRate(rate), DataRate(rate), delay});
    }

    /// @return the network, to be configured and then installed
    HpccFabricHelper& Fabric()
    {
        if (!m_fabric)
        {
            m_fabric = std::make_unique<HpccFabricHelper>();
        }
        return *m_fabric;
    }

    /// @param topology the network to install; from then on, completions are recorded
    void Install(const HpccTopology& topology)
    {
        Fabric().Install(topology);
        Fabric().AssignStreams(1);
        for (uint32_t host : topology.GetHosts())
        {
            Ptr<RdmaHost> stack = Fabric().GetHost(host);
            stack->TraceConnectWithoutContext("MessageAcknowledged",
                                              MakeCallback(&RdmaTestCase::NoteAcknowledged, this));
            stack->TraceConnectWithoutContext("MessageDelivered",
                                              MakeCallback(&RdmaTestCase::NoteDelivered, this));
        }
    }

    /**
     * @param source number of the sending host
     * @param destination number of the receiving host
     * @param policy policy of the source
     * @param responderPolicy policy of the destination, for READs; may be null
     * @return index of the queue pair
     */
    uint32_t Connect(uint32_t source,
                     uint32_t destination,
                     Ptr<RdmaCongestionOps> policy,
                     Ptr<RdmaCongestionOps> responderPolicy = nullptr)
    {
        RdmaQueuePairConfig config;
        config.policy = std::move(policy);
        config.responderPolicy = std::move(responderPolicy);
        config.baseRttNs = Fabric().GetPath(source, destination).baseRttNs;
        config.networkBaseRttNs = Fabric().GetNetworkBaseRttNs();
        return Fabric().GetHost(source)->Connect(Fabric().GetHost(destination), config);
    }

    /**
     * Schedules a message.
     * @param host number of the sending host
     * @param queuePair index of its queue pair
     * @param bytes size of the payload, bytes
     * @param at start time
     * @param verb operation of the message
     */
    void Post(uint32_t host,
              uint32_t queuePair,
              uint64_t bytes,
              Time at = NanoSeconds(0),
              RdmaVerb verb = RdmaVerb::WRITE)
    {
        auto application =
            DynamicCast<RdmaApplication>(Fabric().GetNodes().Get(host)->GetApplication(0));
        application->AddMessage(at, queuePair, bytes, verb);
    }

    /// Returns the RDMA stack of @p host.
    RdmaHost& Host(uint32_t host)
    {
        return *PeekPointer(Fabric().GetHost(host));
    }

    /**
     * @param device device to observe
     * @param hook function that is called for every frame that the device starts to send
     */
    void OnTransmit(QbbNetDevice& device, FrameHook hook)
    {
        m_frameHooks.push_back(std::move(hook));
        device.TraceConnectWithoutContext(
            "Transmit",
            MakeBoundCallback(&RdmaTestCase::CallFrameHook, &m_frameHooks.back()));
    }

    /**
     * Sets a function that is called when the queues of a device change.
     * @param device the device
     * @param hook the function; it gets the bytes of all queues of the device
     */
    void OnQueue(QbbNetDevice& device, QueueHook hook)
    {
        m_queueHooks.push_back(std::move(hook));
        device.TraceConnectWithoutContext(
            "QueueBytes",
            MakeBoundCallback(&RdmaTestCase::CallQueueHook, &m_queueHooks.back()));
    }

    /**
     * Drops frames that arrive at a host.
     * @param host the host
     * @param numbers indices of the frames to drop, counted from 0 in the order of arrival
     */
    void Lose(uint32_t host, const std::list<uint32_t>& numbers)
    {
        auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList(numbers);
        Host(host).GetPort().SetAttribute("ReceiveErrorModel", PointerValue(model));
    }

    /**
     * Schedules an action.
     * @param at time of the action
     * @param action the action
     */
    static void At(Time at, std::function<void()> action)
    {
        Simulator::Schedule(at, [action = std::move(action)] { action(); });
    }

    /// @return true if every frame is back in its pool
    bool AllFramesFree()
    {
        for (const auto& device : Fabric().GetDevices())
        {
            if (device->GetAgenda().Frames().GetOutstanding() != 0)
            {
                return false;
            }
        }
        return true;
    }

    /// @return number of frames dropped at all devices
    uint64_t GetDrops()
    {
        uint64_t drops = 0;
        for (const auto& device : Fabric().GetDevices())
        {
            drops += device->GetDrops();
        }
        return drops;
    }

    /// @return number of pauses that have started at all devices
    uint64_t GetPauses()
    {
        uint64_t pauses = 0;
        for (const auto& device : Fabric().GetDevices())
        {
            pauses += device->GetPauses();
        }
        return pauses;
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
        m_fabric.reset();
        m_frameHooks.clear();
        m_queueHooks.clear();
    }

    std::vector<RdmaMessageRecord> m_acknowledged; ///< messages completed at requesters, in order
                                                   ///< of time
    std::vector<RdmaMessageRecord> m_delivered;    ///< messages completed at responders, in order
                                                   ///< of time

  private:
    static void CallFrameHook(FrameHook* hook, int64_t nowNs, const Frame& frame)
    {
        (*hook)(nowNs, frame);
    }

    static void CallQueueHook(QueueHook* hook, uint8_t, uint64_t, uint64_t portBytes, int64_t nowNs)
    {
        (*hook)(nowNs, portBytes);
    }

    void NoteAcknowledged(const RdmaMessageRecord& record)
    {
        m_acknowledged.push_back(record);
    }

    void NoteDelivered(const RdmaMessageRecord& record)
    {
        m_delivered.push_back(record);
    }

    std::unique_ptr<HpccFabricHelper> m_fabric; ///< the network
    std::list<FrameHook> m_frameHooks;          ///< functions that are called on transmissions
    std::list<QueueHook> m_queueHooks;          ///< functions that are called when queues change
};

} // namespace hpcctest

#endif // HPCC_TEST_RDMA_H
