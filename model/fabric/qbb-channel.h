/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_CHANNEL_H
#define QBB_CHANNEL_H

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

struct Frame;
class HpccRanks;
class QbbLinkEnd;

/**
 * @ingroup hpcc
 *
 * A full-duplex link between exactly two QbbNetDevices. Its attribute Delay is the propagation
 * delay, at least 1 ns. Of a link between two ranks it is the lookahead of the distributed
 * simulation, see SetRanks().
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
     * Attaches an end. The second brings the link up; a third is refused.
     * @param device the device
     * @param end the same, as the link knows it
     */
    void Attach(Ptr<NetDevice> device, QbbLinkEnd& end);

    /**
     * Attaches a second end that is at another rank and has no device here. Brings the link up.
     * @param rank of that end
     * @param address its MAC address
     */
    void AttachElsewhere(uint32_t rank, Mac48Address address);

    /**
     * Announces a frame to the other end; the only thing one node ever does to another.
     * @param from the sending end
     * @param frame the frame
     * @param lastBitNs when its last bit leaves, ns
     */
    void Transmit(const QbbLinkEnd* from, Frame* frame, int64_t lastBitNs);

    /**
     * @param end one end
     * @return the device at the other; null if it is not attached, or elsewhere
     */
    Ptr<NetDevice> GetPeer(const QbbLinkEnd* end) const;

    /**
     * @param end one end
     * @return MAC address of the other; broadcast if there is none
     */
    Address GetPeerAddress(const QbbLinkEnd* end) const;

    /**
     * @param end one end
     * @return rank of the other
     */
    uint32_t GetPeerRank(const QbbLinkEnd* end) const;

    /**
     * Sets the ranks of the ends, if they are at two, both of which call this. From then on Delay
     * must not become less.
     * @param ranks what carries frames between them; must outlive the traffic
     * @param other rank of the end that is not here
     * @param number what ranks knows the link by
     * @param lookaheadNs how long before a frame arrives it is announced to the other rank, ns
     */
    void SetRanks(HpccRanks* ranks, uint32_t other, uint32_t number, int64_t lookaheadNs);

    /// @return the propagation delay, ns
    int64_t GetDelayNs() const;

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  protected:
    void DoDispose() override;

  private:
    /// @param delay propagation delay
    void SetDelay(Time delay);
    /// @return propagation delay, or lookahead
    Time GetDelay() const;

    int64_t m_delayNs;                       ///< propagation delay, ns
    HpccRanks* m_ranks{nullptr};             ///< null if both ends are at one rank
    uint32_t m_other{0};                     ///< rank of the end that is not here
    uint32_t m_number{0};                    ///< with m_ranks: what it knows the link by
    int64_t m_lookaheadNs{0};                ///< with m_ranks: see SetRanks()
    int64_t m_leastDelayNs{0};               ///< with m_ranks: m_delayNs at SetRanks()
    std::array<Ptr<NetDevice>, 2> m_devices; ///< at the ends
    std::array<QbbLinkEnd*, 2> m_ends{};     ///< the same, as the link knows them
    Mac48Address m_elsewhere{Mac48Address::GetBroadcast()}; ///< of an end without a device
};

} // namespace ns3

#endif // QBB_CHANNEL_H
