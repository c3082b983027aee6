/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-receiver-control.h"

#include "rdma-receiver-computation.h"

#include "ns3/hpcc-roce-headers.h"

#include <cmath>

namespace ns3
{

void
RdmaReceiverControl::OnArrival(const Frame& frame, bool endsMessage, RdmaArrivalInfo& arrival)
{
    const uint8_t epoch = frame.bthFlags >> RoceEpoch::SHIFT;
    if (epoch != (m_applied & RoceEpoch::MASK))
    {
        m_applied = m_number - ((m_number - epoch) & RoceEpoch::MASK);
    }
    arrival.current = m_applied == m_number;
    arrival.newPath = !m_sprayed && m_sourcePort != 0 && m_sourcePort != frame.sourcePort;
    arrival.idleNs = m_silentNs < 0 ? 0 : arrival.nowNs - m_silentNs;
    arrival.reportedFlows = GetReportedFlows();
    m_sourcePort = frame.sourcePort;
    m_silentNs = endsMessage ? arrival.nowNs : -1;
}

uint64_t
RdmaReceiverControl::Write(const RdmaNotification& notification, Frame& frame)
{
    const bool rate = m_how->GetComputation()->SendsRate();
    Frame::Notification& message = frame.notification;
    message.kind = rate ? RoceNotificationHeader::RATE : RoceNotificationHeader::WINDOW;
    message.value = rate ? notification.rateBps
                         : static_cast<uint64_t>(std::llround(
                               notification.windowBytes * RoceNotificationHeader::WINDOW_UNITS));
    message.congested = notification.congested;
    message.number = static_cast<uint16_t>(++m_number);
    return m_number;
}

RdmaNotification
RdmaReceiverControl::Read(const Frame& frame)
{
    const Frame::Notification& message = frame.notification;
    RdmaNotification notification;
    notification.congested = message.congested;
    if (message.kind == RoceNotificationHeader::RATE)
    {
        notification.rateBps = message.value;
        notification.given = true;
    }
    else if (message.kind == RoceNotificationHeader::WINDOW)
    {
        notification.windowBytes =
            static_cast<double>(message.value) / RoceNotificationHeader::WINDOW_UNITS;
        notification.given = true;
    }
    return notification;
}

} // namespace ns3
