/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_SWITCH_H
#define QBB_SWITCH_H

#include "hpcc-buffer-policy.h"
#include "hpcc-ecmp-table.h"
#include "hpcc-marker.h"
#include "hpcc-path-selector.h"

#include "ns3/hpcc-frame-handler.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-port-agent.h"
#include "ns3/object.h"
#include "ns3/qbb-net-device.h"
#include "ns3/traced-callback.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A shared-memory switch made from a node's QbbNetDevices. The switch processes a frame in this
 * order:
 *
 * - on arrival: TTL, route, decision of the port agents, buffer admission, egress queue
 * - at the start of transmission: buffer release, ECN mark, port agents in the order of AddAgent()
 *
 * If an agent marks the packets with a certain ECN codepoint, the Marker does not mark these
 * packets.
 *
 * The parts of the switch are exchangeable: BufferPolicy, Marker, PathSelector, PortAgent, and the
 * EgressScheduler of each port.
 */
class QbbSwitch : public Object, public FrameHandler, public AgendaClient
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    QbbSwitch();
    ~QbbSwitch() override;

    /// Signature of Trim: the frame as trimmed, index of its egress port.
    typedef void (*TrimTracedCallback)(const Frame& frame, uint32_t egress);

    /// Number of random streams that a port uses.
    static constexpr int64_t STREAMS_PER_PORT = 1;

    /**
     * Takes over all QbbNetDevices of a node and sizes the buffer for them. The receive buffers of
     * these devices are disabled. For a switch owned by another rank, no devices are taken over,
     * and only its routes are stored.
     * @param node the node; its devices are attached to their channels
     */
    void Install(Ptr<Node> node);

    /**
     * Adds an agent to every port, before or after Install(). AddAgent() or Install() throws
     * HpccInputError if the agent would trim frames of a lossless priority, or give trimmed frames
     * a lossless priority, see TrimPlan.
     * @param agent the agent, kept alive by the caller or by AggregateObject()
     */
    void AddAgent(PortAgent* agent);

    /// Throws HpccInputError if AddAgent() would refuse an agent.
    /// @param agent the agent
    void CheckAgent(const PortAgent& agent) const;

    /// Throws HpccInputError if an agent would trim frames of a lossless priority, or give trimmed
    /// frames a lossless priority. Also called when the run starts, because attributes of ports and
    /// agents may have changed since Install(). Agents whose attributes change during the run call
    /// this function, too.
    void CheckAgents() const;

    /**
     * Forwards a frame that an agent created. The frame has no ingress port and is not charged to
     * the buffer.
     * @param frame a frame of FramePool::Allocate() or Clone(). Set flowHash, bytes and all header
     * fields of the frame's kind; priority and ingressPort are set by the port
     */
    void Inject(Frame* frame);

    /**
     * Uses fixed random streams.
     * @param stream first stream
     * @return number of streams used: one per port, and those of the path selector
     */
    int64_t AssignStreams(int64_t stream);

    /// Routes that replace existing routes: destination address and egress ports.
    using RouteChanges = std::vector<std::pair<uint32_t, std::vector<uint16_t>>>;

    /**
     * Schedules a change of routes. A port whose link goes down is no longer used, even without a
     * scheduled change.
     * @param atNs time of the change, ns, not before now; other times throw HpccInputError
     * @param changes routes that change; a port that does not exist throws HpccInputError
     */
    void ScheduleRoutes(int64_t atNs, RouteChanges changes);

    /// Returns the object that chooses among ports of equal cost; null for ECMP.
    Ptr<PathSelector> GetPathSelector() const
    {
        return m_selector;
    }

    /**
     * From now on refuses path selectors whose GetMultipath() differs from @p multipath, because
     * hosts rely on this value. Throws HpccInputError if the present path selector has another
     * value.
     * @param multipath how often packets of a flow may change their path at this switch
     */
    void FixMultipath(Multipath multipath);

    /// Returns the routes.
    EcmpTable& GetRoutes()
    {
        return m_routes;
    }

    /// Returns the manager of the packet memory.
    Ptr<BufferPolicy> GetBuffer() const
    {
        return m_buffer;
    }

    /// Returns the ECN marker.
    Ptr<Marker> GetMarker() const
    {
        return m_marker;
    }

    /// Returns the ports in the order of their index.
    const std::vector<QbbNetDevice*>& GetPorts() const
    {
        return m_ports;
    }

    /// Returns the number of packets that the Marker has marked CE.
    uint64_t GetEcnMarks() const
    {
        return m_marks;
    }

    /// Returns the number of packets that this switch has trimmed.
    uint64_t GetTrims() const
    {
        return m_trims;
    }

    void ReceiveFrame(QbbNetDevice& port, Frame* frame, int64_t nowNs) override;
    void StartOfTransmission(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;
    void OnFrameLost(QbbNetDevice& port, const Frame& frame) override;
    void LinkChanged(QbbNetDevice& port, bool up) override;
    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    /// Sets the attribute Buffer.
    /// @param buffer the buffer; setting it after installation throws HpccInputError
    void SetBuffer(Ptr<BufferPolicy> buffer);
    /// Sets the attribute EcnMarker.
    /// @param marker the marker; setting it after installation throws HpccInputError
    void SetMarker(Ptr<Marker> marker);
    /// Throws HpccInputError if the switch is installed, so that an attribute can no longer be set.
    /// @param attribute name of the attribute
    void RequireNotInstalled(const std::string& attribute) const;
    /**
     * Returns the egress port of a frame, or EcmpTable::NO_ROUTE.
     * @param frame frame to forward
     * @param nowNs current time, ns
     */
    uint32_t FindEgress(const Frame& frame, int64_t nowNs);
    /// Sets the attribute PathSelector.
    /// @param selector the selector; null for ECMP. After FixMultipath(), the function throws
    /// HpccInputError if GetMultipath() of the selector differs from that of the present selector;
    /// null counts as Multipath::NONE
    void SetPathSelector(Ptr<PathSelector> selector);
    /// Throws HpccInputError if the GetMultipath() of a path selector is not the value on which the
    /// hosts rely.
    /// @param selector the selector; null for ECMP
    /// @param multipath the value on which the hosts rely
    void RequireMultipath(Ptr<PathSelector> selector, Multipath multipath) const;
    /// Starts an agent at all ports.
    /// @param agent agent that AddAgent() has added
    void StartAgent(PortAgent* agent);
    /// Throws HpccInputError if an agent would trim frames of a lossless priority, or give trimmed
    /// frames a lossless priority.
    /// @param plan the agent's plan
    void CheckTrimming(const TrimPlan& plan) const;
    /**
     * Calls Decide() of the agents for a frame. Depending on the decisions, trims the frame, or
     * trims or drops the last frame in the queue of the frame.
     * @param frame frame that has a route
     * @param egress egress port of the frame
     * @param nowNs current time, ns
     * @return false if one of the agents refuses the frame
     */
    bool IsWanted(Frame& frame, uint32_t egress, int64_t nowNs);
    /**
     * Trims a frame. Aborts if the agent's plan does not allow trimming this frame.
     * @param frame frame to trim
     * @param egress egress port of the frame
     * @param plan the agent's plan
     * @param verdict bytes of payload that remain, and the DSCP of the trimmed frame
     */
    void Trim(Frame& frame, uint32_t egress, const TrimPlan& plan, const EnqueueVerdict& verdict);
    /**
     * Trims the last frame in a queue. Aborts if the agent's plan does not allow trimming this
     * frame, or if the queue is empty.
     * @param priority priority of the queue
     * @param egress egress port of the frame
     * @param plan the agent's plan
     * @param verdict bytes of payload that remain, and the DSCP of the trimmed frame
     * @param nowNs current time, ns
     */
    void TrimLast(uint8_t priority,
                  uint32_t egress,
                  const TrimPlan& plan,
                  const EnqueueVerdict& verdict,
                  int64_t nowNs);
    /**
     * Removes the last frame from a queue and from the buffer. Aborts if the queue is empty.
     * @param priority priority of the queue
     * @param egress egress port of the frame
     * @param nowNs current time, ns
     * @return the frame
     */
    Frame* TakeLast(uint8_t priority, uint32_t egress, int64_t nowNs);
    /**
     * Stores a frame in the buffer and in its egress queue, or drops it.
     * @param port ingress port
     * @param frame frame to store
     * @param egress egress port of the frame
     * @param nowNs current time, ns
     */
    void Store(QbbNetDevice& port, Frame* frame, uint32_t egress, int64_t nowNs);
    /**
     * Releases the buffer of a frame that has left its queue.
     * @param port egress port
     * @param frame frame that has left the queue
     * @param nowNs current time, ns
     */
    void ReleaseBuffer(QbbNetDevice& port, const Frame& frame, int64_t nowNs);

    Ptr<BufferPolicy> m_buffer;         ///< packet memory
    Ptr<Marker> m_marker;               ///< ECN marker
    EcmpTable m_routes;                 ///< routes
    Ptr<PathSelector> m_selector;       ///< chooses among ports of equal cost; null for ECMP
    std::vector<QbbNetDevice*> m_ports; ///< ports
    std::vector<uint8_t> m_pausing;     ///< priorities that this switch has paused, one bit each,
                                        ///< by ingress port
    std::vector<PortAgent*> m_agents;   ///< in the order of AddAgent()
    std::vector<PortAgent*> m_deciders; ///< the agents whose PortAgent::Decide() is called for
                                        ///< arriving frames
    bool m_agentsWantEnqueue{false};    ///< true if any agent handles PortAgent::OnEnqueue()
    uint8_t m_marked{0};                ///< codepoints that the Marker marks, one bit each
    bool m_multipathFixed{false};       ///< see FixMultipath()
    uint64_t m_marks{0};                ///< see GetEcnMarks()
    uint64_t m_trims{0};                ///< see GetTrims()
    Ptr<NodeAgenda> m_agenda;           ///< the node's agenda
    std::vector<std::pair<PortAgent*, QbbNetDevice*>> m_timers; ///< agent and port of each timer,
                                                                ///< by index on the agenda
    std::vector<RouteChanges> m_routeChanges;                   ///< planned route changes, by index
                                                                ///< on the agenda
    TracedCallback<const Frame&, uint32_t> m_trimTrace;         ///< Trim
};

} // namespace ns3

#endif // QBB_SWITCH_H
