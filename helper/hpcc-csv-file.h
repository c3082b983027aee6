/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CSV_FILE_H
#define HPCC_CSV_FILE_H

#include <cstdint>
#include <fstream>
#include <string>

namespace ns3
{

/**
 * Returns a time as text: the exact value in us, with 3 decimals.
 * @param ns the time, ns, not negative
 */
std::string FormatUs(int64_t ns);

/**
 * Returns a rate as text: the value in Gb/s, with 3 decimals. A rate above 0 and below 0.1 Gb/s
 * gets 6 significant digits, without trailing zeros after the third decimal.
 * @param bps the rate, bit/s
 */
std::string FormatGbps(double bps);

/**
 * Returns a number as fixed-point text.
 * @param value number to format
 * @param digits number of decimal places
 */
std::string FormatFixed(double value, int digits);

/**
 * @ingroup hpcc
 *
 * A CSV file of results. Save() writes the rows so far under the file's name, and Commit()
 * completes the file. If the program ends before Commit(), the file contains the rows up to the
 * last Save(). If it ends before the first Save(), there is no file.
 */
class HpccCsvFile
{
  public:
    /**
     * Makes a file object. The file is created on disk when the first row is written. Operations
     * that write to the disk throw HpccInputError if they fail.
     * @param path path of the file; empty for a file that is never written
     * @param header names of the columns, separated by commas
     */
    HpccCsvFile(const std::string& path, const std::string& header);

    HpccCsvFile(const HpccCsvFile&) = delete;
    HpccCsvFile& operator=(const HpccCsvFile&) = delete;

    /// Removes rows written after the last Save().
    ~HpccCsvFile();

    /**
     * Appends a part of a row.
     * @param value part of a row
     * @return this file
     */
    template <typename Value>
    HpccCsvFile& operator<<(const Value& value)
    {
        if (!m_out.is_open() && !m_path.empty())
        {
            Open();
        }
        m_out << value;
        return *this;
    }

    /// Saves the rows so far to the disk, so that they remain even if the program ends before
    /// Commit(). More rows may follow. Does nothing if there are no new rows.
    void Save();

    /// Saves all rows and completes the file. A file without rows gets only the header.
    void Commit();

  private:
    /// Opens the separate file of rows that are not saved yet. Writes the header into it if no rows
    /// have been saved so far.
    void Open();
    /// Renames the file of unsaved rows to the name of the table.
    /// @return true if that was possible
    bool RenamePartial() const;
    /// Appends the unsaved rows to the table: either all of them, or none if an error occurs.
    /// @return true if that was possible
    bool AppendPartial() const;

    std::string m_path;   ///< path of the file; empty: never written
    std::string m_header; ///< first line of the file
    std::ofstream m_out;  ///< separate file with the rows since the last Save()
    bool m_saved{false};  ///< true once Save() has saved rows
};

} // namespace ns3

#endif // HPCC_CSV_FILE_H
