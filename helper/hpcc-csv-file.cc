/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-csv-file.h"

#include "hpcc-topology.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <sstream>

namespace ns3
{

namespace
{

constexpr int DECIMALS = 3; ///< number of decimals of a rate in Gb/s

/// Returns the path of the file that contains the unsaved rows of a table.
std::string
Partial(const std::string& path)
{
    return path + ".part";
}

} // namespace

std::string
FormatUs(int64_t ns)
{
    std::ostringstream out;
    out << ns / 1000 << "." << std::setw(3) << std::setfill('0') << ns % 1000;
    return out.str();
}

std::string
FormatGbps(double bps)
{
    const double gbps = bps / 1e9;
    if (!(gbps > 0 && gbps < 0.1))
    {
        return FormatFixed(gbps, DECIMALS);
    }
    // With three decimals, the rates of slow links would be rounded to 0.
    std::string text = FormatFixed(gbps, 5 - static_cast<int>(std::floor(std::log10(gbps))));
    const size_t shortest = text.find('.') + DECIMALS + 1;
    text.erase(std::max(text.find_last_not_of('0') + 1, shortest));
    return text;
}

std::string
FormatFixed(double value, int digits)
{
    std::ostringstream out;
    out << std::fixed << std::setprecision(digits) << value;
    return out.str();
}

HpccCsvFile::HpccCsvFile(const std::string& path, const std::string& header)
    : m_path(path),
      m_header(header)
{
}

void
HpccCsvFile::Open()
{
    m_out.open(Partial(m_path), std::ios::binary);
    if (!m_saved)
    {
        m_out << m_header << "\n";
    }
    HPCC_REFUSE_IF(!m_out, "cannot write " + m_path);
}

HpccCsvFile::~HpccCsvFile()
{
    if (m_out.is_open())
    {
        m_out.close();
        std::error_code error;
        std::filesystem::remove(Partial(m_path), error);
    }
}

void
HpccCsvFile::Save()
{
    if (!m_out.is_open())
    {
        return;
    }
    m_out.close();
    const bool written = m_out && (m_saved ? AppendPartial() : RenamePartial());
    if (!written || m_saved)
    {
        std::error_code error;
        std::filesystem::remove(Partial(m_path), error);
    }
    HPCC_REFUSE_IF(!written, "cannot write " + m_path);
    m_saved = true;
}

bool
HpccCsvFile::RenamePartial() const
{
    std::error_code error;
    std::filesystem::rename(Partial(m_path), m_path, error);
    return !error;
}

bool
HpccCsvFile::AppendPartial() const
{
    std::error_code error;
    const uintmax_t before = std::filesystem::file_size(m_path, error);
    std::ofstream out(m_path, std::ios::binary | std::ios::app);
    out << std::ifstream(Partial(m_path), std::ios::binary).rdbuf();
    out.close();
    if (!out && !error)
    {
        std::filesystem::resize_file(m_path, before, error);
    }
    return out && !error;
}

void
HpccCsvFile::Commit()
{
    if (!m_path.empty() && !m_saved && !m_out.is_open())
    {
        Open();
    }
    Save();
}

} // namespace ns3
