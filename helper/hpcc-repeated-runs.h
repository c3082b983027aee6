/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_REPEATED_RUNS_H
#define HPCC_REPEATED_RUNS_H

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A program that runs several times with successive run numbers of ns-3's random numbers, each in a
 * process of its own, and then merges the tables that the runs have left. The merged tables do not
 * depend on how many processes worked at the same time.
 */
class HpccRepeatedRuns
{
  public:
    /// Thrown when all runs have ended well and nothing is left to do.
    struct Done
    {
    };

    /// Thrown when a run has failed, or the program has to end.
    struct Failed
    {
        std::string message; ///< what the run wrote to standard error, of the first that failed
        int exitCode;        ///< its exit code; 1 if a signal ended it; 128 and the number of the
                             ///< signal that the program has got
    };

    /// A table that every run writes.
    struct Table
    {
        std::string file; ///< its name
        uint32_t keys;    ///< columns on the left that say what a row is about; the others are
                          ///< numbers
    };

    /// A column of the printed table.
    struct Column
    {
        std::string title;  ///< as printed
        std::string column; ///< of the merged table
        double scale;       ///< factor
        int digits;         ///< decimals
    };

    /**
     * @param name the program, for progress
     * @param directory where the merged tables go
     * @param firstRun run number of the first run
     * @param runs number of runs, at least 1
     */
    HpccRepeatedRuns(const std::string& name,
                     const std::string& directory,
                     uint64_t firstRun,
                     uint32_t runs);

    /**
     * Starts all runs and waits for them. What they print is not shown.
     * @param parallel runs at the same time; 0 takes the number of processors
     * @param progress say on standard error when a run has ended
     * @return in the process of a run its run number; here, when all have ended, nothing. If a run
     * has failed, or after SIGINT, SIGTERM or SIGHUP, which end the runs, throws Failed
     */
    std::optional<uint64_t> Fork(uint32_t parallel, bool progress) const;

    /**
     * @param table name of a table, FILE.csv
     * @return name of that of means, FILE-ci.csv
     */
    static std::string MeansOf(const std::string& table);

    /**
     * @param run a run number
     * @return the directory of that run
     */
    std::string GetDirectory(uint64_t run) const;

    /**
     * Merges tables: FILE.csv gets the rows of all runs with a last column "run", FILE-ci.csv per
     * row of keys the number of runs that have it, and for each other column NAME its mean, NAME,
     * and half the width of its 95 % confidence interval by Student's t distribution, NAME_ci95.
     * Values that are not numbers are ignored; the mean of none is nan, and so is the interval of
     * a single one. Tables that no run has written are left out.
     * @param tables the tables
     */
    void Merge(const std::vector<Table>& tables) const;

    /**
     * Prints means and intervals; nothing if there is no such file.
     * @param out the stream
     * @param path a FILE-ci.csv with the key in its first column
     * @param columns columns
     */
    static void PrintMeans(std::ostream& out,
                           const std::string& path,
                           const std::vector<Column>& columns);

    /// A mean and its confidence.
    struct Estimate
    {
        double mean;         ///< nan without values
        double halfInterval; ///< half the width of the 95 % interval; nan with less than 2 values
    };

    /**
     * @param values values that are independent and normally distributed
     * @return the estimate
     */
    static Estimate EstimateMean(const std::vector<double>& values);

  private:
    std::string m_name;      ///< the program
    std::string m_directory; ///< where the merged tables go
    uint64_t m_firstRun;     ///< first run number
    uint32_t m_runs;         ///< number of runs
};

} // namespace ns3

#endif // HPCC_REPEATED_RUNS_H
