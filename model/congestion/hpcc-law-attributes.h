/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_LAW_ATTRIBUTES_H
#define HPCC_LAW_ATTRIBUTES_H

#include "hpcc-feedback-check.h"
#include "hpcc-law.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The parameters of HpccLaw as attributes. It is a second base class of a sender that is fed by
 * probes: T, Eta, MaxStage, Wai, N, CountedShare, InitialU, MinRate, QueueFilter, FirstSample; and
 * those of FeedbackCheck: CheckFeedback, FeedbackSlack.
 */
class HpccLawAttributes
{
  public:
    /**
     * @param tid the sender's TypeId
     * @return it with the attributes
     */
    static TypeId AddTo(TypeId tid);

    /**
     * Checks the attributes.
     * @param name of the sender's class
     * @param telemetry what the format of its probes carries
     * @return an empty string, or one line that says what is wrong
     */
    std::string ValidateLaw(const std::string& name, const TelemetryCapabilities& telemetry) const;

    /// @param networkBaseRttNs T of the network, ns, which holds while the attribute T is 0
    /// @return the parameters of the law
    HpccParameters GetLawParameters(int64_t networkBaseRttNs) const;

    /// The sender's own measurements, to be compared with a report.
    struct View
    {
        int64_t rttNs;            ///< sample of the round-trip time, ns; -1 if there is none
        uint64_t newlyAckedBytes; ///< arrived since the last report
        uint64_t inFlightBytes;   ///< bytes in flight
    };

    /**
     * Begins to check the reports for a flow, with CheckFeedback.
     * @param networkBaseRttNs T of the network, ns
     */
    void OpenCheck(int64_t networkBaseRttNs);

    /**
     * Compares a report with what the sender sees, with CheckFeedback, before the law takes it.
     * @param flow the flow, whose growth is capped while the report is doubted
     * @param report the report
     * @param view what the sender sees
     * @return true if doubt has begun or ended
     */
    bool CheckReport(HpccFlow& flow, const HpccSample& report, const View& view);

  private:
    Time m_baseRtt;                            ///< attribute T; 0 for the network's
    double m_eta;                              ///< attribute
    uint32_t m_maxStage;                       ///< attribute
    double m_wai;                              ///< attribute
    uint32_t m_expectedFlows;                  ///< attribute
    double m_countedShare;                     ///< attribute
    double m_initialU;                         ///< attribute
    DataRate m_minRate;                        ///< attribute
    HpccParameters::QueueFilter m_queueFilter; ///< attribute
    HpccParameters::FirstSample m_firstSample; ///< attribute
    bool m_checkFeedback;                      ///< attribute
    double m_feedbackSlack;                    ///< attribute
    FeedbackCheck m_check;                     ///< of reports
    FeedbackCheck::State m_checkState;         ///< of the flow
};

} // namespace ns3

#endif // HPCC_LAW_ATTRIBUTES_H
