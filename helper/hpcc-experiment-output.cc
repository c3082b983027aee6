/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-experiment-plans.h"
#include "hpcc-experiment-values.h"
#include "hpcc-output-directory.h"
#include "hpcc-script.h"
#include "hpcc-topology.h"

#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-split-at.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#ifndef HPCC_VERSION
#define HPCC_VERSION "unknown"
#endif
#ifndef HPCC_NS3_VERSION
#define HPCC_NS3_VERSION "unknown"
#endif

// The part of HpccExperiment that manages the directory of results: its lock, the runs in it, the
// manifest, and the picture of the topology.

namespace ns3
{

namespace
{

/// Returns a text as a JSON string.
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
    HPCC_REFUSE_IF(!HpccOutputDirectory::WriteFile(path, text), "cannot write " + path);
}

} // namespace

void
HpccExperiment::MakeDirectory(const std::string& directory)
{
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    HPCC_REFUSE_IF(!std::filesystem::is_directory(directory),
                   "--out: cannot create the directory " + directory);
}

std::string
HpccExperiment::PathOf(const std::string& name) const
{
    m_values->files[m_values->out].insert(name);
    return m_values->ranks && m_values->ranks->GetRank() > 0 ? "" : m_values->out + "/" + name;
}

std::vector<std::string>
HpccExperiment::ListTables() const
{
    std::vector<std::string> names{"fct.csv",
                                   "queue.csv",
                                   "throughput.csv",
                                   "flow_rate.csv",
                                   "qp.csv"};
    for (const auto& [file, keys] : m_values->mergedTables)
    {
        names.push_back(file);
        names.push_back(file.substr(0, file.rfind('.')) + "-ci.csv");
    }
    return names;
}

void
HpccExperiment::RemoveRuns(const std::string& directory) const
{
    std::error_code error;
    std::vector<std::filesystem::path> left;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
    {
        const std::string name = entry.path().filename().string();
        const bool isRun = name.rfind("run-", 0) == 0 && name.size() > 4 && name.size() < 25 &&
                           name.find_first_not_of("0123456789", 4) == std::string::npos;
        const bool own = !m_values->outOfAll.empty() && isRun &&
                         std::strtoull(&name[4], nullptr, 10) - m_values->firstRun < m_values->runs;
        if (isRun && !own && entry.is_directory(error))
        {
            left.push_back(entry.path());
        }
    }
    for (const auto& run : left)
    {
        const HpccOutputDirectory unused(run.string());
    }
    for (const auto& run : left)
    {
        const HpccOutputDirectory claimed(run.string());
        HpccOutputDirectory::RemoveResults(run.string(), ListTables());
        std::filesystem::remove(run, error); // not removed if it contains other files
    }
}

void
HpccExperiment::ClaimOut()
{
    if (m_values->ranks && m_values->ranks->GetRank() > 0)
    {
        MakeDirectory(m_values->out);
        return;
    }
    for (const std::string& path : {m_values->root, m_values->out})
    {
        if (path.empty() || m_values->claimed.count(path))
        {
            continue;
        }
        m_values->claimed[path] = std::make_unique<HpccOutputDirectory>(path);
        // With --runs, only the first run removes the results of earlier commands. If every run
        // did, a run could find a directory that another run has locked.
        if (m_values->outOfAll.empty())
        {
            RemoveRuns(m_values->out);
        }
        else if (m_values->run == m_values->firstRun)
        {
            RemoveRuns(m_values->outOfAll);
            HpccOutputDirectory::RemoveResults(m_values->outOfAll, ListTables());
        }
        HpccOutputDirectory::RemoveResults(path, ListTables());
    }
}

void
HpccExperiment::Repeat(const std::vector<std::string>& arguments) const
{
    std::vector<std::string> words{"--name=" + m_values->name,
                                   "--out=" + m_values->out,
                                   "--run=" + std::to_string(m_values->run),
                                   "--runs=" + std::to_string(m_values->runs),
                                   "--jobs=" + std::to_string(m_values->parallel),
                                   "--progress=" + std::to_string(m_values->progress)};
    for (const auto& [file, keys] : m_values->mergedTables)
    {
        words.push_back("--table=" + file + ":" + std::to_string(keys));
    }
    words.insert(words.end(), {"--", HpccScript::GetProgram()});
    words.insert(words.end(), arguments.begin(), arguments.end());
    HpccScript::Start("--runs", "hpcc-repeat.py", words);
}

void
HpccExperiment::TakeOnlyRun()
{
    HPCC_REFUSE_IF(m_values->onlyRun - m_values->run >= m_values->runs,
                   "--only-run: " + std::to_string(m_values->onlyRun) + " is not among the " +
                       std::to_string(m_values->runs) + " runs from " +
                       std::to_string(m_values->run) + " on");
    m_values->firstRun = m_values->run;
    m_values->run = m_values->onlyRun;
    m_values->outOfAll = m_values->out;
    m_values->out += "/run-" + std::to_string(m_values->run);
    m_values->progress = false;
}

void
HpccExperiment::ReportMissing(const std::vector<Plan>& plans, size_t ended)
{
    std::vector<std::string> there;
    for (size_t i = 0; i < plans.size(); ++i)
    {
        (i < ended ? there : m_values->missing).push_back(plans[i].label);
    }
    if (ended > 0)
    {
        WriteManifest(m_values->out);
    }
    throw Interrupted(
        m_values->name + ": ended by " + (m_values->signal == SIGINT ? "SIGINT" : "SIGTERM") +
            "; missing: " + JoinNames(m_values->missing) +
            (ended > 0 ? "; " + m_values->out + " has the results of " + JoinNames(there) : ""),
        m_values->signal);
}

void
HpccExperiment::RunWithoutFabric(const std::function<void()>& simulate)
{
    EndIfChecked();
    ClaimOut();
    simulate();
    WriteManifest(m_values->out);
    std::cout << "results in " << m_values->out << std::endl;
}

void
HpccExperiment::WriteManifest(const std::string& directory) const
{
    if (m_values->ranks && m_values->ranks->GetRank() > 0)
    {
        return;
    }
    std::ostringstream out;
    out << "{\n  \"command\": " << Json(m_values->commandText) << ",\n  \"attributes\": {";
    const char* separator = "\n";
    for (const auto& [name, value] : m_given)
    {
        out << separator << "    " << Json(name) << ": " << Json(value);
        separator = ",\n";
    }
    out << "\n  },\n  \"seed\": " << m_values->seed << ",\n  \"run\": " << m_values->run
        << ",\n  \"version\": " << Json(HPCC_VERSION)
        << ",\n  \"ns3_version\": " << Json(HPCC_NS3_VERSION) << ",\n  \"files\": [";
    separator = "";
    for (const auto& name : m_values->files[directory])
    {
        out << separator << Json(name);
        separator = ", ";
    }
    out << "]";
    separator = ",\n  \"missing_runs\": [";
    for (const auto& label : m_values->missing)
    {
        out << separator << Json(label);
        separator = ", ";
    }
    out << (m_values->missing.empty() ? "" : "]") << "\n}\n";
    WriteFile(directory + "/manifest.json", out.str());
}

void
HpccExperiment::PrintVersion()
{
    std::cout << "hpcc " << HPCC_VERSION << ", ns-3 " << HPCC_NS3_VERSION << std::endl;
    throw Done();
}

void
HpccExperiment::Describe(const HpccTopology& topology) const
{
    if (!m_values->describe)
    {
        return;
    }
    if (!m_values->ranks || m_values->ranks->GetRank() == 0)
    {
        const std::string picture = DrawTopology(topology);
        const std::string path = m_values->out + "/topology.svg";
        std::cout << DescribeTopology(topology);
        if (picture.empty())
        {
            std::cout << "not drawn: more than " << MAX_DRAWN_SWITCHES
                      << " switches are equally far from the hosts" << std::endl;
        }
        else
        {
            MakeDirectory(m_values->out);
            WriteFile(path, picture);
            std::cout << "drawn in " << path << std::endl;
        }
    }
    throw Done();
}

} // namespace ns3
