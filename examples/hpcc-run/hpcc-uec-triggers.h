/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_UEC_TRIGGERS_H
#define HPCC_UEC_TRIGGERS_H

#include "hpcc-uec-matrix.h"

#include "ns3/hpcc-fabric-helper.h"
#include "ns3/rdma-message.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Starts those flows of a connection matrix that wait for triggers. Each run needs its own object.
 * A flow may activate one trigger when it has arrived at the receiver, and another trigger when the
 * sender has received its last ACK. All flows that a trigger starts begin in the same nanosecond,
 * even at different hosts. Therefore nodes must not lag behind ns-3's clock (NodeAgenda::MaxLag 0),
 * and all hosts must be in one process.
 */
class HpccUecTriggers
{
  public:
    /// Sorts the flows by their triggers.
    /// @param matrix the flows and triggers; must outlive this object
    explicit HpccUecTriggers(const HpccUecMatrix& matrix);

    HpccUecTriggers(const HpccUecTriggers&) = delete;
    HpccUecTriggers& operator=(const HpccUecTriggers&) = delete;

    /**
     * Records the queue pair of the next flow, in the order of the matrix.
     * @param queuePair index of the queue pair at the source
     */
    void AddQueuePair(uint32_t queuePair);

    /**
     * Starts to observe the flows. Call AddQueuePair() for every flow first.
     * @param fabric the network, before the run
     */
    void Follow(HpccFabricHelper& fabric);

    /**
     * Activates a trigger.
     * @param trigger number of the trigger in the matrix
     * @return the flows that this activation starts, as indices into HpccUecMatrix::GetFlows()
     */
    std::vector<size_t> Activate(uint32_t trigger);

  private:
    /// The state of a trigger.
    struct State
    {
        std::vector<size_t> flows; ///< flows that the trigger starts
        size_t started{0};         ///< number of flows started so far
        uint32_t activations{0};   ///< activations so far
    };

    /// Activates the trigger of a message that has been acknowledged.
    /// @param record the message
    void Acknowledged(const RdmaMessageRecord& record);
    /// Activates the trigger of a message that has been delivered.
    /// @param record the message
    void Delivered(const RdmaMessageRecord& record);
    /**
     * Activates a trigger and starts its flows now.
     * @param trigger number of the trigger; 0: none
     */
    void Fire(uint32_t trigger);
    /**
     * Returns the flow of a message.
     * @param record record of the message
     */
    const HpccUecMatrix::Flow& FlowOf(const RdmaMessageRecord& record) const;

    const HpccUecMatrix& m_matrix;                          ///< flows and triggers
    std::map<uint32_t, State> m_triggers;                   ///< states of the triggers, by number
    std::vector<uint32_t> m_queuePairs;                     ///< index of the queue pair at the
                                                            ///< source, by flow
    std::map<std::pair<uint32_t, uint32_t>, size_t> m_flow; ///< indices of flows, by source and
                                                            ///< queue pair index
    HpccFabricHelper* m_fabric{nullptr};                    ///< the network
};

} // namespace ns3

#endif // HPCC_UEC_TRIGGERS_H
