/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-returns.h"

#include "ns3/hpcc-flow.h"
#include "ns3/hpcc-inflight.h"
#include "ns3/hpcc-parameters.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaAckReturn);
NS_OBJECT_ENSURE_REGISTERED(RdmaNotifiedReturn);

namespace
{

/// State of a queue pair with RdmaAckReturn.
class AckFlow : public RdmaReturn::Flow
{
  public:
    /**
     * Creates the state of a queue pair.
     * @param returnInterval N: one ACK in N returns telemetry
     * @param urgentLoad value of UrgentLoad: u' at or above which a packet is urgent
     * @param networkBaseRttNs T of the network, ns
     */
    AckFlow(uint32_t returnInterval, double urgentLoad, int64_t networkBaseRttNs)
        : m_returnInterval(returnInterval),
          m_urgentLoad(urgentLoad)
    {
        HpccParameters parameters;
        parameters.baseRttNs = static_cast<double>(networkBaseRttNs);
        parameters.missingHop = HpccParameters::MISSING_SKIPS;
        m_inflight.SetParameters(parameters);
    }

    /// Returns true if a packet is urgent: its u' is at least UrgentLoad, and u' of the previous
    /// packet was lower. To compute u', this function runs lines 1 to 10 of the drafts' algorithm.
    bool IsUrgent(const HpccSample& sample) override
    {
        if (sample.hopCount == 0 ||
            m_inflight.MeasureInflight(m_flow, sample) != HpccInflight::Measurement::VALID)
        {
            return false;
        }
        const bool before = m_loaded;
        m_loaded = m_inflight.GetOutcome().u >= m_urgentLoad;
        return m_loaded && !before;
    }

    bool Returns(uint32_t acks) override
    {
        return acks >= m_returnInterval;
    }

  private:
    const uint32_t m_returnInterval; ///< N: one ACK in N returns telemetry
    const double m_urgentLoad;       ///< u' at or above which a packet is urgent
    HpccInflight m_inflight;         ///< runs lines 1 to 10 of the algorithm
    HpccFlow m_flow;                 ///< L of the algorithm
    bool m_loaded{false};            ///< true if u' of the previous packet was at least UrgentLoad
};

} // namespace

TypeId
RdmaAckReturn::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaAckReturn, RdmaReturn>("ns3::RdmaAckReturn")
            .Presets("packet:delayed-ack=AckInterval:2;packet:delayed-ack-8=AckInterval:8;"
                     "packet:delayed-ack-urgent=AckInterval:8,UrgentLoad:0.95;"
                     "packet:every-8th-ack=ReturnInterval:8")
            .Attribute("AckInterval",
                       "Packets per ACK; the first packet with telemetry and packets that request "
                       "an ACK get one at once. 0: ns3::RdmaHost::AckInterval.",
                       HpccField(&RdmaAckReturn::m_ackInterval, 0))
            .Attribute("ReturnInterval",
                       "N: the first ACK and every N-th ACK after it return telemetry; if no "
                       "telemetry is stored then, the next ACK with telemetry returns it.",
                       HpccField(&RdmaAckReturn::m_returnInterval, 1, 1))
            .Attribute("LargestQueue",
                       "Whether ACKs return, for each hop, its largest queue since the last ACK "
                       "that returned telemetry. False: its newest queue.",
                       HpccField(&RdmaAckReturn::m_largestQueue, false))
            .Attribute("UrgentLoad",
                       "Load u', measured by the receiver: a packet that raises it to this value "
                       "or above is acknowledged at once. 0: no measurement.",
                       HpccField(&RdmaAckReturn::m_urgentLoad, 0, 0));
    return tid;
}

RdmaReturn::Description
RdmaAckReturn::Describe() const
{
    return {false, m_ackInterval, m_returnInterval, m_largestQueue, m_urgentLoad > 0};
}

std::unique_ptr<RdmaReturn::Flow>
RdmaAckReturn::Open(int64_t networkBaseRttNs) const
{
    if (m_returnInterval == 1 && m_urgentLoad == 0)
    {
        return nullptr;
    }
    return std::make_unique<AckFlow>(m_returnInterval, m_urgentLoad, networkBaseRttNs);
}

std::string
RdmaAckReturn::CheckFormat(const TelemetryFormat& format) const
{
    return !m_largestQueue || format.MergesQueues()
               ? ""
               : "ns3::RdmaAckReturn::LargestQueue is true, but records of " +
                     format.GetInstanceTypeId().GetName() + " cannot be merged; allowed is false";
}

TypeId
RdmaNotifiedReturn::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<RdmaNotifiedReturn, RdmaReturn>("ns3::RdmaNotifiedReturn")
                            .Presets("notification");
    return tid;
}

RdmaReturn::Description
RdmaNotifiedReturn::Describe() const
{
    Description description;
    description.notifies = true;
    return description;
}

std::unique_ptr<RdmaReturn::Flow>
RdmaNotifiedReturn::Open(int64_t) const
{
    return nullptr;
}

} // namespace ns3
