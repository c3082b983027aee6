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
 * inherit this class as a second base class. The values and their defaults are members of
 * HpccParameters. HpccLawAttributes derives from HpccParameters, so that ns-3's attribute system
 * can access these members.
 *
 * - T: base RTT. The default of 0 selects the base RTT of the network or, while this RTT is
 *   unknown, the class's default T. Reading the attribute returns the value in force.
 * - Eta: target utilisation, in (0, 2].
 * - MaxStage: additive steps before a multiplicative one, 0 or more.
 * - Wai: W_ai in bytes; fractions are allowed. 0 selects the rule W_init (1 - eta)/N. With any
 *   other value, N has no effect. The default depends on the class.
 * - N: expected number of flows on a link, 1 or more. If the receiver counts flows, its count
 *   replaces N while the last hop is the bottleneck.
 * - CountedShare: in (0, 1]: the share of the margin 1 - eta that the additive increases of all
 *   flows of a link use together. CountedShare has an effect only if the receiver counts flows.
 *   Even with a small share, W_ai is at least W_init (1 - eta)/n, where n is the larger of the
 *   counted N and the attribute N. A CountedShare of 1 yields the draft's rule of thumb W_init (1 -
 *   eta)/N. That rule assumes that the actual number of flows is usually far below N. If N is the
 *   actual number, the increases use the whole margin. U then settles at 1, with a standing queue
 *   (appendix A.3 of the SIGCOMM 2019 paper).
 * - InitialU: U before the first measurement, 0 or more.
 * - InitialWindow: W of a new flow as a share of W_init, in (0, 1].
 * - MinRate: lower bound of R; W is at least MinRate * T. The draft has no such bound. If MinRate
 *   times the number of flows on a link exceeds the rate of the link, the link stays overloaded.
 * - QueueSignal: Length or Sojourn: whether u' is computed from the queue length or from the time
 *   that a packet spends in the switch, see HpccParameters::QueueSignal. Sojourn needs a telemetry
 *   format that carries the time in the switch.
 * - QueueFilter: Min, Current, Auto or Default: whether u' is computed from the smaller of two
 *   successive queue lengths or from the newer one, see HpccParameters::QueueFilter.
 * - RateTerm: Tx or Rx: whether the rate in u' is the link's departure rate or the arrival rate at
 *   the queue, see HpccParameters::RateTerm.
 * - FirstSample: Skip, Estimate or Default: how the first record of a path is used, see
 *   HpccParameters::FirstSample.
 * - MissingHop: Skips or Changes: the meaning of a packet that lacks the records of some hops of
 *   its path, see HpccParameters::MissingHop.
 * - QuietLoad: u' assumed for a path from which no record returns, 0 or more, see
 *   HpccParameters::quietLoad.
 * - IdleGapResets: whether a record is treated as a first one if no data was in flight for more
 *   than T before it.
 * - Reaction: Reference, PerAck, PerRtt or RttSample: the acknowledgements that change the window,
 *   see HpccParameters::Reaction.
 * - SkipEmptyHops: whether an acknowledgement between two commits ignores hops whose record shows
 *   an empty queue. If all hops are ignored, window and rate do not change. The authors' simulator
 *   calls this option SAMPLE_FEEDBACK. SkipEmptyHops needs records with queue lengths, QueueSignal
 *   Length and Reaction Reference.
 * - PerHop: whether each hop has its own window; W is the smallest of these windows
 *   (HpccParameters::perHop). With PerHop, congestion on one link does not lower the window of
 *   another link. PerHop needs a record of each hop.
 * - CheckFeedback: whether reports are compared with the sender's own round-trip time and delivery
 *   rate (FeedbackCheck). When doubt begins, Wc is lowered to an earlier W; while doubt lasts, W
 *   grows by at most W_ai per round.
 * - FeedbackSlack: largest tolerated difference between measured and reported round-trip time, as a
 *   multiple of T, 0 or more.
 */
class HpccLawAttributes : public HpccParameters
{
  public:
    /// Defaults that differ between the algorithms; initialised with those of HPCC++.
    struct Defaults
    {
        Time baseRtt{MicroSeconds(5)}; ///< T if the user has not set it and the network's base RTT
                                       ///< is unknown
        double wai{0};                 ///< Wai, bytes
    };

    /// Initialises the parameters with the defaults of HPCC++.
    HpccLawAttributes();

    virtual ~HpccLawAttributes() = default;

    /// Initialises the attributes with the defaults of a class.
    /// @param defaults the class's defaults
    explicit HpccLawAttributes(const Defaults& defaults);

    /**
     * Adds the attributes of the control law to a class.
     * @param tid the TypeId of the class that runs HpccLaw
     * @param defaults the class's defaults
     * @return the TypeId with the attributes
     */
    static HpccTypeId AddTo(HpccTypeId tid, const Defaults& defaults);

    /**
     * Checks whether the attributes have allowed values and suit the telemetry format.
     * @param name name of the class
     * @param telemetry capabilities of the telemetry format
     * @return an empty string, or one line that describes the error
     */
    std::string ValidateLaw(const std::string& name, const TelemetryCapabilities& telemetry) const;

    /// Returns the value of T in use.
    Time GetBaseRtt() const;

    /// Returns the value of T in use, ns. This value is the attribute T or, if the attribute is 0,
    /// the base RTT of the network. If this RTT is unknown, the default of the class is used. The
    /// return type is an integer to save time: every connection calls this function, and ns-3
    /// registers each Time object that is created before the simulation starts.
    int64_t GetBaseRttNs() const;

    /// Returns the attribute MinRate, bit/s.
    uint64_t GetMinRateBps() const
    {
        return m_minRate.GetBitRate();
    }

    /// Returns the parameters of the control law, with the values of T, MinRate and W_ai in use.
    HpccParameters GetLawParameters() const;

    /// The sender's own measurements, to be compared with a report.
    struct View
    {
        int64_t rttNs;            ///< sample of the round-trip time, ns; -1 if there is none
        uint64_t newlyAckedBytes; ///< bytes acknowledged since the last report
        uint64_t inFlightBytes;   ///< bytes in flight
    };

    /**
     * Starts checking the reports for a flow, if CheckFeedback is set.
     * @param state state of the check for this flow
     * @param itsBaseRttNs RTT of the flow's path without queues, ns; if 0 (unknown), no report is
     * doubted
     */
    void OpenCheck(FeedbackCheck::State& state, int64_t itsBaseRttNs);

    /**
     * Compares a report with the sender's measurements, if CheckFeedback is set. Must be called
     * before the control law uses the report.
     * @param state state of the check for this flow
     * @param flow the flow, whose window growth is limited while its reports are doubted
     * @param report values that the receiver reports
     * @param view the sender's measurements
     * @return true if doubt has begun or ended
     */
    bool CheckReport(FeedbackCheck::State& state,
                     HpccFlow& flow,
                     const HpccSample& report,
                     const View& view) const;

  protected:
    /// Returns true if the attribute QueueSignal is Sojourn.
    bool TakesSojourn() const
    {
        return queueSignal == SIGNAL_SOJOURN;
    }

    /// Returns the attribute CheckFeedback.
    bool ChecksFeedback() const
    {
        return m_checkFeedback;
    }

    /// Sets the window time, which replaces T in W_init, R and the queue term of u', see
    /// HpccParameters::windowNs.
    /// @param windowTime the time; 0 selects T
    void SetWindowTime(Time windowTime);

    /// Returns the time set by SetWindowTime(); 0 if T is used.
    Time GetWindowTime() const;

    /// Sets W_ai as a rate; W_ai is this rate times the window time, see SetWindowTime().
    /// @param rateAi the rate; 0 selects HpccParameters::waiBytes
    void SetRateAi(DataRate rateAi);

    /// Returns W_ai as a rate; 0 if HpccParameters::waiBytes is used.
    DataRate GetRateAi() const;

    /// Returns true if the user has set T.
    bool HasBaseRtt() const
    {
        return m_baseRtt.IsStrictlyPositive();
    }

  private:
    /// Returns the base RTT of the network, ns, used while the attribute T is 0; 0 if unknown.
    virtual int64_t NetworkBaseRttNs() const = 0;

    /// Adds the attributes for the drafts' parameters and for the bounds of W.
    /// @param tid TypeId of the class
    /// @param defaults the class's defaults
    /// @return the TypeId with the attributes
    static HpccTypeId AddParameters(HpccTypeId tid, const Defaults& defaults);
    /// Adds the attributes that choose the computation of u'.
    /// @param tid TypeId of the class
    /// @return the TypeId with the attributes
    static HpccTypeId AddLoads(HpccTypeId tid);
    /// Adds the attributes that choose how first and missing records are handled.
    /// @param tid TypeId of the class
    /// @return the TypeId with the attributes
    static HpccTypeId AddRecords(HpccTypeId tid);
    /// Adds the attributes that choose how the window is computed from U.
    /// @param tid TypeId of the class
    /// @return the TypeId with the attributes
    static HpccTypeId AddReactions(HpccTypeId tid);

    /**
     * Checks the attributes that need certain telemetry.
     * @param telemetry capabilities of the telemetry format
     * @return an empty string, or the rest of an error line that begins with the class's name
     */
    std::string ValidateTelemetry(const TelemetryCapabilities& telemetry) const;
    /**
     * Finds an attribute that the user has changed but that has no effect with certain telemetry.
     * @param telemetry capabilities of the telemetry format
     * @return an empty string, or the rest of an error line that begins with the class's name
     */
    std::string FindUnused(const TelemetryCapabilities& telemetry) const;
    /// Finds an attribute that the user has changed but that has no effect if switches compute the
    /// load, as with PINT.
    /// @return an empty string, or the rest of an error line that begins with the class's name
    std::string FindUnusedWithLoad() const;
    /**
     * Checks whether each value is allowed, and whether the values can be combined.
     * @param telemetry capabilities of the telemetry format
     * @return an empty string, or the rest of an error line that begins with the class's name
     */
    std::string ValidateChoices(const TelemetryCapabilities& telemetry) const;

    /// Sets the attribute T.
    /// @param baseRtt the base RTT; 0 selects the base RTT of the network
    void SetBaseRtt(Time baseRtt);

    Time m_baseRtt;              ///< attribute T; 0 selects the base RTT of the network
    Time m_defaultBaseRtt;       ///< default T of the class
    DataRate m_minRate;          ///< attribute MinRate
    DataRate m_rateAi{0};        ///< see SetRateAi()
    bool m_checkFeedback{false}; ///< attribute CheckFeedback
    double m_feedbackSlack{0.5}; ///< attribute FeedbackSlack
    FeedbackCheck m_check;       ///< compares reports with the sender's measurements
};

} // namespace ns3

#endif // HPCC_LAW_ATTRIBUTES_H
