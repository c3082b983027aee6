/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FEEDBACK_H
#define RDMA_FEEDBACK_H

#include "rdma-feedback-part.h"
#include "rdma-return.h"

#include "ns3/object-factory.h"

#include <cstdint>
#include <string>

namespace ns3
{

class HpccTypeId;
class RdmaCongestionOps;
class RdmaFlowCount;
class RdmaReceiverComputation;
class RdmaReport;
class RdmaSampling;
class RdmaSubscription;

struct RdmaFeedbackState;
struct TelemetryCapabilities;

/**
 * @ingroup hpcc
 *
 * How telemetry travels between the ends of a queue pair (draft-miao-tsv-hpcc-01, sections 5 to 7):
 * a combination of independent choices, see RdmaFeedbackPart. One object serves any number of queue
 * pairs; it is not changed once traffic runs.
 *
 * An attribute for each choice takes the short name of a class of that family, or a class with
 * attributes, such as ns3::RdmaAckReturn[AckInterval=5|LargestQueue=true]. If it is empty, the
 * default applies: every data packet collects telemetry, every ACK returns the records of all hops,
 * the sender computes, switches do not respond.
 *
 * The short name of a part selects that part, with defaults for the other choices. These names
 * stand for combinations:
 *
 * - packet: the defaults.
 * - packet:n: as packet, and the ACKs carry the number of flows that the receiver counts.
 * - switch:per-rtt: as per-rtt, with responses by switches, to which packets subscribe by DSCP.
 * - roce-reference: the drafts' implementation on RoCEv2, with probes and reports of one hop.
 *   roce-reference:strict: the same by the letter.
 * - receiver:n: as receiver, and it counts flows; receiver:switch: switches respond to it.
 */
class RdmaFeedback : public RdmaFeedbackPart
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaFeedback();
    ~RdmaFeedback() override;

    /**
     * Finds a feedback mode.
     * @param name short name of an RdmaFeedbackPart, this class included
     * @param factory set to make such objects of this class
     * @return false if there is none of that name
     */
    static bool Find(const std::string& name, ObjectFactory& factory);

    /**
     * Checks against what runs over it, before simulated time starts: this is the place that
     * decides which choices combine.
     * @param policy the policy of the queue pair
     * @param telemetry capabilities of its format
     * @param networkBaseRttNs T of the network, ns; 0 if unknown
     * @return an empty string, or one line that names attribute, value and allowed values
     */
    std::string ValidateFor(RdmaCongestionOps& policy,
                            const TelemetryCapabilities& telemetry,
                            int64_t networkBaseRttNs) const;

    /**
     * Checks whether a host can choose paths by path probes beside it, before simulated time
     * starts.
     * @return an empty string, or one line that names attribute, value and allowed values
     */
    std::string ValidateForPathProbes() const;

    /**
     * Checks whether a format serves all choices.
     * @param format the telemetry format
     * @return an empty string, or one line that names attribute, value and allowed values
     */
    std::string CheckFormat(const TelemetryFormat& format) const override;

    /// @return true if all choices are the defaults, so that no state is needed
    bool IsDefault() const
    {
        return !m_sampling.part && !m_return.part && !m_report.part && !m_computation.part &&
               !m_subscription.part && !m_flowCount.part;
    }

    /// @return which data packets collect telemetry; null if all do
    const Ptr<RdmaSampling>& GetSampling() const
    {
        return m_sampling.part;
    }

    /// @return which messages return it; null if each ACK does
    const Ptr<RdmaReturn>& GetReturn() const
    {
        return m_return.part;
    }

    /// @return the report, which selects the records to return; null: all
    const Ptr<RdmaReport>& GetReport() const
    {
        return m_report.part;
    }

    /// @return how the receiver computes; null if the sender does
    const Ptr<RdmaReceiverComputation>& GetComputation() const
    {
        return m_computation.part;
    }

    /// @return how packets subscribe to responses by switches; null if they do not
    const Ptr<RdmaSubscription>& GetSubscription() const
    {
        return m_subscription.part;
    }

    /// @return the properties of the return; those of the default if there is none
    RdmaReturn::Description DescribeReturn() const
    {
        return m_return.part ? m_return.part->Describe() : RdmaReturn::Description{};
    }

    /// @return true if the receiver runs the law
    bool ComputesAtReceiver() const
    {
        return m_computation.part != nullptr;
    }

    /// @return true if the receiver counts the flows on its last hop and uses or reports their
    /// number
    bool CountsFlows() const
    {
        return m_flowCount.part != nullptr;
    }

    /**
     * @param networkBaseRttNs T of the network, ns
     * @return time for which a flow counts after a packet, ns; 0 if none is counted
     */
    int64_t GetCountWindowNs(int64_t networkBaseRttNs) const;

    /// @return short name of the SwitchAgent that every switch must run; empty if none
    std::string GetPortAgent() const;

    /// @return true if a packet that collects asks for its ACK at once
    bool SampleAsksForAck() const;

    /// @return ReflectionFlag of what is returned; 0 for all records
    uint8_t GetReportFlag() const;

    /// @return true if one hop is reported, not all
    bool ReportsBottleneckHop() const
    {
        return m_report.part != nullptr;
    }

    /// @return true if what is reported of that hop does not say which it is
    bool ReportsBareHop() const;

    /// @return true if probes collect telemetry
    bool SendsProbes() const;

    /// @return true if notifications return telemetry
    bool IsNotified() const
    {
        return SendsProbes() || DescribeReturn().notifies;
    }

    /// @return true if the sender gets the records of all hops
    bool ReturnsAllHops() const
    {
        return !ComputesAtReceiver() && !ReportsBottleneckHop();
    }

    /// @return true if it gets them in ACKs
    bool AcksReturnAllHops() const
    {
        return ReturnsAllHops() && !IsNotified();
    }

    /**
     * @param packetsPerRtt data packets that a sender can send in a base RTT
     * @return true if the records of a sender may be a base RTT apart
     */
    bool IsSparse(double packetsPerRtt) const;

    /// @return true if the telemetry of every packet, or of every few packets, comes back: more
    /// often than once per base RTT
    bool IsPrompt() const;

    /**
     * @param hostAckInterval packets per ACK if the return leaves it to the host
     * @return data packets that collect telemetry per record that reaches the control law, not
     * counting ACKs that packets request; 0 if every packet collects and every record does
     */
    uint32_t PacketsPerRecord(uint32_t hostAckInterval) const;

    /**
     * Initialises the state of a queue pair.
     * @param state its state
     * @param networkBaseRttNs T of the network, ns; 0 if unknown
     */
    void Open(RdmaFeedbackState& state, int64_t networkBaseRttNs) const;

  private:
    /// A choice, as its attribute and as an object.
    template <typename Part>
    struct Choice
    {
        std::string text; ///< attribute
        Ptr<Part> part;   ///< null for the default
    };

    /**
     * Sets a choice.
     * @tparam Part its family
     * @tparam choice the member
     * @param text value of its attribute
     */
    template <typename Part, Choice<Part> RdmaFeedback::*choice>
    void Set(std::string text);

    /**
     * @tparam Part the family of a choice
     * @tparam choice the member
     * @return value of its attribute
     */
    template <typename Part, Choice<Part> RdmaFeedback::*choice>
    std::string Get() const;

    /**
     * Adds the attribute of a choice.
     * @tparam Part its family
     * @tparam choice the member
     * @param tid the TypeId under construction
     * @param help first sentence of the help
     * @return the TypeId
     */
    template <typename Part, Choice<Part> RdmaFeedback::*choice>
    static HpccTypeId AddChoice(HpccTypeId tid, const std::string& help);

    Choice<RdmaSampling> m_sampling;               ///< see GetSampling()
    Choice<RdmaReturn> m_return;                   ///< see GetReturn()
    Choice<RdmaReport> m_report;                   ///< see GetReport()
    Choice<RdmaReceiverComputation> m_computation; ///< see GetComputation()
    Choice<RdmaSubscription> m_subscription;       ///< see GetSubscription()
    Choice<RdmaFlowCount> m_flowCount;             ///< how the receiver counts flows
};

} // namespace ns3

#endif // RDMA_FEEDBACK_H
