/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TCP_HELPER_H
#define HPCC_TCP_HELPER_H

#include "ns3/hpcc-fabric-helper.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * HPCC++ for ns-3's TCP on the hosts of an HpccFabricHelper. With the stacks of HpccInternetHelper
 * in place, two lines give it to every application that uses ns3::TcpSocketFactory:
 *
 * @code
 * HpccTcpHelper().Install(fabric);
 * Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpHpccPlusPlus"));
 * @endcode
 *
 * Both lines come before applications are installed. The second one comes before the stacks are
 * installed; otherwise use Config::Set() for each stack. Connections with another congestion
 * control are left alone.
 */
class HpccTcpHelper
{
  public:
    HpccTcpHelper();

    /// The settings of Tune(): attribute and value.
    using Settings = std::vector<std::pair<std::string, std::string>>;

    /**
     * @param name attribute of every HpccTcpNic
     * @param value its value
     */
    void SetNicAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param name short name of a telemetry format for probes, or with HpccTcpNic::Feedback InBand
     * for data segments; int-md:dscp by default. If a DSCP marks it, this DSCP is
     * HpccTcpNic::ProbeDscp. Must not be set with Compact and CompactReceiver, which have a TCP
     * option, ns3::MaxLoadFormat
     */
    void SetTelemetry(const std::string& name);

    /// Sets the payload of a full segment on the wire. Values out of range throw HpccInputError.
    /// @param bytes 536 to 8960; 0, the default, takes RdmaHost::Mtu
    void SetSegmentSize(uint32_t bytes);

    /**
     * Adapts ns-3's TCP defaults to the network, whatever the congestion control: segment
     * size, buffers of 64 times the rate of the fastest host times T and at least 4 MB, one ACK per
     * segment, no timestamps (their unit is 1 ms, and round-trip times are measured by them),
     * shortest retransmission time-out 5 ms, that of SYNs 10 ms, clock granularity 1 us, no limit
     * of the pacing rate below that of the fastest host.
     *
     * Where the hosts' ports have QbbNetDevice::Tso, their TsoSegment is the segment size, and
     * TCP's own is the largest multiple of it that fits TsoMtu.
     *
     * Throws HpccInputError if a segment does not fit QbbNetDevice::Mtu, or some hosts have Tso and
     * others not.
     * @param fabric the network, installed
     * @return the settings, also written to the log at level info
     */
    Settings Tune(const HpccFabricHelper& fabric) const;

    /**
     * Tune(), put an HpccTcpNic into each host, and what the telemetry needs into each switch. What
     * does not fit throws HpccInputError.
     * @param fabric the network, installed, its hosts with HpccInternetHelper's stacks
     * @return the settings of Tune()
     */
    Settings Install(HpccFabricHelper& fabric) const;

  private:
    /**
     * @param fabric the network
     * @return the telemetry
     */
    Ptr<TelemetryFormat> MakeTelemetry(const HpccFabricHelper& fabric) const;
    /**
     * Refuses segments that may not cross between the ranks of the network.
     * @param fabric the network
     * @param telemetry whether they carry telemetry
     */
    void CheckRanks(const HpccFabricHelper& fabric, bool telemetry) const;
    /**
     * Refuses telemetry for which full segments leave no room in a port's MTU.
     * @param fabric the network
     * @param telemetryBytes that segments get, without those of hops
     */
    void CheckRoom(const HpccFabricHelper& fabric, uint32_t telemetryBytes) const;
    /**
     * @param fabric the network
     * @return payload of a full segment on the wire
     */
    uint32_t GetSegmentBytes(const HpccFabricHelper& fabric) const;

    /**
     * @param fabric the network
     * @param wire payload of a segment on the wire, bytes
     * @return that of a segment of TCP
     */
    static uint32_t FitSegment(const HpccFabricHelper& fabric, uint32_t wire);

    ObjectFactory m_nicFactory; ///< makes NICs
    std::string m_telemetry;    ///< see SetTelemetry(); empty until set
    uint32_t m_segmentBytes{0}; ///< see SetSegmentSize()
};

} // namespace ns3

#endif // HPCC_TCP_HELPER_H
