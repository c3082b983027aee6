/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_NODE_AGENDA_H
#define HPCC_NODE_AGENDA_H

#include "hpcc-frame.h"

#include "ns3/event-impl.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Kinds of items on a node's agenda. Items due at the same nanosecond are processed in the order of
 * these kinds, and within a kind by index. Therefore results never depend on the order in which
 * items were added.
 */
enum class AgendaKind : uint8_t
{
    LINK_CHANGE,   ///< a link goes down or up; index is the port
    ROUTE_CHANGE,  ///< a switch changes its routes; index is the number of the change
    PAUSE_EXPIRY,  ///< a received pause expires; index is port * PRIORITIES + priority
    ARRIVAL,       ///< the last bit of a frame arrives; index is the port
    RECEIVE_DRAIN, ///< the host has drained a frame from the receive buffer; index is the port
    PORT_FREE,     ///< a port may start its next queued frame; index is the port
    PFC_REFRESH,   ///< time to repeat a sent pause; index is port * PRIORITIES + priority
    HOST_TIMER,    ///< time-outs and timers of queue pairs
    APPLICATION,   ///< an application posts messages; index is the number of the application
    PORT_AGENT,    ///< a port agent's timer; index is the number of a pair of agent and port
    SAMPLER,       ///< a sampler takes a sample; index is the number of the sampler
    COUNT,
};

/**
 * @ingroup hpcc
 *
 * An object whose function Due() handles items of a node's agenda.
 */
class AgendaClient
{
  public:
    virtual ~AgendaClient() = default;

    /**
     * Handles an item that is due.
     * @param kind kind of the item, see Schedule()
     * @param index index of the item, see Schedule()
     * @param nowNs the time, ns
     */
    virtual void Due(AgendaKind kind, uint32_t index, int64_t nowNs) = 0;
};

/**
 * @ingroup hpcc
 *
 * Puts items on the agenda of a lagging node only when the node needs them.
 */
class AgendaSource
{
  public:
    virtual ~AgendaSource() = default;

    /// Puts the pending items on the agendas of their nodes. Called when one of these nodes is
    /// about to process items.
    virtual void Fetch() = 0;
};

/**
 * @ingroup hpcc
 *
 * The event agenda of a node: a small heap of the items that the node has scheduled, and one
 * preallocated ns-3 event, which is scheduled for the earliest item. The agenda is aggregated to
 * the Node, and also owns the pool of the node's frames.
 *
 * A scheduled event is never cancelled, so ns-3's scheduler may contain the event object several
 * times. An item cannot be withdrawn. A client that no longer needs an item ignores the call of
 * Due().
 *
 * An action of a node cannot affect another node before the delay of a link has passed. The
 * attribute MaxLag makes use of this delay to reduce the number of ns-3 events. A node waits until
 * its earliest item is MaxLag late. In a single event, the node then processes all due items in
 * order, each with its own time as the current time. The results are the same, but the node may lag
 * behind ns-3's clock. The lag is at most MaxLag, and less than the delay of the node's shortest
 * link. Therefore:
 * - In a callback of a node, use the time argument or NowNs(), not Simulator::Now().
 * - In an event of your own, call CatchUp() before you read the state of a node.
 * - In a callback of a node, do not act on another node, because the clock of the other node may be
 *   ahead. RdmaHost::Post() refuses a call from a callback of another node. To start a message at
 *   the other node, send that node a message, and call Post() in a sink of that node's trace source
 *   MessageDelivered. Alternatively, set MaxLag to 0.
 *
 * Nodes with an IP stack of ns-3, a receive error model, or a connected trace source of packets
 * never lag.
 */
class NodeAgenda : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    NodeAgenda();
    ~NodeAgenda() override;

    /**
     * Returns the agenda of a node. The first call for a node creates the agenda and aggregates it.
     * @param node node whose agenda is returned
     */
    static Ptr<NodeAgenda> Of(Ptr<Node> node);

    /**
     * Registers the client that handles the items of a kind with a given index. Aborts if another
     * client is registered for them.
     * @param kind kind of the items
     * @param index index of the items, below 2^24
     * @param client client to call when an item is due; must live as long as the agenda
     */
    void Register(AgendaKind kind, uint32_t index, AgendaClient* client);

    /**
     * Registers a client that handles the items of a kind with the next free index.
     * @param kind kind of the items
     * @param client client to call when an item is due
     * @return the index
     */
    uint32_t Register(AgendaKind kind, AgendaClient* client);

    /**
     * Puts an item on the agenda.
     * @param kind kind of the item
     * @param index a registered index
     * @param atNs time at which the item is due, ns, not before now
     */
    void Schedule(AgendaKind kind, uint32_t index, int64_t atNs)
    {
        Push({atNs, static_cast<uint32_t>(kind) << INDEX_BITS | index});
    }

    /// Sets the end of the simulation. Items that are due then or later are never processed.
    /// @param atNs the end, ns
    void EndAt(int64_t atNs);

    /// Returns the node's current time, ns. While the agenda calls a client, this is the time at
    /// which the item was due.
    int64_t NowNs() const
    {
        return m_running ? m_nowNs : Simulator::Now().GetTimeStep();
    }

    /**
     * Processes all items due before now. Code that is not called by the agenda must call this
     * function before it reads or changes the node.
     * @return the node's current time, ns
     */
    int64_t CatchUp()
    {
        if (!m_running && m_lagNs > 0)
        {
            RunUntil(Simulator::Now().GetTimeStep() - 1);
        }
        return NowNs();
    }

    /// Limits the lag to less than the delay of a link.
    /// @param delayNs propagation delay of a link of the node, ns
    void LimitLag(int64_t delayNs);

    /// Returns the maximum lag, ns: the time by which items may be processed late.
    int64_t GetLagNs() const
    {
        return m_lagNs;
    }

    /// From now on, refuses values of MaxLag with which the node could lag by more than @p mostNs.
    /// @param mostNs largest allowed lag, ns
    void CapLag(int64_t mostNs)
    {
        m_lagCapNs = std::min(m_lagCapNs, mostNs);
    }

    /**
     * Limits the lag so that, at each multiple of @p stepNs, the node has processed all items due
     * before that multiple.
     * @param stepNs the step, ns, positive
     * @param source object whose Fetch() is called before the node processes items; must live until
     * the agenda has processed its last item
     */
    void LagWithin(int64_t stepNs, AgendaSource* source);

    /// Forbids any lag of the node. Must be called before simulated time starts.
    void ForbidLag()
    {
        LimitLag(0);
    }

    /// Marks the node as a node of another process, so that this process never processes its items.
    /// Must be called before simulated time starts.
    void SetForeign();

    /// Returns true if another process simulates the node.
    bool IsForeign() const
    {
        return m_foreign;
    }

    /// Returns the pool of the node's frames.
    FramePool& Frames()
    {
        return m_frames;
    }

    /// Returns the node's id.
    uint32_t GetNodeId() const
    {
        return m_nodeId;
    }

    /// Returns the number of pending ns-3 events whose times the agenda stores, at most 6.
    uint32_t GetPendingEvents() const
    {
        return m_armed;
    }

    /// Returns the number of ns-3 events scheduled so far.
    uint64_t GetEvents() const
    {
        return m_events;
    }

  protected:
    void NotifyNewAggregate() override;

  private:
    static constexpr uint32_t INDEX_BITS = 24;                     ///< width of an index
    static constexpr uint32_t INDEX_MASK = (1U << INDEX_BITS) - 1; ///< mask of an index

    /// An item of the agenda: ordered by time, then kind, then index.
    struct Item
    {
        int64_t atNs;  ///< time at which the item is due, ns
        uint32_t code; ///< kind and index

        /**
         * Returns true if this item comes before another.
         * @param other another item
         */
        bool operator<(const Item& other) const
        {
            // Written without && and ||, so that the compiler generates no branches, which the
            // processor could not predict.
            return (atNs < other.atNs) | ((atNs == other.atNs) & (code < other.code));
        }
    };

    /// The event scheduled for the earliest item.
    class Event : public EventImpl
    {
      public:
        /// Creates the event of an agenda.
        /// @param agenda the agenda whose items the event processes
        explicit Event(NodeAgenda* agenda)
            : m_agenda(agenda)
        {
        }

      protected:
        void Notify() override
        {
            m_agenda->Turn();
        }

      private:
        NodeAgenda* m_agenda; ///< the agenda whose items the event processes
    };

    /// Sets the attribute MaxLag.
    /// @param lag the maximum lag
    void SetMaxLag(Time lag);
    /// Returns the attribute MaxLag.
    Time GetMaxLag() const;
    /// Handles the event: processes all due items, or none if the earliest may still wait
    /// (DeadlineNs()).
    void Turn();
    /// Processes all items that are due up to a time.
    /// @param untilNs the time, ns
    void RunUntil(int64_t untilNs);
    /// Returns the latest time at which the event must process the earliest item, ns.
    int64_t DeadlineNs() const;
    /// Schedules the event for the deadline of the earliest item, unless the event is already
    /// scheduled for that time.
    void Arm();
    /// Adds an item to the heap.
    /// @param item item to add
    void Push(Item item);
    /// Removes the earliest item.
    /// @return the item
    Item Pop();

    std::vector<Item> m_items;          ///< 4-ary heap
    std::array<int64_t, 6> m_armedNs{}; ///< times of up to 6 pending events
    uint32_t m_armed{0};                ///< used entries of m_armedNs
    bool m_running{false};              ///< true inside RunUntil()
    int64_t m_nowNs{0};                 ///< time of the current item
    int64_t m_maxLagNs{0};              ///< attribute MaxLag, ns
    int64_t m_lagLimitNs{INT64_MAX};    ///< largest lag that the links allow, ns
    int64_t m_lagNs{0};                 ///< see GetLagNs()
    int64_t m_stepNs{INT64_MAX};        ///< see LagWithin()
    int64_t m_endNs{INT64_MAX};         ///< end of the simulation
    bool m_foreign{false};              ///< see SetForeign()
    uint32_t m_nodeId{0};               ///< the node's id, which is the context of the ns-3 events
    uint64_t m_events{0};               ///< events scheduled
    Ptr<EventImpl> m_event;             ///< ns-3 event that processes the items; ns-3's scheduler
                                        ///< may contain it several times
    FramePool m_frames;                 ///< the node's frames
    std::array<std::vector<AgendaClient*>, static_cast<size_t>(AgendaKind::COUNT)>
        m_clients;                   ///< clients by kind and index
    AgendaSource* m_source{nullptr}; ///< see LagWithin()
    int64_t m_lagCapNs{INT64_MAX};   ///< see CapLag()
};

} // namespace ns3

#endif // HPCC_NODE_AGENDA_H
