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

class HpccTcpNic;

/**
 * @ingroup hpcc
 *
 * HPCC++ for ns-3's TCP on the hosts of an HpccFabricHelper. On hosts with the stacks of
 * HpccInternetHelper, two lines enable HPCC++ for every application that uses
 * ns3::TcpSocketFactory:
 *
 * @code
 * HpccTcpHelper().Install(fabric);
 * Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpHpccPlusPlus"));
 * @endcode
 *
 * Both lines must precede the installation of applications. The second line must also precede the
 * installation of the stacks. Once the stacks are installed, only Config::Set() can change the
 * congestion control, separately for each stack. Connections with another congestion control are
 * not affected. Without the first line, connections of TcpHpccPlusPlus get no telemetry and use the
 * congestion control of the attribute TcpHpccPlusPlus::Fallback.
 */
class HpccTcpHelper
{
  public:
    HpccTcpHelper();

    /// The settings that Tune() makes: attributes and values.
    using Settings = std::vector<std::pair<std::string, std::string>>;

    /**
     * Sets an attribute of every HpccTcpNic. Must not be called after Install().
     * @param name name of the attribute
     * @param value value of the attribute
     */
    void SetNicAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Chooses the telemetry format of probes, or of data segments if HpccTcpNic::Feedback is
     * InBand. Must not be called after Install(). Must not be called with the feedback Compact or
     * CompactReceiver either, because their format is always the TCP option ns3::MaxLoadFormat.
     * @param name short name of the format, int-md:dscp by default. If a DSCP marks the format, its
     * attribute Dscp is set to HpccTcpNic::ProbeDscp
     */
    void SetTelemetry(const std::string& name);

    /// Sets the payload of a full segment on the wire. Values out of range throw HpccInputError.
    /// Must not be called after Install(). T is computed for packets of RdmaHost::Mtu, so with
    /// larger segments even a flow that is alone does not reach the line rate.
    /// @param bytes payload, 536 to 8960; 0, the default, selects RdmaHost::Mtu
    void SetSegmentSize(uint32_t bytes);

    /**
     * Adapts ns-3's TCP defaults to the network, for any congestion control:
     * - segment size, see SetSegmentSize();
     * - buffers of 64 times T times the rate of the fastest host, but at least 4 MB, and at most
     *   1,073,725,440 bytes, TCP's largest window;
     * - one ACK per segment;
     * - no timestamps, because TCP would otherwise measure round-trip times with the timestamps'
     * resolution of 1 ms;
     * - retransmission time-outs of at least 5 ms, and 10 ms or 4 T for SYNs, whichever is longer;
     *   clock granularity 1 us;
     * - a largest pacing rate equal to the rate of the fastest host.
     *
     * If QbbNetDevice::Tso is true at the hosts' ports, their TsoSegment is set to the segment
     * size. In this case, TCP's own segment size is the largest multiple of TsoSegment that fits
     * QbbNetDevice::TsoMtu.
     *
     * Throws HpccInputError, and changes nothing, if a segment does not fit QbbNetDevice::Mtu, if
     * only some hosts have Tso, or if T times the rate of the fastest host exceeds TCP's largest
     * window.
     * @param fabric the network after Install()
     * @return the settings, also written to the log at level info
     */
    Settings Tune(const HpccFabricHelper& fabric) const;

    /**
     * Calls Tune(), and installs an HpccTcpNic in each host and the agent of the telemetry format
     * in each switch. Settings that do not fit throw HpccInputError, and change nothing.
     * @param fabric the network after Install(), with HpccInternetHelper's stacks
     * @return the settings of Tune()
     */
    Settings Install(HpccFabricHelper& fabric);

  private:
    /**
     * Makes the telemetry format of the NICs.
     * @param fabric the network
     * @param nic NIC of one of the hosts
     * @return the argument of HpccFabricHelper::CheckFormat()
     */
    HpccFabricHelper::PolicySpec MakeTelemetry(const HpccFabricHelper& fabric,
                                               Ptr<HpccTcpNic> nic) const;
    /**
     * Returns the settings of Tune(). Throws HpccInputError as Tune() does, except that it does not
     * check queues and buffers.
     * @param fabric the network
     */
    Settings FindSettings(const HpccFabricHelper& fabric) const;
    /**
     * Makes the settings of Tune().
     * @param fabric the network
     * @param settings the result of FindSettings()
     */
    void Apply(const HpccFabricHelper& fabric, const Settings& settings) const;
    /**
     * Refuses segments that are too large to be sent from one rank to another.
     * @param fabric the network
     * @param telemetry true if the segments carry telemetry
     */
    void CheckRanks(const HpccFabricHelper& fabric, bool telemetry) const;
    /**
     * Refuses switches that average the loads of the format over a T other than that of
     * TcpHpccPlusPlus.
     * @param fabric the network
     * @param format telemetry that the switches write as loads
     */
    static void CheckAverage(const HpccFabricHelper& fabric, const TelemetryFormat& format);
    /**
     * Refuses telemetry if a full segment with this telemetry exceeds the MTU of a port.
     * @param fabric the network
     * @param telemetryBytes bytes of telemetry per segment, without hop metadata
     */
    void CheckRoom(const HpccFabricHelper& fabric, uint32_t telemetryBytes) const;
    /**
     * Returns the payload of a full segment on the wire, bytes.
     * @param fabric the network
     */
    uint32_t GetSegmentBytes(const HpccFabricHelper& fabric) const;

    /**
     * Computes the size of the segments that TCP passes to the port. Throws HpccInputError if
     * segments do not fit a port, or if only some hosts have Tso.
     * @param fabric the network
     * @param wire payload of a segment on the wire, bytes
     * @return size of TCP's own segments, bytes
     */
    static uint32_t FitSegment(const HpccFabricHelper& fabric, uint32_t wire);

    ObjectFactory m_nicFactory; ///< makes NICs
    std::string m_telemetry;    ///< short name of the telemetry format; empty until SetTelemetry()
                                ///< is called
    uint32_t m_segmentBytes{0}; ///< payload of a full segment, bytes; 0: RdmaHost::Mtu
    bool m_installed{false};    ///< true after Install()
};

} // namespace ns3

#endif // HPCC_TCP_HELPER_H
