/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_AUTHORS_RUN_H
#define HPCC_AUTHORS_RUN_H

#include "hpcc-authors-config.h"

#include "ns3/hpcc-experiment.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class AuthorsRecorder;

/**
 * @ingroup hpcc
 *
 * Builds the network of a config of the HPCC authors' simulator as that simulator has it, and
 * writes its output files: fct, pfc and qlen. Its wire profile: 48 bytes ahead of the payload, ACKs
 * of 60 bytes, or 46 and the telemetry, no Ethernet overhead, transmission times in whole ns, queue
 * lengths of the whole port, marks echoed in ACKs.
 *
 * Marks use the same random numbers as in that simulator with the same RngSeed and RngRun: for each
 * mark the first number of a new ns-3 stream, with streams ascending from 6 per node plus 2, plus 2
 * per link with errors, which is the number that building its network takes. So single runs can be
 * compared until they first differ in a packet. There, all switches and the PFC frames share the
 * streams; here each switch has 2^40 of its own, so that no node depends on another's draws. With
 * several switches, or after a pause, only distributions can be compared.
 */
class HpccAuthorsRun
{
  public:
    /// Name of that simulator's ECMP, for HpccFabricHelper::SetPaths().
    static constexpr const char* PATHS = "ecmp:authors";

    /// @param config the files; must outlive this object
    explicit HpccAuthorsRun(const HpccAuthorsConfig& config);

    ~HpccAuthorsRun();

    /**
     * Sets the attributes of devices, switches and hosts.
     * @param fabric before Install()
     */
    void Configure(HpccFabricHelper& fabric) const;

    /**
     * @param spec policy and telemetry of every flow
     * @return what to run, writing the output files when it is over
     */
    HpccExperiment::Scenario MakeScenario(const HpccFabricHelper::PolicySpec& spec);

    /**
     * Sets the order in which a node handles what reaches it in the same nanosecond: by the links
     * of the topology file, or by them backwards. In that simulator it is the order of event
     * numbers, which no order of links always gives.
     * @param laterLinksFirst whether later links come first; by default earlier ones do
     */
    void SetLaterLinksFirst(bool laterLinksFirst);

    /**
     * Sets the priority of ACKs in switches, attribute AckHighPrio of a switch there.
     * @param acksFirst whether they precede data; by default they wait among it
     */
    void SetAcksFirst(bool acksFirst);

    /**
     * Sets other output files than the config names; no file is written for an empty name.
     *
     * @param fct fct file
     * @param pfc pfc file
     * @param qlen qlen file
     */
    void SetOutputs(const std::string& fct, const std::string& pfc, const std::string& qlen);

    /**
     * Writes the output files that the config names into one directory, under the names that they
     * have there, so that results which came with a config are not written over.
     * @param directory an existing directory
     */
    void SetOutputDirectory(const std::string& directory);

  private:
    /**
     * @param device a port
     * @return its number there: 1 for the first link of the node in the file
     */
    uint32_t InterfaceOf(const QbbNetDevice& device) const;
    /// Gives the switches that simulator's random numbers.
    /// @param fabric the network
    void DrawMarks(HpccFabricHelper& fabric) const;
    /// Gives the switches that simulator's next hops in its order, and the ports of its hash.
    /// @param fabric the network
    void SetRoutes(HpccFabricHelper& fabric) const;
    /// Gives ACKs their priority at hosts, where it differs from that in switches: a pause of the
    /// data stops them only if it does there.
    /// @param fabric the network
    void SetAckPriority(HpccFabricHelper& fabric) const;
    /**
     * @param link number of a link in the topology file
     * @return its number in the network here
     */
    uint32_t LinkHere(uint32_t link) const;
    /// @return priority of all flows here
    uint32_t GetPriority() const;
    /**
     * @param fabric the network
     * @param flows plans
     * @param monitor results
     */
    void WriteFct(HpccFabricHelper& fabric,
                  const std::vector<HpccFlowPlan>& flows,
                  const HpccMonitor& monitor) const;

    const HpccAuthorsConfig& m_config;           ///< the files
    std::string m_fctPath;                       ///< fct file
    std::string m_pfcPath;                       ///< pfc file
    std::vector<uint32_t> m_failing;             ///< links of LINK_DOWN
    Time m_failsAt;                              ///< when they fail, from 2 s on
    std::string m_qlenPath;                      ///< qlen file
    bool m_laterLinksFirst{false};               ///< see SetLaterLinksFirst()
    bool m_acksFirst{false};                     ///< see SetAcksFirst()
    std::vector<uint16_t> m_sourcePorts;         ///< by flow
    size_t m_connected{0};                       ///< flows connected so far
    std::unique_ptr<AuthorsRecorder> m_recorder; ///< of the run
};

} // namespace ns3

#endif // HPCC_AUTHORS_RUN_H
