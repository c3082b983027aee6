/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_STATIC_BUFFER_H
#define HPCC_STATIC_BUFFER_H

#include "hpcc-buffer-policy.h"

#include "ns3/hpcc-frame.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A switch memory divided into fixed parts: complete partitioning (Kamoun and Kleinrock, "Analysis
 * of shared finite storage in a computer network node environment under general traffic
 * conditions", IEEE Transactions on Communications, 1980). A queue can never take memory from
 * another queue, nor use memory that other queues leave free.
 *
 * - The egress queue of a port and a lossy priority stores at most QueueBytes; frames beyond this
 *   limit are dropped.
 * - If the frames of a lossless priority from one ingress port exceed QueueBytes, the neighbour
 *   must pause. Frames that still arrive are stored in headroom. The neighbour resumes when the
 *   stored bytes of this priority from this port are at least ResumeOffset below QueueBytes, or are
 *   0.
 *
 * Validate() refuses parts that together exceed the memory, so a frame that fits into its part
 * always fits into the memory.
 */
class StaticBuffer final : public BufferPolicy
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
    bool MayResume(uint32_t ingress, uint8_t priority) const override;
    uint64_t GetUsedBytes() const override;
    bool IsEmpty() const override;

    /// Returns the size of a part, excluding headroom, at ports without an entry in
    /// QueueBytesPerRate, bytes. The size depends on the ports added so far.
    uint64_t GetQueueBytes() const
    {
        return m_partBytes;
    }

  private:
    /// The parts and the memory use of a port.
    struct Port
    {
        uint64_t headroom; ///< headroom of each lossless priority, bytes
        uint8_t lossless;  ///< lossless priorities
        uint64_t ownBytes; ///< size of the parts of this port, bytes; 0 selects m_partBytes
        /// bytes of stored frames that arrived at this port, by priority
        std::array<uint64_t, PRIORITIES> ingress;
        /// bytes of stored frames that leave by this port, by priority
        std::array<uint64_t, PRIORITIES> egress;
    };

    /// Returns the size of the parts of a port, bytes.
    /// @param port port with the parts
    uint64_t PartOf(const Port& port) const
    {
        return port.ownBytes > 0 ? port.ownBytes : m_partBytes;
    }

    /// Parses the attribute QueueBytesPerRate; a malformed text throws HpccInputError.
    void ParseRates();

    /**
     * Adds up the parts of all ports: one per lossless ingress port and priority, and one per
     * egress queue of a priority that is lossy at any port.
     * @param bytesOf function that returns the size of each part of a port, bytes
     * @return the sum, bytes
     */
    uint64_t SumParts(const std::function<uint64_t(const Port&)>& bytesOf) const;

    /// Returns the number of parts.
    uint64_t CountParts() const;

    uint64_t m_bufferBytes;               ///< attribute BufferBytes
    uint64_t m_queueBytes;                ///< attribute QueueBytes; 0: computed from the ports
    std::string m_ratesText;              ///< attribute QueueBytesPerRate
    std::map<uint64_t, uint64_t> m_rates; ///< entries of QueueBytesPerRate: bytes by line rate in
                                          ///< bit/s
    uint64_t m_headroomBytes;             ///< attribute HeadroomBytes; 0: computed from the ports
    uint64_t m_resumeOffset;              ///< attribute ResumeOffset
    uint64_t m_partBytes{0};              ///< size of a part, bytes
    uint64_t m_setAside{0};               ///< sum of the headroom of all ports and priorities,
                                          ///< bytes
    std::vector<Port> m_ports;            ///< ports
};

} // namespace ns3

#endif // HPCC_STATIC_BUFFER_H
