/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_IRN_H
#define RDMA_IRN_H

#include "rdma-recovery.h"

#include "ns3/nstime.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The requester's half of IRN. This class records which packets after the first unacknowledged
 * packet have been acknowledged.
 *
 * A packet is regarded as lost if a packet whose number is higher by at least `tolerance` has been
 * acknowledged selectively. A tolerance of 1 is the paper's rule. Selective acknowledgements cause
 * at most one retransmission of each packet. After a time-out, the first unacknowledged packet is
 * retransmitted. A later acknowledgement is partial (RFC 6582, section 3.2) if it does not cover
 * all packets that were in flight at the time-out. Each partial acknowledgement causes the
 * retransmission of the next unacknowledged packet.
 */
class RdmaIrnRetransmission : public RdmaRetransmission
{
  public:
    /// Creates the requester's half for a queue pair.
    /// @param tolerance reordering tolerance, packets, at least 1; see the class
    explicit RdmaIrnRetransmission(uint32_t tolerance);

    /// @copydoc RdmaRetransmission::OnNak
    ///
    /// The responder sends this NAK if a packet is too far ahead to be kept. The requester then
    /// regards the packet that the responder expects as lost.
    uint64_t OnNak(const Position& at, uint64_t psn) override;
    uint64_t OnTimeout(const Position& at) override;
    bool OnSelective(const Position& at, uint64_t psn, uint32_t bytes) override;
    uint64_t OnAcknowledged(uint64_t unaPsn) override;
    uint64_t NextLost(uint64_t unaPsn) override;
    void OnRetransmitted(uint64_t psn) override;
    bool IsActive() const override;

  private:
    /**
     * Returns the payload of a selectively acknowledged packet, bytes; 0 if the packet is not
     * acknowledged selectively.
     * @param psn number of a packet, m_unaPsn or later
     */
    uint16_t& At(uint64_t psn)
    {
        return m_bytes[psn & (m_bytes.size() - 1)];
    }

    /// Enlarges the storage until it covers a given packet.
    /// @param psn number of a packet
    void Grow(uint64_t psn);
    /// Updates m_unaPsn if there was no loss before. While there are no losses, OnAcknowledged() is
    /// not called, so m_unaPsn may be outdated.
    /// @param at the requester's position
    void Wake(const Position& at);

    uint32_t m_tolerance;          ///< see the constructor
    std::vector<uint16_t> m_bytes; ///< payload of each packet acknowledged selectively, bytes; 0
                                   ///< for other packets. The index is the packet number modulo the
                                   ///< vector's size, a power of two
    uint64_t m_unaPsn{0};          ///< first packet not acknowledged
    uint64_t m_endPsn{0};          ///< one more than the highest number of a packet acknowledged
                                   ///< selectively
    uint64_t m_lossEndPsn{0};      ///< all unacknowledged packets before this packet are lost
    uint64_t m_nextPsn{0};         ///< all lost packets before this packet have been retransmitted
    uint64_t m_timeoutEndPsn{0}; ///< one more than the number of the last packet that was in flight
                                 ///< at the last time-out
};

/**
 * @ingroup hpcc
 *
 * The responder's half of IRN: stores out-of-order packets until the missing packets arrive.
 */
class RdmaIrnSequencing : public RdmaSequencing
{
  public:
    static constexpr uint64_t MAX_AHEAD = 1 << 20; ///< a packet is kept only if its number exceeds
                                                   ///< the expected number by less than this value

    Fate OnOutOfOrder(uint64_t expectedPsn, uint64_t psn, const RdmaArrival& arrival) override;
    bool HasKept() const override;

    /// Returns the number of packets that are stored.
    uint64_t GetKept() const
    {
        return m_kept;
    }

    /**
     * Returns true if a given packet is stored.
     * @param expectedPsn number of the expected packet
     * @param psn number of a packet
     */
    bool Has(uint64_t expectedPsn, uint64_t psn) const
    {
        return psn > expectedPsn && psn - expectedPsn < m_slots.size() &&
               m_slots[psn & (m_slots.size() - 1)].used;
    }

    bool Take(uint64_t expectedPsn, RdmaArrival& arrival) override;

  private:
    /**
     * Enlarges the storage until it covers a given packet.
     *
     * @param expectedPsn number of the expected packet
     * @param psn number of a packet
     */
    void Grow(uint64_t expectedPsn, uint64_t psn);

    /// Storage for one packet.
    struct Slot
    {
        RdmaArrival arrival; ///< description of the packet
        bool used;           ///< true if the slot contains a packet
    };

    std::vector<Slot> m_slots; ///< slots, by packet number modulo the vector's size, a power of two
    uint64_t m_kept{0};        ///< number of packets that are stored
};

/**
 * @ingroup hpcc
 *
 * IRN (Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018, section 3): selective
 * retransmission and a limit on the packets in flight, instead of a lossless network.
 *
 * - The responder keeps out-of-order packets, and answers each of these packets with a NAK. The NAK
 *   contains two numbers: that of the expected packet, and that of the packet that has arrived.
 *   Packets 2^20 or more ahead of the expected packet are dropped. Packets can be so far ahead only
 *   if more than 2^20 packets may be in flight. RdmaHost::NakInterval affects only the NAKs for
 *   these packets.
 * - The requester retransmits lost packets ahead of new packets. RdmaIrnRetransmission defines
 *   which packets are lost.
 * - BDP-FC (flow control by the bandwidth-delay product): the requester sends no new packet while
 *   BdpCap packets are in flight. Packets in flight are counted from the first packet not
 *   acknowledged. The default of BdpCap is the product of the requester's line rate and the largest
 *   base RTT of the network. This product is converted to packets with Mtu bytes of payload, and
 *   rounded up.
 * - There are two time-outs: RtoLow if at most FewPackets are in flight, and otherwise RtoHigh. If
 *   RtoLow expires while more than FewPackets are in flight, the time-out is extended to RtoHigh.
 *
 * OnLoss() notifies the policy of each time-out. OnLoss() also notifies the policy when a NAK
 * reveals a loss. After either notification, further losses revealed by NAKs are not reported until
 * all packets that were in flight at the notification have been acknowledged.
 *
 * Attributes:
 *
 * - BdpCap: packets, at most 2^20; 0 selects the default above.
 * - RtoLow, RtoHigh: time-outs, at least 1 ns.
 * - FewPackets: number of packets, 0 or more.
 * - ReorderTolerance: see RdmaIrnRetransmission, 1 to 2^20. The default is 1; set it higher if
 *   packets take several paths.
 *
 * Short name: irn.
 */
class RdmaIrn : public RdmaRecovery
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    bool ToleratesReordering() const override;
    std::unique_ptr<RdmaRetransmission> MakeRetransmission() const override;
    std::unique_ptr<RdmaSequencing> MakeSequencing() const override;
    RdmaSendLimits GetLimits(const Path& path) const override;
    bool DropsOutOfOrder(const Path& path) const override;
    std::string Validate() const override;
    std::string GetTimeoutName() const override;

  private:
    uint32_t m_bdpCap;           ///< attribute BdpCap
    Time m_rtoLow;               ///< attribute RtoLow
    Time m_rtoHigh;              ///< attribute RtoHigh
    uint32_t m_fewPackets;       ///< attribute FewPackets
    uint32_t m_reorderTolerance; ///< attribute ReorderTolerance
};

} // namespace ns3

#endif // RDMA_IRN_H
