/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-experiment-tables.h"

#include "hpcc-experiment-plans.h"
#include "hpcc-experiment-values.h"

#include "ns3/rdma-queue-pair.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <tuple>

// The part of HpccExperiment that writes the CSV files, and prints a table of the summaries.

namespace ns3
{

HpccExperiment::Tables::Tables(const HpccExperiment& experiment, const Scenario& scenario)
{
    auto begin = [&](const std::string& name, const std::string& header) {
        files.emplace_back(experiment.PathOf(name), header);
        return &files.back();
    };
    std::string counts;
    for (const auto& column : scenario.counts)
    {
        counts += "," + column;
    }
    summary = begin("summary.csv",
                    "cc,telemetry,feedback,flows_started,flows_finished,fct_p50_us,fct_p99_us,"
                    "queue_peak_bytes,queue_p95_bytes,queue_p99_bytes,throughput_mean_gbps,"
                    "throughput_min_gbps,jain_index,pfc_pauses,drops,wire_overhead_percent,"
                    "queue_mean_bytes,settle_us,first_completion_us,probes,probe_bytes,"
                    "notifications,stopped_us,flows_abandoned" +
                        counts + ",bottleneck_port");
    fct = begin("fct.csv",
                "cc,flow,source,destination,bytes,start_us,end_us,receiver_end_us,fct_us,"
                "ideal_fct_us,slowdown" +
                    std::string(scenario.nameClass ? ",class" : ""));
    if (!scenario.bulk)
    {
        queue = begin("queue.csv", "cc,time_us,queue_bytes");
        throughput = begin("throughput.csv", "cc,time_us,throughput_gbps");
    }
    if (scenario.perFlowSeries)
    {
        flowRate = begin("flow_rate.csv", "cc,time_us,flow,throughput_gbps");
    }
    if (experiment.m_values->queuePairCsv)
    {
        queuePair = begin("qp.csv",
                          "cc,time_us,host,queue_pair,w_bytes,wc_bytes,rate_gbps,u,inc_stage,"
                          "bottleneck_switch,bottleneck_port,rtt_us");
    }
}

void
HpccExperiment::Tables::Save()
{
    for (auto& file : files)
    {
        file.Save();
    }
}

void
HpccExperiment::Tables::Commit()
{
    for (auto& file : files)
    {
        file.Commit();
    }
}

void
HpccExperiment::Tables::WriteSummary(const std::string& label,
                                     const std::string& telemetry,
                                     const std::string& feedback,
                                     const HpccSummary& s,
                                     const std::vector<uint64_t>& counts,
                                     const HpccMonitor& monitor)
{
    const bool stopped = s.flowsFinished < s.flowsStarted;
    auto settled = [&s](const std::string& text) { return s.settled ? text : "nan"; };
    *summary << label << "," << telemetry << "," << feedback << "," << s.flowsStarted << ","
             << s.flowsFinished << "," << FormatFixed(s.fctP50Us, 3) << ","
             << FormatFixed(s.fctP99Us, 3) << "," << s.queuePeakBytes << ","
             << settled(std::to_string(s.queueP95Bytes)) << ","
             << settled(std::to_string(s.queueP99Bytes)) << ","
             << settled(FormatGbps(s.throughputMeanGbps * 1e9)) << ","
             << settled(FormatGbps(s.throughputMinGbps * 1e9)) << "," << FormatFixed(s.jainIndex, 6)
             << "," << s.pfcPauses << "," << s.drops << "," << FormatFixed(s.wireOverheadPercent, 3)
             << "," << settled(FormatFixed(s.queueMeanBytes, 1)) << "," << FormatUs(s.settleNs)
             << "," << FormatUs(s.firstCompletionNs) << "," << s.probes << "," << s.probeBytes
             << "," << s.notifications << "," << (stopped ? FormatUs(s.endNs) : "nan") << ","
             << s.flowsStarted - s.flowsFinished;
    for (const uint64_t count : counts)
    {
        *summary << "," << count;
    }
    *summary << ",";
    if (const auto bottleneck = monitor.GetBottleneck())
    {
        *summary << bottleneck->first << ":" << bottleneck->second;
    }
    *summary << "\n";
}

void
HpccExperiment::Tables::WriteFlow(const std::string& label,
                                  const Scenario& scenario,
                                  const HpccMonitor& monitor,
                                  size_t i)
{
    const auto& flow = monitor.GetFlows()[i];
    const auto& result = monitor.GetResults()[i];
    const bool started = result.endNs >= 0 || (flow.startNs != HpccFlowPlan::NOT_PLANNED &&
                                               flow.startNs < Simulator::Now().GetNanoSeconds());
    *fct << label << "," << i << "," << flow.source << "," << flow.destination << "," << flow.bytes
         << "," << (started ? FormatUs(flow.startNs) : "") << ",";
    if (result.endNs >= 0)
    {
        int64_t fctNs = result.endNs - flow.startNs;
        *fct << FormatUs(result.endNs) << ","
             << (result.receiverEndNs >= 0 ? FormatUs(result.receiverEndNs) : "") << ","
             << FormatUs(fctNs) << "," << FormatUs(result.idealNs) << ","
             << FormatFixed(static_cast<double>(fctNs) / static_cast<double>(result.idealNs), 4);
    }
    else
    {
        *fct << ",,," << FormatUs(result.idealNs) << ",";
    }
    *fct << (scenario.nameClass ? "," + scenario.nameClass(i) : "") << "\n";
}

void
HpccExperiment::Tables::WriteFinishedFlows(const std::string& label,
                                           const Scenario& scenario,
                                           const HpccMonitor& monitor)
{
    while (flowsWritten < monitor.GetFlows().size() &&
           monitor.GetResults()[flowsWritten].endNs >= 0)
    {
        WriteFlow(label, scenario, monitor, flowsWritten++);
    }
}

void
HpccExperiment::Tables::WriteFlows(const std::string& label,
                                   const Scenario& scenario,
                                   const HpccMonitor& monitor)
{
    const size_t flows = monitor.GetFlows().size();
    while (flowsWritten < flows)
    {
        WriteFlow(label, scenario, monitor, flowsWritten++);
    }
    flowsWritten = 0;
    for (size_t i = 0; flowRate && i < flows; ++i)
    {
        for (const auto& sample : monitor.GetFlowSeries(i))
        {
            *flowRate << label << "," << FormatUs(sample.timeNs) << "," << i << ","
                      << FormatFixed(sample.value, 4) << "\n";
        }
    }
}

void
HpccExperiment::Tables::WriteSeries(const std::string& label, const HpccMonitor& monitor)
{
    for (const auto& sample : monitor.GetQueueSeries())
    {
        *queue << label << "," << FormatUs(sample.timeNs) << "," << FormatFixed(sample.value, 1)
               << "\n";
    }
    for (const auto& sample : monitor.GetThroughputSeries())
    {
        *throughput << label << "," << FormatUs(sample.timeNs) << ","
                    << FormatFixed(sample.value, 4) << "\n";
    }
}

void
HpccExperiment::Tables::RecordQueuePair(std::vector<QueuePairRow>* rows,
                                        std::string label,
                                        uint32_t host,
                                        const RdmaQueuePair& qp,
                                        int64_t nowNs,
                                        int64_t /*rttNs*/)
{
    RdmaCongestionSample sample = qp.ops->Observe(qp.cc);
    std::ostringstream out;
    out << label << "," << FormatUs(nowNs) << "," << host << "," << qp.number << ","
        << FormatFixed(sample.windowBytes, 1) << "," << FormatFixed(sample.referenceWindowBytes, 1)
        << "," << FormatFixed(sample.rateBps / 1e9, 6) << "," << FormatFixed(sample.utilization, 6)
        << "," << sample.stage << "," << sample.bottleneckSwitch << "," << sample.bottleneckPort
        << "," << (qp.rttNs < 0 ? "" : FormatUs(qp.rttNs)) << "\n";
    rows->push_back({nowNs, host, out.str()});
}

void
HpccExperiment::Tables::WatchQueuePairs(const std::string& label, const HpccFabricHelper& fabric)
{
    queuePairRows.clear();
    for (uint32_t host : fabric.GetTopology().GetHosts())
    {
        fabric.GetHost(host)->TraceConnectWithoutContext(
            "Acknowledged",
            MakeBoundCallback(&Tables::RecordQueuePair, &queuePairRows, label, host));
    }
}

void
HpccExperiment::Tables::WriteQueuePairs()
{
    std::stable_sort(queuePairRows.begin(), queuePairRows.end(), [](const auto& a, const auto& b) {
        return std::tie(a.timeNs, a.host) < std::tie(b.timeNs, b.host);
    });
    for (const auto& row : queuePairRows)
    {
        *queuePair << row.text;
    }
}

void
HpccExperiment::Tables::PrintSummaries(const std::vector<Plan>& plans,
                                       const std::vector<HpccSummary>& summaries)
{
    size_t width = 16;
    for (const auto& plan : plans)
    {
        width = std::max(width, plan.label.size() + 1);
    }
    std::cout << std::left << std::setw(static_cast<int>(width)) << "policy" << std::right
              << std::setw(10) << "finished" << std::setw(12) << "FCT p50 us" << std::setw(12)
              << "p99 us" << std::setw(12) << "peak KB" << std::setw(10) << "p99 KB"
              << std::setw(12) << "mean Gb/s" << std::setw(8) << "Jain" << std::setw(8) << "pauses"
              << std::setw(8) << "drops"
              << "\n";
    const auto figure = [](double value, int digits) {
        return std::isnan(value) ? "-" : FormatFixed(value, digits);
    };
    for (size_t i = 0; i < plans.size(); ++i)
    {
        const auto& s = summaries[i];
        std::cout << std::left << std::setw(static_cast<int>(width)) << plans[i].label << std::right
                  << std::setw(10)
                  << std::to_string(s.flowsFinished) + "/" + std::to_string(s.flowsStarted)
                  << std::setw(12) << figure(s.fctP50Us, 1) << std::setw(12)
                  << figure(s.fctP99Us, 1) << std::setw(12)
                  << FormatFixed(static_cast<double>(s.queuePeakBytes) / 1e3, 1) << std::setw(10)
                  << (s.settled ? FormatFixed(static_cast<double>(s.queueP99Bytes) / 1e3, 1) : "-")
                  << std::setw(12) << (s.settled ? FormatFixed(s.throughputMeanGbps, 2) : "-")
                  << std::setw(8) << figure(s.jainIndex, 3) << std::setw(8) << s.pfcPauses
                  << std::setw(8) << s.drops << "\n";
    }
}

} // namespace ns3
