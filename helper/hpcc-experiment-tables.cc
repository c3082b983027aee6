/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-experiment-tables.h"

#include "hpcc-experiment-values.h"

#include "ns3/simulator.h"

// The part of HpccExperiment that writes the CSV files.

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
                        counts);
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
                                     const std::vector<uint64_t>& counts)
{
    const bool stopped = s.flowsFinished < s.flowsStarted;
    auto settled = [&s](const std::string& text) { return s.settled ? text : "nan"; };
    *summary << label << "," << telemetry << "," << feedback << "," << s.flowsStarted << ","
             << s.flowsFinished << "," << FormatFixed(s.fctP50Us, 3) << ","
             << FormatFixed(s.fctP99Us, 3) << "," << s.queuePeakBytes << ","
             << settled(std::to_string(s.queueP95Bytes)) << ","
             << settled(std::to_string(s.queueP99Bytes)) << ","
             << settled(FormatFixed(s.throughputMeanGbps, 3)) << ","
             << settled(FormatFixed(s.throughputMinGbps, 3)) << "," << FormatFixed(s.jainIndex, 6)
             << "," << s.pfcPauses << "," << s.drops << "," << FormatFixed(s.wireOverheadPercent, 3)
             << "," << settled(FormatFixed(s.queueMeanBytes, 1)) << "," << FormatUs(s.settleNs)
             << "," << FormatUs(s.firstCompletionNs) << "," << s.probes << "," << s.probeBytes
             << "," << s.notifications << "," << (stopped ? FormatUs(s.endNs) : "nan") << ","
             << s.flowsStarted - s.flowsFinished;
    for (const uint64_t count : counts)
    {
        *summary << "," << count;
    }
    *summary << "\n";
}

void
HpccExperiment::Tables::WriteFlows(const std::string& label,
                                   const Scenario& scenario,
                                   const HpccMonitor& monitor)
{
    for (size_t i = 0; i < monitor.GetFlows().size(); ++i)
    {
        const auto& flow = monitor.GetFlows()[i];
        const auto& result = monitor.GetResults()[i];
        const bool started =
            result.endNs >= 0 || (flow.startNs != HpccFlowPlan::NOT_PLANNED &&
                                  flow.startNs < Simulator::Now().GetNanoSeconds());
        *fct << label << "," << i << "," << flow.source << "," << flow.destination << ","
             << flow.bytes << "," << (started ? FormatUs(flow.startNs) : "") << ",";
        if (result.endNs >= 0)
        {
            int64_t fctNs = result.endNs - flow.startNs;
            *fct << FormatUs(result.endNs) << ","
                 << (result.receiverEndNs >= 0 ? FormatUs(result.receiverEndNs) : "") << ","
                 << FormatUs(fctNs) << "," << FormatUs(result.idealNs) << ","
                 << FormatFixed(static_cast<double>(fctNs) / static_cast<double>(result.idealNs),
                                4);
        }
        else
        {
            *fct << ",,," << FormatUs(result.idealNs) << ",";
        }
        *fct << (scenario.nameClass ? "," + scenario.nameClass(i) : "") << "\n";
        if (flowRate)
        {
            for (const auto& sample : monitor.GetFlowSeries(i))
            {
                *flowRate << label << "," << FormatUs(sample.timeNs) << "," << i << ","
                          << FormatFixed(sample.value, 4) << "\n";
            }
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

} // namespace ns3
