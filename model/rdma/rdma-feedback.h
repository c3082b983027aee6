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

/// Reason why returned telemetry, a receiver-computed window or a switch response was rejected.
enum class FeedbackRejection : uint8_t
{
    FORGED,   ///< the authenticator is missing or wrong, so the content is forged or altered
    REPLAYED, ///< the message number is not new: the message is a replay, or a newer message has
              ///< overtaken this message
};

/**
 * @ingroup hpcc
 *
 * A feedback mode: how telemetry is collected and returned to the sender of a queue pair
 * (draft-miao-tsv-hpcc-01, sections 5 to 7). A mode combines independent choices, see
 * RdmaFeedbackPart. Queue pairs can share an RdmaFeedback. The attributes of an RdmaFeedback cannot
 * change after the first Connect() that uses the object.
 *
 * Each choice has an attribute. The value of the attribute is the short name of a part, or the
 * class of a part with attributes, such as ns3::RdmaAckReturn[AckInterval=5|LargestQueue=true]. An
 * empty value selects the default. By default, every data packet collects telemetry, every ACK
 * returns the records of all hops, the sender computes the window, switches do not respond, and the
 * receiver does not count flows.
 *
 * The short name of a part is also the short name of a feedback mode: this mode uses the part, and
 * the defaults of all other choices. The following names select combinations:
 *
 * - packet: the defaults.
 * - packet:n: like packet, but the receiver counts flows, and the ACKs carry the number of flows.
 * - switch:per-rtt: like per-rtt, but the DSCP of data packets also requests responses from
 *   switches.
 * - roce-reference: the drafts' implementation on RoCEv2, with probes and reports of one hop.
 *   roce-reference:strict implements the drafts literally.
 * - receiver:n: like receiver, but the receiver also counts flows.
 * - receiver:switch: like receiver, but switches also send responses to the receiver.
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
     * @param name short name of RdmaFeedback or of another RdmaFeedbackPart
     * @param factory receives the feedback mode; unchanged if false is returned
     * @return false if the name is not registered
     */
    static bool Find(const std::string& name, ObjectFactory& factory);

    /**
     * Checks, before simulated time starts, whether the choices work together, and whether they
     * work with the policy and the telemetry format of a queue pair. All restrictions on
     * combinations are in this function.
     * @param policy the policy of the queue pair
     * @param telemetry capabilities of the telemetry format
     * @param networkBaseRttNs T of the network, ns; 0 if unknown
     * @return an empty string, or one line that names attribute, value and allowed values
     */
    std::string ValidateFor(RdmaCongestionOps& policy,
                            const TelemetryCapabilities& telemetry,
                            int64_t networkBaseRttNs) const;

    /**
     * Checks, before simulated time starts, whether a host with this feedback mode can use path
     * probes to choose paths.
     * @return an empty string, or one line that names attribute, value and allowed values
     */
    std::string ValidateForPathProbes() const;

    /**
     * Checks whether a telemetry format is suitable for all choices.
     * @param format the telemetry format
     * @return an empty string, or one line that names attribute, value and allowed values
     */
    std::string CheckFormat(const TelemetryFormat& format) const override;

    /// Returns true if all choices are the defaults, so that no state is needed.
    bool IsDefault() const
    {
        return !m_sampling.part && !m_return.part && !m_report.part && !m_computation.part &&
               !m_subscription.part && !m_flowCount.part;
    }

    /// Returns the part that decides which data packets collect telemetry; null if all data packets
    /// collect telemetry.
    const Ptr<RdmaSampling>& GetSampling() const
    {
        return m_sampling.part;
    }

    /// Returns the part that decides which messages return telemetry; null if each ACK returns
    /// telemetry.
    const Ptr<RdmaReturn>& GetReturn() const
    {
        return m_return.part;
    }

    /// Returns the part that selects the records to return; null for all records.
    const Ptr<RdmaReport>& GetReport() const
    {
        return m_report.part;
    }

    /// Returns the part that computes the window at the receiver; null if the sender computes the
    /// window.
    const Ptr<RdmaReceiverComputation>& GetComputation() const
    {
        return m_computation.part;
    }

    /// Returns the part that selects packets to which switches respond; null if switches do not
    /// respond.
    const Ptr<RdmaSubscription>& GetSubscription() const
    {
        return m_subscription.part;
    }

    /// Returns the properties of the chosen RdmaReturn; the default Description if none is chosen.
    RdmaReturn::Description DescribeReturn() const
    {
        return m_return.part ? m_return.part->Describe() : RdmaReturn::Description{};
    }

    /// Returns true if the receiver runs the control law.
    bool ComputesAtReceiver() const
    {
        return m_computation.part != nullptr;
    }

    /// Returns true if the receiver counts the flows on the last hop, and uses or reports the
    /// count.
    bool CountsFlows() const
    {
        return m_flowCount.part != nullptr;
    }

    /**
     * Returns the time for which a flow is counted after its last packet, ns; 0 if flows are not
     * counted.
     * @param networkBaseRttNs T of the network, ns
     */
    int64_t GetCountWindowNs(int64_t networkBaseRttNs) const;

    /// Returns the short name of the SwitchAgent that every switch must run; empty if none.
    std::string GetSwitchAgent() const;

    /// Returns true if a packet that collects telemetry requests an immediate ACK.
    bool SampleAsksForAck() const;

    /// Returns the ReflectionFlag that indicates a report of one hop; 0 if the records of all hops
    /// are returned.
    uint8_t GetReportFlag() const;

    /// Returns true if only the records of one hop are returned.
    bool ReportsBottleneckHop() const
    {
        return m_report.part != nullptr;
    }

    /// Returns true if the report of one hop does not identify the hop.
    bool ReportsBareHop() const;

    /// Returns true if probes collect telemetry.
    bool SendsProbes() const;

    /// Returns true if notifications return telemetry.
    bool IsNotified() const
    {
        return SendsProbes() || DescribeReturn().notifies;
    }

    /// Returns true if the sender gets the records of all hops.
    bool ReturnsAllHops() const
    {
        return !ComputesAtReceiver() && !ReportsBottleneckHop();
    }

    /// Returns true if the sender gets the records of all hops in ACKs.
    bool AcksReturnAllHops() const
    {
        return ReturnsAllHops() && !IsNotified();
    }

    /**
     * Returns true if the time between two records that a sender gets may be a base RTT or more.
     * @param packetsPerRtt data packets that a sender can send in a base RTT
     */
    bool IsSparse(double packetsPerRtt) const;

    /// Returns true if every ACK or notification returns telemetry, and data packets collect
    /// telemetry at a fixed interval: all packets, or every N-th packet.
    bool IsPrompt() const;

    /**
     * Returns the number of packets that collect telemetry, divided by the number of records that
     * reach the control law. If each acknowledgement covers several packets, their records are
     * merged into one record (TelemetryFormat::Merge(); by default, the newest is kept). Returns 0
     * if every packet collects telemetry and every record reaches the control law. Additional ACKs,
     * such as the ACK at the end of a message, are not considered.
     * @param hostAckInterval packets per ACK if the RdmaReturn does not set this number
     */
    uint32_t PacketsPerRecord(uint32_t hostAckInterval) const;

    /**
     * Initialises the state of a queue pair.
     * @param state state to initialise
     * @param networkBaseRttNs T of the network, ns; 0 if unknown
     */
    void Open(RdmaFeedbackState& state, int64_t networkBaseRttNs) const;

    /// Refuses later changes of the attributes, because a queue pair has been connected.
    void Fix() const
    {
        m_fixed = true;
    }

  private:
    /// A choice: the text of its attribute, and the selected part.
    template <typename Part>
    struct Choice
    {
        std::string text; ///< value of the attribute
        Ptr<Part> part;   ///< null for the default
    };

    /**
     * Sets a choice from its attribute.
     * @tparam Part family of the choice
     * @tparam choice member of RdmaFeedback that stores the choice
     * @param text value of the attribute
     */
    template <typename Part, Choice<Part> RdmaFeedback::*choice>
    void Set(std::string text);

    /**
     * Returns the value of the attribute of a choice.
     * @tparam Part family of the choice
     * @tparam choice member of RdmaFeedback that stores the choice
     */
    template <typename Part, Choice<Part> RdmaFeedback::*choice>
    std::string Get() const;

    /**
     * Adds the attribute of a choice.
     * @tparam Part family of the choice
     * @tparam choice member of RdmaFeedback that stores the choice
     * @param tid the TypeId under construction
     * @param help first sentence of the attribute's help text
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
    mutable bool m_fixed{false};                   ///< see Fix()
};

} // namespace ns3

#endif // RDMA_FEEDBACK_H
