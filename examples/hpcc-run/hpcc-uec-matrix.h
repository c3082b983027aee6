/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_UEC_MATRIX_H
#define HPCC_UEC_MATRIX_H

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

class HpccUecLines;

/**
 * @ingroup hpcc
 *
 * A connection matrix of uet-htsim, the reference simulator of Ultra Ethernet: the flows of a run.
 *
 * The file begins with the lines "Nodes N" and "Connections K", and "Triggers T" if there are
 * triggers. Among these lines, '#' begins a comment line. Each further line is a flow or a trigger:
 *
 * SOURCE->DESTINATION [id F] start US | trigger T size BYTES [send_done_trigger T]
 * [recv_done_trigger T] [prio P]
 *
 * trigger id T oneshot | multishot | barrier [count N]
 *
 * Starts are in microseconds; fractions are cut off. An error in a file throws an HpccInputError
 * that names file and line. Three unsupported inputs also throw HpccInputError: a line "failure",
 * the word "msg" in a flow, and a trigger with too many activations. With such a trigger, an
 * assertion of uet-htsim may fail.
 */
class HpccUecMatrix
{
  public:
    static constexpr uint32_t MAX_NODES = 65536; ///< largest number of hosts

    /// A flow.
    struct Flow
    {
        uint32_t source{0};      ///< host that sends
        uint32_t destination{0}; ///< host that receives
        uint32_t id{0};          ///< number of the flow in the file; 0: none
        int64_t startUs{-1};     ///< start, us; -1: the flow starts when its trigger fires
        uint64_t bytes{0};       ///< payload
        uint32_t trigger{0};     ///< number of the trigger that starts the flow; 0: none
        uint32_t sendDone{0};    ///< number of the trigger that the flow activates when its sender
                                 ///< has received the last ACK; 0: none
        uint32_t receiveDone{0}; ///< number of the trigger that the flow activates when it has
                                 ///< arrived; 0: none
        uint32_t line{0};        ///< line of the flow in the file
    };

    /// What happens when a trigger is activated.
    enum class TriggerKind : uint8_t
    {
        ONESHOT,   ///< starts all of its flows. Only one flow may activate this trigger
        MULTISHOT, ///< starts the next of its flows that has not started yet
        BARRIER,   ///< starts all of its flows when Trigger::count flows have activated it. No more
                   ///< than this number of flows may activate it
    };

    /// A trigger.
    struct Trigger
    {
        TriggerKind kind{TriggerKind::ONESHOT}; ///< effect of an activation
        uint32_t count{0};                      ///< number of activations that a barrier needs
        uint32_t line{0};                       ///< line of the trigger in the file
        uint32_t flows{0};                      ///< number of flows that wait for the trigger
        uint32_t activations{0};                ///< number of times that flows of the file will
                                                ///< activate the trigger

        /// Returns the number of activations after which all flows of the trigger have started.
        uint32_t GetNeeded() const
        {
            return kind == TriggerKind::MULTISHOT ? flows
                   : kind == TriggerKind::BARRIER ? count
                                                  : 1;
        }
    };

    /**
     * Reads a file.
     * @param path the file
     * @return the matrix
     */
    static HpccUecMatrix Load(const std::string& path);

    /**
     * Reads a matrix.
     * @param in text in the format of the files
     * @param name name of the text in error messages
     * @return the matrix
     */
    static HpccUecMatrix Read(std::istream& in, const std::string& name);

    /// Returns the number of hosts.
    uint32_t GetNodes() const
    {
        return m_nodes;
    }

    /// Returns the flows in the order of the file.
    const std::vector<Flow>& GetFlows() const
    {
        return m_flows;
    }

    /// Returns the triggers by number.
    const std::map<uint32_t, Trigger>& GetTriggers() const
    {
        return m_triggers;
    }

    /**
     * Returns the numbers of the triggers that get too few activations to start all flows that wait
     * for them.
     */
    std::vector<uint32_t> FindStarved() const;

    /// Returns true if a flow has a priority. Priorities have no effect, as in uet-htsim.
    bool HasPriorities() const
    {
        return m_hasPriorities;
    }

  private:
    /// Numbers in the head of a file. The head consists of the lines before the first flow or
    /// trigger.
    struct Counts
    {
        uint32_t connections{0}; ///< number of flows
        uint32_t triggers{0};    ///< number of triggers
    };

    /**
     * Reads the head.
     * @param in the file; on return at its first flow or trigger, or at its end
     * @return the numbers in the head
     */
    Counts ReadHead(HpccUecLines& in);
    /// Reads a flow.
    /// @param in line of the flow
    void ReadFlow(HpccUecLines& in);
    /**
     * Throws HpccInputError if a flow is impossible or incomplete, or if another flow has the same
     * number.
     * @param in line of the flow
     * @param flow the flow
     */
    void CheckFlow(const HpccUecLines& in, const Flow& flow);
    /// Reads a trigger.
    /// @param in line of the trigger
    void ReadTrigger(HpccUecLines& in);
    /**
     * Counts the flows and activations of each trigger, and checks that the lines are consistent
     * with each other.
     * @param in the file, after its last line has been read
     * @param counts numbers in the head
     */
    void Check(const HpccUecLines& in, const Counts& counts);

    uint32_t m_nodes{0};                    ///< number of hosts
    std::vector<Flow> m_flows;              ///< flows in the order of the file
    std::map<uint32_t, Trigger> m_triggers; ///< triggers by number
    std::map<uint32_t, uint32_t> m_ids;     ///< line of each flow in the file, by the number of the
                                            ///< flow
    bool m_hasPriorities{false};            ///< true if a flow has a priority
};

} // namespace ns3

#endif // HPCC_UEC_MATRIX_H
