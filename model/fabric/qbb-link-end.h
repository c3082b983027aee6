/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_LINK_END_H
#define QBB_LINK_END_H

#include "hpcc-frame.h"
#include "hpcc-node-agenda.h"

#include <cstdint>

namespace ns3
{

class QbbChannel;

/**
 * @ingroup hpcc
 *
 * A port as its link knows it: the frames on their way to it, and the agenda of its node.
 */
class QbbLinkEnd : public AgendaClient
{
  public:
    /**
     * The channel has both ends. Called by the channel only.
     * @param channel the channel
     */
    virtual void NotifyLinkUp(QbbChannel* channel) = 0;

    /**
     * The other end has started a frame. Called by the channel, and for one at another rank.
     * @param frame the frame; arrivalNs is set
     */
    void AnnounceArrival(Frame* frame);

    /// @return the node's agenda
    NodeAgenda& GetAgenda() const
    {
        return *m_agenda;
    }

    /// @return position among the node's QbbNetDevices, from 0; the port's id in telemetry
    uint32_t GetPortIndex() const
    {
        return m_portIndex;
    }

  protected:
    /// @return the frame that arrives now, no longer on its way; GetNextArrival() is on the agenda
    Frame* TakeArrival()
    {
        Frame* frame = m_inFlightHead;
        m_inFlightHead = frame->next;
        if (m_inFlightHead)
        {
            m_agenda->Note(AgendaKind::ARRIVAL, m_portIndex, m_inFlightHead->arrivalNs);
            if (m_inFlightHead->next)
            {
                m_inFlightHead->next->Prefetch();
            }
        }
        else
        {
            m_inFlightTail = nullptr;
        }
        return frame;
    }

    /// @return the frame that arrives next; null if none is on its way
    const Frame* GetNextArrival() const
    {
        return m_inFlightHead;
    }

    NodeAgenda* m_agenda{nullptr}; ///< the node's agenda
    uint32_t m_portIndex{0};       ///< index on the agenda

  private:
    Frame* m_inFlightHead{nullptr}; ///< next frame to arrive
    Frame* m_inFlightTail{nullptr}; ///< last frame to arrive
};

} // namespace ns3

#endif // QBB_LINK_END_H
