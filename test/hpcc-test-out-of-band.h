/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_OUT_OF_BAND_H
#define HPCC_TEST_OUT_OF_BAND_H

#include "hpcc-test-rdma.h"

#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-roce-headers.h"

#include <algorithm>
#include <vector>

/**
 * \file
 * \ingroup hpcc
 * Fixture of the tests of feedback by probes, by notifications and by records of the bottleneck
 * hop.
 */

namespace hpcctest
{

using namespace ns3;

/// Returns a specification of hpcc++ with a feedback mode and a telemetry format.
inline HpccFabricHelper::PolicySpec
SpecOf(const std::string& feedback, const std::string& telemetry = "int-md")
{
    return HpccFabricHelper::MakePolicy("hpcc++", telemetry, feedback);
}

/// Base class with a star at 100 Gb/s, in which the frames that hosts send are recorded.
class OutOfBandTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /// Properties of a frame at the start of its transmission.
    struct Sight
    {
        int64_t atNs;        ///< start time, ns
        uint32_t bytes;      ///< frame size
        uint8_t opcode;      ///< opcode
        uint32_t psn;        ///< packet sequence number
        uint32_t named;      ///< sequence number in the payload of a notification
        uint32_t qp;         ///< destination queue pair
        uint32_t hops;       ///< number of records; 0 without telemetry
        bool hasFormat;      ///< true if the frame carries telemetry
        uint8_t priority;    ///< priority
        uint8_t tos;         ///< TOS
        uint16_t sourcePort; ///< UDP source port
        uint32_t flowHash;   ///< hash of the 5-tuple
        bool exact;          ///< true if bytes equals the size of the encoded frame
    };

    using Sights = std::vector<Sight>;

    /// @param hosts number of hosts of the star to build
    void Build(uint32_t hosts)
    {
        Install(Star(hosts, "100Gbps", MicroSeconds(1)));
        m_sights.assign(hosts, {});
        for (uint32_t host = 0; host < hosts; ++host)
        {
            OnTransmit(Host(host).GetPort(), [this, host](int64_t nowNs, const Frame& frame) {
                m_sights[host].push_back(Look(nowNs, frame));
            });
        }
        m_networkRttNs = Fabric().GetNetworkBaseRttNs();
    }

    static Sight Look(int64_t nowNs, const Frame& frame)
    {
        const Mac48Address mac("02:00:00:00:00:01");
        return {nowNs,
                frame.bytes,
                frame.opcode,
                frame.psn,
                frame.opcode == ROCE_NOTIFICATION ? frame.reflection.namedPsn & 0xffffff : 0,
                frame.destinationQp,
                frame.format ? frame.telemetry.hops : 0U,
                frame.format != nullptr,
                frame.priority,
                frame.tos,
                frame.sourcePort,
                frame.flowHash,
                FrameCodec::Encode(frame, mac, mac).size() == frame.bytes};
    }

    /**
     * Returns the frames that a host has sent with an opcode.
     * @param host the host
     * @param opcode the opcode
     */
    Sights Sent(uint32_t host, uint8_t opcode) const
    {
        Sights found;
        std::copy_if(m_sights[host].begin(),
                     m_sights[host].end(),
                     std::back_inserter(found),
                     [opcode](const Sight& sight) { return sight.opcode == opcode; });
        return found;
    }

    /// Returns the frames that a host has sent, except feedback and probes.
    /// @param host the host
    Sights SentData(uint32_t host) const
    {
        Sights found;
        std::copy_if(m_sights[host].begin(),
                     m_sights[host].end(),
                     std::back_inserter(found),
                     [](const Sight& sight) { return sight.opcode < ROCE_ACK; });
        return found;
    }

    void Run(Time until)
    {
        Simulator::Stop(until);
        Simulator::Run();
    }

    /// Expects that @p messages messages have been acknowledged, and that all frames are back in
    /// their pools.
    void ExpectQuiet(size_t messages)
    {
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), messages, "messages that end");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames are back in their pools");
    }

    std::vector<Sights> m_sights; ///< frames sent, by host
    int64_t m_networkRttNs{0};    ///< T
};

} // namespace hpcctest

#endif // HPCC_TEST_OUT_OF_BAND_H
