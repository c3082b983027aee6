/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_COIN_DROP_AGENT_H
#define HPCC_COIN_DROP_AGENT_H

#include "hpcc-held-bytes.h"
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
 * Limits the bytes of a priority that a port holds. Ultra Ethernet's reference simulator,
 * uet-htsim, has the same limit if trimming is off. If RDMA data or a probe arrives and would
 * exceed the limit, either this frame or the last frame in its queue is dropped, with equal
 * probability. If the last frame in the queue is dropped, the arriving frame takes its place. If no
 * frame waits, the arriving frame is dropped. The limit includes the frame in transmission. The
 * limit does not apply to feedback, such as ACKs, or to lossless priorities.
 *
 * Attributes:
 *
 * - LimitPerRate: list of line rates, each with a limit in bytes. A port with a listed line rate
 *   holds at most this number of data bytes per priority. Ports with other line rates have no
 *   limit.
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
        uint64_t limitBytes; ///< limit of a priority
        HeldBytes held{};    ///< bytes that the port holds
    };

    /// Parses the attribute LimitPerRate; a malformed text throws HpccInputError.
    void ParseRates();

    std::string m_ratesText;              ///< attribute LimitPerRate
    std::map<uint64_t, uint64_t> m_rates; ///< limit in bytes, by line rate in bit/s
    std::vector<Port> m_ports;            ///< states of the ports, by index
    Ptr<UniformRandomVariable> m_coin{CreateObject<UniformRandomVariable>()}; ///< random number; if
                                                                              ///< it is below 0.5,
                                                                              ///< the last frame is
                                                                              ///< dropped
};

} // namespace ns3

#endif // HPCC_COIN_DROP_AGENT_H
