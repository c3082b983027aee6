/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-link-end.h"

namespace ns3
{

void
QbbLinkEnd::AnnounceArrival(Frame* frame)
{
    frame->next = nullptr;
    if (m_inFlightTail)
    {
        m_inFlightTail->next = frame;
    }
    else
    {
        m_inFlightHead = frame;
        m_agenda->Note(AgendaKind::ARRIVAL, m_portIndex, frame->arrivalNs);
    }
    m_inFlightTail = frame;
}

} // namespace ns3
