/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONNECTIONS_H
#define RDMA_CONNECTIONS_H

#include "rdma-connection.h"
#include "rdma-queue-pair.h"
#include "rdma-queue-pairs.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Stores a short record of each connected queue pair of a host, and a slot with the full state of
 * each queue pair in use. Slots are reused.
 */
class RdmaConnections
{
  public:
    static constexpr uint32_t FIRST_QPN = 2; ///< queue pairs 0 and 1 are reserved for management
                                             ///< (IBTA)
    static constexpr uint32_t MAX_QPN = 0xffffff; ///< largest queue pair number, 24 bits

    /// Pointers to the state of a queue pair. They are looked up for every packet. Therefore they
    /// are stored in a separate array, in which one cache line contains the pointers of several
    /// queue pairs.
    struct Open
    {
        RdmaQueuePair* queuePair{nullptr}; ///< state of the queue pair; null before the first use.
                                           ///< With RdmaQueuePairConfig::singleMessage, null again
                                           ///< after the message
        const void* policy{nullptr};       ///< congestion state of the queue pair, as passed to the
                                           ///< last NoteState(). This copy of RdmaQueuePair::cc
                                           ///< allows a prefetch of the state while the queue pair
                                           ///< itself is not yet in the cache
    };

    /**
     * Returns the index of a queue pair.
     * @param number number of the queue pair, as on the wire
     */
    static uint32_t IndexOfNumber(uint32_t number)
    {
        return number - FIRST_QPN;
    }

    /**
     * Returns the number of a queue pair, as on the wire.
     * @param index index of the queue pair
     */
    static uint32_t NumberOfIndex(uint32_t index)
    {
        return index + FIRST_QPN;
    }

    /// Returns the number of connected queue pairs.
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(m_ends.size());
    }

    /**
     * Adds a queue pair.
     * @param end record of the queue pair
     */
    void Add(const RdmaEnd& end)
    {
        m_ends.push_back(end);
        m_open.emplace_back();
    }

    /**
     * Returns the record of a queue pair.
     * @param index index of the queue pair, less than GetSize()
     */
    const RdmaEnd& GetEnd(uint32_t index) const
    {
        return m_ends[index];
    }

    /**
     * Moves a queue pair to other ports.
     * @param index index of the queue pair
     * @param port new port of the queue pair at this host
     * @param peer new IPv4 address of the other end's port
     */
    void SetPorts(uint32_t index, uint8_t port, uint32_t peer)
    {
        m_ends[index].port = port;
        m_ends[index].peer = peer;
    }

    /// Stores the address of the congestion state of a queue pair, so that this state can be
    /// prefetched.
    /// @param qp a queue pair whose policy has been opened
    void NoteState(const RdmaQueuePair& qp)
    {
        m_open[IndexOfNumber(qp.number)].policy = qp.cc;
    }

    /**
     * Registers the address of a port that is not the first port of its host.
     * @param address IPv4 address of the port
     * @param host address of the first port
     */
    void AddAddress(uint32_t address, uint32_t host)
    {
        m_hosts[address] = host;
    }

    /**
     * Returns the address of the first port of a host, which identifies the host.
     * @param address IPv4 address of a port of this host or of a connected host
     */
    uint32_t HostOf(uint32_t address) const
    {
        const auto found = m_hosts.empty() ? m_hosts.end() : m_hosts.find(address);
        return found == m_hosts.end() ? address : found->second;
    }

    /**
     * Returns the record of a queue pair; null if there is none.
     * @param number queue pair number, as on the wire
     */
    const RdmaEnd* FindEnd(uint32_t number) const
    {
        const uint32_t index = IndexOfNumber(number);
        return index < m_ends.size() ? &m_ends[index] : nullptr;
    }

    /**
     * Returns the state of a queue pair; null if no such state exists.
     * @param number queue pair number, as on the wire
     */
    RdmaQueuePair* Find(uint32_t number) const
    {
        const Open* open = FindOpen(number);
        return open ? open->queuePair : nullptr;
    }

    /**
     * Returns the pointers to the state of a queue pair; null if there is no such queue pair.
     * @param number queue pair number, as on the wire
     */
    const Open* FindOpen(uint32_t number) const
    {
        const uint32_t index = IndexOfNumber(number);
        return index < m_open.size() ? &m_open[index] : nullptr;
    }

    /**
     * Assigns a slot to a queue pair, without creating its state.
     * @param index index of a queue pair that has no slot
     */
    void ReserveSlot(uint32_t index);

    /**
     * Creates the state of a queue pair. If the queue pair has no slot, assigns a slot first.
     * @param index index of a queue pair without state
     * @return the queue pair, with numbers, ports and the other end's address set
     */
    RdmaQueuePair& CreateState(uint32_t index);

    /**
     * Frees the slot of a queue pair whose single message is complete.
     * @param qp the queue pair
     */
    void FreeSlot(RdmaQueuePair& qp);

    /**
     * Stores a role unless an equal role is already stored.
     * @param role properties of one end of a queue pair
     * @return index of the role
     */
    uint16_t StoreRole(const RdmaSenderRole& role);

    /**
     * Stores a role unless an equal role is already stored.
     * @param role properties of one end of a queue pair
     * @return index of the role
     */
    uint16_t StoreRole(const RdmaReceiverRole& role);

    /**
     * Returns the sender role of a queue pair.
     * @param qp a queue pair that sends
     */
    const RdmaSenderRole& SenderRoleOf(const RdmaQueuePair& qp) const
    {
        return SenderRoleOf(m_ends[IndexOfNumber(qp.number)]);
    }

    /**
     * Returns the sender role of an end.
     * @param end an end that sends
     */
    const RdmaSenderRole& SenderRoleOf(const RdmaEnd& end) const
    {
        return m_senderRoles[end.sender];
    }

    /**
     * Returns a sender role.
     * @param number number of the role, as returned by StoreRole()
     */
    const RdmaSenderRole& SenderRole(size_t number) const
    {
        return m_senderRoles[number];
    }

    /**
     * Returns the receiver role of a queue pair.
     * @param qp a queue pair that receives
     */
    const RdmaReceiverRole& ReceiverRoleOf(const RdmaQueuePair& qp) const
    {
        return m_receiverRoles[m_ends[IndexOfNumber(qp.number)].receiver];
    }

    /**
     * Returns the receiver role with a given index.
     * @param role index, as returned by StoreRole()
     */
    const RdmaReceiverRole& GetReceiverRole(uint16_t role) const
    {
        return m_receiverRoles[role];
    }

    /**
     * Returns the feedback mode in the sender role of a queue pair. The result is null in three
     * cases: the mode is the default, the queue pair does not send, or the queue pair does not
     * exist.
     * @param index index of the queue pair
     */
    Ptr<const RdmaFeedback> FeedbackOf(uint32_t index) const;

    /// Throws HpccInputError after ForgetRoles().
    /// @param call start of the error message, such as "ns3::RdmaHost::Post: "
    void RequireRoles(const char* call) const;

    /// Deletes all roles, which releases the policies that they refer to. Queue pairs without state
    /// lose their slots, because their state can no longer be created.
    void ForgetRoles();

    RdmaQueuePairs queuePairs; ///< queue pairs in use, by slot

  private:
    std::vector<RdmaEnd> m_ends; ///< all queue pairs, by index
    std::vector<Open> m_open;    ///< pointers to the state of all queue pairs, by index
    std::vector<RdmaSenderRole> m_senderRoles;     ///< roles of queue pairs that send
    std::vector<RdmaReceiverRole> m_receiverRoles; ///< roles of queue pairs that receive
    std::vector<uint32_t> m_freeSlots;             ///< slots not in use
    bool m_forgotten{false};                       ///< true after ForgetRoles()
    /// Address of the first port of a host, by the address of another port of the host.
    std::map<uint32_t, uint32_t> m_hosts;
};

} // namespace ns3

#endif // RDMA_CONNECTIONS_H
