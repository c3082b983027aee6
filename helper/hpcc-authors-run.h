/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_AUTHORS_RUN_H
#define HPCC_AUTHORS_RUN_H

#include "hpcc-authors-config.h"
#include "hpcc-experiment.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Builds the network of a config of the HPCC authors' simulator as that simulator has it, and
 * writes its output files: fct, pfc and qlen. Its wire profile: 48 bytes ahead of the payload, ACKs
 * of 60 bytes, or 46 and the telemetry, no Ethernet overhead, transmission times in whole ns, queue
 * lengths of the whole port, marks echoed in ACKs.
 */
class HpccAuthorsRun
{
  public:
    /// @param config the files; must outlive this object
    explicit HpccAuthorsRun(const HpccAuthorsConfig& config);

    ~HpccAuthorsRun();

    /**
     * Set the attributes of devices, switches and hosts.
     * @param fabric before Install()
     */
    void Configure(HpccFabricHelper& fabric) const;

    /**
     * @param spec policy and telemetry of every flow
     * @return what to run, writing the output files when it is over
     */
    HpccExperiment::Scenario MakeScenario(const HpccFabricHelper::PolicySpec& spec);

    /// Give the output files other places than the config names; empty writes none.
    /// @param fct fct file @param pfc pfc file @param qlen qlen file
    void SetOutputs(const std::string& fct, const std::string& pfc, const std::string& qlen);

  private:
    /// What happens to PFC and queues.
    struct Recorder;

    /// @param fabric the network @param flows plans @param monitor results
    void WriteFct(HpccFabricHelper& fabric,
                  const std::vector<HpccFlowPlan>& flows,
                  const HpccMonitor& monitor) const;

    const HpccAuthorsConfig& m_config;    ///< the files
    std::string m_fctPath;                ///< fct file
    std::string m_pfcPath;                ///< pfc file
    std::string m_qlenPath;               ///< qlen file
    std::vector<uint16_t> m_sourcePorts;  ///< by flow
    size_t m_connected{0};                ///< flows connected so far
    std::unique_ptr<Recorder> m_recorder; ///< of the run
};

} // namespace ns3

#endif // HPCC_AUTHORS_RUN_H
