/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-experiment.h"

#include "hpcc-byte-stream.h"
#include "hpcc-csv-file.h"
#include "hpcc-outages.h"
#include "hpcc-partition.h"
#include "hpcc-signals.h"
#include "hpcc-topology-description.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/global-value.h"
#include "ns3/hpcc-presets.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <new>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>

#ifndef HPCC_VERSION
#define HPCC_VERSION "unknown"
#endif
#ifndef HPCC_NS3_VERSION
#define HPCC_NS3_VERSION "unknown"
#endif

namespace ns3
{

namespace
{

/// @return text as a JSON string
std::string
Json(const std::string& text)
{
    std::string out = "\"";
    for (char c : text)
    {
        if (c == '"' || c == '\\')
        {
            out += '\\';
        }
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + "\"";
}

/// Writes a file, or throws HpccInputError.
void
WriteFile(const std::string& path, const std::string& text)
{
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out)
    {
        throw HpccInputError("cannot write " + path);
    }
}

/// @return the line that says why a program ends by an exception
std::string
WhatOf(const std::exception_ptr& error)
{
    try
    {
        std::rethrow_exception(error);
    }
    catch (const std::bad_alloc&)
    {
        return "out of memory: the network or its flows are too large for this machine";
    }
    catch (const std::exception& other)
    {
        return std::string("ended by an unexpected error: ") + other.what();
    }
    catch (...)
    {
        return "ended by an unexpected error";
    }
}

constexpr const char* PASSED = "passed";     ///< last line of a rehearsal
constexpr const char* REFUSED = "refused: "; ///< the other one

/**
 * @param said what a rehearsal has printed
 * @param name the program
 * @return why it was refused; empty if it passed
 */
std::string
RefusalIn(std::FILE* said, const std::string& name)
{
    std::string text;
    std::rewind(said);
    for (int c = std::fgetc(said); c != EOF; c = std::fgetc(said))
    {
        text += static_cast<char>(c);
    }
    std::istringstream in(text);
    std::string first;
    std::string last;
    for (std::string line; std::getline(in, line); last = line)
    {
        first = first.empty() ? line : first;
    }
    if (last == PASSED)
    {
        return "";
    }
    if (last.rfind(REFUSED, 0) == 0)
    {
        return last.substr(std::strlen(REFUSED));
    }
    // ns-3 has aborted: cond="...", msg="...", time and place.
    const std::string before = "msg=\"";
    const size_t begin = first.find(before);
    const size_t end = first.find("\", +", begin);
    if (begin != std::string::npos && end != std::string::npos)
    {
        first = first.substr(begin + before.size(), end - begin - before.size());
    }
    return first.empty() ? name + ": the check of the runs failed" : first;
}

/// A row of qp.csv.
struct QueuePairRow
{
    int64_t timeNs;   ///< when
    uint32_t host;    ///< where
    std::string text; ///< the row
};

/// Appends a row for each acknowledgement.
void
RecordQueuePair(std::vector<QueuePairRow>* rows,
                std::string cc,
                uint32_t host,
                const RdmaQueuePair& qp,
                int64_t nowNs,
                int64_t)
{
    RdmaCongestionSample sample = qp.ops->Observe(qp.cc);
    std::ostringstream out;
    out << cc << "," << FormatUs(nowNs) << "," << host << "," << qp.number << ","
        << FormatFixed(sample.windowBytes, 1) << "," << FormatFixed(sample.referenceWindowBytes, 1)
        << "," << FormatFixed(sample.rateBps / 1e9, 6) << "," << FormatFixed(sample.utilization, 6)
        << "," << sample.stage << "," << sample.bottleneckSwitch << "," << sample.bottleneckPort
        << "," << (qp.rttNs < 0 ? "" : FormatUs(qp.rttNs)) << "\n";
    rows->push_back({nowNs, host, out.str()});
}

/// Writes rows by time, then host, whatever order the hosts' events of one nanosecond had.
void
WriteSorted(std::vector<QueuePairRow>& rows, HpccCsvFile& out)
{
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return std::tie(a.timeNs, a.host) < std::tie(b.timeNs, b.host);
    });
    for (const auto& row : rows)
    {
        out << row.text;
    }
}

/**
 * Reports progress by simulated time and ends the run when every flow has finished, or at a given
 * time. It looks 1 ns before the run may end: from within the last nanosecond it could not end it
 * for all nodes at once.
 */
class Watch
{
  public:
    Watch(const HpccFabricHelper& fabric,
          const HpccMonitor& monitor,
          HpccSignals& signals,
          const std::string& name,
          size_t flows,
          Time first,
          Time stop,
          Time linger,
          bool progress,
          const std::function<HpccExperiment::Progress()>& beside)
        : m_fabric(fabric),
          m_monitor(monitor),
          m_signals(signals),
          m_name(name),
          m_flows(flows),
          m_stop(stop),
          m_linger(linger),
          m_progress(progress),
          m_beside(beside),
          m_begin(std::chrono::steady_clock::now()),
          m_last(m_begin)
    {
        LookBefore(std::max(first, MicroSeconds(10)));
    }

    /// @return the signal that has ended the run, at whatever rank; 0 if none has
    int GetSignal() const
    {
        return m_signal;
    }

  private:
    void LookBefore(Time end)
    {
        m_end = std::min(end, m_stop);
        Simulator::Schedule(m_end - NanoSeconds(1) - Simulator::Now(), &Watch::Look, this);
    }

    /// @return true if all flows have finished before now, at whatever rank
    bool AreFinished()
    {
        m_signal = m_signals.Take();
        m_unfinished = m_monitor.GetUnfinished();
        const int64_t sinceNs = (Simulator::Now() - m_linger).GetNanoSeconds();
        const bool last = m_monitor.AreFinishedBefore(sinceNs);
        m_state = m_beside ? m_beside() : HpccExperiment::Progress::DONE;
        if (!m_fabric.GetRanks())
        {
            return last && m_state == HpccExperiment::Progress::DONE;
        }
        HpccByteStream mine;
        mine.Put(m_state);
        mine.Put(m_flows - m_unfinished);
        mine.Put(m_monitor.HasNoCompletionSince(sinceNs));
        mine.Put(m_signal);
        bool settled = true;
        m_unfinished = m_flows;
        for (const std::string& bytes : m_fabric.GetRanks()->Exchange(mine.GetBytes()))
        {
            HpccByteStream theirs(bytes);
            m_state = std::max(m_state, theirs.Get<HpccExperiment::Progress>());
            m_unfinished -= theirs.Get<uint64_t>();
            settled = theirs.Get<bool>() && settled;
            m_signal = std::max(m_signal, theirs.Get<int>());
        }
        return settled && m_unfinished == 0 && m_state == HpccExperiment::Progress::DONE;
    }

    /// @return true if nothing has gone on for 1 ms beside the flows, and something waits
    bool IsStuck()
    {
        if (m_state != HpccExperiment::Progress::WAITING)
        {
            m_waitsSince = Simulator::Now();
        }
        return Simulator::Now() - m_waitsSince >= MilliSeconds(1);
    }

    void Look()
    {
        m_fabric.CatchUp();
        if (AreFinished() || IsStuck() || m_signal != 0 || m_end == m_stop)
        {
            m_fabric.EndAt(m_end);
            return;
        }
        auto now = std::chrono::steady_clock::now();
        if (m_progress && now - m_last > std::chrono::seconds(2))
        {
            m_last = now;
            const uint64_t finished = m_flows - m_unfinished;
            const double share = static_cast<double>(finished) / static_cast<double>(m_flows);
            std::cerr << m_name << ": " << FormatFixed(100 * share, 1) << " %, "
                      << Simulator::Now().As(Time::US) << " simulated, " << finished << " of "
                      << m_flows << " flows finished";
            if (finished > 0)
            {
                const double seconds = std::chrono::duration<double>(now - m_begin).count();
                std::cerr << ", about " << FormatFixed(seconds * (1 - share) / share, 0)
                          << " s left";
            }
            std::cerr << std::endl;
        }
        LookBefore(m_end + MicroSeconds(10));
    }

    const HpccFabricHelper& m_fabric;
    const HpccMonitor& m_monitor;
    HpccSignals& m_signals;
    int m_signal{0};
    std::string m_name;
    uint64_t m_flows;
    uint64_t m_unfinished{0};
    Time m_stop;
    Time m_linger;
    Time m_end;
    bool m_progress;
    const std::function<HpccExperiment::Progress()>& m_beside;
    HpccExperiment::Progress m_state{HpccExperiment::Progress::DONE};
    Time m_waitsSince;
    std::chrono::steady_clock::time_point m_begin;
    std::chrono::steady_clock::time_point m_last;
};

} // namespace

void
HpccExperiment::Repeat()
{
    HpccRepeatedRuns runs(m_name, m_out, m_run, m_runs);
    // Locked, but nothing is removed yet: the runs may refuse the command.
    m_claimed[m_out] = std::make_unique<HpccOutputDirectory>(m_out);
    if (auto run = runs.Fork(m_parallel, m_progress))
    {
        m_run = *run;
        m_outOfAll = m_out;
        m_out = runs.GetDirectory(*run);
        m_progress = false;
        return;
    }
    RemoveRuns(true);
    for (const auto& table : m_mergedTables)
    {
        m_files.insert({table.file, HpccRepeatedRuns::MeansOf(table.file)});
    }
    runs.Merge(m_mergedTables);
    WriteManifest(m_out);
    PrintRuns();
    throw HpccRepeatedRuns::Done();
}

void
HpccExperiment::PrintRuns() const
{
    HpccRepeatedRuns::PrintMeans(std::cout,
                                 m_out + "/summary-ci.csv",
                                 {{"finished", "flows_finished", 1, 0},
                                  {"FCT p50 us", "fct_p50_us", 1, 1},
                                  {"p99 us", "fct_p99_us", 1, 1},
                                  {"peak KB", "queue_peak_bytes", 1e-3, 1},
                                  {"p99 KB", "queue_p99_bytes", 1e-3, 1},
                                  {"mean Gb/s", "throughput_mean_gbps", 1, 2},
                                  {"Jain", "jain_index", 1, 3},
                                  {"pauses", "pfc_pauses", 1, 1},
                                  {"drops", "drops", 1, 1}});
    std::cout << m_runs << " runs, mean and 95 % interval; results in " << m_out << std::endl;
}

void
HpccExperiment::MakeDirectory(const std::string& directory)
{
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (!std::filesystem::is_directory(directory))
    {
        throw HpccInputError("--out: cannot create the directory " + directory);
    }
}

std::vector<std::string>
HpccExperiment::ListTables() const
{
    std::vector<std::string> names{"fct.csv",
                                   "queue.csv",
                                   "throughput.csv",
                                   "flow_rate.csv",
                                   "qp.csv"};
    for (const auto& table : m_mergedTables)
    {
        names.push_back(table.file);
        names.push_back(HpccRepeatedRuns::MeansOf(table.file));
    }
    return names;
}

void
HpccExperiment::RemoveRuns(bool keep) const
{
    std::error_code error;
    std::vector<std::filesystem::path> left;
    for (const auto& entry : std::filesystem::directory_iterator(m_out, error))
    {
        const std::string name = entry.path().filename().string();
        const bool isRun = name.rfind("run-", 0) == 0 && name.size() > 4 && name.size() < 25 &&
                           name.find_first_not_of("0123456789", 4) == std::string::npos;
        const bool own = keep && isRun && std::strtoull(&name[4], nullptr, 10) - m_run < m_runs;
        if (isRun && !own && entry.is_directory(error))
        {
            left.push_back(entry.path());
        }
    }
    for (const auto& run : left)
    {
        HpccOutputDirectory::RemoveResults(run.string(), ListTables());
        std::filesystem::remove(run, error); // unless something else is in it
    }
}

void
HpccExperiment::ClaimOut()
{
    if (m_ranks && m_ranks->GetRank() > 0)
    {
        MakeDirectory(m_out);
        return;
    }
    for (const std::string& path : {m_root, m_out})
    {
        if (path.empty() || m_claimed.count(path))
        {
            continue;
        }
        m_claimed[path] = std::make_unique<HpccOutputDirectory>(path);
        HpccOutputDirectory::RemoveResults(path, ListTables());
        if (m_outOfAll.empty())
        {
            RemoveRuns(false);
        }
        else
        {
            HpccOutputDirectory::RemoveResults(m_outOfAll, ListTables());
        }
    }
}

void
HpccExperiment::Check(const Scenario& scenario, const Configure& configure)
{
    Describe(scenario.topology);
    const std::vector<Plan> plans = MakePlans();
    CheckEffects(plans, scenario);
    Rehearse(plans, scenario, configure);
    m_checked = true;
}

std::vector<std::string>
HpccExperiment::GetLabels() const
{
    std::vector<std::string> labels;
    for (const auto& plan : MakePlans())
    {
        labels.push_back(plan.label);
    }
    return labels;
}

std::vector<HpccSummary>
HpccExperiment::Run(const Scenario& scenario, const Configure& configure)
{
    if (m_ranks && !scenario.addsUp && (scenario.connected || scenario.finished))
    {
        throw HpccInputError("--mpi: " + m_name + " runs in one process only");
    }
    Describe(scenario.topology);
    const std::vector<Plan> plans = MakePlans();
    CheckEffects(plans, scenario);
    if (!m_checked && (m_checkOnly || plans.size() > 1 || !m_attributes.IsEmpty()))
    {
        Rehearse(plans, scenario, configure);
    }
    EndIfChecked();
    HpccSignals signals;
    Tables tables(*this, scenario);
    std::vector<HpccSummary> summaries;
    for (const auto& plan : plans)
    {
        m_signal = signals.Take();
        if (m_signal == 0)
        {
            summaries.push_back(RunOne(plan, scenario, configure, &tables, &signals));
        }
        if (m_signal != 0)
        {
            summaries.resize(static_cast<size_t>(&plan - plans.data()));
            ReportMissing(plans, summaries.size());
        }
        tables.Save();
        for (auto* table : scenario.tables)
        {
            table->Save();
        }
    }
    tables.Commit();
    WriteManifest(m_out);

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
    std::cout << "results in " << m_out << std::endl;
    return summaries;
}

void
HpccExperiment::ReportMissing(const std::vector<Plan>& plans, size_t ended)
{
    std::string there;
    std::string missing;
    for (size_t i = 0; i < plans.size(); ++i)
    {
        std::string& names = i < ended ? there : missing;
        names += (names.empty() ? "" : ", ") + plans[i].label;
        if (i >= ended)
        {
            m_missing.push_back(plans[i].label);
        }
    }
    if (ended > 0)
    {
        WriteManifest(m_out);
    }
    throw Interrupted(m_name + ": ended by " + (m_signal == SIGINT ? "SIGINT" : "SIGTERM") +
                          "; missing: " + missing +
                          (ended > 0 ? "; " + m_out + " has the results of " + there : ""),
                      m_signal);
}

void
HpccExperiment::Rehearse(const std::vector<Plan>& plans,
                         const Scenario& scenario,
                         const Configure& configure)
{
    std::string refused;
    if (!m_ranks || m_ranks->GetRank() == 0)
    {
        std::unique_ptr<std::FILE, int (*)(std::FILE*)> said(std::tmpfile(), std::fclose);
        std::cout.flush();
        std::cerr.flush();
        const pid_t child = said ? fork() : -1;
        if (child < 0)
        {
            throw HpccInputError(m_name + ": cannot start a process that checks the runs");
        }
        if (child == 0)
        {
            dup2(fileno(said.get()), STDERR_FILENO);
            std::cout.setstate(std::ios::failbit);
            refused = RehearseHere(plans, scenario, configure);
            std::cerr << '\n' << (refused.empty() ? PASSED : REFUSED + refused) << std::endl;
            std::_Exit(0);
        }
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        {
        }
        refused = RefusalIn(said.get(), m_name);
    }
    if (m_ranks)
    {
        refused = m_ranks->Exchange(refused).front();
    }
    if (!refused.empty())
    {
        throw HpccInputError(refused);
    }
}

std::string
HpccExperiment::RehearseHere(const std::vector<Plan>& plans,
                             const Scenario& scenario,
                             const Configure& configure)
{
    if (m_ranks)
    {
        // MPI is the parent's. This process ends by _Exit() and must not finalise it.
        m_ranks->Ref();
        m_ranks = nullptr;
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    }
    m_progress = false;
    try
    {
        for (const auto& plan : plans)
        {
            RunOne(plan, scenario, configure, nullptr, nullptr);
        }
        CheckDefaults(false);
        m_untilUsed = true;
        for (const auto& plan : plans)
        {
            if (HasIdleDefaults())
            {
                RunOne(plan, scenario, configure, nullptr, nullptr);
            }
        }
        CheckDefaults(true);
    }
    catch (const std::exception& error)
    {
        return error.what();
    }
    return "";
}

void
HpccExperiment::PrintVersion()
{
    std::cout << "hpcc " << HPCC_VERSION << ", ns-3 " << HPCC_NS3_VERSION << std::endl;
    throw HpccRepeatedRuns::Done();
}

void
HpccExperiment::Describe(const HpccTopology& topology) const
{
    if (!m_describe)
    {
        return;
    }
    if (!m_ranks || m_ranks->GetRank() == 0)
    {
        const std::string picture = DrawTopology(topology);
        const std::string path = m_out + "/topology.svg";
        std::cout << DescribeTopology(topology);
        if (picture.empty())
        {
            std::cout << "not drawn: more than " << MAX_DRAWN_SWITCHES
                      << " switches are equally far from the hosts" << std::endl;
        }
        else
        {
            MakeDirectory(m_out);
            WriteFile(path, picture);
            std::cout << "drawn in " << path << std::endl;
        }
    }
    throw HpccRepeatedRuns::Done();
}

void
HpccExperiment::SetUp(HpccFabricHelper& fabric, const HpccTopology& topology) const
{
    Describe(topology);
    fabric.SetHostAttribute("Mtu", UintegerValue(m_mtu));
    fabric.SetHostAttribute("Recovery", StringValue(m_recovery));
    if (m_flowControl == "lossy")
    {
        fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    }
    if (m_ackPriority == "high")
    {
        TypeId::AttributeInformation cnp;
        RdmaHost::GetTypeId().LookupAttributeByName("CnpDscp", &cnp);
        fabric.SetHostAttribute("AckDscp", *cnp.initialValue);
    }
    fabric.SetDeviceAttribute("EthernetOverhead", BooleanValue(m_ethernetOverhead));
    fabric.SetMaxLag(m_maxLag);
    fabric.SetPaths(m_paths);
    fabric.SetPorts(m_ports);
    fabric.SetBuffer(m_buffer);
    fabric.SetMarking(m_marking);
    fabric.SetScheduler(m_scheduler);
    fabric.SetTrimming(m_trimming);
    fabric.SetNic(m_nic);
    if (!m_baseRtt.empty())
    {
        fabric.SetPerPathBaseRtt(m_baseRtt == PATH);
    }
    fabric.SetConvergenceDelay(m_convergence);
    HpccOutages(m_outages).Schedule(topology, fabric);
    ShareOut(fabric, topology);
}

void
HpccExperiment::ShareOut(HpccFabricHelper& fabric, const HpccTopology& topology) const
{
    if (!m_ranks)
    {
        return;
    }
    HpccPartition partition(topology, m_partition, m_ranks->GetSize());
    fabric.SetRanks(m_ranks, partition.GetRankOf());
    if (m_progress)
    {
        std::cerr << m_name << ": " << m_ranks->GetSize() << " ranks, "
                  << FormatFixed(100 * partition.GetCutShare(), 1)
                  << " % of the links between switches are cut, the largest rank has "
                  << FormatFixed(partition.GetImbalance(), 2) << " times the mean load"
                  << std::endl;
    }
}

HpccSummary
HpccExperiment::RunOne(const Plan& plan,
                       const Scenario& scenario,
                       const Configure& configure,
                       Tables* tables,
                       HpccSignals* signals)
{
    RngSeedManager::SetSeed(m_seed);
    RngSeedManager::SetRun(m_run);
    if (m_ranks)
    {
        m_ranks->Begin();
    }
    if (!m_given.count("SchedulerType"))
    {
        ObjectFactory scheduler;
        scheduler.SetTypeId("ns3::PriorityQueueScheduler");
        Simulator::SetScheduler(scheduler);
    }
    HpccSummary summary;
    m_label = plan.label;
    m_variant = plan.variant;
    {
        const auto& spec = plan.spec;
        HpccFabricHelper fabric;
        SetUp(fabric, scenario.topology);
        const auto other = m_otherPolicies.find(plan.policy);
        const std::string marking =
            other == m_otherPolicies.end() ? spec.Describe().marking : other->second.marking;
        const std::string own = GivenName(spec.policy.GetTypeId(), "Marking");
        if (!marking.empty() && !m_given.count("ns3::EcnMarker::Thresholds") &&
            !fabric.SetThresholds(marking) && !own.empty())
        {
            throw HpccInputError("--" + own + "=" + m_given.at(own) + " has no effect: --marking " +
                                 m_marking + " has no Thresholds");
        }
        if (configure)
        {
            configure(fabric);
        }
        fabric.Install(scenario.topology);
        if (!m_watchdog.empty())
        {
            fabric.AddSwitchAgent(m_watchdog);
        }
        fabric.AssignStreams(1);
        fabric.CheckNic(scenario.stop);
        if (scenario.baseRttNs > 0)
        {
            fabric.SetNetworkBaseRttNs(scenario.baseRttNs);
        }
        if (!m_baseRtt.empty() && m_baseRtt != PATH)
        {
            int64_t givenNs = Time(m_baseRtt).GetNanoSeconds();
            if (givenNs < fabric.GetNetworkBaseRttNs() && m_progress)
            {
                std::cerr << m_name << ": warning: T = " << FormatUs(givenNs)
                          << " us is below the largest base RTT of the network, "
                          << FormatUs(fabric.GetNetworkBaseRttNs()) << " us" << std::endl;
            }
            fabric.SetNetworkBaseRttNs(givenNs);
        }
        HpccBorders(m_borders).AddTo(fabric);
        std::vector<HpccFlowPlan> flows = scenario.flows;
        int64_t firstStartNs = INT64_MAX;
        int64_t lastStartNs = 0;
        for (auto& flow : flows)
        {
            const std::string excess = flow.GetExcess();
            if (!excess.empty())
            {
                throw HpccInputError("flow " + std::to_string(&flow - flows.data()) +
                                     " is impossible: " + excess);
            }
            if (scenario.drive)
            {
                firstStartNs = std::min(firstStartNs, flow.startNs);
                lastStartNs = std::max(lastStartNs, flow.startNs);
                continue;
            }
            if (flow.startNs == HpccFlowPlan::NOT_PLANNED)
            {
                flow.queuePair = scenario.connectJob(fabric, flow, spec);
                continue;
            }
            auto own = spec;
            if (scenario.tunePolicy)
            {
                scenario.tunePolicy(static_cast<size_t>(&flow - flows.data()), own.policy);
            }
            flow.queuePair =
                scenario.connect
                    ? scenario.connect(fabric, flow, spec)
                    : fabric.Connect(flow.source,
                                     flow.destination,
                                     own,
                                     scenario.sourcePort ? scenario.sourcePort(fabric, flow) : 0,
                                     scenario.bulk,
                                     flow.verb == RdmaVerb::READ);
            fabric.AddMessage(flow.source,
                              flow.queuePair,
                              flow.bytes,
                              NanoSeconds(flow.startNs),
                              flow.verb);
            firstStartNs = std::min(firstStartNs, flow.startNs);
            lastStartNs = std::max(lastStartNs, flow.startNs);
        }
        int64_t settleNs =
            m_settle.empty() ? 30 * fabric.GetNetworkBaseRttNs() : Time(m_settle).GetNanoSeconds();
        if (IsGiven("settle") && lastStartNs + settleNs >= scenario.stop.GetNanoSeconds())
        {
            throw HpccInputError("--settle=" + m_settle + ": statistics would begin at " +
                                 FormatUs(lastStartNs + settleNs) + " us, but the run ends at " +
                                 FormatUs(scenario.stop.GetNanoSeconds()) +
                                 " us at the latest; a shorter time is allowed");
        }
        HpccMonitor monitor(fabric,
                            std::move(flows),
                            lastStartNs + settleNs,
                            scenario.bulk            ? HpccMonitor::COUNTS
                            : scenario.perFlowSeries ? HpccMonitor::FLOW_SERIES
                                                     : HpccMonitor::SERIES);
        monitor.SetQueueResolutionNs(m_queueResolution.GetNanoSeconds());
        const size_t flowCount = monitor.GetFlows().size();
        for (size_t i = 0; scenario.idealFctNs && i < flowCount; ++i)
        {
            monitor.SetIdealNs(i, scenario.idealFctNs(fabric, monitor.GetFlows()[i]));
        }
        if (scenario.drive)
        {
            scenario.drive(fabric, {plan.policy, plan.telemetry, spec.feedbackName}, monitor);
        }
        if (scenario.connected)
        {
            scenario.connected(fabric);
        }
        NoteFormats(plan, fabric);
        if (tables)
        {
            summary = Simulate(plan, scenario, fabric, monitor, firstStartNs, *tables, *signals);
        }
        else if (m_untilUsed)
        {
            SimulateUntilUsed(fabric, monitor, scenario.stop);
        }
    }
    Simulator::Destroy();
    if (m_ranks)
    {
        m_ranks->End();
    }
    return summary;
}

void
HpccExperiment::NoteFormats(const Plan& plan, const HpccFabricHelper& fabric)
{
    m_formats.merge(fabric.GetFormatTypes());
    ObjectFactory factory; // of TCP and UDP
    if (HpccPresets::Find(TelemetryFormat::GetTypeId(), plan.spec.telemetryName, factory))
    {
        m_formats.insert(factory.GetTypeId());
    }
}

void
HpccExperiment::SimulateUntilUsed(const HpccFabricHelper& fabric,
                                  const HpccMonitor& monitor,
                                  Time stop)
{
    const std::function<void()> look = [&] {
        fabric.CatchUp();
        if (HasIdleDefaults() && !monitor.AreFinishedBefore(Simulator::Now().GetNanoSeconds()))
        {
            Simulator::Schedule(MicroSeconds(10), look);
            return;
        }
        Simulator::Stop();
    };
    Simulator::Schedule(MicroSeconds(10), look);
    Simulator::Stop(stop);
    Simulator::Run();
}

HpccSummary
HpccExperiment::Simulate(const Plan& plan,
                         const Scenario& scenario,
                         HpccFabricHelper& fabric,
                         HpccMonitor& monitor,
                         int64_t firstStartNs,
                         Tables& tables,
                         HpccSignals& signals)
{
    ClaimOut();
    std::vector<QueuePairRow> queuePairRows;
    if (m_queuePairCsv)
    {
        for (uint32_t host : scenario.topology.GetHosts())
        {
            fabric.GetHost(host)->TraceConnectWithoutContext(
                "Acknowledged",
                MakeBoundCallback(&RecordQueuePair, &queuePairRows, plan.label, host));
        }
    }
    if (m_progress && fabric.LosesOrder())
    {
        std::cerr << m_name << ": warning: with --paths=" << m_paths
                  << " packets overtake one another, which recovery " << m_recovery
                  << " takes for losses" << std::endl;
    }
    if (m_pcap)
    {
        std::string name = plan.label;
        std::replace(name.begin(), name.end(), '/', '-');
        fabric.EnablePcapAll(m_out + "/" + name, true);
    }
    if (m_progress)
    {
        std::cerr << m_name << ": " << plan.policy << " with telemetry " << plan.spec.telemetryName
                  << ", T = " << FormatUs(fabric.GetNetworkBaseRttNs()) << " us, "
                  << monitor.GetFlows().size() << " flows" << std::endl;
    }
    Watch watch(fabric,
                monitor,
                signals,
                plan.label,
                monitor.GetFlows().size(),
                NanoSeconds(firstStartNs == INT64_MAX ? 0 : firstStartNs),
                scenario.stop,
                scenario.linger,
                m_progress,
                scenario.progress);
    Simulator::Run();
    fabric.ClosePcap();
    m_signal = watch.GetSignal();
    if (m_signal != 0)
    {
        return {};
    }
    HpccSummary summary = monitor.Summarize();
    summary.endNs = Simulator::Now().GetNanoSeconds();
    if (IsGiven("settle") && !summary.settled)
    {
        throw HpccInputError("--settle=" + m_settle + ": in the run of " + plan.label +
                             ", statistics would begin at " + FormatUs(summary.settleNs) +
                             " us, but end at " + FormatUs(summary.firstCompletionNs) +
                             " us (first completion or end of the run); a shorter time is allowed");
    }
    const std::vector<uint32_t> cycle = fabric.FindPauseCycle();
    if (!cycle.empty() && summary.flowsFinished < summary.flowsStarted)
    {
        std::cerr << m_name << ": " << plan.label
                  << ": warning: deadlock, each of these switches is paused by the next:";
        for (uint32_t node : cycle)
        {
            std::cerr << " " << node;
        }
        std::cerr << std::endl;
    }
    if (m_queuePairCsv)
    {
        WriteSorted(queuePairRows, *tables.queuePair);
    }
    if (scenario.finished)
    {
        scenario.finished(fabric, monitor.GetFlows(), monitor);
    }

    tables.WriteSummary(plan.label, plan.spec.telemetryName, plan.spec.feedbackName, summary);
    tables.WriteFlows(plan.label, scenario, monitor);
    if (!scenario.bulk)
    {
        tables.WriteSeries(plan.label, monitor);
    }
    return summary;
}

void
HpccExperiment::WriteManifest(const std::string& directory) const
{
    if (m_ranks && m_ranks->GetRank() > 0)
    {
        return;
    }
    std::ostringstream out;
    out << "{\n  \"command\": " << Json(m_commandText) << ",\n  \"attributes\": {";
    const char* separator = "\n";
    for (const auto& [name, value] : m_given)
    {
        out << separator << "    " << Json(name) << ": " << Json(value);
        separator = ",\n";
    }
    out << "\n  },\n  \"seed\": " << m_seed << ",\n  \"run\": " << m_run
        << ",\n  \"version\": " << Json(HPCC_VERSION)
        << ",\n  \"ns3_version\": " << Json(HPCC_NS3_VERSION) << ",\n  \"files\": [";
    separator = "";
    for (const auto& name : m_files)
    {
        out << separator << Json(name);
        separator = ", ";
    }
    out << "]";
    separator = ",\n  \"missing_runs\": [";
    for (const auto& label : m_missing)
    {
        out << separator << Json(label);
        separator = ", ";
    }
    out << (m_missing.empty() ? "" : "]") << "\n}\n";
    WriteFile(directory + "/manifest.json", out.str());
}

int
HpccExperiment::Main(const std::function<void()>& body)
{
    // ns-3 itself aborts on values that its parsers cannot read, after printing the reason.
    std::set_terminate([] {
        if (std::current_exception())
        {
            std::cerr << WhatOf(std::current_exception()) << std::endl;
        }
        if (Simulator::Now().IsZero())
        {
            std::_Exit(2);
        }
        std::abort();
    });
    try
    {
        body();
        return 0;
    }
    catch (const HpccRepeatedRuns::Done&)
    {
        return 0;
    }
    catch (const Checked&)
    {
        return 0;
    }
    catch (const HpccRepeatedRuns::Failed& failed)
    {
        std::cerr << failed.message;
        return failed.exitCode;
    }
    catch (const Interrupted& interrupted)
    {
        std::cerr << interrupted.what() << std::endl;
        return 128 + interrupted.signal;
    }
    catch (const HpccInputError& error)
    {
        std::cerr << error.what() << std::endl;
        return 2;
    }
    catch (...)
    {
        const bool isZero = Simulator::Now().IsZero();
        std::cerr << WhatOf(std::current_exception()) << std::endl;
        return isZero ? 2 : 1;
    }
}

} // namespace ns3
