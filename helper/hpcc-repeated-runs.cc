/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-repeated-runs.h"

#include "hpcc-csv-file.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ns3
{

namespace
{

/// A CSV file in memory.
struct Csv
{
    std::vector<std::string> header;            ///< names of the columns
    std::vector<std::vector<std::string>> rows; ///< cells
};

std::vector<std::string>
SplitRow(const std::string& line)
{
    std::vector<std::string> cells;
    std::istringstream in(line);
    std::string cell;
    while (std::getline(in, cell, ','))
    {
        cells.push_back(cell);
    }
    return cells;
}

std::string
JoinRow(const std::vector<std::string>& cells)
{
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i)
    {
        line += (i == 0 ? "" : ",") + cells[i];
    }
    return line;
}

/// @return the file; nothing if there is none
std::optional<Csv>
ReadCsv(const std::string& path)
{
    std::ifstream in(path);
    std::string line;
    if (!std::getline(in, line))
    {
        return {};
    }
    Csv csv{SplitRow(line), {}};
    while (std::getline(in, line))
    {
        csv.rows.push_back(SplitRow(line));
        csv.rows.back().resize(csv.header.size());
    }
    return csv;
}

/// @return the number in a cell; nan if there is none
double
NumberIn(const std::string& cell)
{
    char* end = nullptr;
    double value = std::strtod(cell.c_str(), &end);
    return end == cell.c_str() || *end != 0 ? std::nan("") : value;
}

std::string
TextOf(double value)
{
    std::ostringstream out;
    out << std::setprecision(10) << value;
    return std::isnan(value) ? "nan" : out.str();
}

/// A process that does a run.
struct Child
{
    uint64_t run;      ///< its run number
    std::FILE* output; ///< what it prints
    int status{0};     ///< how it ended
};

/// @return what a child has printed; closes it
std::string
TakeOutput(Child& child)
{
    std::string text;
    std::rewind(child.output);
    for (int c = std::fgetc(child.output); c != EOF; c = std::fgetc(child.output))
    {
        text += static_cast<char>(c);
    }
    std::fclose(child.output);
    return text;
}

/// Send standard output and error of this process to a file.
void
Redirect(std::FILE* errors)
{
    std::FILE* null = std::fopen("/dev/null", "w");
    if (null)
    {
        dup2(fileno(null), STDOUT_FILENO);
        std::fclose(null);
    }
    dup2(fileno(errors), STDERR_FILENO);
}

} // namespace

HpccRepeatedRuns::HpccRepeatedRuns(const std::string& name,
                                   const std::string& directory,
                                   uint64_t firstRun,
                                   uint32_t runs)
    : m_name(name),
      m_directory(directory),
      m_firstRun(firstRun),
      m_runs(runs)
{
}

std::string
HpccRepeatedRuns::GetDirectory(uint64_t run) const
{
    return m_directory + "/run-" + std::to_string(run);
}

std::optional<uint64_t>
HpccRepeatedRuns::Fork(uint32_t parallel, bool progress) const
{
    uint32_t most = parallel ? parallel : std::max(1U, std::thread::hardware_concurrency());
    std::map<pid_t, Child> running;
    std::vector<Child> ended;
    bool failed = false;
    for (uint32_t next = 0; !running.empty() || (next < m_runs && !failed);)
    {
        if (running.size() < most && next < m_runs && !failed)
        {
            Child child{m_firstRun + next++, std::tmpfile()};
            std::cout.flush();
            std::cerr.flush();
            pid_t pid = child.output ? fork() : -1;
            if (pid < 0)
            {
                throw Failed{m_name + ": a process for a run cannot be started\n", 1};
            }
            if (pid == 0)
            {
                Redirect(child.output);
                return child.run;
            }
            running.emplace(pid, child);
            continue;
        }
        int status = 0;
        auto found = running.find(wait(&status));
        if (found == running.end())
        {
            continue;
        }
        found->second.status = status;
        failed = failed || status != 0;
        ended.push_back(found->second);
        running.erase(found);
        if (progress && !failed)
        {
            std::cerr << m_name << ": " << ended.size() << " of " << m_runs << " runs have ended"
                      << std::endl;
        }
    }
    std::sort(ended.begin(), ended.end(), [](const Child& a, const Child& b) {
        return a.run < b.run;
    });
    std::optional<Failed> failure;
    for (auto& child : ended)
    {
        std::string text = TakeOutput(child);
        if (child.status != 0 && !failure)
        {
            bool exited = WIFEXITED(child.status);
            failure = {text, exited ? WEXITSTATUS(child.status) : 1};
            if (!exited)
            {
                failure->message += m_name + ": run " + std::to_string(child.run) +
                                    " was ended by signal " +
                                    std::to_string(WTERMSIG(child.status)) + "\n";
            }
        }
    }
    if (failure)
    {
        throw *failure;
    }
    return {};
}

HpccRepeatedRuns::Estimate
HpccRepeatedRuns::EstimateMean(const std::vector<double>& values)
{
    auto n = static_cast<double>(values.size());
    if (values.empty())
    {
        return {std::nan(""), std::nan("")};
    }
    double mean = 0;
    for (double value : values)
    {
        mean += value / n;
    }
    if (values.size() < 2)
    {
        return {mean, std::nan("")};
    }
    double squares = 0;
    for (double value : values)
    {
        squares += (value - mean) * (value - mean);
    }
    double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
    return {mean, t * std::sqrt(squares / (n - 1) / n)};
}

void
HpccRepeatedRuns::Merge(const std::vector<Table>& tables) const
{
    for (const auto& table : tables)
    {
        std::string stem = table.file.substr(0, table.file.rfind('.'));
        std::optional<HpccCsvFile> all;
        std::vector<std::string> names;
        std::vector<std::vector<std::string>> order;
        std::map<std::vector<std::string>, std::vector<std::vector<double>>> values;
        for (uint64_t run = m_firstRun; run < m_firstRun + m_runs; ++run)
        {
            auto csv = ReadCsv(GetDirectory(run) + "/" + table.file);
            if (!csv)
            {
                continue;
            }
            if (!all)
            {
                names = csv->header;
                all.emplace(m_directory + "/" + table.file, JoinRow(names) + ",run");
            }
            for (const auto& row : csv->rows)
            {
                *all << JoinRow(row) << "," << run << "\n";
                std::vector<std::string> key(row.begin(), row.begin() + table.keys);
                auto [found, isNew] = values.try_emplace(key, names.size());
                if (isNew)
                {
                    order.push_back(key);
                }
                for (size_t i = 0; i < names.size(); ++i)
                {
                    found->second[i].push_back(NumberIn(row[i]));
                }
            }
        }
        if (!all)
        {
            continue;
        }
        all->Commit();
        std::string header =
            JoinRow({names.begin(), names.begin() + static_cast<int64_t>(table.keys)}) + ",runs";
        for (size_t i = table.keys; i < names.size(); ++i)
        {
            header += "," + names[i] + "," + names[i] + "_ci95";
        }
        HpccCsvFile means(m_directory + "/" + stem + "-ci.csv", header);
        for (const auto& key : order)
        {
            const auto& columns = values[key];
            means << JoinRow(key) << "," << columns.front().size();
            for (size_t i = table.keys; i < names.size(); ++i)
            {
                std::vector<double> numbers = columns[i];
                numbers.erase(std::remove_if(numbers.begin(),
                                             numbers.end(),
                                             [](double value) { return !std::isfinite(value); }),
                              numbers.end());
                Estimate estimate = EstimateMean(numbers);
                means << "," << TextOf(estimate.mean) << "," << TextOf(estimate.halfInterval);
            }
            means << "\n";
        }
        means.Commit();
    }
}

void
HpccRepeatedRuns::PrintMeans(std::ostream& out,
                             const std::string& path,
                             const std::vector<Column>& columns)
{
    auto csv = ReadCsv(path);
    if (!csv)
    {
        return;
    }
    std::vector<std::vector<std::string>> lines{{"policy"}};
    for (const auto& column : columns)
    {
        lines.front().push_back(column.title);
    }
    for (const auto& row : csv->rows)
    {
        lines.push_back({row.front()});
        for (const auto& column : columns)
        {
            auto found = std::find(csv->header.begin(), csv->header.end(), column.column);
            auto i = static_cast<size_t>(found - csv->header.begin());
            double mean = NumberIn(row[i]) * column.scale;
            double interval = NumberIn(row[i + 1]) * column.scale;
            lines.back().push_back(std::isnan(mean) ? "-"
                                                    : FormatFixed(mean, column.digits) + " +- " +
                                                          FormatFixed(interval, column.digits));
        }
    }
    for (const auto& line : lines)
    {
        for (size_t i = 0; i < line.size(); ++i)
        {
            size_t width = 0;
            for (const auto& other : lines)
            {
                width = std::max(width, other[i].size());
            }
            out << (i == 0 ? std::left : std::right)
                << std::setw(static_cast<int>(width + (i == 0 ? 0 : 2))) << line[i];
        }
        out << "\n";
    }
}

} // namespace ns3
