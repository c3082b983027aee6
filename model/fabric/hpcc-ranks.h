/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_RANKS_H
#define HPCC_RANKS_H

#include "ns3/object-factory.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

struct Frame;
class QbbChannel;
class QbbNetDevice;
class TelemetryFormat;

/**
 * @ingroup hpcc
 *
 * The ranks of a simulation: the processes that share it. Each rank has the whole topology, but
 * only the state of its own nodes. This class transfers frames between nodes of different ranks.
 *
 * A build with MPI has the subclasses ns3::HpccMpiWindows and ns3::HpccMpiMessages, which are
 * looked up by name. A build without MPI has no subclass.
 */
class HpccRanks : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Returns the number of this process, counted from 0.
    virtual uint32_t GetRank() const = 0;

    /// Returns the number of processes.
    virtual uint32_t GetSize() const = 0;

    /// Begins a simulation, before any of its objects exist.
    virtual void Begin() = 0;

    /// Returns a factory of an event scheduler that suits the ranks. Default:
    /// ns3::PriorityQueueScheduler.
    virtual ObjectFactory GetScheduler();

    /// Ends the simulation, after Simulator::Destroy().
    virtual void End() = 0;

    /// Returns true if a link to another rank needs devices at both ends, as in ns-3's own
    /// distributed simulators. Default: false.
    virtual bool NeedsBothEnds() const;

    /**
     * Returns the size of the largest packet of ns-3's IP stack that can be transferred between
     * ranks regardless of its contents, bytes from the IP header on. Default: UINT32_MAX.
     * @param telemetry true if the packet carries telemetry
     */
    virtual uint32_t GetMaxPacketBytes(bool telemetry) const;

    /**
     * Registers the delay of a link between ranks. Each rank calls this function for every such
     * link, including links between two other ranks, before the first Join().
     * @param delayNs delay of the link, ns
     */
    virtual void BoundDelay(int64_t delayNs);

    /// Receives all frames that affect the state of nodes at the present time. All ranks call this
    /// function at the same simulated time before they read or destroy nodes.
    virtual void CatchUp();

    /**
     * Connects a link to another rank. Both ranks call this function before simulated time starts.
     * @param channel the link, attached at both ends
     * @param here the end at this rank
     */
    virtual void Join(QbbChannel& channel, QbbNetDevice& here) = 0;

    /**
     * Registers a telemetry format, at all ranks in the same order.
     * @param format format to register; must outlive this object
     */
    virtual void AddFormat(const TelemetryFormat* format) = 0;

    /**
     * Announces a frame to another rank's device.
     * @param rank the other rank
     * @param link number of the link to that rank. Join() has passed this number to
     * QbbChannel::SetRanks()
     * @param frame the frame; arrivalNs must be set. This function frees the frame
     */
    virtual void Carry(uint32_t rank, uint32_t link, Frame* frame) = 0;

    /**
     * Exchanges data between all ranks. All ranks call this function together: before the run,
     * after the run, or at the same simulated time.
     * @param mine bytes of this rank
     * @return the bytes of each rank, in the order of ranks
     */
    virtual std::vector<std::string> Exchange(const std::string& mine) = 0;
};

} // namespace ns3

#endif // HPCC_RANKS_H
