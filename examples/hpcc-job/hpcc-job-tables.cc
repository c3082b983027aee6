/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-job-tables.h"

#include <algorithm>
#include <iostream>

namespace ns3
{

HpccJobTables::HpccJobTables(const std::function<std::string(const std::string&)>& pathOf,
                             bool several)
    : m_several(several),
      m_jobs(pathOf("jobs.csv"),
             "cc,collective,hosts,message_bytes,messages,finished,start_us,jct_us,bound_us,ratio,"
             "job,ranks,iteration_us,exposed_comm_us"),
      m_collectives(pathOf("collectives.csv"),
                    "cc,job,collective,algorithm,ranks,bytes,time_us,algbw_GBps,busbw_GBps"),
      m_timeline(pathOf("timeline.csv"), "cc,job,rank,host,activity,begin_us,end_us")
{
}

void
HpccJobTables::Add(const std::string& label,
                   size_t number,
                   const HpccPlacedJob& job,
                   const HpccJobReport::Times& times,
                   int64_t startNs,
                   int64_t boundNs)
{
    const HpccJobReport report(job.graph, times, startNs);
    uint64_t messages = 0;
    uint64_t finished = 0;
    uint64_t largest = 0;
    for (size_t i = 0; i < times.size(); ++i)
    {
        const auto& operation = job.graph.GetOperations()[i];
        if (operation.kind == HpccJobGraph::Kind::SEND)
        {
            ++messages;
            largest = std::max(largest, operation.amount);
        }
        finished += operation.kind == HpccJobGraph::Kind::RECEIVE && times[i].endNs >= 0;
    }
    const bool done = report.IsFinished();
    const int64_t ns = report.GetIterationNs();
    const bool bound = done && boundNs > 0;
    m_jobs << label << "," << job.kind << (m_several ? "/" + std::to_string(number) : "") << ","
           << job.hosts.size() << "," << largest << "," << messages << "," << finished << ","
           << FormatUs(startNs) << "," << (done ? FormatUs(ns) : "nan") << ","
           << (boundNs >= 0 ? FormatUs(boundNs) : "nan") << ","
           << (bound ? FormatFixed(static_cast<double>(ns) / static_cast<double>(boundNs), 4)
                     : "nan")
           << "," << number << "," << job.graph.GetRanks() << ","
           << (done ? FormatFixed(static_cast<double>(ns) / 1e3 / job.iterations, 3) : "nan") << ","
           << (done ? FormatUs(report.GetExposedNs()) : "nan") << "\n";
    if (done)
    {
        std::cout << label << ": job " << number << " (" << job.kind << ", " << job.graph.GetRanks()
                  << " ranks): " << FormatFixed(static_cast<double>(ns) / 1e3 / job.iterations, 3)
                  << " us per iteration, " << FormatUs(report.GetExposedNs())
                  << " us of exposed communication"
                  << (job.iterations > 1
                          ? " in all " + std::to_string(job.iterations) + " iterations"
                          : "")
                  << "\n";
    }

    const auto collectives = report.GetCollectives();
    for (size_t i = 0; i < collectives.size(); ++i)
    {
        const auto& collective = job.graph.GetCollectives()[i];
        const bool ended = collectives[i].endNs >= 0;
        const double algorithmGBps =
            static_cast<double>(collective.bytes) /
            static_cast<double>(std::max<int64_t>(collectives[i].GetNs(), 1));
        const auto text = [ended](double gBps) {
            return !ended        ? "nan"
                   : gBps < 0.01 ? FormatGbps(gBps * 1e9) // four decimals would lose its digits
                                 : FormatFixed(gBps, 4);
        };
        m_collectives << label << "," << number << "," << collective.name << ","
                      << collective.algorithm << "," << collective.ranks << "," << collective.bytes
                      << "," << (ended ? FormatUs(collectives[i].GetNs()) : "nan") << ","
                      << text(algorithmGBps) << "," << text(algorithmGBps * collective.busFactor)
                      << "\n";
    }

    for (const auto& interval : report.GetIntervals())
    {
        m_timeline << label << "," << number << "," << interval.rank << ","
                   << job.hosts[interval.rank] << ","
                   << (interval.computation ? "computation"
                       : interval.collective == HpccJobGraph::NONE
                           ? "messages"
                           : job.graph.GetCollectives()[interval.collective].name)
                   << "," << FormatUs(interval.beginNs) << ","
                   << (interval.endNs < 0 ? "" : FormatUs(interval.endNs)) << "\n";
    }
}

void
HpccJobTables::Commit()
{
    for (HpccCsvFile* table : Get())
    {
        table->Commit();
    }
}

} // namespace ns3
