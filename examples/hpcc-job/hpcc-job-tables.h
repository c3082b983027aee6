/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_JOB_TABLES_H
#define HPCC_JOB_TABLES_H

#include "hpcc-job-spec.h"

#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-job-report.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * The tables of hpcc-job: jobs.csv, collectives.csv and timeline.csv.
 */
class HpccJobTables
{
  public:
    /**
     * Creates the tables.
     * @param pathOf function that returns the path of the table with a given name
     * @param several true if there are several jobs; labels then include the number of the job
     */
    HpccJobTables(const std::function<std::string(const std::string&)>& pathOf, bool several);

    /**
     * Adds the rows of a job to the tables, and prints the values of its row in jobs.csv.
     * @param label name of the run in the tables
     * @param number number of the job
     * @param job the job
     * @param times times of its operations
     * @param startNs start of the job, ns
     * @param boundNs lower bound of the job's duration, ns; -1 if not known
     */
    void Add(const std::string& label,
             size_t number,
             const HpccPlacedJob& job,
             const HpccJobReport::Times& times,
             int64_t startNs,
             int64_t boundNs);

    /// Returns the tables.
    std::vector<HpccCsvFile*> Get()
    {
        return {&m_jobs, &m_collectives, &m_timeline};
    }

    /// Writes the tables to their files.
    void Commit();

  private:
    bool m_several;            ///< true if there are several jobs
    HpccCsvFile m_jobs;        ///< one row per job
    HpccCsvFile m_collectives; ///< one row per collective
    HpccCsvFile m_timeline;    ///< one row per interval of a rank
};

} // namespace ns3

#endif // HPCC_JOB_TABLES_H
