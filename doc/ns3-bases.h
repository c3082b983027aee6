/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// For doxygen only: describes the functions of ns-3's own classes that classes of this module
// override, so that the API reference shows these descriptions at the overriding functions.

namespace ns3
{

/// ns-3's base class of objects.
class Object
{
  protected:
    /// Releases the references to other objects when the simulation is destroyed.
    virtual void DoDispose();
    /// Prepares the object when simulated time starts, or when its node does.
    virtual void DoInitialize();
    /// Notes an object that was aggregated to this one.
    virtual void NotifyNewAggregate();
};

/// ns-3's base class of applications.
class Application : public Object
{
  protected:
    /// Begins at the attribute StartTime.
    virtual void StartApplication();
    /// Ends at the attribute StopTime.
    virtual void StopApplication();
};

/// ns-3's base class of channels.
class Channel : public Object
{
  public:
    /// @return number of attached devices
    virtual std::size_t GetNDevices() const = 0;
    /// @param i index of a device
    /// @return the device
    virtual Ptr<NetDevice> GetDevice(std::size_t i) const = 0;
};

/// ns-3's base class of network devices.
class NetDevice : public Object
{
  public:
    /// @param index number of the port at its node
    virtual void SetIfIndex(const uint32_t index) = 0;
    /// @return number of the port at its node
    virtual uint32_t GetIfIndex() const = 0;
    /// @return the channel; null before Attach()
    virtual Ptr<Channel> GetChannel() const = 0;
    /// @param address MAC address
    virtual void SetAddress(Address address) = 0;
    /// @return MAC address
    virtual Address GetAddress() const = 0;
    /// @param mtu largest IP packet, bytes
    /// @return whether it is allowed
    virtual bool SetMtu(const uint16_t mtu) = 0;
    /// @return largest IP packet, bytes
    virtual uint16_t GetMtu() const = 0;
    /// @return whether the device can send
    virtual bool IsLinkUp() const = 0;
    /// @param callback called when the link goes up or down
    virtual void AddLinkChangeCallback(Callback<void> callback) = 0;
    /// @return whether there is a broadcast address
    virtual bool IsBroadcast() const = 0;
    /// @return the broadcast address
    virtual Address GetBroadcast() const = 0;
    /// @return whether there are multicast addresses
    virtual bool IsMulticast() const = 0;
    /// @param multicastGroup an IPv4 group
    /// @return its MAC address
    virtual Address GetMulticast(Ipv4Address multicastGroup) const = 0;
    /// @param addr an IPv6 group
    /// @return its MAC address
    virtual Address GetMulticast(Ipv6Address addr) const = 0;
    /// @return whether the device is a bridge
    virtual bool IsBridge() const = 0;
    /// @return whether the device is point-to-point as ns-3 understands it
    virtual bool IsPointToPoint() const = 0;
    /// Sends a packet of ns-3's stack.
    /// @param packet the packet, from the IP header on
    /// @param dest MAC address
    /// @param protocolNumber EtherType
    /// @return whether it was accepted
    virtual bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) = 0;
    /// Sends a packet of ns-3's stack from another address.
    /// @param packet the packet, from the IP header on
    /// @param source MAC address of the sender
    /// @param dest MAC address
    /// @param protocolNumber EtherType
    /// @return whether it was accepted
    virtual bool SendFrom(Ptr<Packet> packet,
                          const Address& source,
                          const Address& dest,
                          uint16_t protocolNumber) = 0;
    /// @return the node
    virtual Ptr<Node> GetNode() const = 0;
    /// @param node the node
    virtual void SetNode(Ptr<Node> node) = 0;
    /// @return whether the stack must resolve addresses
    virtual bool NeedsArp() const = 0;
    /// @param cb gets the packets for this device
    virtual void SetReceiveCallback(NetDevice::ReceiveCallback cb) = 0;
    /// @param cb gets all packets
    virtual void SetPromiscReceiveCallback(PromiscReceiveCallback cb) = 0;
    /// @return whether SendFrom() is possible
    virtual bool SupportsSendFrom() const = 0;
};

/// ns-3's base class of packet tags.
class Tag
{
  public:
    /// @return the TypeId of the object's own class
    virtual TypeId GetInstanceTypeId() const = 0;
    /// @return bytes of the serialised tag
    virtual uint32_t GetSerializedSize() const = 0;
    /// @param i gets the tag
    virtual void Serialize(TagBuffer i) const = 0;
    /// @param i has the tag
    virtual void Deserialize(TagBuffer i) = 0;
    /// @param os gets the tag as text
    virtual void Print(std::ostream& os) const = 0;
};

/// ns-3's base class of TCP's congestion controls.
class TcpCongestionOps : public Object
{
  public:
    /// @return name of the algorithm
    virtual std::string GetName() const = 0;
    /// Begins with a connection.
    /// @param tcb state of the connection
    virtual void Init(Ptr<TcpSocketState> tcb);
    /// @param tcb state of the connection
    /// @param bytesInFlight bytes sent and not acknowledged
    /// @return slow start threshold after a loss, bytes
    virtual uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) = 0;
    /// Enlarges the window upon an ACK.
    /// @param tcb state of the connection
    /// @param segmentsAcked segments that the ACK acknowledges
    virtual void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked);
    /// Notes an ACK with its RTT.
    /// @param tcb state of the connection
    /// @param segmentsAcked segments that the ACK acknowledges
    /// @param rtt the RTT
    virtual void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt);
    /// Notes a new congestion state.
    /// @param tcb state of the connection
    /// @param newState the state
    virtual void CongestionStateSet(Ptr<TcpSocketState> tcb,
                                    const TcpSocketState::TcpCongState_t newState);
    /// Notes an event of the window.
    /// @param tcb state of the connection
    /// @param event the event
    virtual void CwndEvent(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCAEvent_t event);
    /// @return whether CongControl() replaces the other functions
    virtual bool HasCongControl() const;
    /// Sets window and rate upon an ACK.
    /// @param tcb state of the connection
    /// @param rc rate of the connection
    /// @param rs sample of the rate
    virtual void CongControl(Ptr<TcpSocketState> tcb,
                             const TcpRateOps::TcpRateConnection& rc,
                             const TcpRateOps::TcpRateSample& rs);
    /// @return a copy for a new connection
    virtual Ptr<TcpCongestionOps> Fork() = 0;
};

/// ns-3's mixin of helpers that write pcap files.
class PcapHelperForDevice
{
  public:
    /// Writes the frames of a device into a pcap file.
    /// @param prefix of the file's name
    /// @param nd the device
    /// @param promiscuous whether frames for others are written, too
    /// @param explicitFilename whether prefix is the whole name
    virtual void EnablePcapInternal(std::string prefix,
                                    Ptr<NetDevice> nd,
                                    bool promiscuous,
                                    bool explicitFilename) = 0;
};

/// ns-3's mixin of helpers that write ASCII traces.
class AsciiTraceHelperForDevice
{
  public:
    /// Writes the events of a device as text.
    /// @param stream where to; null makes a file
    /// @param prefix of the file's name
    /// @param nd the device
    /// @param explicitFilename whether prefix is the whole name
    virtual void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                     std::string prefix,
                                     Ptr<NetDevice> nd,
                                     bool explicitFilename) = 0;
};

} // namespace ns3
