/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_POLICIES_H
#define HPCC_TEST_POLICIES_H

#include "ns3/hpcc-hop-telemetry.h"
#include "ns3/hpcc-presets.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup hpcc
 * Functions that the tests of congestion control policies share: policies by their short names,
 * queue pairs that use them, and telemetry records to pass to them.
 */

namespace hpcctest
{

using namespace ns3;

constexpr int64_t US = 1000;                    ///< one microsecond in ns
constexpr uint64_t LINE_RATE = 100'000'000'000; ///< bit/s
constexpr uint16_t INT_FIELDS = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP |
                                TELEMETRY_TX_BYTES | TELEMETRY_QUEUE | TELEMETRY_BANDWIDTH;
const TelemetryCapabilities INT{INT_FIELDS, 0, 0, false}; ///< format with all fields of Hop()

using Settings = std::vector<std::pair<std::string, std::string>>; ///< names and values of
                                                                   ///< attributes

/**
 * Returns a policy.
 * @param name short name of the policy
 * @param settings values of further attributes
 */
inline Ptr<RdmaCongestionOps>
Make(const std::string& name, const Settings& settings = {})
{
    ObjectFactory factory;
    EXPECT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), name, factory)) << name;
    auto ops = factory.Create<RdmaCongestionOps>();
    for (const auto& [attribute, value] : settings)
    {
        ops->SetAttribute(attribute, StringValue(value));
    }
    return ops;
}

/// @return the value of an attribute
template <typename T>
T
Get(const Ptr<RdmaCongestionOps>& ops, const std::string& attribute)
{
    T value;
    ops->GetAttribute(attribute, value);
    return value;
}

/// @return a record of a port at LINE_RATE
inline HopTelemetry
Hop(uint64_t timestampNs, uint64_t txBytes, uint64_t queueBytes, uint32_t switchId = 3)
{
    HopTelemetry hop{};
    hop.fields = INT_FIELDS;
    hop.switchId = switchId;
    hop.portId = 4;
    hop.timestampNs = timestampNs;
    hop.txBytes = txBytes;
    hop.queueBytes = queueBytes;
    hop.bandwidthBps = LINE_RATE;
    return hop;
}

/// A queue pair that a policy opens at time 0; the destructor closes it.
class PolicyQueuePair
{
  public:
    PolicyQueuePair(const Ptr<RdmaCongestionOps>& ops, const RdmaFlowInfo& info)
        : m_ops(ops),
          m_state(ops->Open(info, 0))
    {
    }

    ~PolicyQueuePair()
    {
        m_ops->Close(m_state);
    }

    PolicyQueuePair(const PolicyQueuePair&) = delete;
    PolicyQueuePair& operator=(const PolicyQueuePair&) = delete;

    /// Returns the state of the queue pair.
    RdmaCongestionState* State() const
    {
        return m_state;
    }

    /// Returns the rate of the queue pair, Gb/s.
    double Gbps() const
    {
        return m_state->rateBps / 1e9;
    }

  protected:
    Ptr<RdmaCongestionOps> m_ops; ///< the policy
    RdmaCongestionState* m_state; ///< see State()
};

/// @return an acknowledgement in which only the time is set
inline RdmaAckInfo
EmptyAck(int64_t nowNs)
{
    RdmaAckInfo ack{};
    ack.nowNs = nowNs;
    ack.rttNs = -1;
    return ack;
}

/// A queue pair at 100 Gb/s with packets of 1,000 bytes.
class SampledQueuePair : public PolicyQueuePair
{
  public:
    explicit SampledQueuePair(const Ptr<RdmaCongestionOps>& ops, int64_t baseRttNs = 5 * US)
        : PolicyQueuePair(ops, {7, LINE_RATE, 1000, 90, baseRttNs, 0})
    {
    }

    /// Passes an acknowledgement to the policy.
    /// @param endsRound true if the ACK acknowledges a packet that was sent after the end of the
    /// previous round
    void Ack(RdmaAckInfo ack, bool endsRound)
    {
        if (endsRound)
        {
            m_acked = m_sent + 1000;
            m_sent += 100'000;
        }
        ack.ackSeq = m_acked;
        ack.sndNxt = m_sent;
        m_ops->OnAck(m_state, ack);
    }

    /// Passes an acknowledgement with an RTT sample to the policy.
    void Rtt(int64_t nowNs, int64_t rttNs, bool endsRound = true, uint64_t bytes = 1000)
    {
        RdmaAckInfo ack = EmptyAck(nowNs);
        ack.rttNs = rttNs;
        ack.newlyAckedBytes = bytes;
        ack.hopsBack = 1;
        Ack(ack, endsRound);
    }

    /// Passes an acknowledgement with telemetry to the policy.
    void Records(int64_t nowNs,
                 const std::vector<HopTelemetry>& hops,
                 bool endsRound = true,
                 const TelemetryCapabilities& format = INT,
                 int64_t idleNs = 0)
    {
        RdmaAckInfo ack = EmptyAck(nowNs);
        ack.hops = hops.data();
        ack.hopCount = static_cast<uint32_t>(hops.size());
        ack.telemetry = &format;
        ack.idleNs = idleNs;
        Ack(ack, endsRound);
    }

    void Rollback(int64_t nowNs, bool timeout)
    {
        m_ops->OnLoss(
            m_state,
            {nowNs, timeout ? RdmaLossInfo::TIMEOUT : RdmaLossInfo::NAK, m_acked, m_acked});
    }

    double Window() const
    {
        return m_state->windowBytes;
    }

    RdmaCongestionSample Observe() const
    {
        return m_ops->Observe(m_state);
    }

  private:
    uint64_t m_acked{0};
    uint64_t m_sent{100'000};
};

/// A queue pair whose policy stores its state in an object of class T.
template <typename T>
class StateQueuePair : public SampledQueuePair
{
  public:
    using SampledQueuePair::SampledQueuePair;

    /// Returns the policy's state of the queue pair.
    const T& Own() const
    {
        return *static_cast<const T*>(m_state);
    }
};

/// Sets an attribute to a value that is out of range, and returns true if the value is accepted.
/// @return true if the value was accepted
inline bool
Takes(const std::string& name, const std::string& attribute, const std::string& value)
{
    return Make(name)->SetAttributeFailSafe(attribute, StringValue(value));
}

/// Returns the result of Validate() for a base RTT of 5 us.
inline std::string
Why(const std::string& name,
    const Settings& settings,
    const TelemetryCapabilities* format = nullptr)
{
    return Make(name, settings)->Validate(5 * US, format);
}

} // namespace hpcctest

#endif // HPCC_TEST_POLICIES_H
