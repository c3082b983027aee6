/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_COIN_DROP_AGENT_H
#define HPCC_COIN_DROP_AGENT_H

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
 * Limits the data that a port may hold, as uet-htsim does if it does not trim. If a frame arrives
 * and would exceed the limit of its queue, either this frame or the last one in the queue is
 * dropped, with equal probability. If the last one is dropped, the arriving frame takes its place.
 * If no frame waits, the arriving frame is dropped. The limit includes the frame in transmission.
 *
 * Attributes:
 *
 * - LimitPerRate: limit of a priority at ports of a rate, bytes. Ports of other rates have no
 * limit.
 * - Priorities: the priorities that are limited. They must be lossy.
 *
 * Short name: coin-drop.
 */
class CoinDropAgent : public SwitchAgent
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt) override;
    bool SetBaseRtt(Time baseRtt) override;
    int64_t AssignStreams(int64_t stream) override;
    int64_t CountStreams(uint32_t ports) const override;
    EnqueueVerdict Decide(const QbbNetDevice& port, const Frame& frame, int64_t nowNs) override;
    void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;
    bool Decides() const override;

  private:
    /// State of a port.
    struct Port
    {
        uint64_t limitBytes;     ///< limit of the data of a priority
        int64_t busyUntilNs{0};  ///< end of transmission of the last limited frame
        uint32_t busyBytes{0};   ///< size of that frame
        uint8_t busyPriority{0}; ///< priority of that frame
    };

    /// Parses the attribute LimitPerRate; a malformed text throws HpccInputError.
    void ParseRates();

    std::string m_ratesText;              ///< attribute LimitPerRate
    std::map<uint64_t, uint64_t> m_rates; ///< limit by rate
    uint8_t m_priorities;                 ///< attribute
    std::vector<Port> m_ports;            ///< by index
    Ptr<UniformRandomVariable> m_coin{CreateObject<UniformRandomVariable>()}; ///< below 0.5: drop
                                                                              ///< the last frame
};

} // namespace ns3

#endif // HPCC_COIN_DROP_AGENT_H
