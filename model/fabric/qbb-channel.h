/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_CHANNEL_H
#define QBB_CHANNEL_H

#include "hpcc-frame.h"
#include "hpcc-node-agenda.h"

#include "ns3/channel.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3
{

class HpccRanks;
class QbbChannel;

/**
 * @ingroup hpcc
 *
 * The part of a port that a link uses: the address of the port, the agenda of its node, and the
 * frames in flight to the port.
 */
class QbbLinkEnd
{
  public:
    /// Destroys the end.
    virtual ~QbbLinkEnd() = default;

    /**
     * Handles the attachment of the channel's second end. Called by the channel only.
     * @param channel channel whose second end is attached
     */
    virtual void NotifyLinkUp(QbbChannel* channel) = 0;

    /// Returns the rate at which the end sends, bit/s.
    virtual uint64_t GetSendRateBps() const = 0;

    /**
     * Schedules the arrival of a frame whose transmission the other end has started. Called by the
     * channel or, for a frame from another rank, by HpccRanks.
     * @param frame the frame; arrivalNs is set
     */
    void AnnounceArrival(Frame* frame)
    {
        frame->next = nullptr;
        if (m_inFlightTail)
        {
            m_inFlightTail->next = frame;
        }
        else
        {
            m_inFlightHead = frame;
            m_agenda->Schedule(AgendaKind::ARRIVAL, m_portIndex, frame->arrivalNs);
        }
        m_inFlightTail = frame;
    }

    /**
     * Removes from the link the frame that arrives now, and schedules the arrival of the next
     * frame.
     * @return the frame
     */
    Frame* TakeArrival()
    {
        Frame* frame = m_inFlightHead;
        m_inFlightHead = frame->next;
        if (m_inFlightHead)
        {
            m_agenda->Schedule(AgendaKind::ARRIVAL, m_portIndex, m_inFlightHead->arrivalNs);
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

    /// Returns the frame that arrives next; null if none is in flight.
    const Frame* GetNextArrival() const
    {
        return m_inFlightHead;
    }

    /// Returns the node's agenda.
    NodeAgenda& GetAgenda() const
    {
        return *m_agenda;
    }

    /// Returns the position of the port among the node's QbbNetDevices, from 0. This index is the
    /// port's id in telemetry.
    uint32_t GetPortIndex() const
    {
        return m_portIndex;
    }

    /// Returns the channel; null before the channel has both ends, and while the link is down.
    QbbChannel* GetLink() const
    {
        return m_link;
    }

    /// Returns the number of failures of the link, modulo 65536.
    uint16_t GetLinkEpoch() const
    {
        return m_linkEpoch;
    }

    /// Returns the MAC address.
    Mac48Address GetMacAddress() const
    {
        return m_address;
    }

  protected:
    NodeAgenda* m_agenda{nullptr};                    ///< see GetAgenda()
    QbbChannel* m_link{nullptr};                      ///< see GetLink()
    uint32_t m_portIndex{0};                          ///< see GetPortIndex()
    uint16_t m_linkEpoch{0};                          ///< see GetLinkEpoch()
    Mac48Address m_address{Mac48Address::Allocate()}; ///< see GetMacAddress()

  private:
    Frame* m_inFlightHead{nullptr}; ///< next frame to arrive
    Frame* m_inFlightTail{nullptr}; ///< last frame to arrive
};

/**
 * @ingroup hpcc
 *
 * A full-duplex link between two QbbNetDevices, which may be at different MPI ranks. The attribute
 * Delay is the propagation delay, at least 1 ns. If the ends are at different ranks, reading Delay
 * returns the lookahead instead, see SetRanks().
 */
class QbbChannel : public Channel
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Attaches an end. Attaching the second end brings the link up; a third end is refused.
     * @param device device at the end
     * @param end the QbbLinkEnd of the device
     */
    void Attach(Ptr<NetDevice> device, QbbLinkEnd& end);

    /**
     * Attaches a second end that is at another rank and has no device at this rank. Brings the link
     * up.
     * @param rank rank of the second end
     * @param address MAC address of the second end
     * @param rateBps rate at which the second end sends, bit/s
     */
    void AttachElsewhere(uint32_t rank, Mac48Address address, uint64_t rateBps);

    /**
     * Announces a frame to the other end. A node affects another node only by this function, and by
     * returning frames to their pool.
     * @param from the sending end
     * @param frame frame whose transmission starts
     * @param lastBitNs time at which the last bit of the frame is sent, ns
     */
    void Transmit(const QbbLinkEnd* from, Frame* frame, int64_t lastBitNs)
    {
        frame->arrivalNs = lastBitNs + m_delayNs;
        if (m_ranks)
        {
            Carry(frame);
            return;
        }
        m_ends[from == m_ends[0] ? 1 : 0]->AnnounceArrival(frame);
    }

    /**
     * Returns the device at the other end; null if the other end is not attached or is at another
     * rank.
     * @param end one end of the link
     */
    Ptr<NetDevice> GetPeer(const QbbLinkEnd* end) const;

    /**
     * Returns the MAC address of the other end; broadcast if there is none.
     * @param end one end of the link
     */
    Address GetPeerAddress(const QbbLinkEnd* end) const;

    /**
     * Returns the rate at which the other end sends, bit/s, even if that end is at another rank; 0
     * if no other end is attached.
     * @param end one end of the link
     */
    uint64_t GetPeerRateBps(const QbbLinkEnd* end) const;

    /**
     * Returns the rank of the other end.
     * @param end one end of the link
     */
    uint32_t GetPeerRank(const QbbLinkEnd* end) const;

    /**
     * Configures the link for ends at different ranks. Both ranks call this function. Afterwards,
     * Delay must not be reduced.
     * @param ranks object that transfers frames between the ranks; must outlive the traffic
     * @param other rank of the end that is not at this rank
     * @param number number by which @p ranks identifies the link
     * @param lookaheadNs time between the announcement of a frame to the other rank and the frame's
     * arrival, ns
     */
    void SetRanks(HpccRanks* ranks, uint32_t other, uint32_t number, int64_t lookaheadNs);

    /// Returns the propagation delay, ns.
    int64_t GetDelayNs() const;

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  protected:
    void DoDispose() override;

  private:
    /// Passes a frame to the rank of the other end.
    /// @param frame the frame, arrivalNs set
    void Carry(Frame* frame);
    /// Sets the propagation delay. Throws HpccInputError if the delay is below the delay that the
    /// link had when SetRanks() was called, or if a switch or host has already used another delay.
    /// @param delay propagation delay, at least 1 ns
    void SetDelay(Time delay);
    /// Returns the propagation delay, or the lookahead if the ends are at different ranks.
    Time GetDelay() const;

    int64_t m_delayNs;                       ///< propagation delay, ns
    HpccRanks* m_ranks{nullptr};             ///< null if both ends are at one rank
    uint32_t m_other{0};                     ///< rank of the end that is not at this rank
    uint32_t m_number{0};                    ///< if m_ranks is set: number by which m_ranks
                                             ///< identifies the link
    int64_t m_lookaheadNs{0};                ///< if m_ranks is set: see SetRanks()
    int64_t m_leastDelayNs{0};               ///< if m_ranks is set: m_delayNs when SetRanks() was
                                             ///< called
    std::array<Ptr<NetDevice>, 2> m_devices; ///< devices at the ends
    std::array<QbbLinkEnd*, 2> m_ends{};     ///< QbbLinkEnd of the device at each end
    Mac48Address m_elsewhere{Mac48Address::GetBroadcast()}; ///< address of an end at another rank
    uint64_t m_elsewhereBps{0};                             ///< rate of an end at another rank,
                                                            ///< bit/s
};

} // namespace ns3

#endif // QBB_CHANNEL_H
