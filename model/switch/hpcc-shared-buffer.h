/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SHARED_BUFFER_H
#define HPCC_SHARED_BUFFER_H

#include "ns3/hpcc-frame.h"
#include "ns3/object.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The shared packet memory of a switch. It decides how much each port and priority may take, and
 * when a neighbour must pause.
 *
 * Every (ingress port, priority) owns ReservedBytes. Beyond that a frame takes memory from the
 * shared part while its (ingress port, priority) holds less than alpha times the memory that is
 * free there (Choudhury and Hahne, "Dynamic queue length thresholds", 1998). Above this limit a
 * lossless priority pauses its neighbour and stores the frames that are still on their way in its
 * own headroom. A lossy priority is limited at the egress queue in the same way.
 *
 * Headroom covers the frame that asks for the pause and what can arrive after it: while our own
 * port ends the frame that it is sending and sends the PFC frames, one propagation delay each way,
 * and the frame that the neighbour has begun: 2 * delay * rate + 3 * largest frame + 8 PFC frames.
 *
 * With SetAsidePerPort the memory is divided as the HPCC authors' simulator divides it. The shared
 * part is larger, because each port sets its headroom and its reservation aside only once. Each
 * priority may still fill both, so the memory is overbooked if several priorities of a port are in
 * use. A frame that does not fit into what is left of its reservation takes only the excess from
 * the shared part; otherwise it takes all its bytes there. Thresholds are whole bytes.
 *
 * A frame is charged with its size at admission and released with the same, however it grows in
 * between.
 */
class SharedBuffer : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// The decision on a frame.
    enum class Verdict : uint8_t
    {
        ADMIT,        ///< it is charged
        BUFFER_FULL,  ///< no room; nothing is charged
        EGRESS_LIMIT, ///< its lossy egress queue is at its limit; nothing is charged
    };

    /// The properties of a port that determine its limits.
    struct PortLimits
    {
        uint64_t rateBps;       ///< line rate, bit/s
        int64_t delayNs;        ///< propagation delay to the neighbour, ns
        uint32_t maxFrameBytes; ///< largest frame on the link, bytes, overhead included
        uint8_t lossless;       ///< lossless priorities, one bit each
    };

    /**
     * Adds the next port.
     * @param limits what limits it
     */
    void AddPort(const PortLimits& limits);

    /// @return an empty string, or one line that says why the ports do not fit into the memory
    std::string Validate() const;

    /**
     * Charges a frame if it may stay.
     * @param ingress ingress port
     * @param egress egress port
     * @param priority its priority
     * @param bytes its size
     * @return whether it may stay
     */
    Verdict Admit(uint32_t ingress, uint32_t egress, uint8_t priority, uint32_t bytes);

    /**
     * Releases a frame.
     * @param ingress as admitted
     * @param egress as admitted
     * @param priority as admitted
     * @param bytes as admitted
     */
    void Release(uint32_t ingress, uint32_t egress, uint8_t priority, uint32_t bytes);

    /**
     * @param ingress ingress port
     * @param priority a lossless priority
     * @return true if the neighbour must pause
     */
    bool MustPause(uint32_t ingress, uint8_t priority) const;

    /**
     * @param ingress ingress port
     * @param priority a lossless priority
     * @return true if a paused neighbour may resume: the hysteresis below MustPause()
     */
    bool MayResume(uint32_t ingress, uint8_t priority) const;

    /// @return bytes held by all frames
    uint64_t GetUsedBytes() const;

    /// @return bytes of the shared part in use
    uint64_t GetSharedUsedBytes() const
    {
        return m_sharedUsed;
    }

    /// @return size of the shared part, bytes
    uint64_t GetSharedBytes() const;

    /**
     * @param port a port
     * @return headroom of each of its lossless priorities, bytes
     */
    uint64_t GetHeadroomBytes(uint32_t port) const;

    /// @return true if every counter is zero, as it must be once all frames have left
    bool IsEmpty() const;

  private:
    /// Use by one (port, priority).
    struct Use
    {
        uint64_t bytes{0};    ///< all that it holds
        uint64_t shared{0};   ///< of the shared part
        uint64_t headroom{0}; ///< of its headroom
        uint64_t egress{0};   ///< bytes in the egress queue of this port and priority
    };

    /// A port.
    struct Port
    {
        double alpha;                    ///< share of the free shared part
        uint64_t headroom;               ///< of each lossless priority
        uint8_t lossless;                ///< lossless priorities
        std::array<Use, PRIORITIES> use; ///< by priority
    };

    /// @param text "rate:alpha" pairs
    void SetAlphaPerRate(std::string text);
    /// @return the pairs
    std::string GetAlphaPerRate() const;
    /**
     * @param port a port
     * @return its threshold now, bytes
     */
    double Threshold(const Port& port) const;

    uint64_t m_bufferBytes;                                  ///< attribute
    uint64_t m_reservedBytes;                                ///< attribute
    uint64_t m_headroomBytes;                                ///< attribute
    double m_headroomDelays;                                 ///< attribute
    bool m_setAsidePerPort;                                  ///< attribute
    uint64_t m_resumeOffset;                                 ///< attribute
    double m_alpha;                                          ///< attribute
    double m_egressAlpha;                                    ///< attribute
    std::string m_alphaText;                                 ///< attribute
    std::vector<std::pair<uint64_t, double>> m_alphaPerRate; ///< parsed
    std::vector<Port> m_ports;                               ///< ports
    uint64_t m_setAside{0};                                  ///< sum of reservations and headroom
    uint64_t m_sharedUsed{0};                                ///< used of the shared part
};

} // namespace ns3

#endif // HPCC_SHARED_BUFFER_H
