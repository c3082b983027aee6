/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SHARED_BUFFER_H
#define HPCC_SHARED_BUFFER_H

#include "hpcc-buffer-policy.h"

#include "ns3/hpcc-frame.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A switch memory that queues share; dynamic thresholds limit the part that a queue may use.
 *
 * ReservedBytes are reserved for every pair of ingress port and priority. A frame that does not fit
 * into the reservation of its pair is stored in the shared part, if there is room. For a lossless
 * frame, the bytes of its pair in the shared part, including this frame, must not exceed Alpha
 * times the free shared memory (Choudhury and Hahne, "Dynamic queue length thresholds", 1998). When
 * a lossless priority reaches this limit, the port asks the neighbour to pause this priority.
 * Frames that still arrive and exceed the limit are stored in the headroom of the priority. A lossy
 * frame is admitted only if its egress queue, including this frame, has at most ReservedBytes plus
 * EgressAlpha times the free shared memory.
 *
 * With SetAsidePerPort, the memory is divided as in the HPCC authors' simulator. The shared part is
 * larger than without this attribute, because headroom and reservation are set aside once per port
 * instead of once per priority. Each priority may still use the full headroom and reservation, so
 * the memory is overbooked if several priorities of a port are in use. Thresholds are rounded down
 * to whole bytes. If a frame is larger than the unused part of the reservation, only the excess is
 * charged to the shared part. Without SetAsidePerPort, the whole frame is charged to the shared
 * part.
 */
class SharedBuffer final : public BufferPolicy
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void AddPort(const PortLimits& limits) override;
    std::vector<std::string> GetPauseAttributes() const override;
    std::string Validate() const override;
    uint64_t GetHeadroomBytes(uint32_t port) const override;
    uint64_t GetLargestFrameBytes(uint8_t priority) const override;
    uint64_t GetLargestQueueBytes(uint32_t egress,
                                  uint8_t priority,
                                  uint32_t frameBytes) const override;
    Verdict Admit(uint32_t ingress,
                  uint32_t egress,
                  uint8_t priority,
                  uint32_t bytes,
                  int64_t nowNs) override;
    void Release(uint32_t ingress,
                 uint32_t egress,
                 uint8_t priority,
                 uint32_t bytes,
                 int64_t nowNs) override;
    bool MustPause(uint32_t ingress, uint8_t priority) const override;
    /// @copydoc BufferPolicy::MayResume
    /// The neighbour may resume when no bytes of the priority are in the headroom, and its bytes in
    /// the shared part are 0 or at least ResumeOffset below the threshold of MustPause().
    bool MayResume(uint32_t ingress, uint8_t priority) const override;
    uint64_t GetUsedBytes() const override;
    bool IsEmpty() const override;

    /// Returns the number of bytes of the shared part in use.
    uint64_t GetSharedUsedBytes() const
    {
        return m_sharedUsed;
    }

    /// Returns the size of the shared part, bytes.
    uint64_t GetSharedBytes() const;

  private:
    /// Memory that the frames of one port and priority use.
    struct Use
    {
        uint64_t bytes{0};    ///< bytes of all stored frames that arrived at this port with this
                              ///< priority
        uint64_t shared{0};   ///< part of `bytes` that is stored in the shared part
        uint64_t headroom{0}; ///< part of `bytes` that is stored in the headroom
        uint64_t egress{0};   ///< bytes in the egress queue of this port and priority
    };

    /// The limits and the memory use of a port.
    struct Port
    {
        double alpha;                    ///< Alpha of the port, see the class
        uint64_t headroom;               ///< headroom of each lossless priority, bytes
        uint8_t lossless;                ///< lossless priorities
        std::array<Use, PRIORITIES> use; ///< by priority
    };

    /// Parses the attribute AlphaPerRate; a malformed text throws HpccInputError.
    void ParseAlphas();
    /**
     * Returns Alpha of a port times the free shared memory, bytes.
     * @param port ingress port
     */
    double Threshold(const Port& port) const;

    uint64_t m_bufferBytes;                                  ///< attribute BufferBytes
    uint64_t m_reservedBytes;                                ///< attribute ReservedBytes
    uint64_t m_headroomBytes;                                ///< attribute HeadroomBytes
    double m_headroomDelays;                                 ///< attribute HeadroomDelays
    bool m_setAsidePerPort;                                  ///< attribute SetAsidePerPort
    uint64_t m_resumeOffset;                                 ///< attribute ResumeOffset
    double m_alpha;                                          ///< attribute Alpha
    double m_egressAlpha;                                    ///< attribute EgressAlpha
    std::string m_alphaText;                                 ///< attribute AlphaPerRate
    std::vector<std::pair<uint64_t, double>> m_alphaPerRate; ///< pairs of line rate, bit/s, and
                                                             ///< alpha
    std::vector<Port> m_ports;                               ///< ports
    uint64_t m_setAside{0};                                  ///< sum of reservations and headroom
    uint64_t m_sharedUsed{0};                                ///< bytes of the shared part in use
};

} // namespace ns3

#endif // HPCC_SHARED_BUFFER_H
