/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_STACK_PORT_H
#define HPCC_STACK_PORT_H

#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{

struct Frame;
class QbbNetDevice;

/**
 * @ingroup hpcc
 *
 * Interface between a QbbNetDevice and its part for ns-3's IP stack. The class ns3::QbbIpPort
 * implements this interface. The class is looked up by name, because a build may omit it.
 */
class StackPort : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Binds this object to its port. Called once, before any other function.
     * @param device the port, which owns this object
     */
    virtual void SetDevice(QbbNetDevice& device) = 0;

    /**
     * Sends a packet of the stack.
     * @param packet the packet, from the IP header on
     * @param etherType EtherType of the packet
     * @return false if the packet or a part of it was dropped; the device counts and traces the
     * drop with its reason
     */
    virtual bool Send(Ptr<Packet> packet, uint16_t etherType) = 0;

    /**
     * Passes a packet to the stack.
     * @param frame the frame of the packet, which this function frees
     */
    virtual void Deliver(Frame* frame) = 0;

    /**
     * Handles the change of a queue of the port. Called only while at least one queue of the stack
     * is stopped (QbbEgress::SetStopped).
     * @param priority priority of the queue
     */
    virtual void QueueChanged(uint8_t priority) = 0;
};

/**
 * @ingroup hpcc
 *
 * Owns the StackPort of a QbbNetDevice, and creates this StackPort when it is first needed.
 */
class LazyStackPort
{
  public:
    /// Stores the port whose StackPort Get() will create.
    /// @param device the port
    explicit LazyStackPort(QbbNetDevice& device)
        : m_device(device)
    {
    }

    /**
     * Returns the StackPort. The first call creates it. Aborts with an error message if the build
     * has no StackPort class.
     * @return the StackPort
     */
    StackPort& Get();

    /// Disposes of the StackPort, if there is one.
    void Dispose();

  private:
    QbbNetDevice& m_device; ///< the port
    Ptr<StackPort> m_stack; ///< null before the first use
};

} // namespace ns3

#endif // HPCC_STACK_PORT_H
