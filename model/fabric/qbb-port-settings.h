/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_PORT_SETTINGS_H
#define QBB_PORT_SETTINGS_H

#include "hpcc-egress-scheduler.h"
#include "hpcc-frame.h"

#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class QbbNetDevice;

/**
 * @ingroup hpcc
 *
 * The attributes of a port, registered by QbbNetDevice::GetTypeId(), and the port's scheduler.
 */
class QbbPortSettings : public EgressScheduler::Owner
{
  public:
    /// 8 bits per byte times 10^9 ns per s. Divided by a rate in bit/s, this constant gives ns per
    /// byte.
    static constexpr uint64_t BITS_NS = 8ULL * 1000 * 1000 * 1000;

    /// Returns the line rate, bit/s.
    uint64_t GetRateBps() const
    {
        return m_rateBps;
    }

    /**
     * Returns the number of bytes that a frame occupies on the link.
     * @param bytes size of the frame without FCS
     */
    uint32_t GetLinkBytes(uint32_t bytes) const
    {
        return m_ethernetOverhead ? std::max(bytes, MIN_FRAME_BYTES) + ETHERNET_OVERHEAD_BYTES
                                  : bytes;
    }

    /**
     * Returns the number of bytes that a frame adds to the port's byte counter (see attribute
     * CountOverhead).
     * @param bytes size of the frame without FCS
     * @param linkBytes bytes that the frame occupies on the link
     */
    uint32_t GetCountedBytes(uint32_t bytes, uint32_t linkBytes) const
    {
        return m_countOverhead || !m_ethernetOverhead ? linkBytes : bytes + FCS_BYTES;
    }

    /// Treatment of fractions of a nanosecond; the members are values of attributes.
    struct Rounding
    {
        bool truncates; ///< WholeNanoseconds: times are rounded down to whole ns
        bool carries;   ///< CarryFractions: frames carry the fractions of arrival times
    };

    /// Returns the treatment of fractions of a nanosecond.
    Rounding GetRounding() const
    {
        return {m_wholeNanoseconds, m_carryFractions};
    }

    /// Returns the size of the largest packet on the wire, bytes from the IP header on. For packets
    /// of ns-3's stack, GetMtu() returns the limit.
    uint16_t GetWireMtu() const
    {
        return m_mtu;
    }

    /// Returns the size of the largest frame that this port sends, with a telemetry tag and without
    /// FCS, bytes.
    uint32_t GetMaxFrameBytes() const
    {
        return m_mtu + ETHERNET_HEADER_BYTES + MAX_TELEMETRY_TAG_BYTES;
    }

    /// Returns the size of the largest frame with a telemetry format that this port sends, without
    /// FCS, bytes.
    /// @param format the format; null: none
    uint32_t GetMaxFrameBytes(const TelemetryFormat* format) const
    {
        const bool tag = format && format->GetMarking().position == TelemetryPosition::TAG;
        return m_mtu + ETHERNET_HEADER_BYTES + (tag ? format->GetBaseBytes() : 0);
    }

    /**
     * Returns the priority of a frame at this port.
     * @param tos TOS byte of the frame
     */
    uint8_t GetPriority(uint8_t tos) const
    {
        return m_priorities[tos >> 2];
    }

    /// Returns the lossless priorities, one bit each; none if PFC is off.
    uint8_t GetLosslessPriorities() const
    {
        return m_pfcEnabled ? m_classes.lossless : 0;
    }

    /// Returns the pause time in a sent PFC frame, in units of 512 bit times.
    uint16_t GetPauseQuanta() const
    {
        return m_pauseQuanta;
    }

    /// Returns the scheduler, which chooses the priority that sends next; valid once the port is
    /// attached.
    EgressScheduler& GetScheduler() const
    {
        return *m_scheduler;
    }

    /// Additional work that a port does for the frames of some or all priorities.
    struct PerPriority
    {
        uint8_t watched; ///< priorities that the scheduler watches (EgressScheduler::GetWatched()),
                         ///< one bit each
        bool counts;     ///< true if sent bytes are counted by priority
    };

    /// Returns the additional work for the frames of some or all priorities.
    PerPriority GetPerPriority() const
    {
        return {m_watched, m_countsClasses};
    }

    /// Counts sent bytes by priority from now on. A port whose scheduler needs these counts always
    /// counts sent bytes by priority.
    void CountClasses()
    {
        m_countsClasses = true;
    }

    /// Returns the model that corrupts received frames; null without a model.
    ErrorModel* GetReceiveErrorModel() const
    {
        return PeekPointer(m_receiveErrorModel);
    }

    /// The receive buffer of a host; the members are values of attributes.
    struct ReceiveBuffer
    {
        uint64_t bytes;       ///< attribute ReceiveBuffer
        uint64_t pauseBytes;  ///< attribute ReceivePauseThreshold
        uint64_t resumeBytes; ///< attribute ReceiveResumeThreshold
        uint64_t drainBps;    ///< ReceiveDrainRate, bit/s; 0: frames leave immediately
    };

    /// Returns the sizes and rate of the receive buffer.
    ReceiveBuffer GetReceiveBuffer() const
    {
        return {m_receiveBufferBytes, m_receivePauseBytes, m_receiveResumeBytes, m_drainBps};
    }

    /// Limits for packets of ns-3's stack; the members are values of attributes.
    struct StackQueue
    {
        uint64_t limitBytes; ///< attribute QueueLimit
        uint64_t stopBytes;  ///< attribute QueueStop
    };

    /// Returns the limits for packets of ns-3's stack.
    StackQueue GetStackQueue() const
    {
        return {m_queueLimitBytes, m_queueStopBytes};
    }

    /// Offloads of the port for the stack's TCP; the members are values of attributes.
    struct Offload
    {
        bool tso;              ///< attribute Tso
        bool gro;              ///< attribute Gro
        uint16_t mtu;          ///< TsoMtu, bytes
        uint16_t segmentBytes; ///< TsoSegment, bytes; 0 selects the largest segment that Mtu allows
        int64_t gapNs;         ///< GroGap, ns
        int64_t timeoutNs;     ///< GroTimeout, ns
    };

    /// Returns the offloads of the port for the stack's TCP.
    Offload GetOffload() const
    {
        return {m_tso,
                m_gro,
                m_tsoMtu,
                m_tsoSegmentBytes,
                m_groGap.GetNanoSeconds(),
                m_groTimeout.GetNanoSeconds()};
    }

    /// Returns true after SetInstalled().
    bool IsInstalled() const
    {
        return m_installed;
    }

    /// From now on, refuses changes of Weights, Scheduler and the scheduler's attributes that would
    /// alter the shares of priorities, because hosts have used these shares.
    void FixShares()
    {
        m_sharesUsed = true;
    }

    void ConfigureShares(const std::string& attribute) override;

    /// From now on, refuses values of Mtu that are too small for the packets of connected queue
    /// pairs.
    /// @param bytes size of these packets when their host sends them, bytes from the IP header on
    void RequireMtu(uint32_t bytes)
    {
        m_leastMtu = std::max(m_leastMtu, bytes);
    }

    /// Adds a check of the attributes to QbbNetDevice::CheckSettings().
    /// @param check throws HpccInputError if the attributes of the port do not fit its traffic
    void AddCheck(std::function<void(const QbbNetDevice&)> check)
    {
        m_checks.push_back(std::move(check));
    }

  protected:
    /// Protected, because the settings are destroyed only as part of a port.
    ~QbbPortSettings() = default;

    /**
     * Refuses later changes of DataRate, PfcEnabled, EthernetOverhead and the Delay of the channel,
     * because the switch or host of the port has used them. Also refuses later changes of
     * LosslessPriorities. At a switch, this applies to all priorities, because the buffer has used
     * them. At a host, this applies to the priorities in DscpToPriority, because the neighbour
     * relies on them. A switch has no receive buffer, so at its ports a ReceiveDrainRate above 0 is
     * refused, too.
     * @param forwards true at a switch
     */
    void SetInstalled(bool forwards)
    {
        m_installed = true;
        m_forwards = forwards;
    }

    /// Sets the attribute DataRate.
    /// @param rate 1 kb/s to 10 Tb/s; a rate outside this range throws HpccInputError
    void SetRate(DataRate rate);
    /// Returns the attribute DataRate.
    DataRate GetRate() const;
    /// Sets the attribute DscpToPriority.
    /// @param text see DscpPriorityMap; an invalid text throws HpccInputError
    void SetDscpMap(std::string text);
    /// Returns the attribute DscpToPriority.
    std::string GetDscpMap() const;
    /// Sets the attribute LosslessPriorities.
    /// @param priorities one bit each; a change of a used priority after installation throws
    /// HpccInputError
    void SetLossless(uint8_t priorities);
    /// Returns the attribute LosslessPriorities.
    uint8_t GetLossless() const;
    /// Sets the attribute Scheduler.
    /// @param scheduler the scheduler; may be null. After FixShares(), a scheduler with other
    /// shares throws HpccInputError
    void SetScheduler(Ptr<EgressScheduler> scheduler);
    /// Returns the attribute Scheduler.
    Ptr<EgressScheduler> GetSchedulerObject() const;
    /// Sets the attribute Weights.
    /// @param text see EgressScheduler::Classes. HpccInputError is thrown if the text is invalid,
    /// or if the shares change after FixShares()
    void SetWeights(std::string text);
    /// Returns the attribute Weights.
    std::string GetWeights() const;
    /// Sets the attribute ReceiveDrainRate.
    /// @param rate the rate; a rate above 0 at a port of an installed switch throws HpccInputError
    void SetDrainRate(DataRate rate);
    /// Returns the attribute ReceiveDrainRate.
    DataRate GetDrainRate() const;

    /// Creates the default scheduler if no scheduler is set, now and whenever the attribute is
    /// later set to null.
    void RequireScheduler();
    /// Throws HpccInputError if both WholeNanoseconds and CarryFractions are true.
    void CheckRounding();
    /// Throws HpccInputError if both WholeNanoseconds and CarryFractions are true and the switch or
    /// host of the port is installed.
    void CheckInstalledRounding();
    /// Passes the priority configuration in the attributes to the scheduler, if there is one.
    void ConfigureScheduler();
    /// Replaces the scheduler, without configuring it.
    /// @param scheduler the scheduler; may be null. A scheduler of another port throws
    /// HpccInputError
    void UseScheduler(Ptr<EgressScheduler> scheduler);
    /**
     * Throws HpccInputError if a repeated pause might arrive too late, if the thresholds of the
     * receive buffer are inconsistent, or if the receive buffer overflows before a pause takes
     * effect.
     * @param peerBps rate at which the neighbour sends, bit/s; 0 without a neighbour
     * @param delayNs propagation delay to the neighbour, ns
     */
    void CheckPauses(uint64_t peerBps, int64_t delayNs) const;
    /// Throws HpccInputError if the port has a receive buffer and lossless priorities, and the
    /// thresholds are inconsistent. ReceiveResumeThreshold must be at most ReceivePauseThreshold,
    /// and ReceivePauseThreshold less than ReceiveBuffer.
    void CheckReceiveBuffer() const;
    /// Releases the objects that attributes refer to.
    void DisposeSettings();

    uint64_t m_rateBps;                  ///< attribute DataRate
    bool m_ethernetOverhead;             ///< attribute EthernetOverhead
    bool m_countOverhead;                ///< attribute CountOverhead
    bool m_wholeNanoseconds{false};      ///< attribute WholeNanoseconds
    bool m_carryFractions{false};        ///< attribute CarryFractions
    bool m_pfcEnabled{true};             ///< attribute PfcEnabled
    uint32_t m_quantumBytes{1600};       ///< attribute Quantum
    uint16_t m_mtu;                      ///< attribute Mtu
    uint16_t m_pauseQuanta;              ///< attribute PauseQuanta
    uint64_t m_receiveBufferBytes;       ///< attribute ReceiveBuffer
    uint64_t m_receivePauseBytes;        ///< attribute ReceivePauseThreshold
    uint64_t m_receiveResumeBytes;       ///< attribute ReceiveResumeThreshold
    uint64_t m_queueLimitBytes;          ///< attribute QueueLimit
    uint64_t m_queueStopBytes;           ///< attribute QueueStop
    bool m_tso;                          ///< attribute Tso
    bool m_gro;                          ///< attribute Gro
    uint16_t m_tsoMtu;                   ///< attribute TsoMtu
    uint16_t m_tsoSegmentBytes;          ///< attribute TsoSegment
    Time m_groGap;                       ///< attribute GroGap
    Time m_groTimeout;                   ///< attribute GroTimeout
    Ptr<ErrorModel> m_receiveErrorModel; ///< attribute ReceiveErrorModel
    uint32_t m_leastMtu{0};              ///< see RequireMtu(), bytes
    std::vector<std::function<void(const QbbNetDevice&)>> m_checks; ///< see AddCheck()

  private:
    static constexpr uint32_t FCS_BYTES = 4; ///< size of the FCS of an Ethernet frame

    bool m_installed{false};                ///< see SetInstalled()
    bool m_forwards{false};                 ///< see SetInstalled()
    uint8_t m_watched{0};                   ///< see GetPerPriority()
    bool m_countsClasses{false};            ///< see GetPerPriority()
    bool m_needsScheduler{false};           ///< see RequireScheduler()
    bool m_sharesUsed{false};               ///< see FixShares()
    uint64_t m_drainBps;                    ///< see ReceiveBuffer
    std::array<uint8_t, 64> m_priorities{}; ///< priority of each DSCP
    Ptr<EgressScheduler> m_scheduler;       ///< see GetScheduler()
    EgressScheduler::Classes m_classes;     ///< LosslessPriorities and Weights
};

} // namespace ns3

#endif // QBB_PORT_SETTINGS_H
