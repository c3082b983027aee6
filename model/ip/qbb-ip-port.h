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
struct TcpSegment;

/**
 * @ingroup hpcc
 *
 * The side of a QbbNetDevice that ns-3's IP stack sees. It turns packets into frames and frames
 * into packets, and stops the stack's queues while the port's are long.
 *
 * IPv4 packets go with their addresses. IPv6 packets go between the Ipv6AddressOf() two IPv4
 * addresses, by which switches forward them; between others they are refused. Packets for several
 * receivers are refused, because no switch would copy them: multicast, and with it router
 * solicitations, multicast listener reports and duplicate address detection, and broadcast to
 * 255.255.255.255. Refused packets are dropped with a reason.
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
     * @param device a port
     * @return its side that ns-3's stack sees
     */
    static QbbIpPort& Of(QbbNetDevice& device);

    void SetDevice(QbbNetDevice& device) override;

    /// Adds a tap that sees the packets of both directions, after the taps added before.
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
     * Takes only packets for this host from now on. Others are dropped with
     * DropReason::WRONG_ADDRESS, before the taps and the stack see them.
     * @param address of the host, IPv4; in IPv6 that of Ipv6AddressOf()
     */
    void SetAddress(uint32_t address)
    {
        m_address = address;
        m_addressMask = UINT32_MAX;
    }

    /**
     * Gives ns-3's traffic control one queue per priority, each stopped while the port's queue of
     * that priority holds QbbNetDevice::GetQueueStopBytes() or more. Without it the stack sends on
     * until the port's QueueLimit drops.
     */
    void EnableQueues();

    /**
     * Sends a packet of the stack. With QbbNetDevice::Tso, a TCP packet that is too large for
     * the wire is sent as several segments; each of these passes the tap.
     * @param packet the packet, from the IP header on
     * @param etherType its EtherType
     * @return false if it, or a segment of it, was dropped, with its reason counted and traced at
     * the device
     */
    bool Send(Ptr<Packet> packet, uint16_t etherType) override;

    void Deliver(Frame* frame) override;

    void QueueChanged(uint8_t priority) override;

    /**
     * Fills what a frame has from its packet: addresses, ports, TOS, TTL, protocol, sizes and hash.
     * @param packet the packet, from the IP header on
     * @param etherType its EtherType
     * @param frame filled on success
     * @param why set to the reason on failure
     * @return true if the fabric can carry it
     */
    static bool FillFrame(Ptr<Packet> packet, uint16_t etherType, Frame& frame, DropReason& why);

    /**
     * @param frame a frame of IP
     * @return its packet with the TOS and TTL of the frame, a copy
     */
    static Ptr<Packet> PacketFor(const Frame& frame);

    /**
     * Sends a packet as it is.
     * @param packet from the IP header on
     * @param etherType its EtherType
     * @return see Send()
     */
    bool SendWhole(Ptr<Packet> packet, uint16_t etherType);

    /// Sets the gate for TCP's packets where QbbNetDevice::Tso is on.
    /// @param gate the gate; null for none. Must live as long as the port
    void SetSegmentGate(SegmentGate* gate)
    {
        m_gate = gate;
    }

    /**
     * @param headerBytes of IP and TCP
     * @return payload of a TCP segment on the wire above which QbbNetDevice::Tso cuts, bytes;
     * UINT32_MAX without it
     */
    uint32_t GetWirePayload(uint32_t headerBytes) const;

    /// @return the part that joins TCP segments; null before the first packet with
    /// QbbNetDevice::Gro
    const ReceiveOffload* GetReceiveOffload() const
    {
        return m_receiveOffload.get();
    }

  protected:
    void DoDispose() override;

  private:
    /**
     * @param segment of the stack
     * @param packet the segment as a packet
     * @param etherType its EtherType
     * @return see Send()
     */
    bool SendTcp(const TcpSegment& segment, Ptr<Packet> packet, uint16_t etherType);
    /**
     * Passes a packet to the stack.
     * @param packet the packet
     * @param ipv6 true for IPv6, false for IPv4
     */
    void HandUp(Ptr<Packet> packet, bool ipv6);

    QbbNetDevice* m_device{nullptr};                  ///< the port
    std::vector<IpTap*> m_taps;                       ///< see AddTap()
    Ptr<NetDeviceQueueInterface> m_queues;            ///< null until EnableQueues()
    SegmentGate* m_gate{nullptr};                     ///< see SetSegmentGate()
    uint32_t m_address{0};                            ///< see SetAddress()
    uint32_t m_addressMask{0};                        ///< bits of it that count: all, or none
    std::unique_ptr<ReceiveOffload> m_receiveOffload; ///< see GetReceiveOffload()
};

} // namespace ns3

#endif // QBB_IP_PORT_H
