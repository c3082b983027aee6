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
 * The side of a QbbNetDevice that ns-3's IP stack sees, as the device knows it. The class that
 * implements it, ns3::QbbIpPort, is found by its name, since a build may leave it out.
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
     * Binds this to its port. Called once, before everything else.
     * @param device the port; it owns this
     */
    virtual void SetDevice(QbbNetDevice& device) = 0;

    /**
     * Sends a packet of the stack.
     * @param packet the packet, from the IP header on
     * @param etherType its EtherType
     * @return false if it, or a part of it, was dropped, with its reason counted and traced at the
     * device
     */
    virtual bool Send(Ptr<Packet> packet, uint16_t etherType) = 0;

    /**
     * Hands a packet to the stack.
     * @param frame its frame; freed
     */
    virtual void Deliver(Frame* frame) = 0;

    /**
     * Called after any queue has changed while some queue of the stack is stopped
     * (QbbEgress::SetStopped).
     * @param priority the queue's
     */
    virtual void QueueChanged(uint8_t priority) = 0;
};

/**
 * @ingroup hpcc
 *
 * Owns the StackPort of a QbbNetDevice, which is made when it is needed first.
 */
class LazyStackPort
{
  public:
    /// @param device the port
    explicit LazyStackPort(QbbNetDevice& device)
        : m_device(device)
    {
    }

    /**
     * Makes the StackPort if there is none. Aborts with one line if the build has no class for it.
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
