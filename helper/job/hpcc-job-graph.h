/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_JOB_GRAPH_H
#define HPCC_JOB_GRAPH_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A training job as a graph, built by a program or by HpccCollectives: sends, receives and
 * computations of ranks, and which of them wait for which others. An operation waits for operations
 * of its own rank; a receive also waits for its message.
 *
 * The k-th message that a rank sends to another with some tag meets the k-th receive that the other
 * posts for that rank and tag.
 */
class HpccJobGraph
{
  public:
    static constexpr uint32_t ANY = UINT32_MAX;  ///< peer or tag of a receive that takes any
    static constexpr uint32_t NONE = UINT32_MAX; ///< no collective
    static constexpr uint64_t MAX_BYTES = uint64_t{1} << 48; ///< most bytes of a message
    static constexpr uint64_t MAX_NS = 1000000000000000;     ///< longest computation, ns

    /// What an operation does.
    enum class Kind : uint8_t
    {
        SEND,    ///< sends a message
        RECEIVE, ///< waits for a message
        COMPUTE, ///< computes
    };

    /// An operation of a rank.
    struct Operation
    {
        uint64_t amount;     ///< bytes of a send or receive, ns of a computation
        uint32_t rank;       ///< whose operation it is
        uint32_t peer;       ///< rank at the other end of a message; ANY
        uint32_t tag;        ///< of a message; ANY
        uint32_t collective; ///< number of the collective that it belongs to; NONE
        uint32_t line;       ///< where it stands in its file; 0 if in none
        Kind kind;           ///< what it does
        uint8_t stream;      ///< computations of a stream run one after another
        uint8_t nic;         ///< NIC, for HpccLogGops
    };

    /// A collective operation, for the records.
    struct Collective
    {
        std::string name;      ///< such as all-reduce
        std::string algorithm; ///< such as ring
        uint32_t ranks;        ///< members
        uint64_t bytes;        ///< size as nccl-tests counts it
        double busFactor;      ///< bus bandwidth over algorithm bandwidth
    };

    /// An operation that waits for another one.
    struct Dependant
    {
        uint32_t operation; ///< which waits
        bool start;         ///< until the other one has started; false: until it has finished
    };

    /**
     * @param ranks ranks, at least 1
     * @param name name used in error messages, such as the file name
     */
    explicit HpccJobGraph(uint32_t ranks, std::string name = "job");

    /**
     * Adds an operation to the current collective.
     * @param operation the operation; its collective is set here
     * @return its number
     */
    uint32_t Add(Operation operation);

    /**
     * @param rank which sends
     * @param peer which receives
     * @param bytes of the message, 1 to MAX_BYTES
     * @param tag its tag, not ANY
     * @return the send
     */
    uint32_t Send(uint32_t rank, uint32_t peer, uint64_t bytes, uint32_t tag);

    /**
     * @param rank which receives
     * @param peer which sends, or ANY
     * @param bytes of the message
     * @param tag its tag, or ANY
     * @return the receive
     */
    uint32_t Receive(uint32_t rank, uint32_t peer, uint64_t bytes, uint32_t tag);

    /**
     * @param rank which computes
     * @param ns how long, ns, at most MAX_NS
     * @param stream computations of a stream run one after another
     * @return the computation
     */
    uint32_t Compute(uint32_t rank, uint64_t ns, uint8_t stream = 0);

    /**
     * Lets an operation wait for another one of its rank.
     * @param operation which waits
     * @param before what it waits for
     * @param start true: until that has started; false: until it has finished
     */
    void After(uint32_t operation, uint32_t before, bool start = false);

    /**
     * Begins a collective: operations from now on belong to it.
     * @param collective its description
     */
    void Begin(const Collective& collective);

    /// Ends the current collective.
    void End()
    {
        m_current = NONE;
    }

    /**
     * Completes the graph. Throws HpccInputError, with place, for a rank or a value out of range, a
     * cycle, and messages that cannot match.
     */
    void Finish();

    /// @return ranks
    uint32_t GetRanks() const
    {
        return m_ranks;
    }

    /// @return what messages call it
    const std::string& GetName() const
    {
        return m_name;
    }

    /// @return the operations
    const std::vector<Operation>& GetOperations() const
    {
        return m_operations;
    }

    /// @return the collectives
    const std::vector<Collective>& GetCollectives() const
    {
        return m_collectives;
    }

    /// @return dependencies of each operation, for a run to count down
    const std::vector<uint32_t>& GetOpen() const
    {
        return m_open;
    }

    /**
     * Calls a function for each operation that waits for another one; after Finish().
     * @tparam Function called with each Dependant
     * @param operation what they wait for
     * @param function the function
     */
    template <typename Function>
    void ForDependants(uint32_t operation, Function function) const
    {
        for (uint32_t i = m_first[operation]; i < m_first[operation + 1]; ++i)
        {
            function(m_dependants[i]);
        }
    }

    /**
     * @param operation an operation
     * @return what it is: "rank 3: receive of 100 bytes from rank 2, tag 7 (FILE:LINE)"
     */
    std::string Describe(uint32_t operation) const;

  private:
    /// A dependency as given.
    struct Edge
    {
        uint32_t before;     ///< what is waited for
        Dependant dependant; ///< what waits
    };

    /**
     * Refuses the graph.
     * @param operation why
     * @param why what is wrong with it
     */
    [[noreturn]] void Refuse(uint32_t operation, const std::string& why) const;
    /// Refuses values out of range.
    void CheckValues() const;
    /// Refuses a cycle of dependencies.
    void CheckCycle() const;
    /// Refuses messages that cannot match.
    void CheckMessages() const;

    uint32_t m_ranks;                      ///< ranks
    std::string m_name;                    ///< what messages call it
    uint32_t m_current{NONE};              ///< current collective
    std::vector<Operation> m_operations;   ///< the operations
    std::vector<Collective> m_collectives; ///< the collectives
    std::vector<Edge> m_edges;             ///< until Finish()
    std::vector<uint32_t> m_open;          ///< dependencies, by operation
    std::vector<uint32_t> m_first;         ///< first of m_dependants, by operation
    std::vector<Dependant> m_dependants;   ///< by what they wait for
};

} // namespace ns3

#endif // HPCC_JOB_GRAPH_H
