/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PORT_LOADS_H
#define HPCC_PORT_LOADS_H

#include "hpcc-flow.h"
#include "hpcc-parameters.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Keeps telemetry by (switch, port) for a flow whose packets take several paths. A packet refreshes
 * L and U of every port that it crosses, whichever its path; a path is a list of ports. Needs a
 * format with the ids of switch and port and with timestamps.
 *
 * - Ports: U of a port follows its u' by lines 8 and 9, from InitialU on; tau is the time between
 *   two records of the port. A port that all known paths cross is shared; after the first sample,
 *   which knows one path, only the last hop is.
 * - Chance: at ports that are not shared, packets meet by chance, because each flow chooses their
 *   paths on its own. A queue of up to eta^2/(2 (1 - eta)) packets, the mean of such arrivals at a
 *   load of eta (M/D/1, Pollaczek and Khinchine), is no congestion: u' leaves it out, up to half a
 *   bandwidth-delay product.
 * - Paths: U of a path is the largest U of its ports, with SHARED_AND_MEAN of those that are not
 *   shared. Combine says how U of the flow follows from the paths and the shared ports.
 * - Shares: the share of a path is the part of the packets that it should get. All begin equal.
 *   Once per T, a sample of the path multiplies its share by the square root of the mean U over its
 *   own U, within [1/2, 2]: the root, because all flows through a port do so at the same time; with
 *   PER_PATH the quotient itself, and the harmonic mean. Loads below QUIET count as QUIET, so that
 *   differences without congestion move nothing. The largest share is 1, the smallest LEAST_SHARE:
 *   such a path still gets a packet now and then, whose record lets it come back.
 * - The mean: a path weighs its share times its capacity, the rate of its slowest port. The mean of
 *   equal shares is then the load of all paths over their capacity. Where the sender does not obey
 *   shares, the number of samples of the path among the last ones, about WINDOW for each path,
 *   takes the place of its share. U of a path counts as at most LARGEST_EXCESS times the least U of
 *   a path or eta, whichever is larger: above that, shares move its packets to paths with room, and
 *   a smaller window would only leave that room unused.
 * - Unknown paths count as loaded by eta: they ask for no change. Their weight is the chance that a
 *   packet takes a path without a sample, which is estimated by the part of the samples that are
 *   the only one of their path (I. J. Good, Biometrika 40, 1953).
 * - The entropy values of a path divide its share. A value whose path is not known yet counts as an
 *   average one.
 * - A list of records that is shorter than the longest one comes from a packet that a hop has
 *   skipped: it refreshes ports, and no path.
 */
class HpccPortLoads : public HpccPathState
{
  public:
    /// How U of the flow follows from the loads of ports and paths.
    enum Combine : uint8_t
    {
        SHARED_AND_MEAN, ///< the largest U of shared ports or the mean of the paths, whichever is
                         ///< larger
        MAXIMUM,         ///< largest U of a path
        MEAN,            ///< mean over the paths, each of which counts the same
        MEDIAN,          ///< median over the paths, the lower one of two
        PER_PATH,        ///< what the sum of a window per path follows, see HarmonicMean()
    };

    static constexpr double QUIET = 0.5;            ///< U below which a path is not congested
    static constexpr double LEAST_SHARE = 1.0 / 64; ///< smallest share of a path
    static constexpr double WINDOW = 4;             ///< samples of each path for its weight
    static constexpr double LARGEST_STEP = 2;       ///< largest change of a share per T
    static constexpr double LARGEST_EXCESS = 1.25;  ///< see the mean above
    static constexpr size_t MOST_PATHS = HpccFlow::MAX_PATHS; ///< paths that are known at a time

    /**
     * @param combine how U follows
     * @param values number of entropy values that get shares; 0 if the sender obeys none
     * @param packetBytes bytes of a full packet on the link
     * @param parameters of the control law
     */
    HpccPortLoads(Combine combine,
                  uint32_t values,
                  uint32_t packetBytes,
                  const HpccParameters& parameters);

    void SetValue(uint32_t value) override
    {
        m_value = value < m_pathOf.size() ? value : NO_VALUE;
    }

    const std::vector<float>& GetShares() const override
    {
        return m_shares;
    }

    /// @return number of known paths
    size_t CountPaths() const;

    void Select(HpccFlow& flow, const HpccSample& sample, uint32_t hops) override;
    double Update(HpccFlow& flow, const HpccSample& sample, const double* hopU) override;

  private:
    /// What is known of a port.
    struct Port
    {
        HpccFlow::Record record; ///< its element of L
        int64_t atNs;            ///< reader's clock at that record, ns; -1 if there is none
        double u;                ///< its U
        uint32_t paths;          ///< known paths that cross it
        bool measured;           ///< u follows from records
    };

    /// What is known of a path.
    struct Path
    {
        std::array<uint16_t, MAX_TELEMETRY_HOPS> ports; ///< its ports
        uint32_t values;                                ///< entropy values that lead to it
        uint64_t lastSample;                            ///< number of its last sample
        int64_t gradedNs;                               ///< reader's clock when share was set, ns
        uint64_t samples;                               ///< all of its samples
        double weight;                                  ///< samples among the last ones
        double share;                                   ///< see above
        double u;                                       ///< its U; negative if not measured
        double capacity;                                ///< rate of its slowest port, bit/s
        uint8_t hops;                                   ///< number of its ports; 0 if unused
    };

    static constexpr uint16_t NO_PATH = UINT16_MAX; ///< of an entropy value not seen yet

    /**
     * Finds the ports of a sample, and makes those that are new.
     * @param sample the acknowledgement
     * @param hops records to look at
     */
    void FindPorts(const HpccSample& sample, uint32_t hops);

    /**
     * @param sample the acknowledgement, whose ports are found
     * @param hops records to look at
     * @return its path, made now if it is new
     */
    uint16_t FindPath(const HpccSample& sample, uint32_t hops);

    /// Assigns the entropy value of the sample to its path.
    void AssignValue();

    /// @param path a path, which is forgotten
    void Drop(Path& path);

    /// Forgets paths that have had no sample for long, where no entropy values identify them.
    void DropOld();

    /// @param port a port
    /// @return whether all known paths cross it
    bool IsShared(const Port& port) const
    {
        return port.paths == m_used;
    }

    /**
     * @param now a record of a port
     * @param before the one before
     * @return the part of u' that comes from a queue by chance
     */
    double ChanceLoad(const HpccFlow::Record& now, const HpccFlow::Record& before) const;

    /// Computes U of the paths from those of their ports.
    void MeasurePaths();

    /// @return U of the flow; negative if nothing is measured
    double CombinePaths();

    /// @return mean U of the known paths, see the class; negative if none is measured
    double WeightedMean() const;

    /**
     * Computes U of the flow from windows per path. The window of a path is its share of W. If each
     * of them is divided by its own U, W is divided by the harmonic mean of these, weighted by the
     * shares, and the shares change by that mean over U. Where the sender does not obey shares, the
     * weights are those of WeightedMean(). U counts as at least QUIET, so that no window more than
     * doubles.
     * @return the mean; negative if no path is measured
     */
    double HarmonicMean() const;

    /// @return chance that a packet takes a path without a sample
    double ChanceOfUnknownPath() const;

    /// Counts a sample of the sample's path.
    void CountSample();

    /**
     * Changes the share of the sample's path, once per T.
     * @param nowNs reader's clock, ns
     */
    void Grade(int64_t nowNs);

    /// Computes the shares of the entropy values from those of the paths.
    void Publish();

    Combine m_combine;              ///< how U follows
    HpccParameters m_parameters;    ///< of the control law
    double m_chanceBytes;           ///< queue that is no congestion, bytes
    uint32_t m_value{NO_VALUE};     ///< see SetValue()
    uint64_t m_samples{0};          ///< samples of complete lists
    uint32_t m_longest{0};          ///< records of the longest list
    uint16_t m_path{NO_PATH};       ///< path of the sample; NO_PATH if it is not complete
    size_t m_used{0};               ///< paths in use
    double m_sharedU{-1};           ///< largest U of shared ports; negative if not measured
    std::vector<Port> m_ports;      ///< known ports
    std::vector<Path> m_paths;      ///< known paths, and unused ones
    std::vector<uint16_t> m_pathOf; ///< path of each entropy value
    std::vector<float> m_shares;    ///< see GetShares()
    std::vector<double> m_sorted;   ///< for the median
    std::array<uint16_t, MAX_TELEMETRY_HOPS> m_hops{}; ///< ports of the sample
};

} // namespace ns3

#endif // HPCC_PORT_LOADS_H
