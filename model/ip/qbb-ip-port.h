/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_IP_PORT_H
#define QBB_IP_PORT_H

#include "hpcc-ip-tap.h"

#include "ns3/hpcc-drop-reason.h"
#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-stack-port.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class SegmentGate;
class QbbNetDevice;
class ReceiveOffload;
class TelemetryFormat;
struct TcpSegment;

/**
 * @ingroup hpcc
 *
 * The interface of a QbbNetDevice to ns-3's IP stack. The interface converts packets into frames
 * and frames into packets, and stops the stack's queues while the port's queues are long.
 *
 * IPv4 packets keep their addresses. Switches forward by IPv4 addresses. Therefore the source and
 * destination addresses of an IPv6 packet must be addresses that Ipv6AddressOf() derives from IPv4
 * addresses; other IPv6 packets are refused. Broadcasts to 255.255.255.255 and multicast packets
 * are also refused, because switches do not copy packets. Refused packets are dropped with a
 * reason. Exception: router solicitations and packets of duplicate address detection are ignored
 * and not counted as drops. No host would answer such packets, because the network has no IPv6
 * routers and all its host addresses differ.
 */
class QbbIpPort : public StackPort
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    QbbIpPort();
    ~QbbIpPort() override;

    /**
     * Returns the QbbIpPort of a port.
     * @param device a port
     */
    static QbbIpPort& Of(QbbNetDevice& device);

    void SetDevice(QbbNetDevice& device) override;

    /// Adds a tap to the port. Packets of both directions pass the taps in the order in which the
    /// taps were added.
    /// @param tap the tap; must live as long as the port, or until RemoveTaps()
    void AddTap(IpTap* tap)
    {
        m_taps.push_back(tap);
    }

    /// Removes all taps.
    void RemoveTaps()
    {
        m_taps.clear();
    }

    /**
     * Accepts only packets for this host from now on. Other packets are dropped with
     * DropReason::WRONG_ADDRESS, before they reach the taps and the stack.
     * @param address IPv4 address of the host, from which Ipv6AddressOf() derives its IPv6 address
     */
    void SetAddress(uint32_t address)
    {
        m_address = address;
        m_addressMask = UINT32_MAX;
    }

    /**
     * Adds a telemetry format in use in the network. If the format marks packets by a UDP port or a
     * DSCP, datagrams and TCP data without telemetry must not have this mark. If packets without
     * telemetry had the mark, the bytes of a packet would not show whether telemetry follows its
     * header. Fragments of IPv6 are not checked.
     * @param format the format
     */
    void AddFormat(Ptr<const TelemetryFormat> format);

    /**
     * Throws HpccInputError if a UDP port or a DSCP is the mark of a format, see AddFormat(). The
     * packets of the stack are checked when they are sent.
     * @param port UDP destination port; 0: none
     * @param dscp DSCP
     */
    void CheckMark(uint16_t port, uint8_t dscp) const;

    /**
     * Offers ns3::TrafficControlLayer one device queue per priority. A device queue is stopped
     * while the port's queue of the same priority contains QueueStop bytes or more.
     * Without this call the stack never stops sending, and the port drops packets above
     * QueueLimit.
     */
    void EnableQueues();

    /**
     * Sends a packet of the stack. With QbbNetDevice::Tso, a TCP packet that is too large for the
     * wire is sent as several segments, each of which passes the taps.
     * @param packet the packet, from the IP header on
     * @param etherType EtherType of the packet
     * @return false if the packet or one of its segments was dropped; the device counts and traces
     * the reason
     */
    bool Send(Ptr<Packet> packet, uint16_t etherType) override;

    void Deliver(Frame* frame) override;

    void QueueChanged(uint8_t priority) override;

    /**
     * Fills the fields of a frame from its packet: addresses, ports, TOS, TTL, protocol, sizes and
     * hash.
     * @param packet the packet, from the IP header on
     * @param etherType EtherType of the packet
     * @param frame filled on success
     * @param why set to the reason on failure
     * @return true if the network can carry the packet
     */
    static bool FillFrame(Ptr<Packet> packet, uint16_t etherType, Frame& frame, DropReason& why);

    /**
     * Returns a copy of the packet of a frame, with the TOS and TTL of the frame.
     * @param frame an IP frame
     */
    static Ptr<Packet> PacketFor(const Frame& frame);

    /**
     * Sends a packet without cutting it into segments.
     * @param packet the packet, from the IP header on
     * @param etherType EtherType of the packet
     * @return see Send()
     */
    bool SendWhole(Ptr<Packet> packet, uint16_t etherType);

    /// Sets the gate for TCP's packets, which is used with QbbNetDevice::Tso.
    /// @param gate the gate; null for none. Must live as long as the port
    void SetSegmentGate(SegmentGate* gate)
    {
        m_gate = gate;
    }

    /**
     * Returns the largest payload of a TCP segment that QbbNetDevice::Tso does not cut, bytes;
     * UINT32_MAX without Tso.
     * @param headerBytes size of the IP and TCP headers, bytes
     */
    uint32_t GetWirePayload(uint32_t headerBytes) const;

    /// Returns the part that joins TCP segments; null before the first packet with
    /// QbbNetDevice::Gro.
    const ReceiveOffload* GetReceiveOffload() const
    {
        return m_receiveOffload.get();
    }

  protected:
    void DoDispose() override;

  private:
    /**
     * Sends a TCP segment of the stack, cut into several segments if necessary.
     * @param segment a segment from the stack
     * @param packet the segment as a packet
     * @param etherType EtherType of the segment
     * @return see Send()
     */
    bool SendTcp(const TcpSegment& segment, Ptr<Packet> packet, uint16_t etherType);
    /**
     * Passes a packet to the stack.
     * @param packet the packet
     * @param ipv6 true for IPv6, false for IPv4
     */
    void HandUp(Ptr<Packet> packet, bool ipv6);
    /// Calls CheckMark() for a frame without telemetry that carries a UDP datagram or TCP data.
    /// @param frame the frame of a packet of the stack
    void CheckFrame(const Frame& frame) const;

    QbbNetDevice* m_device{nullptr};       ///< the port
    std::vector<IpTap*> m_taps;            ///< see AddTap()
    Ptr<NetDeviceQueueInterface> m_queues; ///< null until EnableQueues()
    SegmentGate* m_gate{nullptr};          ///< see SetSegmentGate()
    uint32_t m_address{0};                 ///< see SetAddress()
    uint32_t m_addressMask{0};             ///< bits in which the destination of a packet must equal
                                           ///< m_address: all bits, or none before SetAddress()
    std::unique_ptr<ReceiveOffload> m_receiveOffload; ///< see GetReceiveOffload()
    std::vector<Ptr<const TelemetryFormat>> m_marked; ///< formats passed to AddFormat() that mark
                                                      ///< packets by a UDP port or a DSCP
};

} // namespace ns3

#endif // QBB_IP_PORT_H
