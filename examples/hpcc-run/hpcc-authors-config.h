/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_AUTHORS_CONFIG_H
#define HPCC_AUTHORS_CONFIG_H

#include "ns3/hpcc-topology.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Reads and checks the config, topology and flow files of the HPCC authors' simulator
 * (alibaba-edu/High-Precision-Congestion-Control). Every error is an HpccInputError that names file
 * and line.
 *
 * A relative path refers to the folder of the config file, or to the parent of this folder if the
 * folder does not contain the file. The reason is that the authors' simulator is started in the
 * parent folder.
 */
class HpccAuthorsConfig
{
  public:
    /// A line of the flow file.
    struct Flow
    {
        uint32_t source;      ///< host that sends
        uint32_t destination; ///< host that receives
        uint32_t group;       ///< priority group, 0 to 7
        uint32_t port;        ///< destination port, for ECMP and the fct file
        uint64_t bytes;       ///< payload
        int64_t startNs;      ///< start, ns. The file contains a number in s, which is truncated to
                              ///< ns as in the authors' simulator
    };

    /**
     * Reads a config and the files that it names.
     * @param path the config file
     */
    explicit HpccAuthorsConfig(const std::string& path);

    /// Returns all keys that a config may have.
    static std::vector<std::string> GetKeys();

    /**
     * Returns true if the config has a key.
     * @param key a key
     */
    bool Has(const std::string& key) const;

    /**
     * Returns the number that a key has in the config.
     * @param key a key
     * @param fallback value if the key is absent
     * @param index index of the value if the key has several values, from 0
     */
    double GetNumber(const std::string& key, double fallback, size_t index = 0) const;

    /**
     * Returns a whole number of the config. Throws HpccInputError if the value is not a whole
     * number or is out of range.
     * @param key a key
     * @param fallback value if the key is absent
     * @param least smallest allowed value
     * @param most largest allowed value
     * @param index index of the value if the key has several values, from 0
     */
    uint64_t GetWhole(const std::string& key,
                      uint64_t fallback,
                      uint64_t least,
                      uint64_t most,
                      size_t index = 0) const;

    /**
     * Returns a flag of the config: true for 1, false for 0. Throws HpccInputError for any other
     * value.
     * @param key a key
     * @param fallback value if the key is absent
     */
    bool GetFlag(const std::string& key, bool fallback) const;

    /**
     * Returns the rate that a key has in the config, such as 40Mb/s.
     * @param key a key
     * @param fallback value if the key is absent
     */
    DataRate GetRate(const std::string& key, const std::string& fallback) const;

    /**
     * Returns the text of a key; empty if the key is absent.
     * @param key a key
     */
    std::string GetText(const std::string& key) const;

    /**
     * Returns the path of an output file; empty if there is neither a key nor a fallback.
     * @param key a key that names an output file
     * @param fallback file name if the key is absent
     */
    std::string GetOutputPath(const std::string& key, const std::string& fallback = "") const;

    /**
     * Returns the values of a key that lists a value per link rate, by rate in bit/s.
     * @param key KMIN_MAP, KMAX_MAP or PMAX_MAP
     */
    std::map<uint64_t, double> GetMap(const std::string& key) const;

    /**
     * Returns the file, line and key: "FILE:LINE: KEY".
     * @param key a key of the config
     */
    std::string NameOf(const std::string& key) const;

    /**
     * Refuses a value of a key.
     * @param key a key of the config
     * @param why the error and the allowed values
     */
    [[noreturn]] void Refuse(const std::string& key, const std::string& why) const;

    /// Returns one line for each key that is unknown, or that has no effect in this module:
    /// "FILE:LINE: KEY ...".
    const std::vector<std::string>& GetRemarks() const
    {
        return m_remarks;
    }

    /// Returns the topology.
    const HpccTopology& GetTopology() const
    {
        return m_topology;
    }

    /// Returns the flows in file order.
    const std::vector<Flow>& GetFlows() const
    {
        return m_flows;
    }

    /// Returns the payload of a packet, bytes.
    uint32_t GetPayloadBytes() const;

    /**
     * Returns the base RTT between two hosts by the formula of the authors' simulator, ns:
     * propagation both ways plus transmission of one packet's payload over each link.
     * @param source a host
     * @param destination another host
     */
    int64_t GetBaseRttNs(uint32_t source, uint32_t destination) const;

    /// Returns the largest base RTT over all pairs of hosts, ns.
    int64_t GetMaxBaseRttNs() const;

    /**
     * Returns the product of the base RTT between two hosts and the rate of the slowest link of
     * their path, bytes.
     * @param source a host
     * @param destination another host
     */
    double GetBdpBytes(uint32_t source, uint32_t destination) const;

    /// Returns the largest GetBdpBytes() over all pairs of hosts.
    double GetMaxBdpBytes() const;

    /**
     * Returns the completion time of a flow that is alone in the network, by the formula of the
     * authors' simulator, ns.
     * @param flow a flow
     */
    int64_t GetStandaloneNs(const Flow& flow) const;

    /**
     * Returns the rate of a host's link, bit/s.
     * @param host a host
     */
    uint64_t GetNicRateBps(uint32_t host) const;

    /// Returns the rate of the first host's link, bit/s. The authors' simulator uses this rate for
    /// all NICs.
    uint64_t GetNicRateBps() const;

  private:
    /// The values of a key and their line in the config.
    struct Entry
    {
        uint32_t line;                   ///< line of the config
        std::vector<std::string> values; ///< words after the key
    };

    /// Times and rates from a host to all nodes.
    struct Distances
    {
        std::vector<int64_t> rttNs;          ///< base RTT by node
        std::vector<uint64_t> bottleneckBps; ///< rate of the slowest link on the path, bit/s, by
                                             ///< node
    };

    /**
     * Finds an input file. Throws HpccInputError if the file does not exist.
     * @param key key whose value is the path of the file
     * @return path of the existing file
     */
    std::string InputPath(const std::string& key) const;
    /// Reads the config.
    void ReadConfig();
    /// Reads the flows.
    void ReadFlows();
    /**
     * Returns the distances from a host.
     * @param host a host
     */
    const Distances& From(uint32_t host) const;

    std::string m_path;                                ///< the config file
    std::map<std::string, Entry> m_entries;            ///< values by key
    std::vector<std::string> m_remarks;                ///< see GetRemarks()
    HpccTopology m_topology;                           ///< the topology
    std::vector<Flow> m_flows;                         ///< the flows
    mutable std::map<uint32_t, Distances> m_distances; ///< distances computed so far, by host
};

} // namespace ns3

#endif // HPCC_AUTHORS_CONFIG_H
