/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONGESTION_OPS_H
#define RDMA_CONGESTION_OPS_H

#include "rdma-commit-rule.h"

#include "ns3/hpcc-hop-telemetry.h"
#include "ns3/hpcc-path-spread.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <boost/pool/pool.hpp>
#include <cstdint>
#include <limits>
#include <new>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Parameters that a policy gets when a queue pair starts to send.
 */
struct RdmaFlowInfo
{
    uint32_t flowId;      ///< the queue pair's number at its host, for traces
    uint64_t lineRateBps; ///< rate of the sender's own port, bit/s
    uint32_t mtuBytes;    ///< largest payload of a packet, bytes
    uint32_t headerBytes; ///< bytes of a full packet beyond its payload as pacing counts them,
                          ///< telemetry excluded
    int64_t baseRttNs;    ///< RTT of the empty network for this queue pair, ns; 0 if unknown
    uint64_t firstSeq;    ///< sequence number of the first byte, bytes
    const TelemetryCapabilities* telemetry{nullptr}; ///< of the chosen format; null without
    PathSpread spread{PathSpread::NONE};             ///< what switches do to its packets' paths
    bool sparse{false}; ///< not every packet returns telemetry: samples may be an RTT apart
    uint32_t packetsPerRecord{0}; ///< if not all that packets collect comes back: packets that
                                  ///< collect for each record that does; 0: all comes back
};

/**
 * @ingroup hpcc
 *
 * The part of a queue pair's congestion state that the sender obeys. A policy derives its own state
 * from it and writes these three fields; the sender reads them after every call.
 */
struct RdmaCongestionState
{
    double windowBytes{
        std::numeric_limits<double>::infinity()};         ///< payload bytes that may be in flight
    double rateBps{0};                                    ///< pacing rate of wire bytes, bit/s
    int64_t timerNs{std::numeric_limits<int64_t>::max()}; ///< when OnTimer is due; max() is never
    uint32_t flowId{0};                                   ///< as in RdmaFlowInfo, for traces
    uint16_t telemetryRequest{0}; ///< TelemetryOrigin::request of the packets that follow
    const uint32_t* telemetryWords{nullptr}; ///< TelemetryOrigin::words of the packets that follow,
                                             ///< kept in the policy's own state
};

/**
 * @ingroup hpcc
 *
 * The state of a queue pair's policy, as an observer sees it. Values that a policy does not have
 * are NaN or -1.
 */
struct RdmaCongestionSample
{
    double windowBytes{std::numeric_limits<double>::quiet_NaN()};          ///< W, bytes
    double referenceWindowBytes{std::numeric_limits<double>::quiet_NaN()}; ///< Wc, bytes
    double rateBps{std::numeric_limits<double>::quiet_NaN()};              ///< R, bit/s
    double utilization{std::numeric_limits<double>::quiet_NaN()}; ///< U, normalised inflight bytes
    int32_t stage{-1};                                            ///< incStage
    int64_t bottleneckSwitch{-1}; ///< switch id of the bottleneck hop
    int64_t bottleneckPort{-1};   ///< egress port of the bottleneck hop
};

/**
 * @ingroup hpcc
 *
 * One acknowledgement as a policy sees it: only values that the wire has carried, with sequence
 * numbers unwrapped.
 */
struct RdmaAckInfo
{
    int64_t nowNs;   ///< local time, ns
    uint64_t ackSeq; ///< next byte expected by the receiver, cumulative; of the answer to a probe
                     ///< what HpccProbes::OnAnswer() says
    uint64_t sndNxt; ///< next byte to be sent, before this acknowledgement opens anything
    uint64_t newlyAckedBytes; ///< bytes acknowledged for the first time
    int64_t rttNs;  ///< sample of the round-trip time, ns; -1 if this one gives none, as always set
                    ///< from a retransmission until what left after it is acknowledged
    int64_t idleNs; ///< longest time with nothing posted since the last telemetry sample, ns;
                    ///< waiting for the pacing time of a window below one packet does not count
    uint8_t hopsBack;           ///< switches between the receiver and here, by the TTL
    bool congestionExperienced; ///< the receiver echoes a congestion mark
    bool negative;              ///< a NAK: the receiver asks for ackSeq again
    uint16_t reportedFlows; ///< flows on the last hop as the receiver counts them; 0 if it does not
    const HopTelemetry* hops; ///< records of the path, first hop first
    uint32_t hopCount;        ///< records at hops; 0 if there is no telemetry
    uint16_t pathId;          ///< path identifier if TelemetryCapabilities::pathIdentified
    const TelemetryCapabilities*
        telemetry; ///< what the records carry; null if there is no telemetry
    const HopTelemetry* previous{nullptr}; ///< HpccSample::previous; only for policies with
                                           ///< RdmaCongestionOps::TakesWorstHop()
};

/**
 * @ingroup hpcc
 *
 * The part of a policy's state at the receiver of a queue pair that the responder obeys. A policy
 * derives its own from it.
 */
struct RdmaReceiverState
{
    int64_t timerNs{std::numeric_limits<int64_t>::max()}; ///< when OnReceiverTimer is due; max() is
                                                          ///< never
};

/**
 * @ingroup hpcc
 *
 * Parameters that a receiver-side policy gets with the first data packet. They count as exchanged
 * at connection set-up, which is not simulated.
 */
struct RdmaReceiverInfo
{
    RdmaFlowInfo flow; ///< as the sender's end has it; flowId is the sender's
    RdmaCommitRule::Kind commitRule{RdmaCommitRule::EPOCH}; ///< when a window may be committed
    bool computes{false}; ///< telemetry stays at this end, which computes the window
};

/**
 * @ingroup hpcc
 *
 * A data packet as a policy at the receiver sees it: in order or not, first transmission or
 * retransmission.
 */
struct RdmaArrivalInfo
{
    int64_t nowNs;              ///< local time, ns
    uint32_t linkBytes;         ///< bytes by which it occupied the receiver's link
    bool congestionExperienced; ///< it is marked
    // The rest is known only where the receiver computes.
    bool current{false};       ///< it left after the sender had applied the last window it was sent
    bool newPath{false};       ///< the sender has moved the flow to another path before it
    int64_t idleNs{0};         ///< time without a packet since the last message was complete, ns; 0
                               ///< within a message
    uint16_t reportedFlows{0}; ///< flows on the last hop as the host counts them; 0 if it does not
    uint16_t pathId{0};        ///< path identifier if TelemetryCapabilities::pathIdentified
    uint32_t hopCount{0};      ///< records at hops; 0 if there is no telemetry
    const HopTelemetry* hops{nullptr}; ///< records of the path, first hop first
    const TelemetryCapabilities* telemetry{
        nullptr}; ///< what the records carry; null if there is no telemetry
};

/**
 * @ingroup hpcc
 *
 * A message from the receiver-side policy to the sender's. It travels in a CNP, see
 * RoceNotificationHeader. A policy that computes at the receiver gives window and rate, of which
 * one travels.
 */
struct RdmaNotification
{
    bool given{false};     ///< there is something to notify
    bool congested{false}; ///< the path is congested
    uint64_t rateBps{0};   ///< a rate of link bytes, bit/s; 0 if not given
    double windowBytes{0}; ///< a window, payload bytes; 0 if not given
};

/**
 * @ingroup hpcc
 *
 * A congestion control policy of RDMA queue pairs, modelled on TcpCongestionOps. One object serves
 * every queue pair of a host that uses the same configuration: it holds attributes and trace
 * sources. The state of a queue pair is a plain struct that the policy allocates in Open() and
 * frees in Close().
 *
 * A new policy is one file pair (or one class in a user's program): derive from
 * RdmaCongestionOpsBase<State>, register a TypeId and its short names with AddHpccPresets().
 * Nothing else names it.
 */
class RdmaCongestionOps : public Object
{
  public:
    /// What a policy needs from the network; bits of Needs().
    enum Need : uint32_t
    {
        NEED_TELEMETRY = 1 << 0, ///< data packets collect telemetry, ACKs return it
        NEED_ECN = 1 << 1,       ///< data packets are ECN-capable
        NEED_CNP = 1 << 2,       ///< the receiver answers marks with CNPs
        NEED_RTT = 1 << 3,       ///< each ACK gives a sample of the round-trip time; without, one a
                                 ///< round trip
        NEED_RECEIVER = 1 << 4,  ///< the policy runs at the receiver, too; its notifications take
                                 ///< the place of CNPs and echoes
        NEED_ECT1 = 1 << 5,      ///< ECN-capable data packets are ECT(1), not ECT(0): to be marked
                                 ///< by a port agent where one marks those, see
                                 ///< PortAgent::GetMarkedCodepoint()
        NEED_PROMPT = 1 << 6, ///< telemetry comes back several times a base RTT: the gains of the
                              ///< algorithm hold for a delay of one base RTT
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @return Need bits
    virtual uint32_t Needs() const = 0;

    /// @return shortest time between two CNPs that the responder of a queue pair shall send, ns; 0
    /// answers every mark
    virtual int64_t GetCnpIntervalNs() const;

    /// @return short name of the telemetry format that the policy uses by default; empty if none
    virtual std::string GetDefaultTelemetry() const;

    /// @return short name of the SwitchAgent that every switch must run for the policy; empty if
    /// the telemetry format knows better, or none
    virtual std::string GetPortAgent() const;

    /// @return EcnMarker::Thresholds that the policy is meant for; empty if it has no opinion, as
    /// with those that are the switches' default
    virtual std::string GetDefaultMarking() const;

    /// @return true if a record of the bottleneck hop is enough, instead of records of all hops
    virtual bool TakesWorstHop() const;

    /**
     * Checks the attributes against each other, once, before simulated time starts.
     * @param baseRttNs largest base RTT of the network as the topology knows it, ns; 0 if unknown
     * @param telemetry what the chosen format carries; null without telemetry
     * @return an empty string, or one line that names attribute, value and what is allowed
     */
    virtual std::string Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const;

    /**
     * @param telemetry what the chosen format carries
     * @return false if the policy can do with a format that carries utilisation without knowing the
     * bandwidth that it refers to; the base class cannot
     */
    virtual bool NeedsBandwidth(const TelemetryCapabilities& telemetry) const;

    /**
     * @param telemetry what the chosen format carries; null without telemetry
     * @return how far the packets of a flow may take different paths without misleading the policy;
     * the base class lets them all
     */
    virtual PathSpread GetToleratedSpread(const TelemetryCapabilities* telemetry) const;

    /**
     * Sets the network-wide base RTT. Policies with an attribute for it keep a value set by the
     * user.
     * @param baseRttNs largest base RTT over all pairs of hosts, ns
     */
    virtual void SetNetworkBaseRtt(int64_t baseRttNs);

    /**
     * Allocates the state of a queue pair and sets its initial window and rate.
     * @param info the queue pair
     * @param nowNs local time, ns
     * @return the state, owned by this object until Close()
     */
    virtual RdmaCongestionState* Open(const RdmaFlowInfo& info, int64_t nowNs) = 0;

    /**
     * Frees the state of a queue pair.
     * @param state as returned by Open()
     */
    virtual void Close(RdmaCongestionState* state) = 0;

    /**
     * Handles an acknowledgement, positive or negative.
     * @param state the queue pair's state
     * @param ack what it says
     */
    virtual void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack);

    /**
     * Handles a congestion notification packet.
     * @param state the queue pair's state
     * @param nowNs local time, ns
     */
    virtual void OnCnp(RdmaCongestionState* state, int64_t nowNs);

    /**
     * Handles a switch's report on the path of a packet in flight, up to that switch. Only the
     * fields that follow from telemetry, nowNs, ackSeq and sndNxt are given.
     * @param state the queue pair's state
     * @param response what it says; ackSeq is the byte after the packet
     */
    virtual void OnSwitchResponse(RdmaCongestionState* state, const RdmaAckInfo& response);

    /**
     * Handles a switch's response at the receiver, if the switches send there. Only with
     * NEED_RECEIVER.
     * @param state the queue pair's state at the receiver
     * @param response what it says; ackSeq and sndNxt are 0
     * @return the notification for the sender; RdmaNotification::given is false if there is none
     */
    virtual RdmaNotification OnReceiverResponse(RdmaReceiverState* state,
                                                const RdmaAckInfo& response);

    /**
     * Returns whether the policy can compute the window at the receiver, from the telemetry of data
     * packets that arrive there. If so, OnArrival() uses RdmaArrivalInfo::hops, and
     * OnNotification() applies the result at the sender.
     * @return an empty string if it can; else one line that says why not
     */
    virtual std::string ValidateReceiver() const;

    /**
     * Allocates the state at the receiver, with the first data packet. Only with NEED_RECEIVER, or
     * if the policy shall compute at the receiver.
     * @param info the queue pair
     * @return the state, owned by this object until CloseReceiver()
     */
    virtual RdmaReceiverState* OpenReceiver(const RdmaReceiverInfo& info);

    /**
     * Frees the state at the receiver.
     * @param state as returned by OpenReceiver()
     */
    virtual void CloseReceiver(RdmaReceiverState* state);

    /**
     * Handles a data packet that has arrived at the receiver.
     * @param state the queue pair's state at the receiver
     * @param arrival the packet
     * @return the notification for the sender; RdmaNotification::given is false if there is none
     */
    virtual RdmaNotification OnArrival(RdmaReceiverState* state, const RdmaArrivalInfo& arrival);

    /**
     * Handles the timer of RdmaReceiverState::timerNs. Sets the next one before it returns.
     * @param state the queue pair's state at the receiver
     * @param nowNs local time, ns
     * @return the notification for the sender; RdmaNotification::given is false if there is none
     */
    virtual RdmaNotification OnReceiverTimer(RdmaReceiverState* state, int64_t nowNs);

    /**
     * Handles a notification of the receiver-side policy that has arrived at the sender.
     * @param state the queue pair's state
     * @param nowNs local time, ns
     * @param notification what it says
     */
    virtual void OnNotification(RdmaCongestionState* state,
                                int64_t nowNs,
                                const RdmaNotification& notification);

    /**
     * Handles the timer of RdmaCongestionState::timerNs. Sets the next one before it returns.
     * @param state the queue pair's state
     * @param nowNs local time, ns
     */
    virtual void OnTimer(RdmaCongestionState* state, int64_t nowNs);

    /**
     * Handles a packet that has left.
     * @param state the queue pair's state
     * @param nowNs local time, ns
     * @param wireBytes its size on the wire
     */
    virtual void OnSent(RdmaCongestionState* state, int64_t nowNs, uint32_t wireBytes);

    /**
     * Handles a packet that has left and that collects RdmaCongestionState::telemetryRequest.
     * Called only while that is not 0.
     * @param state the queue pair's state
     */
    virtual void OnAsked(RdmaCongestionState* state);

    /**
     * Handles a loss: the sender goes back to sndNxt, or stays there and retransmits single
     * packets.
     * @param state the queue pair's state
     * @param nowNs local time, ns
     * @param sndNxt next byte to be sent
     * @param timeout true after a retransmission time-out, false after a NAK
     */
    virtual void OnRollback(RdmaCongestionState* state,
                            int64_t nowNs,
                            uint64_t sndNxt,
                            bool timeout);

    /**
     * Handles a message posted on a queue pair that had nothing to send.
     * @param state the queue pair's state
     * @param nowNs local time, ns
     * @param sndNxt next byte to be sent
     */
    virtual void OnRestart(RdmaCongestionState* state, int64_t nowNs, uint64_t sndNxt);

    /**
     * Handles a change of path: the sender has moved the flow to another path, and the
     * acknowledgement that follows is the first of a packet that took it.
     * @param state the queue pair's state
     * @param nowNs local time, ns
     */
    virtual void OnPathChange(RdmaCongestionState* state, int64_t nowNs);

    /**
     * @param state a queue pair's state
     * @return what an observer may know of it
     */
    virtual RdmaCongestionSample Observe(const RdmaCongestionState* state) const;

    /// @return true if OnSent is wanted
    virtual bool WantsSent() const;
};

/**
 * @ingroup hpcc
 *
 * Pools the state of a policy's queue pairs.
 * @tparam State derived from RdmaCongestionState, default constructible
 * @tparam Base what related policies share, derived from RdmaCongestionOps
 */
template <typename State, typename Base = RdmaCongestionOps>
class RdmaCongestionOpsBase : public Base
{
  public:
    RdmaCongestionState* Open(const RdmaFlowInfo& info, int64_t nowNs) override
    {
        State* state = Allocate();
        state->flowId = info.flowId;
        state->rateBps = static_cast<double>(info.lineRateBps);
        DoOpen(*state, info, nowNs);
        return state;
    }

    void Close(RdmaCongestionState* state) override
    {
        auto* own = static_cast<State*>(state);
        own->~State();
        m_pool.free(own);
    }

  protected:
    /**
     * Sets the initial window, rate and timer.
     * @param state fresh state: no window, line rate, no timer
     * @param info the queue pair
     * @param nowNs local time, ns
     */
    virtual void DoOpen(State& state, const RdmaFlowInfo& info, int64_t nowNs) = 0;

    /**
     * @param state the base part, as handed to the virtual functions
     * @return the policy's own state
     */
    static State& Own(RdmaCongestionState* state)
    {
        return *static_cast<State*>(state);
    }

  private:
    /// @return fresh state from the pool
    State* Allocate()
    {
        return new (m_pool.malloc()) State();
    }

    boost::pool<> m_pool{sizeof(State)}; ///< memory of the states
};

} // namespace ns3

#endif // RDMA_CONGESTION_OPS_H
