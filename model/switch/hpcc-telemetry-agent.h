/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TELEMETRY_AGENT_H
#define HPCC_TELEMETRY_AGENT_H

#include "hpcc-class-meter.h"
#include "hpcc-flow-filter.h"

#include "ns3/hpcc-port-agent.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Inserts a switch's record into passing frames, in the telemetry format of the frame. A record
 * shows the state at the start of the frame's transmission. At that time, neither the queue nor the
 * byte counter includes the frame.
 *
 * The clock of the switch is perfect unless attributes set an offset, a drift or a coarser
 * resolution.
 */
class TelemetryAgent : public Object, public PortAgent
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    TelemetryAgent();

    /// The condition for inserting a record (draft-pan-tsvwg-hpccplus-02, section 6: switches may
    /// insert less often).
    enum Insertion
    {
        ALWAYS,     ///< into every frame that collects telemetry
        INTERVAL,   ///< at most once per Interval, for each port or for each flow (IntervalScope)
        CONGESTION, ///< only while the queue is longer than CongestionThreshold
    };

    /// The scope of Interval: the entity that gets one record per Interval.
    enum IntervalScope
    {
        EACH_PORT, ///< a port; its flows share the records
        EACH_FLOW, ///< a flow, as FlowFilter identifies it
    };

    /// The queue that a record describes.
    enum QueueScope
    {
        OWN_QUEUE,  ///< the egress queue of the frame's priority (draft-miao-ccwg-hpcc-info-04);
                    ///< for a trimmed frame, all queues of the egress port
        WHOLE_PORT, ///< all queues of the egress port
    };

    /// The object to which sent bytes, utilisation and bandwidth of a record refer: the port or a
    /// class (draft-miao-tsv-hpcc-01, section 9.3; ClassMeter).
    enum Bandwidth
    {
        LINE_RATE, ///< bytes and line rate of the port
        SHARE,     ///< bytes of the frame's priority, and its guaranteed share of the line rate
        RESIDUAL,  ///< bytes of the frame's priority, and the part of the line rate that the other
                   ///< priorities left in the last window
    };

    /// Signature of NotInserted, which fires if a frame has no room for a record: index of the
    /// egress port, TelemetryStack::flags.
    typedef void (*NotInsertedTracedCallback)(uint32_t portIndex, uint8_t stackFlags);

    /**
     * Prepares the agent for a switch. Throws HpccInputError if the attributes Bandwidth and
     * QueueScope contradict each other.
     * @param switchId id that the records carry
     * @param ports number of ports
     */
    void SetSwitch(uint32_t switchId, uint32_t ports);

    /// Sets the window over which utilisation is measured, unless UtilizationWindow was set.
    /// @param window length of the window, rounded up to at least 1 ns
    void SetDefaultWindow(Time window);

    /// From now on refuses changes of Insertion. With Insertion=Interval, also refuses changes of
    /// IntervalScope. The checks and policies of a flow rely on these attributes.
    void FixInsertion()
    {
        m_insertionUsed = true;
    }

    void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;

    /**
     * Returns the content of a record for a frame at a given time.
     * @param port a port of the switch
     * @param frame a frame that waits at this port or leaves by this port
     * @param nowNs simulated time, ns
     */
    HopSnapshot Snapshot(QbbNetDevice& port, const Frame& frame, int64_t nowNs);

    /// Returns the id that the records carry.
    uint32_t GetSwitchId() const
    {
        return m_switchId;
    }

    /// Returns the rule that decides which of the frames that collect telemetry get a record.
    TelemetryThinning GetThinning() const
    {
        return m_insertion == ALWAYS     ? NOT_THINNED
               : m_insertion == INTERVAL ? THINNED_BY_TIME
                                         : THINNED_BY_LOAD;
    }

    /// Returns true if some frames that collect telemetry get no record.
    bool IsThinned() const
    {
        return m_insertion != ALWAYS;
    }

    /// Returns true if the flows of a port share one record per Interval.
    bool IsRare() const
    {
        return m_insertion == INTERVAL && m_intervalScope == EACH_PORT;
    }

    /// Returns the attribute Bandwidth.
    Bandwidth GetBandwidth() const
    {
        return m_bandwidth;
    }

    /// Returns the number of records inserted.
    uint64_t GetInserted() const
    {
        return m_inserted;
    }

    /// Returns the number of frames that had no room for a record.
    uint64_t GetNotInserted() const
    {
        return m_notInserted;
    }

  private:
    /// Measurement of the priorities of a port.
    struct Classes
    {
        ClassMeter meter;                       ///< measured bandwidths of the priorities
        ClassMeter::Bytes bytesAtWindowStart{}; ///< bytes sent when the window began
    };

    /// Measurement at a port.
    struct PortState
    {
        int64_t windowEndNs{0};              ///< end of the current window, ns
        double bytesAtWindowStart{0};        ///< bytes sent when the current window began
        uint32_t utilizationPpm{0};          ///< utilisation in the last full window
        int64_t lastInsertNs{INT64_MIN / 2}; ///< time of the last insertion
        std::unique_ptr<Classes> classes;    ///< null with LINE_RATE
    };

    /**
     * Closes the windows that have ended.
     * @param port port with the windows
     * @param state state of the port
     * @param nowNs current time, ns
     */
    void RollWindow(QbbNetDevice& port, PortState& state, int64_t nowNs);
    /**
     * Evaluates, for each priority, the measurement window that ended last.
     * @param port port with the window
     * @param state state of the port
     * @param lastEndNs end of this window, ns
     * @param whole true if several windows have ended since the last call, so that no byte counts
     * were stored at the start of this window. The counts are then computed from the port's
     * counters
     */
    void RollClasses(QbbNetDevice& port, PortState& state, int64_t lastEndNs, bool whole);
    /**
     * Changes a record so that it describes the frame's priority (HopSnapshot::queueId) instead of
     * the whole port.
     * @param port egress port of the frame
     * @param state state of the port
     * @param hop the record
     */
    void ReportClass(const QbbNetDevice& port, const PortState& state, HopSnapshot& hop) const;
    /**
     * Returns true if INTERVAL allows a record for a frame now. If so, and if the scope is
     * EACH_FLOW, remembers the flow until the interval ends.
     * @param state state of the port
     * @param frame a frame that collects telemetry
     * @param nowNs current time, ns
     */
    bool IsDue(const PortState& state, const Frame& frame, int64_t nowNs);
    /**
     * Returns the time of the switch's clock, ns.
     * @param nowNs simulated time, ns
     */
    uint64_t ClockNs(int64_t nowNs) const;

    Insertion m_insertion;           ///< attribute Insertion
    QueueScope m_queueScope;         ///< attribute QueueScope
    Bandwidth m_bandwidth;           ///< attribute Bandwidth
    Time m_interval;                 ///< attribute Interval
    IntervalScope m_intervalScope;   ///< attribute IntervalScope
    FlowFilter m_filter;             ///< flows that have got a record in the present interval
    uint64_t m_threshold;            ///< attribute CongestionThreshold
    Time m_window;                   ///< attribute UtilizationWindow; 0 selects the default
    int64_t m_windowNs{5000};        ///< window in force, ns
    int64_t m_defaultWindowNs{5000}; ///< see SetDefaultWindow()
    Time m_clockOffset;              ///< attribute ClockOffset
    double m_clockDriftPpm;          ///< attribute ClockDriftPpm
    Time m_clockResolution;          ///< attribute ClockResolution
    bool m_perfectClock{true};       ///< true if the clock has no offset, drift or coarse
                                     ///< resolution
    bool m_insertionUsed{false};     ///< see FixInsertion()
    uint32_t m_switchId{0};          ///< id in records
    std::vector<PortState> m_ports;  ///< states of the ports, by index
    uint64_t m_inserted{0};          ///< records inserted
    uint64_t m_notInserted{0};       ///< records that did not fit
    TracedCallback<uint32_t, uint8_t> m_notInsertedTrace; ///< NotInserted
};

} // namespace ns3

#endif // HPCC_TELEMETRY_AGENT_H
