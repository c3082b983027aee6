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
 * @param attribute its name
 * @param changes true if it would change now
 */
void
RequireUnused(const std::string& attribute, bool changes)
{
    if (changes)
    {
        throw HpccInputError("ns3::QbbNetDevice::" + attribute +
                             ": the switch or host of the port is installed and has used the value "
                             "before; allowed is to set it before Install()");
    }
}

/// What a port's hosts may have used of its scheduler: shares, and priorities that go first.
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
    if (bps < 1000 || bps > 10000000000000ULL)
    {
        throw HpccInputError("ns3::QbbNetDevice::DataRate " + std::to_string(bps) +
                             "bps is outside 1 kb/s to 10 Tb/s");
    }
    RequireUnused("DataRate", m_installed && bps != m_rateBps);
    m_rateBps = bps;
}

DataRate
QbbPortSettings::GetRate() const
{
    return DataRate(m_rateBps);
}

void
QbbPortSettings::SetPfc(bool enabled)
{
    RequireUnused("PfcEnabled", m_installed && enabled != m_pfcEnabled);
    m_pfcEnabled = enabled;
    ConfigureScheduler();
}

bool
QbbPortSettings::GetPfc() const
{
    return m_pfcEnabled;
}

void
QbbPortSettings::SetDscpMap(std::string text)
{
    DscpPriorityMap map;
    std::string why;
    if (!map.Parse(text, why))
    {
        throw HpccInputError("ns3::QbbNetDevice::DscpToPriority: " + why);
    }
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
    RequireUnused("LosslessPriorities", m_installed && (priorities ^ m_classes.lossless) & used);
    m_classes.lossless = priorities;
    ConfigureScheduler();
}

uint8_t
QbbPortSettings::GetLossless() const
{
    return m_classes.lossless;
}

void
QbbPortSettings::SetScheduler(Ptr<EgressScheduler> scheduler)
{
    const auto before = m_scheduler;
    if (scheduler)
    {
        scheduler->SetOwner(this);
    }
    if (m_scheduler && m_scheduler != scheduler)
    {
        m_scheduler->SetOwner(nullptr);
    }
    m_scheduler = scheduler;
    if (m_needsScheduler)
    {
        RequireScheduler();
    }
    else
    {
        ConfigureScheduler();
    }
    if (m_sharesUsed && SharesOf(*m_scheduler) != SharesOf(*before))
    {
        m_scheduler->SetOwner(nullptr);
        m_scheduler = before;
        before->SetOwner(this);
        ConfigureScheduler();
        RequireUnused("Scheduler", true);
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
        m_scheduler->SetClasses(classes);
        m_watched = m_scheduler->GetWatched();
        m_countsClasses = m_countsClasses || m_scheduler->WantsBytes();
    }
}

void
QbbPortSettings::SetWeights(std::string text)
{
    std::string why;
    const EgressScheduler::Classes before = m_classes;
    const Shares shares = m_sharesUsed ? SharesOf(*m_scheduler) : Shares();
    if (!m_classes.SetWeights(text, why))
    {
        throw HpccInputError("ns3::QbbNetDevice::Weights: " + why);
    }
    ConfigureScheduler();
    if (m_sharesUsed && SharesOf(*m_scheduler) != shares)
    {
        m_classes = before;
        ConfigureScheduler();
        RequireUnused("Weights", true);
    }
}

std::string
QbbPortSettings::GetWeights() const
{
    return m_classes.GetWeights();
}

void
QbbPortSettings::SetQuantum(uint32_t bytes)
{
    m_classes.quantumBytes = bytes;
    ConfigureScheduler();
}

uint32_t
QbbPortSettings::GetQuantum() const
{
    return m_classes.quantumBytes;
}

void
QbbPortSettings::SetWholeNanoseconds(bool whole)
{
    CheckRounding(whole, m_installed && m_carryFractions);
    m_wholeNanoseconds = whole;
}

bool
QbbPortSettings::GetWholeNanoseconds() const
{
    return m_wholeNanoseconds;
}

void
QbbPortSettings::SetCarryFractions(bool carry)
{
    CheckRounding(m_installed && m_wholeNanoseconds, carry);
    m_carryFractions = carry;
}

bool
QbbPortSettings::GetCarryFractions() const
{
    return m_carryFractions;
}

void
QbbPortSettings::CheckRounding(bool whole, bool carry)
{
    if (whole && carry)
    {
        throw HpccInputError("ns3::QbbNetDevice::WholeNanoseconds drops the parts of times below 1 "
                             "ns that ns3::QbbNetDevice::CarryFractions keeps: set one of the two");
    }
}

void
QbbPortSettings::SetDrainRate(DataRate rate)
{
    if (m_forwards && rate.GetBitRate() > 0)
    {
        throw HpccInputError(
            "ns3::QbbNetDevice::ReceiveDrainRate: " + std::to_string(rate.GetBitRate()) +
            "bps at the port of a switch, which has no receive buffer; allowed is 0, or a port of "
            "a host, or HpccFabricHelper::SetDeviceAttribute() before Install() for all hosts");
    }
    m_drainBps = rate.GetBitRate();
}

DataRate
QbbPortSettings::GetDrainRate() const
{
    return DataRate(m_drainBps);
}

void
QbbPortSettings::CheckReceiveBuffer() const
{
    if (m_drainBps == 0 || !GetLosslessPriorities())
    {
        return;
    }
    if (m_receivePauseBytes >= m_receiveBufferBytes)
    {
        throw HpccInputError("ns3::QbbNetDevice::ReceivePauseThreshold is " +
                             std::to_string(m_receivePauseBytes) + ", allowed is less than " +
                             std::to_string(m_receiveBufferBytes) +
                             ", ns3::QbbNetDevice::ReceiveBuffer");
    }
    if (m_receiveResumeBytes > m_receivePauseBytes)
    {
        throw HpccInputError("ns3::QbbNetDevice::ReceiveResumeThreshold is " +
                             std::to_string(m_receiveResumeBytes) + ", allowed is at most " +
                             std::to_string(m_receivePauseBytes) +
                             ", ns3::QbbNetDevice::ReceivePauseThreshold");
    }
}

void
QbbPortSettings::DisposeSettings()
{
    m_receiveErrorModel = nullptr;
    if (m_scheduler)
    {
        m_scheduler->SetOwner(nullptr);
    }
    m_scheduler = nullptr;
}

} // namespace ns3
