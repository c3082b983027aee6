/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-port-settings.h"

#include "hpcc-dscp-priority-map.h"
#include "hpcc-priority-scheduler.h"

#include "ns3/hpcc-input-error.h"

#include <array>
#include <utility>

namespace ns3
{

namespace
{

/**
 * Refuses a change of an attribute after SetInstalled().
 * @param attribute full name of the attribute
 * @param changes true if the value would change now
 */
void
RequireUnused(const std::string& attribute, bool changes)
{
    HPCC_REFUSE_IF(changes,
                   attribute +
                       ": the switch or host of the port is installed and has used the present "
                       "value; set it before Install()");
}

/// The share of each priority, and the priorities served before it. Hosts may have used both.
using Shares = std::array<std::pair<double, uint8_t>, PRIORITIES>;

/// Returns the shares of the priorities.
/// @param scheduler a scheduler with its classes
Shares
SharesOf(const EgressScheduler& scheduler)
{
    Shares shares;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        shares[p] = {scheduler.GetShare(p), scheduler.GetAhead(p)};
    }
    return shares;
}

} // namespace

void
QbbPortSettings::SetRate(DataRate rate)
{
    uint64_t bps = rate.GetBitRate();
    HPCC_REFUSE_IF(bps < 1000 || bps > 10000000000000ULL,
                   "ns3::QbbNetDevice::DataRate " + std::to_string(bps) +
                       "bps is outside 1 kb/s to 10 Tb/s");
    m_rateBps = bps;
}

DataRate
QbbPortSettings::GetRate() const
{
    return DataRate(m_rateBps);
}

void
QbbPortSettings::SetDscpMap(std::string text)
{
    DscpPriorityMap map;
    std::string why;
    HPCC_REFUSE_IF(!map.Parse(text, why), "ns3::QbbNetDevice::DscpToPriority: " + why);
    m_priorities = map.GetPriorities();
}

std::string
QbbPortSettings::GetDscpMap() const
{
    return DscpPriorityMap(m_priorities).ToString();
}

void
QbbPortSettings::SetLossless(uint8_t priorities)
{
    uint8_t used = m_forwards ? 0xff : 0;
    for (const uint8_t priority : m_priorities)
    {
        used |= 1U << priority;
    }
    RequireUnused("ns3::QbbNetDevice::LosslessPriorities",
                  m_installed && (priorities ^ m_classes.lossless) & used);
    m_classes.lossless = priorities;
    ConfigureScheduler();
}

uint8_t
QbbPortSettings::GetLossless() const
{
    return m_classes.lossless;
}

void
QbbPortSettings::UseScheduler(Ptr<EgressScheduler> scheduler)
{
    if (scheduler)
    {
        scheduler->SetOwner(this);
    }
    if (m_scheduler && m_scheduler != scheduler)
    {
        m_scheduler->SetOwner(nullptr);
    }
    m_scheduler = scheduler;
}

void
QbbPortSettings::SetScheduler(Ptr<EgressScheduler> scheduler)
{
    const Ptr<EgressScheduler> before = m_scheduler;
    const Shares shares = m_sharesUsed ? SharesOf(*before) : Shares();
    UseScheduler(scheduler);
    try
    {
        if (m_needsScheduler)
        {
            RequireScheduler();
        }
        else
        {
            ConfigureScheduler();
        }
        RequireUnused("ns3::QbbNetDevice::Scheduler",
                      m_sharesUsed && SharesOf(*m_scheduler) != shares);
    }
    catch (const HpccInputError&)
    {
        UseScheduler(before);
        ConfigureScheduler();
        throw;
    }
}

Ptr<EgressScheduler>
QbbPortSettings::GetSchedulerObject() const
{
    return m_scheduler;
}

void
QbbPortSettings::RequireScheduler()
{
    m_needsScheduler = true;
    if (!m_scheduler)
    {
        m_scheduler = CreateObject<PriorityScheduler>();
        m_scheduler->SetOwner(this);
    }
    ConfigureScheduler();
}

void
QbbPortSettings::ConfigureScheduler()
{
    if (m_scheduler)
    {
        EgressScheduler::Classes classes = m_classes;
        classes.lossless = GetLosslessPriorities();
        classes.quantumBytes = m_quantumBytes;
        m_scheduler->SetClasses(classes);
        m_watched = m_scheduler->GetWatched();
        m_countsClasses = m_countsClasses || m_scheduler->WantsBytes();
    }
}

void
QbbPortSettings::ConfigureShares(const std::string& attribute)
{
    const Shares before = m_sharesUsed ? SharesOf(*m_scheduler) : Shares();
    ConfigureScheduler();
    RequireUnused(attribute, m_sharesUsed && SharesOf(*m_scheduler) != before);
}

void
QbbPortSettings::SetWeights(std::string text)
{
    std::string why;
    const EgressScheduler::Classes before = m_classes;
    HPCC_REFUSE_IF(!m_classes.SetWeights(text, why), "ns3::QbbNetDevice::Weights: " + why);
    try
    {
        ConfigureShares("ns3::QbbNetDevice::Weights");
    }
    catch (const HpccInputError&)
    {
        m_classes = before;
        ConfigureScheduler();
        throw;
    }
}

std::string
QbbPortSettings::GetWeights() const
{
    return m_classes.GetWeights();
}

void
QbbPortSettings::CheckInstalledRounding()
{
    if (m_installed)
    {
        CheckRounding();
    }
}

void
QbbPortSettings::CheckRounding()
{
    HPCC_REFUSE_IF(m_wholeNanoseconds && m_carryFractions,
                   "ns3::QbbNetDevice::WholeNanoseconds drops the parts of times below 1 "
                   "ns that ns3::QbbNetDevice::CarryFractions keeps: set one of the two");
}

void
QbbPortSettings::SetDrainRate(DataRate rate)
{
    HPCC_REFUSE_IF(
        m_forwards && rate.GetBitRate() > 0,
        "ns3::QbbNetDevice::ReceiveDrainRate: " + std::to_string(rate.GetBitRate()) +
            "bps at the port of a switch, which has no receive buffer; allowed is 0, or a port of "
            "a host, or HpccFabricHelper::SetDeviceAttribute() before Install() for all hosts");
    m_drainBps = rate.GetBitRate();
}

DataRate
QbbPortSettings::GetDrainRate() const
{
    return DataRate(m_drainBps);
}

void
QbbPortSettings::CheckPauses(uint64_t peerBps, int64_t delayNs) const
{
    // A repeated pause may have to wait until a data frame and a PFC frame have been sent. The
    // previous pause must not expire before then.
    uint64_t waitBits =
        8 * uint64_t{GetLinkBytes(GetMaxFrameBytes()) + GetLinkBytes(MIN_FRAME_BYTES)};
    const double fasterBy =
        std::max(1.0, static_cast<double>(peerBps) / static_cast<double>(m_rateBps));
    const auto leastQuanta =
        static_cast<uint64_t>(std::ceil(2 * static_cast<double>(waitBits) * fasterBy / 512));
    HPCC_REFUSE_IF(GetLosslessPriorities() && m_pauseQuanta < leastQuanta,
                   "ns3::QbbNetDevice::PauseQuanta " + std::to_string(m_pauseQuanta) +
                       " is less than " + std::to_string(leastQuanta) +
                       ", the time of two frames of Mtu " + std::to_string(m_mtu) +
                       (fasterBy > 1
                            ? " while the neighbour sends at " + std::to_string(peerBps) + "bps"
                            : "") +
                       ": a refresh could come too late");
    CheckReceiveBuffer();
    // Until a pause takes effect, frames arrive for a round trip on the link. The port does not
    // know their size, so it assumes the shortest frames. It thus refuses only a buffer that is too
    // small for frames of any size. Short frames fill the buffer most slowly: FCS, preamble and gap
    // are not stored, and their share of the time on the link is largest for short frames.
    const ReceiveBuffer buffer = GetReceiveBuffer();
    const double stored = static_cast<double>(MIN_FRAME_BYTES) / GetLinkBytes(MIN_FRAME_BYTES);
    const double fillBps =
        stored * static_cast<double>(peerBps) - static_cast<double>(buffer.drainBps);
    const bool pauses = GetLosslessPriorities() && buffer.drainBps > 0 && fillBps > 0;
    const uint64_t least =
        pauses ? buffer.pauseBytes +
                     static_cast<uint64_t>(2 * static_cast<double>(delayNs) * 1e-9 * fillBps / 8)
               : 0;
    HPCC_REFUSE_IF(
        buffer.bytes < least,
        "ns3::QbbNetDevice::ReceiveBuffer is " + std::to_string(buffer.bytes) +
            ", allowed is at least " + std::to_string(least) +
            ": ns3::QbbNetDevice::ReceivePauseThreshold, " + std::to_string(buffer.pauseBytes) +
            ", and the bytes that arrive in a round trip on the link, before a pause takes effect");
}

void
QbbPortSettings::CheckReceiveBuffer() const
{
    if (m_drainBps == 0 || !GetLosslessPriorities())
    {
        return;
    }
    HPCC_REFUSE_IF(m_receivePauseBytes >= m_receiveBufferBytes,
                   "ns3::QbbNetDevice::ReceivePauseThreshold is " +
                       std::to_string(m_receivePauseBytes) + ", allowed is less than " +
                       std::to_string(m_receiveBufferBytes) + ", ns3::QbbNetDevice::ReceiveBuffer");
    HPCC_REFUSE_IF(m_receiveResumeBytes > m_receivePauseBytes,
                   "ns3::QbbNetDevice::ReceiveResumeThreshold is " +
                       std::to_string(m_receiveResumeBytes) + ", allowed is at most " +
                       std::to_string(m_receivePauseBytes) +
                       ", ns3::QbbNetDevice::ReceivePauseThreshold");
}

void
QbbPortSettings::DisposeSettings()
{
    m_receiveErrorModel = nullptr;
    m_checks.clear();
    m_needsScheduler = m_sharesUsed = false;
    UseScheduler(nullptr);
}

} // namespace ns3
