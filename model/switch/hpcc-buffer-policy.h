/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_BUFFER_POLICY_H
#define HPCC_BUFFER_POLICY_H

#include "ns3/hpcc-frame.h"
#include "ns3/object.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Manages the packet memory of a switch: decides which frames are stored and when a neighbour must
 * pause. Each switch has its own buffer policy.
 *
 * QbbSwitch adds its ports in the order of their index and then calls Validate(). For each frame it
 * calls:
 *
 * - on arrival: Admit(), then MustPause() for an admitted frame of a lossless priority that is not
 *   paused
 * - when the link of a port comes up: MustPause() for each lossless priority
 * - on departure or loss: Release(), then MayResume() if the priority is paused
 *
 * At admission, the buffer is charged for the size that the frame has at that time. On departure,
 * the same number of bytes is released, even if telemetry has made the frame longer.
 *
 * When MustPause() first returns true, enough memory must remain for the frames that still arrive.
 * Otherwise a lossless priority loses frames. See GetHeadroomBytes(const PortLimits&).
 *
 * To add a buffer policy, write a file pair: derive a class, implement the pure functions, register
 * a TypeId and its short names with HpccTypeId::Presets(), and add NS_OBJECT_ENSURE_REGISTERED. A
 * program selects the policy by --buffer=NAME, HpccFabricHelper::SetBuffer() or QbbSwitch::Buffer.
 * If GetLargestFrameBytes() or GetLargestQueueBytes() reads an attribute that may change during a
 * run, the declaration of the attribute needs HpccAttribute::Then(&C::CheckFrames), where C is the
 * class.
 */
class BufferPolicy : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Upper limit of attributes that set memory aside, bytes. With this limit, sums over all ports
    /// and priorities fit in 64 bits.
    static constexpr uint64_t MAX_PART_BYTES = 10'000'000'000'000;

    /// The decision on a frame.
    enum class Verdict : uint8_t
    {
        ADMIT,        ///< the frame is stored and the buffer is charged for it
        BUFFER_FULL,  ///< no memory is left; nothing is charged
        EGRESS_LIMIT, ///< the lossy egress queue of the frame is at its limit; nothing is charged
    };

    /// The properties of a port that determine its limits.
    struct PortLimits
    {
        uint64_t rateBps;        ///< line rate, bit/s
        int64_t delayNs;         ///< propagation delay to the neighbour, ns
        uint32_t maxFrameBytes;  ///< largest frame on the link, bytes, overhead included
        uint8_t lossless;        ///< lossless priorities, one bit each
        uint64_t peerRateBps{0}; ///< rate at which the neighbour sends, bit/s; 0: equal to rateBps
        uint32_t overheadBytes{0}; ///< bytes that a frame occupies on the link in addition to its
                                   ///< size; if 0, small frames are not padded either

        /// Returns the rate at which frames arrive, bit/s.
        uint64_t GetArrivalBps() const
        {
            return peerRateBps > 0 ? peerRateBps : rateBps;
        }
    };

    /**
     * Computes the headroom of a lossless priority. If both directions of the link have the same
     * rate, the headroom is 2 * delay * rate + 3 * largest frame + 8 PFC frames. In general, it is
     * the sum of these terms:
     *
     * - the frame whose arrival triggers the pause: 1 largest frame
     * - arrivals while our port finishes the frame that it is sending: 1 largest frame *
     *   neighbour's rate / our rate
     * - arrivals while our port sends the PFC frames: 8 PFC frames * neighbour's rate / our rate
     * - one propagation delay each way, and the frame that the neighbour has begun: 2 * delay *
     *   neighbour's rate + 1 largest frame
     *
     * @param limits properties of the priority's port
     * @return headroom, bytes
     */
    static uint64_t GetHeadroomBytes(const PortLimits& limits);

    /**
     * Returns the headroom that a port has for each of its lossless priorities, bytes.
     * HpccExperiment prints a warning if the headroom is less than
     * GetHeadroomBytes(const PortLimits&) and the command line sets an attribute of the buffer
     * whose name begins with "Headroom". Default: UINT64_MAX, which means that the headroom is
     * large enough.
     * @param port index of the port
     */
    virtual uint64_t GetHeadroomBytes(uint32_t port) const
    {
        (void)port;
        return UINT64_MAX;
    }

    /// Records that a switch uses this object. Throws HpccInputError if a switch already uses it,
    /// because the ports of the two switches would have the same numbers.
    void SetOwned();

    /**
     * Adds the next port.
     * @param limits properties of the port
     */
    virtual void AddPort(const PortLimits& limits) = 0;

    /// Returns the names of those attributes of the class that affect only pauses. Programs refuse
    /// these attributes with --flow-control=lossy.
    virtual std::vector<std::string> GetPauseAttributes() const
    {
        return {};
    }

    /// Checks that the ports fit into the memory.
    /// @return an empty string, or one line that says why the ports do not fit into the memory
    virtual std::string Validate() const = 0;

    /**
     * Returns the size of the largest frame that an empty switch accepts at every port for a given
     * priority, bytes. Default: UINT64_MAX.
     * @param priority priority of the frame, 0 to 7
     */
    virtual uint64_t GetLargestFrameBytes(uint8_t priority) const
    {
        (void)priority;
        return UINT64_MAX;
    }

    /**
     * Throws HpccInputError if the memory does not admit the frames of a priority.
     * @param where the switch, for the message, such as "node 2"
     * @param priority priority of the frames
     * @param bytes size of the largest frame, bytes
     * @param what the frames, for the message, such as "packets of ns3::RdmaHost::Mtu 1000"
     */
    void CheckRoom(const std::string& where,
                   uint8_t priority,
                   uint32_t bytes,
                   const std::string& what) const;

    /**
     * Throws HpccInputError if the memory does not admit the frames of a priority. From now on,
     * changes of attributes are checked in the same way, and undone if they are refused.
     * @param where the switch, for the message, such as "node 2"
     * @param priority priority of the frames
     * @param bytes size of the largest frame, bytes
     * @param what the frames, for the message, such as "packets of ns3::RdmaHost::Mtu 1000"
     */
    void RequireFrames(const std::string& where,
                       uint8_t priority,
                       uint32_t bytes,
                       const std::string& what);

    /// Adds a check of the attributes that may change during a run. A change that the check refuses
    /// is undone.
    /// @param check throws HpccInputError if the attributes do not fit the network
    void AddCheck(std::function<void()> check)
    {
        m_checks.push_back(std::move(check));
    }

    /**
     * Returns an upper bound of the bytes that may wait in an egress queue, whatever the traffic
     * is. The priority must be lossy at all ports. HpccFabricHelper refuses trimming if, according
     * to this bound, no queue can reach its trimming threshold. Default: UINT64_MAX.
     * @param egress egress port
     * @param priority priority of the queue, 0 to 7
     * @param frameBytes size of the largest frame of that priority, bytes
     */
    virtual uint64_t GetLargestQueueBytes(uint32_t egress,
                                          uint8_t priority,
                                          uint32_t frameBytes) const
    {
        (void)egress;
        (void)priority;
        (void)frameBytes;
        return UINT64_MAX;
    }

    /**
     * Decides whether a frame is admitted, and charges the buffer for an admitted frame.
     * @param ingress ingress port
     * @param egress egress port
     * @param priority priority of the frame
     * @param bytes size of the frame, bytes
     * @param nowNs simulated time, ns
     * @return ADMIT, or the reason for refusing the frame
     */
    virtual Verdict Admit(uint32_t ingress,
                          uint32_t egress,
                          uint8_t priority,
                          uint32_t bytes,
                          int64_t nowNs) = 0;

    /**
     * Releases the memory of a frame that has left its queue.
     * @param ingress ingress port, as in Admit()
     * @param egress egress port, as in Admit()
     * @param priority priority of the frame, as in Admit()
     * @param bytes size of the frame, bytes, as in Admit()
     * @param nowNs simulated time, ns
     */
    virtual void Release(uint32_t ingress,
                         uint32_t egress,
                         uint8_t priority,
                         uint32_t bytes,
                         int64_t nowNs) = 0;

    /**
     * Returns true if the neighbour must pause.
     * @param ingress ingress port
     * @param priority a lossless priority
     */
    virtual bool MustPause(uint32_t ingress, uint8_t priority) const = 0;

    /**
     * Returns true if a paused neighbour may resume. The result must be true once no bytes of this
     * priority from this port are buffered.
     * @param ingress ingress port
     * @param priority a lossless priority
     */
    virtual bool MayResume(uint32_t ingress, uint8_t priority) const = 0;

    /// Returns the number of bytes held by all frames.
    virtual uint64_t GetUsedBytes() const = 0;

    /// Returns true if all counters are zero, which must be the case once all frames have left.
    virtual bool IsEmpty() const
    {
        return GetUsedBytes() == 0;
    }

  protected:
    /// Throws HpccInputError if the attributes no longer admit the frames passed to
    /// RequireFrames(), or if a check passed to AddCheck() refuses the attributes.
    void CheckFrames();

  private:
    /// The largest frames of a priority.
    struct LargestFrames
    {
        uint32_t bytes{0}; ///< size of the largest frames, bytes; 0 before RequireFrames()
        std::string where; ///< see RequireFrames()
        std::string what;  ///< see RequireFrames()
    };

    /**
     * Throws HpccInputError if the memory does not admit frames.
     * @param priority priority of the frames
     * @param frames the frames
     */
    void CheckLargest(uint8_t priority, const LargestFrames& frames) const;

    bool m_owned{false};                            ///< true once a switch has the object
    std::array<LargestFrames, PRIORITIES> m_frames; ///< largest frames of each priority
    std::vector<std::function<void()>> m_checks;    ///< see AddCheck()
};

} // namespace ns3

#endif // HPCC_BUFFER_POLICY_H
