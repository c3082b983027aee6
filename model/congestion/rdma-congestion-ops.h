/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONGESTION_OPS_H
#define RDMA_CONGESTION_OPS_H

#include "rdma-congestion-events.h"

#include "ns3/data-rate.h"
#include "ns3/hpcc-cache-lines.h"
#include "ns3/hpcc-hop-telemetry.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <boost/pool/pool.hpp>
#include <cstdint>
#include <new>
#include <string>

namespace ns3
{

class RdmaReceiverOps;

/**
 * @ingroup hpcc
 *
 * The requirements of a congestion control policy on hosts, switches and telemetry. The defaults
 * suit a policy that uses no feedback; `bandwidth` has an effect only if a policy reads telemetry.
 */
struct RdmaPolicyDescription
{
    /// ECN codepoint of the data packets, as in the IP header.
    enum Ecn : uint8_t
    {
        NOT_ECT = 0, ///< not ECN-capable
        ECT1 = 1,    ///< marked by a port agent of the policy instead of the switch's Marker, see
                     ///< PortAgent::GetMarkedCodepoint()
        ECT0 = 2,    ///< marked by the switch's Marker
    };

    std::string telemetry; ///< short name of the telemetry format that data packets collect and
                           ///< ACKs return, unless the user chooses another; empty: no telemetry
    /// TelemetryField bits of the quantities that packets request, for formats that carry one of
    /// several quantities at a time. One bit: each packet requests this quantity. Several bits: the
    /// policy sets RdmaCongestionState::telemetryRequest. 0: such formats are refused
    uint16_t requests{0};
    bool bottleneckHop{false}; ///< true if the policy needs only the record of the bottleneck hop
    /// reason why the policy cannot use the records of a domain edge, which contain only a load;
    /// empty if the policy can use them. The reason names the attribute, its value, the missing
    /// telemetry and the allowed value
    std::string refusesLoads;
    /// true if telemetry must return several times per base RTT, because the algorithm's gains
    /// assume feedback that is at most one base RTT old
    bool promptFeedback{false};
    /// true if records must contain switch ids in a network where several switches of a path insert
    /// records only into some packets. The policy then uses the ids to recognise hops whose record
    /// is missing
    bool hopIds{false};
    bool bandwidth{true}; ///< true if records with a utilisation must come with the bandwidth to
                          ///< which the utilisation refers
    Multipath toleratedMultipath{Multipath::EVERY_PACKET}; ///< how switches may distribute the
                                                           ///< packets of a flow over paths
    bool rttOfEachAck{false};     ///< true if each ACK must provide a sample of the round-trip
                                  ///< time; false if one sample per round trip suffices
    bool reactsToTrims{false};    ///< true if trimmed packets reduce the window or rate, either in
                                  ///< OnLoss(), or in OnAck() because the NACKs of these packets
                                  ///< return telemetry
    bool gradesPaths{false};      ///< true if the policy sets RdmaCongestionState::shares
    bool sentPackets{false};      ///< true if OnSent() must report each data packet
    Ecn ecn{NOT_ECT};             ///< ECN codepoint of data packets
    uint64_t minRateBps{0};       ///< lower bound of the rate, bit/s; 0: no bound. The bound must
                                  ///< be below the line rate, because the policy must be able to
                                  ///< reduce the rate
    int64_t longestBaseRttNs{0};  ///< largest supported base RTT of a path, ns; on a longer path,
                                  ///< the policy slows down even without a queue. 0: no limit
    std::string longestBaseRttIs; ///< attributes that determine longestBaseRttNs, for messages
    bool cnps{false}; ///< true: the receiver sends CNPs for marks; false: ACKs echo marks
    int64_t cnpIntervalNs{50000}; ///< shortest time between two CNPs of a queue pair, ns; 0: a CNP
                                  ///< for every mark
    bool receiverPart{false};     ///< true if the part of the policy that GetReceiver() returns
                                  ///< runs at the receiver of every queue pair; its messages
                                  ///< replace CNPs and echoes
    /// value of the attribute EcnMarker::Thresholds for which the policy was designed, such as
    /// 25Gbps:100000:400000:0.2; empty for the default
    std::string marking;
    std::string switchAgent; ///< short name of the SwitchAgent that every switch must run; empty if
                             ///< none is needed, or if TelemetryFormat::GetSwitchAgent() names it
};

/**
 * @ingroup hpcc
 *
 * A congestion control policy of RDMA queue pairs, modelled on TcpCongestionOps. One object serves
 * all queue pairs of a host that use the same configuration. The object holds attributes and trace
 * sources. The state of a queue pair is a plain struct that the policy allocates in Open() and
 * frees in Close().
 *
 * To add a policy, write a file pair, or one class in your own program:
 *
 * 1. Include ns3/hpcc-type-id.h and derive from RdmaCongestionOpsBase<State>.
 * 2. Write a GetTypeId() that returns HpccTypeId::Of<Mine, RdmaCongestionOps>("ns3::Mine")
 *    .Presets("name"), with attributes and trace sources if the policy has any. The parent is
 *    RdmaCongestionOps, since the template has no TypeId.
 * 3. Add NS_OBJECT_ENSURE_REGISTERED.
 *
 * No other file refers to the policy.
 *
 * All event functions are pure virtual, so a wrapper such as RdmaWindowed that forgets to forward
 * an event does not compile. RdmaCongestionDefaults, the base of RdmaCongestionOpsBase, implements
 * all functions except Open() and Close(). Its event functions do nothing, except that OnTimer()
 * stops the timer. The host calls these functions through RdmaPolicyValues, which checks window,
 * rate and timer after each call.
 */
class RdmaCongestionOps : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Signature of trace sources that report one value.
     * @param flowId the queue pair's number at its host
     * @param value the new value
     */
    typedef void (*FlowValueTracedCallback)(uint32_t flowId, double value);

    /**
     * Returns the requirements of the policy.
     * @param telemetry capabilities of the chosen format; null without telemetry, or while no
     * format has been chosen yet
     * @return the requirements
     */
    virtual RdmaPolicyDescription Describe(const TelemetryCapabilities* telemetry) const = 0;

    /**
     * Checks the values of the attributes, before simulated time starts. Called at least once for
     * each combination of policy, format and feedback.
     * @param baseRttNs largest base RTT of the network according to the topology, or, with
     * --T=path, the base RTT of the flow's path, ns; 0 if unknown
     * @param telemetry capabilities of the chosen format; null without telemetry
     * @return an empty string, or one line that names attribute, value and allowed values
     */
    virtual std::string Validate(int64_t baseRttNs,
                                 const TelemetryCapabilities* telemetry) const = 0;

    /**
     * Allocates the state of a queue pair and sets its initial window and rate.
     * @param info parameters of the queue pair
     * @param nowNs local time, ns
     * @return the state; this object owns it until Close()
     */
    virtual RdmaCongestionState* Open(const RdmaFlowInfo& info, int64_t nowNs) = 0;

    /**
     * Frees the state of a queue pair.
     * @param state the state that Open() has returned
     */
    virtual void Close(RdmaCongestionState* state) = 0;

    /**
     * Returns the values of a queue pair for qp.csv.
     * @param state a queue pair's state
     */
    virtual RdmaCongestionSample Observe(const RdmaCongestionState* state) const = 0;

    /// Returns the part of the policy that runs at the receiver; null if it has none.
    virtual RdmaReceiverOps* GetReceiver() = 0;

    /**
     * Handles an acknowledgement, positive or negative.
     * @param state the queue pair's state
     * @param ack contents of the acknowledgement
     */
    virtual void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) = 0;

    /**
     * Handles a congestion message: a CNP, or a message of the policy's receiver part.
     * @param state the queue pair's state
     * @param message contents of the message
     */
    virtual void OnCongestionMessage(RdmaCongestionState* state,
                                     const RdmaCongestionMessage& message) = 0;

    /**
     * Handles a switch's response to a packet in flight, with records of the path up to that
     * switch.
     * @param state the queue pair's state
     * @param response contents of the response; ackSeq is the byte after the packet. Only nowNs,
     * ackSeq, sndNxt and the telemetry fields are valid
     */
    virtual void OnSwitchResponse(RdmaCongestionState* state, const RdmaAckInfo& response) = 0;

    /**
     * Handles the timer of RdmaCongestionState::timerNs. Must set timerNs to a later time, or to
     * max() to stop the timer, before it returns.
     * @param state the queue pair's state
     * @param nowNs local time, ns
     */
    virtual void OnTimer(RdmaCongestionState* state, int64_t nowNs) = 0;

    /**
     * Handles a packet that has left.
     * @param state the queue pair's state
     * @param sent time, size and telemetry request of the packet
     */
    virtual void OnSent(RdmaCongestionState* state, const RdmaSentInfo& sent) = 0;

    /**
     * Handles a loss.
     * @param state the queue pair's state
     * @param loss the lost byte, and how the host detected the loss
     */
    virtual void OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss) = 0;

    /**
     * Handles a message posted on a queue pair that had nothing to send.
     * @param state the queue pair's state
     * @param restart time of the restart, and next sequence number
     */
    virtual void OnRestart(RdmaCongestionState* state, const RdmaRestartInfo& restart) = 0;

    /**
     * Handles a change of the path. Called for the first acknowledgement of a packet sent on the
     * new path, just before OnAck() for that acknowledgement.
     * @param state the queue pair's state
     * @param nowNs local time, ns
     */
    virtual void OnPathChange(RdmaCongestionState* state, int64_t nowNs) = 0;

    /**
     * Checks whether the policy can compute the window at the receiver.
     * @return an empty string if the policy can; otherwise one line with the reason
     */
    std::string ValidateReceiver();

    /**
     * Sets the network-wide base RTT, before the first queue pair opens.
     * @param baseRttNs largest base RTT over all pairs of hosts, ns
     */
    void SetNetworkBaseRtt(int64_t baseRttNs)
    {
        m_networkBaseRttNs = baseRttNs;
    }

    /// Returns the network-wide base RTT, ns; 0 if unknown.
    int64_t GetNetworkBaseRttNs() const
    {
        return m_networkBaseRttNs;
    }

  protected:
    /**
     * Returns @p own if set, otherwise the base RTT of the network, ns; 0 if both are unknown.
     * @param own base RTT set by the user; 0 if not set
     */
    double BaseRttNs(const Time& own) const
    {
        return static_cast<double>(own.IsZero() ? m_networkBaseRttNs : own.GetNanoSeconds());
    }

    /**
     * Checks that a base RTT is known.
     * @param own base RTT set by the user with the attribute T; 0 if not set
     * @return an empty string if @p own is set or the base RTT of the network is known; otherwise
     * an error line
     */
    std::string ValidateBaseRtt(const Time& own) const;

    /**
     * Checks that the floor of the rate is above 0.
     * @param own floor of the rate, the attribute MinRate
     * @return an error line if the floor is 0; otherwise empty
     */
    std::string ValidateMinRate(const DataRate& own) const;

  private:
    int64_t m_networkBaseRttNs{0}; ///< the network-wide base RTT, ns; 0 if unknown
};

/**
 * @ingroup hpcc
 *
 * Implements all functions of a policy except Open() and Close(), so that the policy requires
 * nothing, accepts every setting and ignores all events. Policies derive from this class through
 * RdmaCongestionOpsBase, and override the functions that they use.
 */
class RdmaCongestionDefaults : public RdmaCongestionOps
{
  public:
    RdmaPolicyDescription Describe(const TelemetryCapabilities* telemetry) const override;
    std::string Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const override;
    RdmaCongestionSample Observe(const RdmaCongestionState* state) const override;
    RdmaReceiverOps* GetReceiver() override;
    void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) override;
    void OnCongestionMessage(RdmaCongestionState* state,
                             const RdmaCongestionMessage& message) override;
    void OnSwitchResponse(RdmaCongestionState* state, const RdmaAckInfo& response) override;
    void OnTimer(RdmaCongestionState* state, int64_t nowNs) override;
    void OnSent(RdmaCongestionState* state, const RdmaSentInfo& sent) override;
    void OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss) override;
    void OnRestart(RdmaCongestionState* state, const RdmaRestartInfo& restart) override;
    void OnPathChange(RdmaCongestionState* state, int64_t nowNs) override;
};

/**
 * @ingroup hpcc
 *
 * Allocates the states of a policy's queue pairs in a pool.
 * @tparam State derived from RdmaCongestionState, default constructible
 * @tparam Base base class, RdmaCongestionDefaults or derived from it
 */
template <typename State, typename Base = RdmaCongestionDefaults>
class RdmaCongestionOpsBase : public Base
{
  public:
    RdmaCongestionState* Open(const RdmaFlowInfo& info, int64_t nowNs) override
    {
        State* state = Allocate();
        state->flowId = info.flowId;
        state->rateBps = static_cast<double>(info.lineRateBps);
        state->telemetryRequest = info.telemetryRequest;
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
     * @param state new state, without window and timer, and with the line rate as its rate
     * @param info parameters of the queue pair
     * @param nowNs local time, ns
     */
    virtual void DoOpen(State& state, const RdmaFlowInfo& info, int64_t nowNs) = 0;

    /**
     * Returns the policy's own state of a queue pair.
     * @param state the argument of a virtual function
     */
    static State& Own(RdmaCongestionState* state)
    {
        return *static_cast<State*>(state);
    }

    /**
     * Returns the policy's own state of a queue pair.
     * @param state the argument of Observe()
     */
    static const State& Own(const RdmaCongestionState* state)
    {
        return *static_cast<const State*>(state);
    }

  private:
    /// Returns a new state from the pool.
    State* Allocate()
    {
        return new (m_pool.malloc()) State();
    }

    /// Memory of the states. The pool starts with room for one state, because most hosts of a large
    /// network have few queue pairs. It doubles its size when it is full.
    boost::pool<HpccCacheLines> m_pool{HpccCacheLines::RoundUp(sizeof(State)), 1};
};

} // namespace ns3

#endif // RDMA_CONGESTION_OPS_H
