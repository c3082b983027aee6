/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_EXPERIMENT_TABLES_H
#define HPCC_EXPERIMENT_TABLES_H

#include "hpcc-experiment.h"

#include <cstdint>
#include <list>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The CSV files of an HpccExperiment, and the table that an HpccExperiment prints at the end.
 */
struct HpccExperiment::Tables
{
    /**
     * Creates the tables of an experiment.
     * @param experiment the experiment, whose options determine the tables
     * @param scenario scenario of all simulations
     */
    Tables(const HpccExperiment& experiment, const Scenario& scenario);

    /// Saves the rows so far to the disk.
    void Save();
    /// Completes all files.
    void Commit();
    /**
     * Writes the row of a simulation into the table of summaries.
     * @param label label of the simulation
     * @param telemetry telemetry format of the simulation
     * @param feedback feedback mode of the simulation
     * @param s summary of the simulation
     * @param counts result of Scenario::count
     * @param monitor monitor with the results of the simulation
     */
    void WriteSummary(const std::string& label,
                      const std::string& telemetry,
                      const std::string& feedback,
                      const HpccSummary& s,
                      const std::vector<uint64_t>& counts,
                      const HpccMonitor& monitor);
    /**
     * Writes the row of a flow into fct.csv.
     * @param label label of the simulation
     * @param scenario scenario of the simulation
     * @param monitor monitor with the results of the simulation
     * @param i number of the flow
     */
    void WriteFlow(const std::string& label,
                   const Scenario& scenario,
                   const HpccMonitor& monitor,
                   size_t i);
    /**
     * Writes rows of finished flows during a simulation, in the order of the flows' numbers. Stops
     * at the first flow that has not finished.
     * @param label label of the simulation
     * @param scenario scenario of the simulation
     * @param monitor monitor with the results of the simulation
     */
    void WriteFinishedFlows(const std::string& label,
                            const Scenario& scenario,
                            const HpccMonitor& monitor);
    /**
     * Writes the rows of a simulation's flows that WriteFinishedFlows() has not written.
     * @param label label of the simulation
     * @param scenario scenario of the simulation
     * @param monitor monitor with the results of the simulation
     */
    void WriteFlows(const std::string& label, const Scenario& scenario, const HpccMonitor& monitor);
    /**
     * Writes the rows of a simulation's series.
     * @param label label of the simulation
     * @param monitor monitor with the results of the simulation
     */
    void WriteSeries(const std::string& label, const HpccMonitor& monitor);
    /**
     * Starts to record the state of each queue pair whenever an ACK arrives, for WriteQueuePairs().
     * @param label label of the simulation
     * @param fabric network of the simulation; the simulation must end before this object is
     * destroyed
     */
    void WatchQueuePairs(const std::string& label, const HpccFabricHelper& fabric);
    /// Writes the recorded states sorted by time, then host, so that the file does not depend on
    /// the order of events in a nanosecond.
    void WriteQueuePairs();
    /**
     * Prints the most important results of all simulations on standard output.
     * @param plans plans of the simulations
     * @param summaries summaries of the simulations
     */
    static void PrintSummaries(const std::vector<Plan>& plans,
                               const std::vector<HpccSummary>& summaries);

    /// A row of qp.csv.
    struct QueuePairRow
    {
        int64_t timeNs;   ///< time of the row, ns
        uint32_t host;    ///< the host
        std::string text; ///< all columns
    };

    /**
     * Appends a row when an ACK arrives. This function is connected to the trace source
     * RdmaHost::Acknowledged.
     * @param rows rows to which the new row is appended
     * @param label first column
     * @param host number of the host
     * @param qp a queue pair of the host
     * @param nowNs time of the acknowledgement, ns
     * @param rttNs round-trip time sample, ns; not used
     */
    static void RecordQueuePair(std::vector<QueuePairRow>* rows,
                                std::string label,
                                uint32_t host,
                                const RdmaQueuePair& qp,
                                int64_t nowNs,
                                int64_t rttNs);

    std::list<HpccCsvFile> files;     ///< all tables
    HpccCsvFile* summary;             ///< summary.csv
    HpccCsvFile* fct;                 ///< fct.csv
    HpccCsvFile* queue{nullptr};      ///< queue.csv; null: not written
    HpccCsvFile* throughput{nullptr}; ///< throughput.csv; null: not written
    HpccCsvFile* flowRate{nullptr};   ///< flow_rate.csv; null: not written
    HpccCsvFile* queuePair{nullptr};  ///< qp.csv; null: not written

    size_t flowsWritten{0}; ///< number of rows of the current simulation that are in fct.csv

    std::vector<QueuePairRow> queuePairRows; ///< rows of qp.csv recorded so far; see
                                             ///< WatchQueuePairs()
};

} // namespace ns3

#endif // HPCC_EXPERIMENT_TABLES_H
