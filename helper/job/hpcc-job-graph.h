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
 * A training job as a graph, built by a program or by HpccCollectives. The nodes of the graph are
 * sends, receives and computations of ranks. The edges are the dependencies between them. An
 * operation waits for operations of its own rank; a receive also waits for its message.
 *
 * The k-th message from rank A to rank B with a given tag matches the k-th receive that B posts for
 * A and this tag.
 */
class HpccJobGraph
{
  public:
    static constexpr uint32_t ANY = UINT32_MAX;       ///< peer or tag of a receive that matches any
    static constexpr uint32_t NONE = UINT32_MAX;      ///< value of Operation::collective for an
                                                      ///< operation outside collectives
    static constexpr uint8_t JOIN_STREAM = UINT8_MAX; ///< stream of computations of 0 ns that
                                                      ///< only wait for other operations
    static constexpr uint64_t MAX_BYTES = uint64_t{1} << 48; ///< largest message, bytes
    static constexpr uint64_t MAX_NS = 1000000000000000;     ///< longest computation, ns

    /// The kind of an operation.
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
        uint32_t rank;       ///< rank of the operation
        uint32_t peer;       ///< rank at the other end of a message, or ANY
        uint32_t tag;        ///< tag of a message, or ANY
        uint32_t collective; ///< number of the collective to which the operation belongs, or NONE
        uint32_t line;       ///< line of the operation in the file of the job; 0: not from a file
        Kind kind;           ///< kind of the operation
        uint8_t stream;      ///< stream of a computation; the computations of a stream run one
                             ///< after another
        uint8_t nic;         ///< number of the NIC, which only HpccLogGops uses
    };

    /// The description of a collective operation, for the results.
    struct Collective
    {
        std::string name;      ///< operation, such as all-reduce
        std::string algorithm; ///< algorithm, such as ring
        uint32_t ranks;        ///< number of members
        uint64_t bytes;        ///< size as defined by nccl-tests, bytes
        double busFactor;      ///< bus bandwidth divided by algorithm bandwidth
    };

    /// An operation that waits for another operation.
    struct Dependant
    {
        uint32_t operation; ///< the operation that waits
        bool start; ///< true: it waits until the other operation has started; false: until the
                    ///< other operation has finished
    };

    /**
     * Creates a job without operations.
     * @param ranks number of ranks, at least 1
     * @param name name used in error messages, such as the file name
     */
    explicit HpccJobGraph(uint32_t ranks, std::string name = "job");

    /**
     * Adds an operation to the current collective.
     * @param operation the operation; Add() sets its collective to the current one
     * @return number of the operation
     */
    uint32_t Add(Operation operation);

    /**
     * Adds a send to the current collective.
     * @param rank rank that sends
     * @param peer rank that receives
     * @param bytes size of the message, 1 to MAX_BYTES
     * @param tag tag of the message, not ANY
     * @return number of the send
     */
    uint32_t Send(uint32_t rank, uint32_t peer, uint64_t bytes, uint32_t tag);

    /**
     * Adds a receive to the current collective.
     * @param rank rank that receives
     * @param peer rank that sends, or ANY
     * @param bytes size of the message, 1 to MAX_BYTES
     * @param tag tag of the message, or ANY
     * @return number of the receive
     */
    uint32_t Receive(uint32_t rank, uint32_t peer, uint64_t bytes, uint32_t tag);

    /**
     * Adds a computation to the current collective.
     * @param rank rank that computes
     * @param ns duration, ns, at most MAX_NS
     * @param stream stream of the computation; computations of the same stream run one after
     * another
     * @return number of the computation
     */
    uint32_t Compute(uint32_t rank, uint64_t ns, uint8_t stream = 0);

    /**
     * Makes an operation wait for another operation of its rank.
     * @param operation the operation that waits
     * @param before the operation for which it waits
     * @param start true: wait until @p before has started; false: until @p before has finished
     */
    void After(uint32_t operation, uint32_t before, bool start = false);

    /**
     * Begins a collective, to which all operations added until End() belong.
     * @param collective description of the collective
     */
    void Begin(const Collective& collective);

    /// Ends the current collective.
    void End()
    {
        m_current = NONE;
    }

    /**
     * Completes the graph. Throws an HpccInputError that names the operation if a rank or a value
     * is out of range, if there is a cycle, or if messages cannot match.
     */
    void Finish();

    /// Returns the number of ranks.
    uint32_t GetRanks() const
    {
        return m_ranks;
    }

    /// Returns the name for error messages.
    const std::string& GetName() const
    {
        return m_name;
    }

    /// Returns the operations.
    const std::vector<Operation>& GetOperations() const
    {
        return m_operations;
    }

    /// Returns the collectives.
    const std::vector<Collective>& GetCollectives() const
    {
        return m_collectives;
    }

    /// Returns the number of dependencies of each operation. A run counts a copy of these numbers
    /// down.
    const std::vector<uint32_t>& GetOpen() const
    {
        return m_open;
    }

    /// Returns true after Finish(), unless operations have been added since.
    bool IsFinished() const
    {
        return m_first.size() == m_operations.size() + 1 && m_edges.empty();
    }

    /**
     * Calls a function for each operation that waits for a given operation. Call it after Finish().
     * @tparam Function called with each Dependant
     * @param operation the operation for which the others wait
     * @param function function to call
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
     * Returns the description of an operation, such as "rank 3: receive of 100 bytes from rank 2,
     * tag 7 (FILE:LINE)".
     * @param operation the operation; an operation that does not exist throws HpccInputError
     */
    std::string Describe(uint32_t operation) const;

  private:
    /// A dependency as given.
    struct Edge
    {
        uint32_t before;     ///< operation that is waited for
        Dependant dependant; ///< operation that waits
    };

    /**
     * Refuses an operation that does not exist.
     * @param function name of the function that got the operation
     * @param operation number of the operation
     */
    void Require(const std::string& function, uint32_t operation) const;
    /**
     * Refuses the graph.
     * @param operation the faulty operation
     * @param why description of the fault
     */
    [[noreturn]] void Refuse(uint32_t operation, const std::string& why) const;
    /// Refuses values out of range.
    void CheckValues() const;
    /// Refuses a cycle of dependencies.
    void CheckCycle() const;
    /// Refuses messages that cannot match.
    void CheckMessages() const;

    uint32_t m_ranks;                      ///< number of ranks
    std::string m_name;                    ///< name for error messages
    uint32_t m_current{NONE};              ///< current collective
    std::vector<Operation> m_operations;   ///< the operations
    std::vector<Collective> m_collectives; ///< the collectives
    std::vector<Edge> m_edges;             ///< dependencies until Finish()
    std::vector<uint32_t> m_open;          ///< number of dependencies, by operation
    std::vector<uint32_t> m_first;         ///< by operation: index of its first entry in
                                           ///< m_dependants
    std::vector<Dependant> m_dependants;   ///< sorted by the operation for which they wait
};

} // namespace ns3

#endif // HPCC_JOB_GRAPH_H
