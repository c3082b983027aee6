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

class HpccTypeId;

/**
 * @ingroup hpcc
 *
 * The parameters of HpccLaw as attributes, the same for RDMA, TCP and UDP. Classes that run HpccLaw
 * inherit it as a second base class. Its own base, HpccParameters, holds the values, so that ns-3
 * can access them, and their defaults.
 *
 * - T: base RTT, a time. 0, the default, stands for the network's, or, while that is unknown, for
 *   the class's own. Reading the attribute gives the value in force.
 * - Eta: target utilisation, in (0, 2].
 * - MaxStage: additive steps before a multiplicative one, 0 or more.
 * - Wai: W_ai in bytes, need not be whole. 0 selects the rule W_init (1 - eta)/N; otherwise N has
 * no effect. The default is the class's own.
 * - N: expected flows on a link, 1 or more. A receiver that counts flows replaces it while the last
 *   hop is the bottleneck.
 * - CountedShare: with N counted, the flows of a link take this share of the margin 1 - eta
 *   together, in (0, 1], but no flow takes less than with N, or with the count if that is larger. 1
 *   is the draft's rule of thumb, meant for an N that is seldom reached: if N is the real number of
 *   flows, they use the whole margin 1 - eta, U settles at 1 (appendix A.3 of the SIGCOMM 2019
 *   paper) and a queue builds up that does not drain.
 * - InitialU: U before the first measurement, 0 or more.
 * - InitialWindow: W of a new flow as a share of W_init, in (0, 1].
 * - MinRate: floor of R, and of W as MinRate * T. The draft has none. MinRate times the flows of a
 *   link above its rate is a standing overload.
 * - QueueSignal: Length or Sojourn, the queue signal that line 5 uses, see
 *   HpccParameters::QueueSignal. Sojourn needs a telemetry format that carries the time in the
 *   switch.
 * - QueueFilter: Min, Current, Auto or Default, which queue length line 5 takes, see
 *   HpccParameters::QueueFilter.
 * - RateTerm: Tx or Rx, second term of U: rate of departure or of arrival, see
 *   HpccParameters::RateTerm.
 * - FirstSample: Skip, Estimate or Default, see HpccParameters::FirstSample.
 * - MissingHop: Skips or Changes, see HpccParameters::MissingHop.
 * - QuietLoad: see HpccParameters::quietLoad, 0 or more.
 * - IdleGapResets: whether a record after more than T without data in flight is a first record.
 * - Reaction: Reference, PerAck or PerRtt, see HpccParameters::Reaction.
 * - SkipEmptyHops: whether an acknowledgement between two commits ignores the hops whose record
 *   says an empty queue. If all hops are ignored, window and rate stay as they are. Option
 *   SAMPLE_FEEDBACK of the authors' simulator. Needs records with queue lengths, QueueSignal Length
 *   and Reaction Reference.
 * - PerHop: whether each hop has a window of its own, of which W is the smallest
 *   (HpccParameters::perHop). A flow is then not held back on one link by the congestion of another
 *   link. Needs a record of each hop.
 * - CheckFeedback: whether reports are compared with the sender's own round-trip time and delivery
 *   rate (FeedbackCheck). Once they are doubted, W returns to its earlier value and grows by at
 *   most W_ai per round.
 * - FeedbackSlack: by how much of T the round-trip time may exceed the reported one, 0 or more.
 */
class HpccLawAttributes : public HpccParameters
{
  public:
    /// Defaults in which the algorithms differ; initialised with those of HPCC++.
    struct Defaults
    {
        Time baseRtt{MicroSeconds(5)}; ///< T while neither user nor network gave one
        double wai{0};                 ///< Wai, bytes
    };

    /// Initialises the parameters of HPCC++.
    HpccLawAttributes();

    virtual ~HpccLawAttributes() = default;

    /// @param defaults the class's defaults
    explicit HpccLawAttributes(const Defaults& defaults);

    /**
     * @param tid the TypeId of the class that runs HpccLaw
     * @param defaults the class's defaults
     * @return the TypeId with the attributes
     */
    static HpccTypeId AddTo(HpccTypeId tid, const Defaults& defaults);

    /**
     * Checks the attributes.
     * @param name of the class
     * @param telemetry capabilities of the telemetry format
     * @return an empty string, or one line that names the fault
     */
    std::string ValidateLaw(const std::string& name, const TelemetryCapabilities& telemetry) const;

    /// @return T in force
    Time GetBaseRtt() const;

    /// @return T in force, ns. Returns no Time, because each connection calls this and ns-3 records
    /// each Time that is created before the simulation starts
    int64_t GetBaseRttNs() const;

    /// @return the parameters of the control law
    HpccParameters GetLawParameters() const;

    /// The sender's own measurements, to be compared with a report.
    struct View
    {
        int64_t rttNs;            ///< sample of the round-trip time, ns; -1 if there is none
        uint64_t newlyAckedBytes; ///< arrived since the last report
        uint64_t inFlightBytes;   ///< bytes in flight
    };

    /**
     * Begins to check the reports for a flow, with CheckFeedback.
     * @param state the flow's state of the check
     * @param itsBaseRttNs RTT of its path without queues, ns; 0 if unknown: nothing is doubted
     */
    void OpenCheck(FeedbackCheck::State& state, int64_t itsBaseRttNs);

    /**
     * Compares a report with the sender's measurements, with CheckFeedback, before the control law
     * gets it.
     * @param state the flow's state of the check
     * @param flow the flow, whose growth is capped while the report is doubted
     * @param report the report
     * @param view the measurements
     * @return true if doubt has begun or ended
     */
    bool CheckReport(FeedbackCheck::State& state,
                     HpccFlow& flow,
                     const HpccSample& report,
                     const View& view) const;

  protected:
    /// @return whether QueueSignal is Sojourn
    bool TakesSojourn() const
    {
        return queueSignal == SIGNAL_SOJOURN;
    }

    /// @return CheckFeedback
    bool ChecksFeedback() const
    {
        return m_checkFeedback;
    }

    /// @return whether a user has set T
    bool HasBaseRtt() const
    {
        return m_baseRtt.IsStrictlyPositive();
    }

  private:
    /// @return T of the network, ns, which holds while the attribute T is 0; 0 if unknown
    virtual int64_t NetworkBaseRttNs() const = 0;

    /// Adds the attributes of the drafts' parameters, and of the bounds of W.
    /// @param tid the TypeId
    /// @param defaults the class's defaults
    /// @return the TypeId
    static HpccTypeId AddParameters(HpccTypeId tid, const Defaults& defaults);
    /// Adds the attributes that choose the computation of u'.
    /// @param tid the TypeId
    /// @return the TypeId
    static HpccTypeId AddLoads(HpccTypeId tid);
    /// Adds the attributes that choose the meaning of first and missing records.
    /// @param tid the TypeId
    /// @return the TypeId
    static HpccTypeId AddRecords(HpccTypeId tid);
    /// Adds the attributes that choose how the window follows U.
    /// @param tid the TypeId
    /// @return the TypeId
    static HpccTypeId AddReactions(HpccTypeId tid);

    /**
     * Checks the attributes that need certain telemetry.
     * @param telemetry capabilities of the telemetry format
     * @return an empty string, or the end of a line that begins with the class's name
     */
    std::string ValidateTelemetry(const TelemetryCapabilities& telemetry) const;
    /**
     * Checks the values, and the choices that exclude each other.
     * @param telemetry capabilities of the telemetry format
     * @return an empty string, or the end of a line that begins with the class's name
     */
    std::string ValidateChoices(const TelemetryCapabilities& telemetry) const;

    /// @param baseRtt the attribute; 0 for the network's
    void SetBaseRtt(Time baseRtt);

    Time m_baseRtt;              ///< attribute T; 0 for the network's
    Time m_defaultBaseRtt;       ///< T of the class
    DataRate m_minRate;          ///< attribute
    bool m_checkFeedback{false}; ///< attribute
    double m_feedbackSlack{0.5}; ///< attribute
    FeedbackCheck m_check;       ///< of reports
};

} // namespace ns3

#endif // HPCC_LAW_ATTRIBUTES_H
