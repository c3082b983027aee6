/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-port-settings.h"

#include "hpcc-dscp-priority-map.h"
#include "hpcc-priority-scheduler.h"

#include "ns3/hpcc-input-error.h"

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
    if (!m_classes.SetWeights(text, why))
    {
        throw HpccInputError("ns3::QbbNetDevice::Weights: " + why);
    }
    ConfigureScheduler();
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
QbbPortSettings::SetDrainRate(DataRate rate)
{
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
