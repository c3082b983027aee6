/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_USER_BUFFER_H
#define HPCC_USER_BUFFER_H

#include "ns3/hpcc-buffer-policy.h"
#include "ns3/hpcc-frame.h"

#include <array>
#include <vector>

namespace hpcctest
{

/**
 * An example of a user-defined buffer policy: complete sharing. Any frame may use free memory of a
 * common pool. When the pool is full, frames of lossless priorities use headroom, and the switch
 * pauses the neighbours that send them.
 */
class CompleteSharing : public ns3::BufferPolicy
{
  public:
    static ns3::TypeId GetTypeId();

    void AddPort(const PortLimits& limits) override;
    std::string Validate() const override;
    Verdict Admit(uint32_t, uint32_t, uint8_t, uint32_t, int64_t) override;
    void Release(uint32_t, uint32_t, uint8_t, uint32_t, int64_t) override;
    bool MustPause(uint32_t ingress, uint8_t priority) const override;
    bool MayResume(uint32_t ingress, uint8_t priority) const override;

    uint64_t GetUsedBytes() const override
    {
        return m_used;
    }

  private:
    /// State of an ingress port.
    struct Port
    {
        uint64_t headroom;                                ///< headroom of each lossless priority
        uint8_t lossless;                                 ///< bit mask of lossless priorities
        std::array<uint64_t, ns3::PRIORITIES> inHeadroom; ///< headroom in use, by priority
    };

    uint64_t m_bufferBytes;    ///< attribute BufferBytes
    uint64_t m_setAside{0};    ///< headroom of all ports
    uint64_t m_pool{0};        ///< bytes in the pool
    uint64_t m_used{0};        ///< bytes of all frames
    std::vector<Port> m_ports; ///< ports by index
};

} // namespace hpcctest

#endif // HPCC_USER_BUFFER_H
