/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-buffer-policy.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"

#include <cmath>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(BufferPolicy);

namespace
{

constexpr uint64_t PFC_LINK_BYTES = 84; ///< bytes that a PFC frame occupies on the link

} // namespace

TypeId
BufferPolicy::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<BufferPolicy, Object>("ns3::BufferPolicy");
    return tid;
}

uint64_t
BufferPolicy::GetHeadroomBytes(const PortLimits& limits)
{
    const auto arrivalBps = static_cast<double>(limits.GetArrivalBps());
    const double oneDelay = static_cast<double>(limits.delayNs) * 1e-9 * arrivalBps / 8;
    const uint64_t sent = limits.maxFrameBytes + PRIORITIES * PFC_LINK_BYTES;
    const double whileSending =
        std::ceil(static_cast<double>(sent) * (arrivalBps / static_cast<double>(limits.rateBps)));
    return static_cast<uint64_t>(2 * oneDelay) + 1 + 2 * uint64_t{limits.maxFrameBytes} +
           static_cast<uint64_t>(whileSending);
}

void
BufferPolicy::SetOwned()
{
    HPCC_REFUSE_IF(
        m_owned,
        "ns3::QbbSwitch::Buffer: two switches have the same " + GetInstanceTypeId().GetName() +
            "; each needs one of its own, as with HpccFabricHelper::SetBuffer() (--buffer)");
    m_owned = true;
}

void
BufferPolicy::CheckRoom(const std::string& where,
                        uint8_t priority,
                        uint32_t bytes,
                        const std::string& what) const
{
    CheckLargest(priority, {bytes, where, what});
}

void
BufferPolicy::RequireFrames(const std::string& where,
                            uint8_t priority,
                            uint32_t bytes,
                            const std::string& what)
{
    const LargestFrames frames{bytes, where, what};
    CheckLargest(priority, frames);
    if (bytes > m_frames[priority].bytes)
    {
        m_frames[priority] = frames;
    }
}

void
BufferPolicy::CheckFrames()
{
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        CheckLargest(p, m_frames[p]);
    }
    for (const auto& check : m_checks)
    {
        check();
    }
}

void
BufferPolicy::CheckLargest(uint8_t priority, const LargestFrames& frames) const
{
    const uint64_t most = frames.bytes > 0 ? GetLargestFrameBytes(priority) : UINT64_MAX;
    HPCC_REFUSE_IF(most < frames.bytes,
                   frames.where + ": " + GetInstanceTypeId().GetName() + " admits at most " +
                       std::to_string(most) + " bytes of priority " + std::to_string(priority) +
                       " at a port, but " + frames.what + " have up to " +
                       std::to_string(frames.bytes) +
                       " bytes; allowed are limits of at least that");
}

} // namespace ns3
