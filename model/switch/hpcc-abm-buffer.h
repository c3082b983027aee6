/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ABM_BUFFER_H
#define HPCC_ABM_BUFFER_H

#include "hpcc-buffer-policy.h"

#include "ns3/hpcc-frame.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A switch memory whose thresholds depend on the free memory, the number of congested queues, and
 * the rate at which a queue drains. The algorithm is ABM (Addanki, Apostolaki, Ghobadi, Schmid and
 * Vanbever, "ABM: Active Buffer Management in Datacenters", SIGCOMM 2022, equation 1).
 *
 * The egress queue of port i and priority p holds at most
 *
 *   Alpha / n_p * (BufferBytes - used) * gamma_p,i
 *
 * where n_p is the number of congested queues of the priority, at least 1, and gamma_p,i the share
 * of the line rate at which the queue drains. All congested queues of one priority together leave
 * at least 1 / (1 + Alpha) of the memory to the other priorities. With classic dynamic thresholds,
 * in contrast, each further congested queue reduces the memory that is left. A queue that shares
 * its port with other queues drains more slowly and gets less memory, so its drain time is bounded.
 *
 * n_p and gamma are measured once per Interval. A queue is congested if it holds more than
 * CongestedShare of its threshold at that time. Gamma is computed from the bytes that frames occupy
 * on the link, without the telemetry that this switch inserts. A queue that was empty at some time
 * in the interval has gamma 1, because it has drained as fast as it was filled. The gamma of all
 * other queues is at least 1/8, the share of one of eight priorities, even if a queue cannot send
 * because of other queues. With gamma 0, the queue could not store any frame; the paper does not
 * discuss this case.
 *
 * All queues are lossy: Validate() refuses lossless priorities. The larger Alpha that the paper
 * uses for packets of the first round trip is not implemented.
 */
class AbmBuffer final : public BufferPolicy
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void AddPort(const PortLimits& limits) override;
    std::string Validate() const override;
    uint64_t GetLargestFrameBytes(uint8_t priority) const override;
    uint64_t GetLargestQueueBytes(uint32_t egress,
                                  uint8_t priority,
                                  uint32_t frameBytes) const override;
    Verdict Admit(uint32_t ingress,
                  uint32_t egress,
                  uint8_t priority,
                  uint32_t bytes,
                  int64_t nowNs) override;
    void Release(uint32_t ingress,
                 uint32_t egress,
                 uint8_t priority,
                 uint32_t bytes,
                 int64_t nowNs) override;
    bool MustPause(uint32_t ingress, uint8_t priority) const override;
    bool MayResume(uint32_t ingress, uint8_t priority) const override;

    uint64_t GetUsedBytes() const override
    {
        return m_used;
    }

    /**
     * Returns the threshold of an egress queue according to the last measurement, bytes.
     * @param egress egress port
     * @param priority priority of the queue
     */
    double GetThresholdBytes(uint32_t egress, uint8_t priority) const;

  private:
    /// The state of an egress queue.
    struct Queue
    {
        uint64_t bytes{0};    ///< bytes held
        uint64_t released{0}; ///< bytes that the frames released since the last measurement occupy
                              ///< on the link
        bool drained{true};   ///< true if the queue was empty at some time since the last
                              ///< measurement
        double gamma{1};      ///< share of the line rate at which the queue drains
    };

    /// The properties and queues of a port.
    struct Port
    {
        uint64_t rateBps;                    ///< line rate, bit/s
        uint8_t lossless;                    ///< lossless priorities, one bit each
        uint32_t overhead;                   ///< bytes that a frame occupies on the link beyond its
                                             ///< size
        std::array<Queue, PRIORITIES> queue; ///< by priority
    };

    /// Measures gamma of each queue and counts the congested queues.
    /// @param nowNs simulated time, ns
    void Measure(int64_t nowNs);

    uint64_t m_bufferBytes;  ///< attribute BufferBytes
    double m_alpha;          ///< attribute Alpha
    double m_congestedShare; ///< attribute CongestedShare
    Time m_interval;         ///< attribute Interval
    uint64_t m_used{0};      ///< bytes of all frames
    int64_t m_measuredNs{0}; ///< time of the last measurement
    std::array<uint32_t, PRIORITIES> m_congested{1, 1, 1, 1, 1, 1, 1, 1}; ///< n_p
    std::vector<Port> m_ports;                                            ///< the ports, by index
};

} // namespace ns3

#endif // HPCC_ABM_BUFFER_H
