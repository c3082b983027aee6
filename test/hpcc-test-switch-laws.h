/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_SWITCH_LAWS_H
#define HPCC_TEST_SWITCH_LAWS_H

#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-ops.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

/// Contains functions that the tests of control laws at switches share: their packet headers, and
/// senders that apply the results.
namespace hpcctest
{

using namespace ns3;

inline constexpr int64_t US = 1000;
inline constexpr double GBPS = 1e9;
inline constexpr uint64_t LINE_BPS = 100'000'000'000;

using Bytes = std::vector<uint8_t>;

/**
 * Makes a part by its short name.
 * @param name the short name
 */
template <typename Base>
Ptr<Base>
Make(const std::string& name)
{
    ObjectFactory factory;
    EXPECT_TRUE(HpccPresets::Find(Base::GetTypeId(), name, factory)) << name;
    return factory.Create<Base>();
}

/// @return a header with the values that the source sets
inline TelemetryStack
Opened(const TelemetryFormat& format, const uint32_t* words = nullptr)
{
    TelemetryStack stack;
    format.Open(stack, {4791, 17, 26, 0, words});
    return stack;
}

/// @return the encoded header, which is the same in data packets and their ACKs
inline Bytes
Written(const TelemetryFormat& format, const TelemetryStack& stack)
{
    Bytes data(format.GetWireBytes(stack));
    format.Serialize(stack, data.data());
    Bytes records(format.GetReflectedBytes(stack));
    format.SerializeRecords(stack, records.data());
    EXPECT_EQ(data, records);
    TelemetryStack read;
    EXPECT_EQ(format.Deserialize(data.data(), data.size(), read), data.size());
    Bytes again(format.GetWireBytes(read));
    format.Serialize(read, again.data());
    EXPECT_EQ(again, data);
    EXPECT_EQ(format.Deserialize(data.data(), data.size() - 1, read), 0u) << "cut off";
    EXPECT_EQ(format.DeserializeRecords(data.data(), data.size(), 2, read), 0u) << "two records";
    return data;
}

/// A queue pair at 100 Gb/s with packets of 1000 + 60 bytes and a base RTT of 10 us.
class LawSender
{
  public:
    /**
     * @param ops the policy
     * @param telemetry capabilities of the telemetry format
     */
    explicit LawSender(Ptr<RdmaCongestionOps> ops, const TelemetryCapabilities* telemetry = nullptr)
        : m_ops(ops),
          m_telemetry(telemetry),
          m_state(ops->Open({7, LINE_BPS, 1000, 60, 10 * US, 0, telemetry}, 0))
    {
    }

    ~LawSender()
    {
        m_ops->Close(m_state);
    }

    LawSender(const LawSender&) = delete;
    LawSender& operator=(const LawSender&) = delete;

    /// Passes an acknowledgement of @p packets packets with one record to the policy.
    void Ack(int64_t nowNs, int64_t rttNs, const HopTelemetry& hop, uint32_t packets = 1)
    {
        RdmaAckInfo ack{};
        m_acked += 1000 * packets;
        ack.nowNs = nowNs;
        ack.ackSeq = m_acked;
        ack.sndNxt = m_acked + 20000;
        ack.newlyAckedBytes = 1000 * packets;
        ack.rttNs = rttNs;
        ack.hops = &hop;
        ack.hopCount = 1;
        ack.telemetry = m_telemetry;
        m_ops->OnAck(m_state, ack);
    }

    /// Reports a rollback to the policy.
    void Rollback(int64_t nowNs, bool timeout)
    {
        m_ops->OnLoss(
            m_state,
            {nowNs, timeout ? RdmaLossInfo::TIMEOUT : RdmaLossInfo::NAK, m_acked, m_acked});
    }

    /// Reports to the policy that the sender resumes after an idle time.
    void Restart(int64_t nowNs)
    {
        m_ops->OnRestart(m_state, {nowNs, m_acked});
    }

    const RdmaCongestionState& State() const
    {
        return *m_state;
    }

    /// Returns word @p index of the words that packets carry to the switches.
    uint32_t Word(uint32_t index) const
    {
        return m_state->telemetryWords[index];
    }

  private:
    Ptr<RdmaCongestionOps> m_ops;
    const TelemetryCapabilities* m_telemetry;
    RdmaCongestionState* m_state;
    uint64_t m_acked{0};
};

} // namespace hpcctest

#endif // HPCC_TEST_SWITCH_LAWS_H
