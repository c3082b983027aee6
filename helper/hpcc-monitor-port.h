/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MONITOR_PORT_H
#define HPCC_MONITOR_PORT_H

#include "hpcc-link-bins.h"
#include "hpcc-monitor.h"
#include "hpcc-series.h"

#include "ns3/qbb-port-watch.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Records the queue length and the sent bytes of a port for HpccMonitor.
 */
struct HpccMonitor::Port : public QbbPortWatch
{
    /// A time span with a constant queue length. Each span starts at the end of the previous span.
    struct Span
    {
        int64_t toNs;   ///< end of the span, ns
        uint64_t bytes; ///< queued bytes
    };

    static constexpr size_t SPANS = 32; ///< number of spans for which memory is reserved at the
                                        ///< start

    HpccMonitor* monitor;    ///< the monitor
    QbbNetDevice* device;    ///< the port
    bool queues{false};      ///< true if the queues of the port are recorded, which is the case for
                             ///< all ports of switches
    uint64_t bytes{0};       ///< bytes queued now
    double area{0};          ///< integral of bytes since the first start of a flow, byte ns
    uint64_t peak{0};        ///< highest value of bytes so far
    int64_t sinceNs{0};      ///< time of the last change of bytes, ns
    int64_t sentNs{0};       ///< start of the last packet's transmission, ns
    int64_t countedNs{0};    ///< end of the last counted span, ns
    std::vector<Span> spans; ///< spans after countedNs
    std::unordered_map<uint64_t, int64_t> timeAt; ///< time in the settled interval with a queue of
                                                  ///< this length, ns, by length in bytes
    HpccSeries queue{QUEUE_NS};                   ///< series of the queued bytes until sinceNs
    HpccLinkBins bins{BIN_NS};                    ///< bytes sent on the link, by throughput bin
    uint64_t sentElsewhere{0}; ///< link bytes that this port has sent, if another rank simulates
                               ///< and measures the port

    /// Returns the link bytes sent if no packet has ever waited at this port; otherwise 0.
    uint64_t GetSentUnqueued() const;

    void QueueChanged(uint64_t portBytes, int64_t nowNs) override;

    /// Counts the spans that end no later than a time. All completions before that time must be
    /// known, because the first completion ends the settled interval.
    /// @param untilNs the time, ns
    void Settle(int64_t untilNs);

    /**
     * Counts the port's next span.
     * @param all the monitor, which has the bounds of the settled interval
     * @param span span that follows the last counted span
     */
    void Integrate(const HpccMonitor& all, const Span& span);

    void Transmitted(int64_t nowNs, const Frame& frame) override;

    /// Returns the rows of the series of queued bytes. The last row contains the present queue
    /// length.
    std::vector<Sample> GetQueueRows() const;
};

} // namespace ns3

#endif // HPCC_MONITOR_PORT_H
