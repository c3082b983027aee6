/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PACKET_TRIMMER_H
#define HPCC_PACKET_TRIMMER_H

#include "hpcc-switch-agent.h"

#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Trims data packets whose egress queue is full. The headers still reach the receiver, with a
 * separate priority (NDP, SIGCOMM 2017; packet trimming of Ultra Ethernet 1.0).
 *
 * A queue is full for an arriving packet if, together with this packet, the port would hold more
 * data of the packet's priority than a threshold. The attribute Threshold or ThresholdPerRate
 * determines the threshold. The data includes the frame in transmission. With Victim Arriving, the
 * arriving packet is trimmed. With Victim Coin, either the arriving packet or the last packet in
 * the queue is trimmed, with equal probability. If the last packet is trimmed, the arriving packet
 * takes its place. Waiting trimmed packets may occupy up to twice the threshold at a port. If a
 * further trimmed packet would exceed this limit, the packet to trim is dropped with
 * DropReason::REFUSED.
 *
 * A program selects the trimmer by --trimming=NAME or HpccFabricHelper::SetTrimming(). To add a
 * variant, derive a class and register its name. The trimmed priorities must be lossy, see
 * TrimPlan.
 */
class PacketTrimmer : public SwitchAgent
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    PacketTrimmer();
    ~PacketTrimmer() override;

    /// The packet that is trimmed if a queue is full.
    enum Victim
    {
        COIN,     ///< the arriving packet or the last one in the queue, with equal probability
        ARRIVING, ///< the arriving packet
    };

    void Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt) override;
    bool SetBaseRtt(Time baseRtt) override;
    uint64_t GetTrimThreshold(uint32_t port) const override;
    int64_t AssignStreams(int64_t stream) override;
    int64_t CountStreams(uint32_t ports) const override;
    EnqueueVerdict Decide(const QbbNetDevice& port, const Frame& frame, int64_t nowNs) override;
    void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;
    bool Decides() const override;
    TrimPlan GetTrimPlan() const override;

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    struct Port; ///< state of a port

    /// Parses the attribute ThresholdPerRate; a malformed text throws HpccInputError.
    void ParseRates();
    /// Computes the thresholds of the ports.
    void ComputeThresholds();
    /// Throws HpccInputError if the attribute Priorities contains a lossless priority, or if
    /// QbbNetDevice::CheckSettings() refuses the settings.
    void Check();
    /// Calls ComputeThresholds(), then Check().
    void ChangeThresholds();

    std::string m_ratesText;              ///< attribute ThresholdPerRate
    std::map<uint64_t, uint64_t> m_rates; ///< threshold in bytes, by line rate in bit/s
    uint64_t m_threshold;                 ///< attribute Threshold
    uint8_t m_priorities;                 ///< attribute Priorities
    uint16_t m_payload;                   ///< attribute Payload
    Victim m_victim;                      ///< attribute Victim
    Time m_baseRtt;                       ///< base RTT of the network
    std::vector<Port> m_ports;            ///< states of the ports, by index
    uint64_t m_leastBytes{UINT64_MAX};    ///< smallest threshold of all ports, bytes
    Ptr<UniformRandomVariable> m_coin{CreateObject<UniformRandomVariable>()}; ///< random numbers
                                                                              ///< for Victim Coin
};

} // namespace ns3

#endif // HPCC_PACKET_TRIMMER_H
