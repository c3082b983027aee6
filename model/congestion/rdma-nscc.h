/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NSCC_H
#define RDMA_NSCC_H

#include "rdma-congestion-ops.h"
#include "rdma-fixed-rate.h"

#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * State of a queue pair under NSCC. Unless stated otherwise, windows and counts are in bytes,
 * including packet headers; times are in ns.
 */
struct RdmaNsccState : RdmaCongestionState
{
    static constexpr size_t MOST_DELAYS = 64; ///< largest number of delays for a median

    double cwnd{0};        ///< congestion window
    double maxWindow{0};   ///< largest window, derived from baseRttNs
    double baseRttNs{0};   ///< smallest round-trip time
    double averageNs{0};   ///< average queueing delay
    double achieved{0};    ///< bytes received in the current quick adapt period
    double received{0};    ///< bytes received since pending increases were last applied
    double pending{0};     ///< pending increase, bytes times bytes
    double fastCount{0};   ///< bytes received in succession with a delay below 1 us
    bool fast{false};      ///< true if fast increase is active
    bool trimmed{false};   ///< true if a packet was trimmed since the last quick adapt
    bool selective{false}; ///< true if a SACK has arrived
    double adaptEndNs{0};  ///< end of the quick adapt period; 0 before the first
    double toIgnore{0};    ///< number of bytes whose marks are ignored after a quick adapt
    double ignored{0};     ///< part of toIgnore received or trimmed so far
    double adjustedNs{0};  ///< time of the last additive increase by eta
    double decreasedNs{0}; ///< time of the last multiplicative decrease

    double targetNs{0};                       ///< target queueing delay
    double alpha{0};                          ///< alpha: growth of pending per received byte and
                                              ///< per ns below the target, bytes/ns
    double fairIncrease{0};                   ///< fi: growth of pending per received byte if d >=
                                              ///< target and there is no mark, bytes
    double fastScale{0};                      ///< fi_scale: growth of cwnd per received byte during
                                              ///< fast increase
    double eta{0};                            ///< eta: increase of cwnd per T, bytes
    double packetBytes{0};                    ///< size of a full packet, bytes
    double payloadBytes{0};                   ///< payload of a full packet, bytes
    double networkRttNs{0};                   ///< T: the attribute T, or the network's base RTT, ns
    double bytesPerNs{0};                     ///< line rate of the sender, bytes per ns
    std::array<double, MOST_DELAYS> delays{}; ///< ring buffer of the newest delays
    uint64_t samples{0};                      ///< number of delays so far
};

/**
 * @ingroup hpcc
 *
 * NSCC, the network signal-based congestion control of the sender in Ultra Ethernet 1.0 (section
 * 3.6). The queueing delay and the ECN marks of packets control a window. The packets may take many
 * paths. The constants are those of table 3-76. Two factors scale them to the network, where T is
 * the base RTT and C the line rate: a = T C/(150,000 bytes) and b = target/(12 us).
 *
 * An acknowledgement of n bytes with delay d first runs quick adapt, once per period of base RTT +
 * target. Quick adapt sets the window to the number of bytes received in the period, but to at
 * least one packet. Quick adapt acts only if two conditions are met. First, this number must be
 * below the largest window times 2^-QaGate. Second, a packet must have been trimmed, or d must
 * exceed QaThreshold times the target. A QaThreshold of 0 disables the condition on d. After quick
 * adapt has set the window, marked acknowledgements are ignored until the bytes that were in flight
 * have been received or trimmed. If quick adapt does not set the window, and the acknowledgement is
 * not ignored, the reaction depends on the mark and on d:
 *
 * - unmarked and d < target: pending += alpha n (target - d); or, if d has been below 1 us for a
 *   window of bytes, cwnd += n fi_scale (fast increase);
 * - unmarked and d >= target: pending += fi n;
 * - marked and d < target: no change;
 * - marked and d >= target: if average > target, at most once per base RTT,
 *   cwnd *= max(1 - gamma (average - target)/average, 1/2).
 *
 * The pending increase is applied after 8 packets or a time of T: cwnd += pending/cwnd. In
 * addition, cwnd += eta once per T. If a packet is trimmed or times out, its size is subtracted
 * from the window. Exception: nothing is subtracted for a trimmed packet if quick adapt sets the
 * window at this time, or while marks are ignored. A loss recovery without SACKs does not report
 * each lost packet. Without SACKs, a NAK is treated like one trimmed packet of full size, and a
 * time-out reduces the window to one packet, because all packets in flight have timed out. The
 * window is at least one packet and at most 1.5 bandwidth-delay products, where the delay is the
 * smallest RTT. The sender sends whole packets within the window and does not pace.
 *
 * Names and their settings:
 *
 * - "nscc": the specification's constants for networks that trim.
 * - "nscc:drop": for networks that drop: the target is T, and QaThreshold is 4.
 * - "nscc:htsim", "nscc:htsim-drop": the constants of Ultra Ethernet's reference simulator,
 *   uet-htsim. Alpha, fi and eta use the payload of a packet instead of its size. QaThreshold is 4
 *   in both. For an acknowledgement without an RTT sample, d is the average delay. A packet also
 *   requests an acknowledgement if one more packet would fill the window exactly. The pending
 *   increase is stored modulo 2^32; it reaches 2^32 if the product a b is above about 5. The target
 *   of "nscc:htsim-drop" is T.
 * - "nscc:median": arXiv 2509.07907: as nscc, but d is the median of the newest delays instead of
 *   the newest delay. The number of delays is at most 4, and at most half the number of packets of
 *   a window.
 *
 * Attributes:
 *
 * - T: base RTT; 0 selects the base RTT of the network.
 * - TargetShare: target queueing delay as a multiple of T, 0.01 to 100.
 * - QaThreshold: multiple of the target, 0 or more. QaGate: exponent, 0 to 16.
 * - MedianOf: largest number of delays for the median, 0 to 64; 0 selects the newest delay.
 * - PayloadUnits: whether alpha, fi and eta are multiples of a packet's payload; if false, they are
 *   multiples of the packet's size.
 * - AverageIfNoRtt: whether d is the average delay for an acknowledgement without an RTT sample. If
 *   false, such an acknowledgement does not change the window.
 * - AskEarly: whether a packet also requests an acknowledgement if one more packet would fill the
 *   window exactly. If false, a packet requests an acknowledgement only if the window has no room
 *   for one more packet.
 * - PendingWraps: whether the pending increase is stored modulo 2^32.
 * - InitialPackets: initial window, in full packets; 0 selects the largest window.
 * - Marking: the value for EcnMarker::Thresholds of the switches.
 */
class RdmaNscc : public RdmaCongestionOpsBase<RdmaNsccState>, public RdmaFixedRate
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaPolicyDescription Describe(const TelemetryCapabilities* telemetry) const override;
    std::string Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const override;
    RdmaCongestionSample Observe(const RdmaCongestionState* state) const override;
    void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) override;
    void OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss) override;

    /// Returns the policy's state of a queue pair, for tests.
    /// @param state a queue pair
    static RdmaNsccState& Of(RdmaCongestionState* state)
    {
        return Own(state);
    }

  private:
    void DoOpen(RdmaNsccState& state, const RdmaFlowInfo& info, int64_t nowNs) override;

    /// The properties of an acknowledgement or a trimmed packet that quick adapt and the control
    /// law use.
    struct Event
    {
        double nowNs;    ///< time, ns
        double bytes;    ///< bytes received
        double delayNs;  ///< queueing delay, ns
        bool marked;     ///< true if the acknowledgement echoed a mark
        bool lost;       ///< true if a packet was trimmed
        double inFlight; ///< bytes in flight
    };

    /**
     * Updates the smallest round-trip time and the largest window from a sample.
     * @param state the queue pair
     * @param rttNs the sample, ns
     */
    void TakeRtt(RdmaNsccState& state, double rttNs) const;

    /**
     * Updates the average delay.
     * @param state the queue pair
     * @param delayNs a delay, ns
     * @param marked true if the acknowledgement with this delay echoed a mark
     */
    void FeedAverage(RdmaNsccState& state, double delayNs, bool marked) const;

    /**
     * Replaces a delay by the median of the newest delays, if MedianOf is above 0.
     * @param state the queue pair
     * @param delayNs the newest delay, ns
     * @return the delay for the control law, ns
     */
    double Filter(RdmaNsccState& state, double delayNs) const;

    /**
     * Runs quick adapt.
     * @param state the queue pair
     * @param event the event
     * @return true if the event must have no other effect
     */
    bool QuickAdapt(RdmaNsccState& state, const Event& event) const;

    /**
     * Applies the reaction for the event's combination of mark and delay.
     * @param state the queue pair
     * @param event the event
     */
    void Quadrant(RdmaNsccState& state, const Event& event) const;

    /**
     * Adds to the pending increase.
     * @param state the queue pair
     * @param increase bytes times bytes
     */
    void AddPending(RdmaNsccState& state, double increase) const;

    /**
     * Applies fast increase if its condition is met.
     * @param state the queue pair
     * @param event the event
     * @return true if fast increase is active
     */
    bool FastIncrease(RdmaNsccState& state, const Event& event) const;

    /**
     * Decreases the window, at most once per base RTT.
     * @param state the queue pair
     * @param nowNs time, ns
     */
    void Decrease(RdmaNsccState& state, double nowNs) const;

    /**
     * Applies pending increases to the window if they are due.
     * @param state the queue pair
     * @param nowNs time, ns
     */
    static void Fulfil(RdmaNsccState& state, double nowNs);

    /**
     * Bounds cwnd, and sets the window that the sender obeys.
     * @param state the queue pair
     */
    void Clamp(RdmaNsccState& state) const;

    Time m_baseRtt;        ///< attribute T
    double m_targetShare;  ///< attribute TargetShare
    double m_qaThreshold;  ///< attribute QaThreshold
    uint32_t m_qaGate;     ///< attribute QaGate
    uint32_t m_medianOf;   ///< attribute MedianOf
    bool m_payloadUnits;   ///< attribute PayloadUnits
    bool m_averageIfNoRtt; ///< attribute AverageIfNoRtt
    bool m_askEarly;       ///< attribute AskEarly
    bool m_pendingWraps;   ///< attribute PendingWraps
    uint32_t m_initial;    ///< attribute InitialPackets
    std::string m_marking; ///< attribute Marking
};

} // namespace ns3

#endif // RDMA_NSCC_H
