/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-repeated-runs.h"

#include "hpcc-csv-file.h"
#include "hpcc-workers.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <utility>

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
HpccRepeatedRuns::MeansOf(const std::string& table)
{
    return table.substr(0, table.rfind('.')) + "-ci.csv";
}

std::string
HpccRepeatedRuns::GetDirectory(uint64_t run) const
{
    return m_directory + "/run-" + std::to_string(run);
}

std::optional<uint64_t>
HpccRepeatedRuns::Fork(uint32_t parallel, bool progress) const
{
    const uint32_t most = parallel ? parallel : std::max(1U, std::thread::hardware_concurrency());
    std::vector<HpccWorkers::Ended> ended;
    bool failed = false;
    HpccWorkers workers;
    try
    {
        for (uint32_t next = 0; workers.GetRunning() > 0 || (next < m_runs && !failed);)
        {
            if (workers.GetRunning() < most && next < m_runs && !failed)
            {
                const uint64_t run = m_firstRun + next++;
                if (workers.Start(run))
                {
                    return run;
                }
                continue;
            }
            ended.push_back(workers.Wait());
            failed = failed || ended.back().status != 0;
            if (progress && !failed)
            {
                std::cerr << m_name << ": " << ended.size() << " of " << m_runs
                          << " runs have ended" << std::endl;
            }
        }
    }
    catch (const HpccWorkers::Interrupted& interrupted)
    {
        throw Failed{m_name + ": ended by signal " + std::to_string(interrupted.signal) + "; " +
                         std::to_string(ended.size()) + " of " + std::to_string(m_runs) +
                         " runs have ended, see " + m_directory +
                         "/run-N; the results have no "
                         "means\n",
                     128 + interrupted.signal};
    }
    std::sort(ended.begin(), ended.end(), [](const auto& a, const auto& b) {
        return a.job < b.job;
    });
    for (const auto& worker : ended)
    {
        if (worker.status == 0)
        {
            continue;
        }
        if (WIFEXITED(worker.status))
        {
            const std::string line = m_name + ": run " + std::to_string(worker.job) +
                                     " has ended with " + worker.HowItEnded() + "\n";
            throw Failed{worker.errors.empty() ? line : worker.errors, WEXITSTATUS(worker.status)};
        }
        throw Failed{worker.errors + m_name + ": run " + std::to_string(worker.job) +
                         " was ended by " + worker.HowItEnded() + "\n",
                     1};
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
        HpccCsvFile means(m_directory + "/" + MeansOf(table.file), header);
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
