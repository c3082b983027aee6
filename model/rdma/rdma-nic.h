/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NIC_H
#define RDMA_NIC_H

#include "ns3/data-rate.h"
#include "ns3/hpcc-frame-handler.h"
#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/qbb-net-device.h"
#include "ns3/random-variable-stream.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The processing delays of a host's NIC, and the steps of its rate limiter. Each delay is a random
 * variable in ns; a null pointer means no delay. A host uses this object only if IsIdeal() is
 * false. The object stores frames and calls until their delay is over. Frames and calls of the same
 * queue pair with the same kind of delay are never reordered.
 *
 * Base RTTs (T) and ideal completion times do not include these delays.
 *
 * Short names:
 * - ideal: no delays, and rates without steps;
 * - pcie: the delays of a host's DMA transfers. They were measured by pcie-bench (R. Neugebauer et
 *   al., "Understanding PCIe performance for end host networking", SIGCOMM 2018) with a Netronome
 *   NFP-6000 and an Intel Xeon E5-2637v3, warm cache. The delays are medians from the published
 *   data (https://github.com/pcie-bench/data, directory
 *   nfp6000-1.2GHz_hsw-Xeon-E5-2637v3_supermicro, file lat_dma_sizes.csv):
 *   - PostDelay is 1507 ns. The NIC first reads the work request of 64 bytes, which takes 600 ns
 *     (99.9 % of reads: at most 627 ns). The NIC then reads the 1024 bytes of payload of the first
 *     packet, which takes 907 ns (99.9 % of reads: at most 947 ns);
 *   - CompletionDelay is 200 ns. In this time the NIC writes the 64 bytes of the completion.
 *     pcie-bench measures a write only together with a subsequent read (800 ns). The time of the
 *     read (600 ns) is therefore subtracted.
 *
 *   The delays do not include the write to the doorbell or the time until software notices the
 *   completion, because the published data do not contain these times. The preset does not set
 *   AckTurnaround, CnpTurnaround, FeedbackDelay and RateStep, because no verifiable published
 *   measurement of them was found.
 */
class RdmaNic : public Object, public AgendaClient
{
  public:
    /// The kinds of delays.
    enum Delay : uint8_t
    {
        POST,       ///< PostDelay
        ACK,        ///< AckTurnaround
        CNP,        ///< CnpTurnaround
        FEEDBACK,   ///< FeedbackDelay
        COMPLETION, ///< CompletionDelay
        DELAYS,     ///< number of kinds
    };

    /// Function that is called when a delay is over. Its argument is the current time, ns.
    using Action = std::function<void(int64_t nowNs)>;

    /// Number of random streams that a NIC with delays uses.
    static constexpr int64_t STREAMS = DELAYS;

    /// Number of the first random stream of all NICs. This number is higher than the numbers of all
    /// other streams, so adding a NIC does not change any other random numbers.
    static constexpr int64_t FIRST_STREAM = int64_t{1} << 40;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaNic();
    ~RdmaNic() override;

    /// Returns true if the NIC has no delays and its rate limiter has no steps.
    bool IsIdeal() const;

    /**
     * Checks, before simulated time starts, whether the attributes of the random variables allow
     * invalid delays. If the attributes set no limit, each delay is checked when it is drawn.
     * @param longest longest allowed delay, such as the duration of the run
     * @return an empty string, or one line that names attribute, value and allowed values
     */
    std::string Validate(Time longest) const;

    /**
     * Returns the minimum delay, as given by the attribute Constant or Min of the random variable,
     * ns; 0 for a random variable without these attributes.
     * @param kind kind of the delay
     */
    int64_t GetLeastNs(Delay kind) const;

    /**
     * Attaches the NIC to a host. Throws HpccInputError if Validate() finds a fault, or if the NIC
     * already has a host.
     * @param port first port of the host
     * @param host the host, which handles the frames of the port
     */
    void Install(QbbNetDevice& port, FrameHandler& host);

    /**
     * Assigns fixed random streams to the random variables.
     * @param stream first stream
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Delays an action without reordering actions of the same kind and key.
     * @param kind kind of the delay
     * @param key actions with the same key keep their order; the key identifies, for example, a
     * queue pair
     * @param nowNs current time, ns
     * @param action function called when the delay is over
     * @return false if there is no delay; the caller must then act now
     */
    bool Hold(Delay kind, uint64_t key, int64_t nowNs, Action action);

    /**
     * Returns the number of actions that wait for a delay.
     * @param kind kind of the delay
     * @param key as for Hold()
     */
    uint32_t CountHeld(Delay kind, uint64_t key) const;

    /**
     * Delays an ACK, NAK, notification or CNP that the host sends.
     * @param port port that sends the frame
     * @param frame the frame
     * @return false if there is no delay; the caller must then send the frame now
     */
    bool HoldOutgoing(QbbNetDevice& port, Frame* frame);

    /**
     * Delays feedback that has arrived, and passes the frame to the host again when the delay is
     * over.
     * @param port port at which the frame has arrived
     * @param frame the frame
     * @param nowNs current time, ns
     * @return false if there is no delay; the caller must then handle the frame now
     */
    bool HoldIncoming(QbbNetDevice& port, Frame* frame, int64_t nowNs);

    /**
     * Rounds a rate down to a step of the rate limiter.
     * @param bps the rate, bit/s
     * @param lineRateBps line rate of the port, bit/s
     * @return the highest multiple of the step that is at most @p bps, bit/s; one step if @p bps is
     * below one step. Rates at or above the line rate are returned unchanged
     */
    double Limit(double bps, uint64_t lineRateBps) const;

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  private:
    using Variable = Ptr<RandomVariableStream>; ///< a delay, ns; null for no delay

    /// The queue of waiting actions with the same kind and key.
    struct Order
    {
        int64_t dueNs; ///< time at which the last waiting action is due, ns
        uint32_t held; ///< number of waiting actions
    };

    /// A waiting action.
    struct Held
    {
        Delay kind;    ///< see Hold()
        uint64_t key;  ///< see Hold()
        Action action; ///< see Hold()
    };

    /// Returns the random variables, by kind.
    std::array<Variable, DELAYS> GetVariables() const;

    /**
     * Draws a random delay. Throws HpccInputError if the delay is negative, not finite or too long.
     * @param kind kind of the delay; its random variable is not null
     * @param nowNs current time, ns
     * @return the delay, ns
     */
    int64_t DrawNs(Delay kind, int64_t nowNs);

    /// Sets the timer for the earliest waiting action.
    void Arm();

    Variable m_post;       ///< PostDelay
    Variable m_ack;        ///< AckTurnaround
    Variable m_cnp;        ///< CnpTurnaround
    Variable m_feedback;   ///< FeedbackDelay
    Variable m_completion; ///< CompletionDelay
    DataRate m_rateStep;   ///< RateStep

    std::array<Variable, DELAYS> m_variables; ///< random variables by kind, set by Install()
    FrameHandler* m_host{nullptr};            ///< the host
    NodeAgenda* m_agenda{nullptr};            ///< the node's agenda
    uint32_t m_timerIndex{0};                 ///< index of the timer on the agenda
    int64_t m_timerNs{INT64_MAX};             ///< time at which the timer is due next, ns
    bool m_releasing{false};                  ///< true while delayed feedback is passed to the
                                              ///< host, so that this feedback is not delayed again
    uint64_t m_number{0};                     ///< number of actions that have been delayed so far
    std::map<std::pair<int64_t, uint64_t>, Held> m_held; ///< waiting actions, by due time and
                                                         ///< number
    std::array<std::unordered_map<uint64_t, Order>, DELAYS> m_orders; ///< queues, by kind and key
};

} // namespace ns3

#endif // RDMA_NIC_H
