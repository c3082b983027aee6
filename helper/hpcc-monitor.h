/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MONITOR_H
#define HPCC_MONITOR_H

#include "hpcc-fabric-helper.h"
#include "hpcc-series.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The plan of a flow, which is one message.
 */
struct HpccFlowPlan
{
    uint32_t source;      ///< host that posts; it also sends the data unless the verb is READ
    uint32_t destination; ///< the other host
    uint64_t bytes;       ///< payload
    int64_t startNs;      ///< time of posting, ns; NOT_PLANNED if an application decides when to
                          ///< post
    uint32_t queuePair;   ///< index of the queue pair at the source
    uint32_t message; ///< number of the message on the queue pair, from 0 in the order of Post()
    RdmaVerb verb{RdmaVerb::WRITE}; ///< operation

    static constexpr int64_t NOT_PLANNED = -1; ///< startNs of a flow that an application starts
    static constexpr uint64_t MAX_BYTES = RDMA_MAX_MESSAGE_BYTES; ///< largest payload; a READ has
                                                                  ///< at most 2^32 - 1 bytes
    static constexpr int64_t MAX_START_NS = 100000000000000;      ///< latest start, ns: 100000 s

    /// Returns a description of the value that is out of range, and the range; empty if no value is
    /// out of range.
    std::string GetExcess() const;

    /// Returns the ideal completion time of the flow, ns, see HpccFabricHelper::GetIdealFctNs().
    /// Uses the feedback of the queue pair, or the default feedback if the queue pair is not
    /// connected yet.
    /// @param fabric the network
    int64_t GetIdealNs(const HpccFabricHelper& fabric) const;
};

/**
 * @ingroup hpcc
 *
 * The result of a flow.
 */
struct HpccFlowOutcome
{
    int64_t endNs{-1}; ///< time of the last byte's ACK plus RdmaNic::CompletionDelay, or the time
                       ///< passed to NoteFinished() or NoteLost(), ns; -1 if not finished
    int64_t receiverEndNs{-1};  ///< arrival of the last byte plus RdmaNic::CompletionDelay, ns; -1
                                ///< if not arrived
    int64_t idealNs{0};         ///< completion time alone in the network, ns
    int64_t acknowledgedNs{-1}; ///< endNs without RdmaNic::CompletionDelay, ns; -1 if not finished
    int64_t arrivedNs{-1}; ///< receiverEndNs without RdmaNic::CompletionDelay, ns; -1 if the last
                           ///< byte has not arrived
};

/**
 * @ingroup hpcc
 *
 * One row of summary.csv. The settled interval begins at settleNs and ends at firstCompletionNs.
 */
struct HpccSummary
{
    uint64_t flowsStarted{0};     ///< number of all flows of the run, even if some have not started
    uint64_t flowsFinished{0};    ///< number of flows that have finished, with a time in
                                  ///< HpccFlowOutcome::endNs
    double fctP50Us{0};           ///< median flow completion time, us; NaN if no flow finished
    double fctP99Us{0};           ///< 99th percentile of the flow completion time, us; NaN if no
                                  ///< flow finished
    uint64_t queuePeakBytes{0};   ///< peak of the bottleneck port's queues in the whole run, bytes
    uint64_t queueP95Bytes{0};    ///< time-weighted 95th percentile of the queue in the settled
                                  ///< interval, bytes
    uint64_t queueP99Bytes{0};    ///< time-weighted 99th percentile of the queue in the settled
                                  ///< interval, bytes
    double queueMeanBytes{0};     ///< time-weighted mean of the queue in the settled interval,
                                  ///< bytes
    double throughputMeanGbps{0}; ///< mean throughput of the bottleneck port in the settled
                                  ///< interval, Gb/s of link bytes
    double throughputMinGbps{0};  ///< lowest throughput of the bottleneck port in a full 10 us bin
                                  ///< of the settled interval, Gb/s
    double jainIndex{0}; ///< Jain's index of the flows' mean rates while all flows are active; NaN
                         ///< if not measured
    uint64_t pfcPauses{0};         ///< number of pauses that have started, sum over all ports
    uint64_t drops{0};             ///< frames dropped, for any reason
    uint64_t probes{0};            ///< probes sent
    uint64_t probeBytes{0};        ///< bytes of the probes when hosts send them, without FCS
    uint64_t notifications{0};     ///< notifications sent
    double wireOverheadPercent{0}; ///< byte-hops (bytes times links) of telemetry and feedback,
                                   ///< relative to byte-hops of payload; NaN without payload
    uint64_t packetHops{0};        ///< frames sent over links, without PFC frames
    uint64_t events{0};            ///< number of ns-3 events that nodes have scheduled
    bool settled{false}; ///< true if the settled interval contains a full bin; otherwise the mean
                         ///< queue and the throughputs are NaN, and the percentiles of the queue
                         ///< have no meaning
    int64_t settleNs{0}; ///< start of the settled interval, ns
    int64_t firstCompletionNs{0}; ///< end of the settled interval: the earliest
                                  ///< HpccFlowOutcome::acknowledgedNs, or the end of the run, ns
    int64_t endNs{0};             ///< end of the run, ns
};

/**
 * @ingroup hpcc
 *
 * Measures queues and throughput of every switch port, and completions and goodput of every flow.
 * The monitor must exist until the run has ended, because ports and hosts call it. The results
 * depend only on the times of events. They depend neither on the order of events in the same
 * nanosecond nor on the lag of nodes (NodeAgenda::MaxLag).
 */
class HpccMonitor
{
  public:
    static constexpr int64_t BIN_NS = 10000;  ///< width of a throughput bin, ns
    static constexpr int64_t QUEUE_NS = 1000; ///< default resolution of the queue series, ns

    /// Amount of data recorded.
    enum Detail
    {
        COUNTS, ///< completions, peaks of queues, and totals. The memory per flow and port is
                ///< bounded. There are no series, and no settled interval, see HpccSummary::settled
        SERIES, ///< also queue and throughput of every port over time
        FLOW_SERIES, ///< also goodput of every flow over time
    };

    /**
     * Makes a monitor. Throws HpccInputError if called before Install() or after the first start of
     * a flow, or if two flows are the same message of a queue pair. With a detail other than
     * COUNTS, also throws if the messages of a queue pair are not numbered in the order of their
     * starts.
     * @param fabric the network after Install()
     * @param flows all flows; if the start of a flow is NOT_PLANNED, it is set when the flow's
     * message is posted
     * @param settleNs start of the settled interval, ns
     * @param detail amount of data to record
     */
    HpccMonitor(HpccFabricHelper& fabric,
                std::vector<HpccFlowPlan> flows,
                int64_t settleNs,
                Detail detail = SERIES);

    ~HpccMonitor();

    /**
     * Sets the resolution of GetQueueSeries(). Throws HpccInputError if the resolution is out of
     * range, or after simulated time has started.
     * @param resolutionNs resolution, see HpccSeries, ns, at least 1
     */
    void SetQueueResolutionNs(int64_t resolutionNs);

    /**
     * Sets a flow's ideal completion time, instead of HpccFabricHelper::GetIdealFctNs().
     * @param flow index of the flow
     * @param idealNs the time, ns
     */
    void SetIdealNs(size_t flow, int64_t idealNs);

    /// Returns the goodput of all flows together, Gb/s: the payload received in the settled
    /// interval, divided by the length of the interval. The result is NaN if the interval is empty
    /// because a flow completes early or the run ends early. Call it after Summarize(). Throws
    /// HpccInputError if the detail is COUNTS, and after Simulator::Destroy().
    double GetGoodputGbps() const;

    /// Returns the time-weighted mean queue of the bottleneck port, bytes. The mean begins at the
    /// first start of a flow. It ends at the later of two times: the last change of the port's
    /// queue, and the time at which the port began to send its last packet. Throws HpccInputError
    /// if the detail is COUNTS.
    double GetMeanQueueBytes() const;

    /**
     * Records received payload of a flow that does not use a queue pair.
     * @param flow index of the flow
     * @param nowNs the time, ns
     * @param bytes size of the payload, bytes
     */
    void NoteReceived(size_t flow, int64_t nowNs, uint32_t bytes);

    /**
     * Records the end of a flow that does not use a queue pair. The time is the end at both hosts
     * of the flow. If the flow has already ended, the call has no effect.
     * @param flow index of the flow
     * @param nowNs the time, ns
     */
    void NoteFinished(size_t flow, int64_t nowNs);

    /**
     * Records the end of a flow that does not use a queue pair and has lost payload for good. The
     * last byte of such a flow counts as never arrived. If the flow has already ended, the call has
     * no effect.
     * @param flow index of the flow
     * @param nowNs the time, ns
     */
    void NoteLost(size_t flow, int64_t nowNs);

    /// Returns the start of the settled interval, ns.
    int64_t GetSettleNs() const
    {
        return m_settleNs;
    }

    /// Returns the number of flows not finished yet.
    uint64_t GetUnfinished() const
    {
        return m_flows.size() - m_finished;
    }

    /**
     * Returns true if all flows have finished before a time.
     * @param nowNs the time, ns
     */
    bool AreFinishedBefore(int64_t nowNs) const
    {
        return GetUnfinished() == 0 && HasNoCompletionSince(nowNs);
    }

    /**
     * Returns true if no flow has finished at or after a time.
     * @param nowNs the time, ns
     */
    bool HasNoCompletionSince(int64_t nowNs) const
    {
        return m_lastCompletionNs < nowNs;
    }

    /// Computes the summary. Call it after the run, before reading other results. After
    /// Simulator::Destroy() it throws HpccInputError.
    /// @return the summary
    HpccSummary Summarize();

    /// Returns the flows.
    const std::vector<HpccFlowPlan>& GetFlows() const
    {
        return m_flows;
    }

    /// Returns the outcomes by flow.
    const std::vector<HpccFlowOutcome>& GetResults() const
    {
        return m_results;
    }

    using Sample = HpccSeries::Sample; ///< a row of a time series

    /// Returns the bytes queued at the bottleneck port from time 0 on, see HpccSeries. A row that
    /// joins several short values never contains the start or the end of the settled interval.
    /// Throws HpccInputError if the detail is COUNTS.
    std::vector<Sample> GetQueueSeries() const;

    /**
     * Returns the bytes queued at a chosen port of a switch. Throws HpccInputError if the detail is
     * COUNTS, if the node is not a switch or is at another rank, or if the node has no such port.
     * @param node number of the switch in the topology
     * @param port index of the port, see HpccFabricHelper::GetDevice()
     * @return rows of the series
     */
    std::vector<Sample> GetQueueSeries(uint32_t node, uint32_t port) const;

    /// Returns the throughput of the bottleneck port, Gb/s of link bytes. A row contains the start
    /// and the mean of a bin. The first bin begins at the first planned start of a flow, rounded
    /// down to a multiple of BIN_NS. If the run continues after the last bin with bytes, the last
    /// row is 0. Throws HpccInputError if the detail is COUNTS, and after Simulator::Destroy().
    std::vector<Sample> GetThroughputSeries() const;

    /**
     * Returns the goodput of a flow over time. Throws HpccInputError if the detail is not
     * FLOW_SERIES, and after Simulator::Destroy().
     * @param flow index of the flow
     * @return goodput of the flow, Gb/s of received payload, in rows like GetThroughputSeries()
     */
    std::vector<Sample> GetFlowSeries(size_t flow) const;

    /**
     * Converts counts of bytes to rates.
     * @param bins bytes by bin
     * @param originNs start of the first bin, ns
     * @param binNs width of a bin, ns
     * @return rates of the bins that have begun, Gb/s, followed by 0 if the bins end before now
     */
    static std::vector<Sample> RatesOf(const std::vector<uint64_t>& bins,
                                       int64_t originNs,
                                       int64_t binNs = BIN_NS);

    /**
     * Computes a quantile by the nearest-rank method.
     * @param sorted values in ascending order
     * @param q a share, 0 to 1
     * @return quantile at this share; NaN if there are no values
     */
    static double Quantile(const std::vector<double>& sorted, double q);

    /// Returns the node and the number of the bottleneck port; no value if no port has counted
    /// bytes.
    std::optional<std::pair<uint32_t, uint32_t>> GetBottleneck() const;

    /// Throws HpccInputError if the ranks of a distributed simulation have different flows. All
    /// ranks must call this function before simulated time starts.
    void RequireSameFlows() const;

  private:
    struct Port;

    /// Received payload that is not counted yet. A node that lags behind may still report an
    /// earlier completion. That completion would end the settled interval before this payload
    /// arrived.
    struct Receipt
    {
        size_t flow;    ///< number of the flow
        int64_t nowNs;  ///< time of arrival, ns
        uint64_t bytes; ///< payload
    };

    /// The measurements of a flow.
    struct FlowState
    {
        uint64_t atSettle{0};       ///< bytes received before the settled interval
        uint64_t atLastStart{0};    ///< bytes received before the start of the last flow; not valid
                                    ///< as long as nowNs is before that start
        uint64_t beforeNow{0};      ///< bytes received before nowNs
        uint64_t total{0};          ///< bytes received
        uint64_t arrivedBytes{0};   ///< bytes received until now, including those not yet in total
        int64_t nowNs{-1};          ///< time of the last arrival, ns
        std::vector<uint64_t> bins; ///< bytes by bin
    };

    /// Computes the ideal times, the first and last start of a flow, and the largest lag of a node.
    /// Throws HpccInputError if the first flow has already started.
    void PlanResults();
    /// Connects to the trace sources of the ports.
    void WatchPorts();
    /// Connects to the trace sources of the hosts.
    void WatchHosts();
    /// Throws HpccInputError if two flows are the same message of a connected queue pair, because
    /// all completions would be assigned to one of them.
    void RequireDistinct() const;
    /// Throws HpccInputError if the messages of a queue pair are not numbered in the order of their
    /// starts, because payload is assigned to messages by their planned sizes.
    void RequireOrder() const;
    /// Throws HpccInputError if a flow does not exist.
    /// @param function name of the caller
    /// @param flow index of the flow
    void RequireFlow(const char* function, size_t flow) const;
    /// Throws HpccInputError if the simulator's clock is before the last record. This is the case
    /// after Simulator::Destroy().
    /// @param function name of the caller
    void RequireClock(const char* function) const;
    /// Throws HpccInputError if the detail is COUNTS.
    /// @param function name of the caller
    void RequireSeries(const char* function) const;
    /**
     * Counts the bytes of a frame when its transmission on a link starts.
     * @param frame frame whose first bit is sent now
     */
    void CountHop(const Frame& frame);
    /**
     * Records the arrival of payload.
     * @param qp queue pair of the responder
     * @param nowNs time of arrival, ns
     * @param bytes size of the payload, bytes
     * @param opcode opcode of the packet
     */
    void PayloadArrived(const RdmaQueuePair& qp, int64_t nowNs, uint32_t bytes, uint8_t opcode);
    /**
     * Replaces the planned size of a complete flow by the size of its message. The sizes may differ
     * because an application may post the messages of a queue pair in an order other than planned.
     * Computes the ideal time again if the size has changed, or if the ideal time was computed
     * before the queue pair was connected.
     * @param flow index of the flow
     * @param bytes payload of the flow's message
     */
    void SetBytes(size_t flow, uint64_t bytes);
    /// Records the start of a flow.
    /// @param record the flow's message
    void Posted(const RdmaMessageRecord& record);
    /// Records the time at which the application is notified of the acknowledgement of a message.
    /// @param record the message
    void Acknowledged(const RdmaMessageRecord& record);
    /// Records the time at which the last ACK of a message arrives at the sender.
    /// @param record the message
    void LastByteAcknowledged(const RdmaMessageRecord& record);
    /// Records the arrival of a message's last byte.
    /// @param record the message
    void LastByteArrived(const RdmaMessageRecord& record);
    /**
     * Records the acknowledgement of a flow.
     * @param flow index of the flow
     * @param nowNs time of the flow's last ACK, ns
     */
    void NoteAcknowledged(size_t flow, int64_t nowNs);
    /**
     * Records the end of a flow.
     * @param flow index of the flow
     * @param nowNs time at which the flow's application is notified of the last ACK, ns
     */
    void Finish(size_t flow, int64_t nowNs);
    /// Records the delivery of a message to the receiving application.
    /// @param record the message
    void Delivered(const RdmaMessageRecord& record);
    /// Counts the payload that arrived up to a time. All completions before that time must be
    /// known, because the first completion ends the settled interval.
    /// @param untilNs the time, ns
    void Settle(int64_t untilNs);
    /// Counts a receipt.
    /// @param receipt payload to count
    void Count(const Receipt& receipt);
    /**
     * Finds the record of a port.
     * @param index index of a device
     * @return record of the port, created if there was none
     */
    Port& PortAt(size_t index);
    /// Returns the index of the switch port with the highest peak; of several such ports, the
    /// first. If no packet has waited at any switch port, returns the index of the switch port that
    /// has sent the most bytes. In a network without switches, compares the ports of hosts instead.
    size_t FindBottleneck() const;
    /// Returns the record of the bottleneck port.
    const Port& Bottleneck() const;
    /// Adds the counters of the ports, hosts and nodes of this process to a summary.
    /// @param s summary to which the totals are added
    void SumCounters(HpccSummary& s) const;
    /// Summarizes the completions of the flows.
    /// @param s summary in which the results are stored
    void SummarizeFlows(HpccSummary& s) const;
    /**
     * Summarizes the queue in the settled interval.
     * @param s summary in which the results are stored
     * @param port record of the bottleneck port, counted until the end of the run
     */
    static void SummarizeQueue(HpccSummary& s, const Port& port);
    /**
     * Summarizes the throughput in the settled interval.
     * @param s summary in which the results are stored; its firstCompletionNs must be set
     * @param port record of the bottleneck port
     */
    void SummarizeThroughput(HpccSummary& s, const Port& port) const;
    /// Adds up the counts of the ranks of a distributed simulation.
    /// @param s summary to which the totals are added
    void MergeCounts(HpccSummary& s);
    /// Collects the records of the flows and of the bottleneck port from the ranks that have them.
    void MergeSeries();
    /**
     * Returns the index of a flow; SIZE_MAX if there is none.
     * @param source host that sends the flow
     * @param queuePair number of the queue pair
     * @param message number of the message
     */
    size_t FindFlow(uint32_t source, uint32_t queuePair, uint32_t message) const;
    /// Returns the index of a flow; SIZE_MAX if there is none.
    /// @param record the flow's message
    size_t FindFlow(const RdmaMessageRecord& record) const;
    /// Returns Jain's index of the mean rates while all flows are active; NaN if they never are.
    double Jain() const;

    HpccFabricHelper& m_fabric;                 ///< the network
    std::vector<HpccFlowPlan> m_flows;          ///< flows as planned
    std::vector<HpccFlowOutcome> m_results;     ///< outcomes by flow
    std::vector<uint32_t> m_byQueuePair;        ///< indices of the flows, sorted by source, queue
                                                ///< pair and message
    std::vector<std::unique_ptr<Port>> m_ports; ///< records by device; null before its first event
    std::vector<FlowState> m_states;            ///< states by flow; empty with COUNTS
    std::deque<Receipt> m_receipts;             ///< receipts not yet counted
    int64_t m_lagNs{0};                         ///< largest lag of a node, ns
    int64_t m_originNs{0};                      ///< start of the first bin, ns
    int64_t m_firstStartNs{0};                  ///< first start of a flow, ns
    int64_t m_settleNs;                         ///< start of the settled interval, ns
    int64_t m_lastStartNs{0};                   ///< start of the last flow that has been planned or
                                                ///< posted so far, ns
    int64_t m_firstCompletionNs{INT64_MAX};     ///< end of the settled interval, ns
    int64_t m_lastCompletionNs{-1};             ///< latest completion so far, ns
    uint64_t m_finished{0};                     ///< number of finished flows
    Detail m_detail;                            ///< amount of data recorded
    std::vector<bool> m_replan;     ///< true if the ideal time of the flow was computed before its
                                    ///< queue pair was connected
    uint64_t m_payloadHopBytes{0};  ///< payload bytes times links
    uint64_t m_overheadHopBytes{0}; ///< telemetry and feedback bytes times links
};

} // namespace ns3

#endif // HPCC_MONITOR_H
