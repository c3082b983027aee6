/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SWITCH_RESPONDER_H
#define HPCC_SWITCH_RESPONDER_H

#include "hpcc-flow-filter.h"
#include "hpcc-switch-agent.h"
#include "hpcc-telemetry-agent.h"
#include "qbb-switch.h"

#include "ns3/hpcc-feedback-authenticator.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Sends telemetry from a switch without waiting for the receiver (draft-miao-tsv-hpcc-00). A sender
 * subscribes to responses by marking a data packet with TELEMETRY_SUBSCRIBED or a DSCP. When a
 * packet that subscribes joins the queue of a port whose load is at least Threshold, the switch
 * sends a response. The load is 1 + qlen/(B T), which is also the load that the control law
 * computes from a response. A port without a queue does not respond.
 *
 * The response contains the records of the hops so far and the switch's own record, after a
 * RoceSwitchResponseHeader. The response to a packet without telemetry contains only the record of
 * this switch, in the format that the attribute Format selects.
 *
 * To limit bursts, a flow triggers at most one response of a switch per Interval (see FlowFilter).
 * Two responses of a port are at least Spacing apart.
 *
 * Names: "switch-response"; "switch-response:receiver" with Target Receiver, for queue pairs whose
 * receiver computes window and rate.
 */
class SwitchResponder : public SwitchAgent
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    SwitchResponder();
    ~SwitchResponder() override;

    /// The destination of responses.
    enum Target
    {
        SENDER,   ///< the packet's sender
        RECEIVER, ///< the packet's receiver, if it computes window and rate
    };

    /// Signature of Response: egress port of the packet, the response.
    typedef void (*ResponseTracedCallback)(uint32_t portIndex, const Frame& response);

    // Installs the agent. The switch must have a TelemetryAgent.
    void Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt) override;
    void OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;
    bool WantsEnqueue() const override;

    /**
     * Sets the format of responses to packets without telemetry. All responders of a network share
     * one object, so that a response that travels between ranks has the same format at both ranks.
     * Call before Install(), which otherwise creates a format for this responder alone.
     * @param format the format of the network's other responders; null to create the format that
     * the attribute Format selects
     * @return the format
     */
    Ptr<TelemetryFormat> ShareFormat(const Ptr<TelemetryFormat>& format);

    /// Returns the format of responses to packets without telemetry; null before Install() or
    /// ShareFormat().
    Ptr<TelemetryFormat> GetFormat() const
    {
        return m_format;
    }

    /// Returns the number of responses sent.
    uint64_t GetResponses() const
    {
        return m_responses;
    }

    /// Returns the number of responses not sent because of Spacing.
    uint64_t GetSpaced() const
    {
        return m_spaced;
    }

    /// Returns the number of bytes of responses, without FCS.
    uint64_t GetResponseBytes() const
    {
        return m_responseBytes;
    }

  protected:
    void DoDispose() override;

  private:
    /**
     * Returns true if a frame subscribes to responses.
     * @param frame frame that joins a queue
     */
    bool IsSubscribed(const Frame& frame) const;
    /**
     * Returns the load of a port with a queue.
     * @param hop state of the port
     */
    double LoadOf(const HopSnapshot& hop) const;
    /**
     * Sends a response to a packet.
     * @param port egress port of a packet
     * @param frame the packet
     * @param hop the snapshot of the port
     */
    void Respond(QbbNetDevice& port, const Frame& frame, const HopSnapshot& hop);
    /// Sets the number and the authenticator of a response; called if FeedbackKey is set.
    /// @param response response whose other fields are set
    void Sign(Frame& response);

    /// The authentication of responses to a host.
    struct Proof
    {
        std::optional<FeedbackAuthenticator> authenticator; ///< authenticator of this pair of
                                                            ///< switch and host
        uint64_t responses{0};                              ///< number of responses sent to the
                                                            ///< host
    };

    double m_threshold;                 ///< attribute Threshold
    Time m_interval;                    ///< attribute Interval
    Time m_spacing;                     ///< attribute Spacing
    uint8_t m_subscribedDscp;           ///< attribute SubscribedDscp
    uint8_t m_dscp;                     ///< attribute Dscp
    uint8_t m_ttl;                      ///< attribute Ttl
    Target m_target;                    ///< attribute Target
    std::string m_formatName;           ///< attribute Format
    Time m_baseRtt;                     ///< attribute T
    double m_perBaseRtt{0};             ///< 1/T, 1/ns
    Ptr<TelemetryFormat> m_format;      ///< format of responses to packets without telemetry
    Ptr<TelemetryAgent> m_telemetry;    ///< the switch's TelemetryAgent
    Ptr<QbbSwitch> m_switch;            ///< the switch
    FlowFilter m_filter;                ///< flows that have triggered a response
    std::vector<int64_t> m_lastNs;      ///< time of the last response, by port
    std::string m_feedbackKey;          ///< attribute FeedbackKey
    std::map<uint32_t, Proof> m_proofs; ///< by address of the host
    uint64_t m_responses{0};            ///< see GetResponses
    uint64_t m_spaced{0};               ///< see GetSpaced
    uint64_t m_responseBytes{0};        ///< see GetResponseBytes
    TracedCallback<uint32_t, const Frame&> m_responseTrace; ///< Response
};

} // namespace ns3

#endif // HPCC_SWITCH_RESPONDER_H
