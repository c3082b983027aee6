/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_SWITCH_H
#define QBB_SWITCH_H

#include "hpcc-ecmp-table.h"
#include "hpcc-ecn-marker.h"
#include "hpcc-path-selector.h"
#include "hpcc-shared-buffer.h"

#include "ns3/hpcc-frame-handler.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-port-agent.h"
#include "ns3/object.h"
#include "ns3/qbb-net-device.h"
#include "ns3/random-variable-stream.h"

#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A shared-memory switch made from a node's QbbNetDevices: TTL, route, buffer admission, egress
 * queue; at dequeue buffer release, ECN mark and the port agents in their order. Packets with an
 * ECN codepoint that an agent marks are marked only by that agent.
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

    /// Random streams that a port uses.
    static constexpr int64_t STREAMS_PER_PORT = 1;

    /**
     * Takes over all QbbNetDevices of a node and sizes the buffer for them. They lose their own
     * receive buffers. For a switch owned by another rank, no devices are taken over and only its
     * routes are kept.
     * @param node the node; its devices are attached to their channels
     */
    void Install(Ptr<Node> node);

    /**
     * Adds an agent to every port, before or after Install().
     * @param agent the agent, kept alive by the caller or by AggregateObject()
     */
    void AddAgent(PortAgent* agent);

    /**
     * Forwards a frame that an agent made, as if it had arrived by no port: not charged to the
     * buffer.
     * @param frame the frame; its headers are set
     */
    void Inject(Frame* frame);

    /**
     * Uses fixed random streams.
     * @param stream first stream
     * @return streams used: one a port, and those of the path selector
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Makes all ports draw their marks from one variable, in the order in which packets leave,
     * instead of one per port; after Install() and AssignStreams().
     * @param probability numbers from 0 to 1; a packet is marked if its number is below the marking
     * probability
     */
    void SetMarkingVariable(Ptr<RandomVariableStream> probability);

    /// Routes that take the place of what there was: destination address and its ports.
    using RouteChanges = std::vector<std::pair<uint32_t, std::vector<uint16_t>>>;

    /**
     * Schedules a change of routes. A port whose link goes down is not used from that moment on
     * even without a scheduled change.
     * @param atNs when, ns, not before now
     * @param changes routes that change
     */
    void ScheduleRoutes(int64_t atNs, RouteChanges changes);

    /// @return how ports of equal cost are chosen; null for ECMP
    Ptr<PathSelector> GetPathSelector() const
    {
        return m_selector;
    }

    /// @return the routes
    EcmpTable& GetRoutes()
    {
        return m_routes;
    }

    /// @return the packet memory
    Ptr<SharedBuffer> GetBuffer() const
    {
        return m_buffer;
    }

    /// @return the ports in the order of their index
    const std::vector<QbbNetDevice*>& GetPorts() const
    {
        return m_ports;
    }

    /// @return packets that the EcnMarker has marked CE
    uint64_t GetEcnMarks() const
    {
        return m_marks;
    }

    void ReceiveFrame(QbbNetDevice& port, Frame* frame, int64_t nowNs) override;
    void StartOfTransmission(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;
    void LoseFrame(QbbNetDevice& port, const Frame& frame) override;
    void LinkChanged(QbbNetDevice& port, bool up) override;
    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  protected:
    void DoDispose() override;

  private:
    /// Marking at a port.
    struct Marking
    {
        EcnMarker::Thresholds thresholds;      ///< at its speed
        Ptr<RandomVariableStream> probability; ///< its random stream
    };

    /**
     * @param frame a frame
     * @param nowNs current time
     * @return its egress port, or EcmpTable::NO_ROUTE
     */
    uint32_t FindEgress(const Frame& frame, int64_t nowNs);
    /// Makes an agent serve the ports from now on.
    /// @param agent the agent
    void StartAgent(PortAgent* agent);
    /**
     * Releases the buffer of a frame that has left its queue.
     * @param port egress port
     * @param frame the frame
     */
    void ReleaseBuffer(QbbNetDevice& port, const Frame& frame);
    /**
     * Marks a frame if its queue is congested.
     * @param port egress port
     * @param frame an ECN-capable frame
     */
    void MarkIfCongested(QbbNetDevice& port, Frame& frame);

    Ptr<SharedBuffer> m_buffer;         ///< packet memory
    Ptr<EcnMarker> m_marker;            ///< ECN configuration
    EcmpTable m_routes;                 ///< routes
    Ptr<PathSelector> m_selector;       ///< among ports of equal cost; null for ECMP
    std::vector<QbbNetDevice*> m_ports; ///< ports
    std::vector<Marking> m_marking;     ///< by port
    std::vector<uint8_t> m_pausing;     ///< priorities for which a pause was asked, by port
    std::vector<PortAgent*> m_agents;   ///< in order
    bool m_agentsWantEnqueue{false};    ///< any of them
    uint8_t m_marked{0};                ///< codepoints that the EcnMarker marks, one bit each
    uint64_t m_marks{0};                ///< marks
    Ptr<NodeAgenda> m_agenda;           ///< the node's agenda
    std::vector<std::pair<PortAgent*, QbbNetDevice*>> m_timers; ///< by index on the agenda
    std::vector<RouteChanges> m_routeChanges;                   ///< planned, by index on the agenda
};

} // namespace ns3

#endif // QBB_SWITCH_H
