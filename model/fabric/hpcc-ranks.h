/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_RANKS_H
#define HPCC_RANKS_H

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
 * The processes that share a simulation, its ranks. Each knows the whole topology and holds the
 * state of its own nodes. A frame that a node announces to a node of another rank goes through this
 * class.
 *
 * A build with MPI has the subclasses ns3::HpccMpiWindows and ns3::HpccMpiMessages, which are found
 * by their names; a build without MPI has none.
 */
class HpccRanks : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @return number of this process, from 0
    virtual uint32_t GetRank() const = 0;

    /// @return processes
    virtual uint32_t GetSize() const = 0;

    /// Begins a simulation, before anything of it exists.
    virtual void Begin() = 0;

    /// Ends the simulation, after Simulator::Destroy().
    virtual void End() = 0;

    /// @return true if a link to another rank needs devices at both ends, as ns-3's own distributed
    /// simulators require
    virtual bool NeedsBothEnds() const;

    /**
     * @param telemetry whether it carries telemetry
     * @return largest packet of ns-3's IP stack, bytes from the IP header on, that crosses between
     * ranks whatever is in it
     */
    virtual uint32_t GetMaxPacketBytes(bool telemetry) const;

    /**
     * Makes the delay of a link between ranks known. All ranks call it for every such link, also
     * for those of other ranks, before the first Join().
     * @param delayNs its delay, ns
     */
    virtual void BoundDelay(int64_t delayNs);

    /// Receives all frames on which the state of nodes depends now. All ranks call it at the same
    /// simulated time, before they read or end nodes at a time of their choice.
    virtual void CatchUp();

    /**
     * Connects a link to another rank. Both ranks call it, before simulated time starts.
     * @param channel the link, attached at both ends
     * @param here the end at this rank
     */
    virtual void Join(QbbChannel& channel, QbbNetDevice& here) = 0;

    /**
     * Makes a telemetry format known, at all ranks in the same order.
     * @param format the format
     */
    virtual void AddFormat(const TelemetryFormat* format) = 0;

    /**
     * Announces a frame to another rank's device.
     * @param rank the other rank
     * @param link number of a link to it, as Join() gave to QbbChannel::SetRanks()
     * @param frame the frame, arrivalNs set; freed
     */
    virtual void Carry(uint32_t rank, uint32_t link, Frame* frame) = 0;

    /**
     * Exchanges texts between all ranks, which call it together: at the same simulated time in
     * each, or before or after the run.
     * @param mine bytes of this rank
     * @return bytes of all ranks, by rank
     */
    virtual std::vector<std::string> Exchange(const std::string& mine) = 0;
};

} // namespace ns3

#endif // HPCC_RANKS_H
