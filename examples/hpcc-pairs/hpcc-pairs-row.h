/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PAIRS_ROW_H
#define HPCC_PAIRS_ROW_H

#include "ns3/hpcc-topology.h"

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// The name of each column of a row, and the values that the column may have.
using HpccPairsFamilies = std::vector<std::pair<std::string, std::vector<std::string>>>;

/**
 * @ingroup hpcc
 *
 * The combination that a row of ./hpcc pairs tests.
 */
struct HpccPairsRow
{
    static inline const std::string RDMA = "rdma";      ///< value of transport: queue pairs
    static inline const std::string OWN = "own";        ///< value of telemetry: the default format
                                                        ///< of the policy
    static inline const std::string NOTHING = "none";   ///< value of the columns fault and
                                                        ///< recovery: no fault, no recovery
    static inline const std::string LOSS = "loss";      ///< value of fault: the receiver's link
                                                        ///< loses packets
    static inline const std::string FAILURE = "outage"; ///< value of fault: each of the two paths
                                                        ///< fails once
    static inline const std::string ONE = "one";        ///< value of ports: each host has one port
    static inline const std::string MOVE = "+move";     ///< suffix of ports: queue pairs may move
                                                        ///< to another port
    static inline const std::string IDEAL = "ideal";    ///< value of nic: hosts without processing
                                                        ///< delays

    std::string transport{RDMA};
    std::string fault{NOTHING};
    std::string paths{"ecmp"};
    std::string flowControl{"pfc"};
    std::string feedback{"packet"};
    std::string recovery{};
    std::string ports{ONE};
    std::string entropy{NOTHING};

    /// Returns the columns of the rows of each transport, and the possible values of each column.
    /// The values of exchangeable parts come from the registries.
    static std::map<std::string, HpccPairsFamilies> ListFamilies();

    /// Prints the result of ListFamilies() as JSON.
    /// @param out the stream
    static void PrintFamilies(std::ostream& out);

    /// Throws HpccInputError if the transport or the fault does not exist.
    void Check() const;

    /// Returns true if the row needs a second path.
    bool HasTwoPaths() const;

    /**
     * Returns the network of a scenario.
     * @param senders number of senders, hosts 0 to senders - 1
     * @param across link speeds of a network with two paths
     * @param star link speeds of a network with one path
     */
    HpccTopology MakeTopology(uint32_t senders,
                              const HpccTopology::LinkSpeeds& across,
                              const HpccTopology::LinkSpeeds& star) const;

    /// Returns the payload after which the receiver sends a SACK, bytes; 0 if the recovery uses no
    /// SACKs.
    double GetSackBytes() const;

    /// Returns true if packets of one flow may take different paths.
    bool ChangesPaths() const;

    /// Returns true if the sender restarts a message when one of its packets is lost or overtaken.
    bool RestartsMessages() const;

    /// Returns true if the row may never deliver all messages. The reason would be that packets
    /// overtake each other, and each overtaken packet restarts its message.
    bool MayLivelock() const;
};

} // namespace ns3

#endif // HPCC_PAIRS_ROW_H
