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
 * Stores telemetry by (switch, port) for a flow whose packets take several paths. A path is a list
 * of ports. Each packet updates L and U of the ports on its path. The new values also apply to
 * other paths through these ports. The class needs a format that carries switch ids, port ids and
 * timestamps.
 *
 * - Ports: U of a port is its u', averaged as in lines 8 and 9. Before the first u', U is InitialU.
 *   tau is the time between two records of the port. A port on all known paths is called shared.
 *   After the first sample, when only one path is known, only the last hop is regarded as shared.
 * - Chance: at ports that are not shared, packets meet by chance, because each flow chooses its
 *   paths independently. At a load of eta, such arrivals cause a mean queue of eta^2/(2 (1 - eta))
 *   packets (M/D/1, Pollaczek and Khinchine). This queue is not congestion. When u' is computed,
 *   this mean queue is therefore subtracted from the port's queue. At most half a bandwidth-delay
 *   product is subtracted.
 * - Paths: U of a path is the largest U of its ports. With SHARED_AND_MEAN, the shared ports are
 *   left out. Combine selects how U of the flow is computed from the paths and the shared ports.
 * - Shares: the share of a path is proportional to the number of packets that should be sent on the
 *   path. All shares are equal at first. Once per T, when a sample of the path arrives, the path's
 *   share is multiplied by sqrt(mean U/path's U), limited to [1/2, 2]. The square root reduces the
 *   change, because all flows through a port react at the same time. With PER_PATH there is no
 *   square root, and the mean U is the harmonic mean. A mean U or a path's U below QUIET counts as
 *   QUIET here. Differences between uncongested paths therefore do not change shares. Shares are
 *   scaled so that the largest is 1, and are at least LEAST_SHARE. A path with the smallest share
 *   still gets a few packets, whose records can raise the share again.
 * - The mean: the mean U is a weighted mean over the paths. The weight of a path is its share times
 *   its capacity. The capacity is the rate of the slowest port from which U of the path is
 *   computed. With equal shares, the mean is therefore the sum of U times capacity over the paths,
 *   divided by their total capacity. If the sender does not obey shares, the number of the path's
 *   recent samples replaces its share; about WINDOW samples per path are regarded as recent. When
 *   the mean is computed, U of a path is limited to LARGEST_EXCESS * max(eta, smallest U of all
 *   paths). A U above this limit need not reduce the window further, because shares move packets to
 *   paths with spare capacity. A smaller window would leave this capacity unused.
 * - Unknown paths are included in the mean with U = eta, which neither raises nor lowers the
 *   window. The weight of all unknown paths together is the probability that a packet takes a path
 *   that has no sample yet. This probability is estimated as the fraction of samples that are the
 *   only sample of their path (I. J. Good, Biometrika 40, 1953).
 * - The share of a path is divided equally among its entropy values. If the path of a value is not
 *   known yet, the path is assumed to have the largest share and an average number of values.
 * - Without HpccFlow::sparse, the ports of a sample are a complete path, so paths may differ in
 *   length. With sparse samples, switches may insert records selectively. A sample with fewer
 *   records than other recent samples then lacks a hop; such a sample updates ports, but no path.
 *   Recent samples are those of the current and of the previous period. A period has 16 samples per
 *   known path.
 * - With sparse samples, U of a port is ignored if the port's last record is too old, because a
 *   port without a queue may insert no record. The limit is 2 T n/k if k of n known paths cross the
 *   port.
 */
class HpccPortLoads : public HpccPathState
{
  public:
    /// The rule that computes U of the flow from U of ports and paths.
    enum Combine : uint8_t
    {
        SHARED_AND_MEAN, ///< the largest U of shared ports or the mean of the paths, whichever is
                         ///< larger
        MAXIMUM,         ///< largest U of a path
        MEAN,            ///< unweighted mean of the paths
        MEDIAN,          ///< median of the paths; the lower of two middle values
        PER_PATH,        ///< computes U as if each path had its own window, see HarmonicMean()
    };

    static constexpr double QUIET = 0.5; ///< a path with a U below this value is regarded as not
                                         ///< congested
    static constexpr double LEAST_SHARE = 1.0 / 64; ///< smallest share of a path
    static constexpr double WINDOW = 4;             ///< weights are computed from this many recent
                                                    ///< samples per path
    static constexpr double LARGEST_STEP = 2;       ///< largest factor by which a share rises or
                                                    ///< falls per T
    static constexpr double LARGEST_EXCESS = 1.25;  ///< see "The mean" in the class description
    static constexpr size_t MOST_PATHS = HpccFlow::MAX_PATHS; ///< largest number of paths known at
                                                              ///< a time

    /**
     * Creates the state of a flow whose paths are not known yet.
     * @param combine how U of the flow is computed
     * @param values number of entropy values that get shares; 0 if the sender does not obey shares
     * @param packetBytes size of a full packet on the link, bytes
     * @param parameters parameters of the control law
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

    /// Returns the number of known paths.
    size_t CountPaths() const;

    void Select(HpccFlow& flow, const HpccSample& sample, uint32_t hops) override;
    double Update(HpccFlow& flow, const HpccSample& sample, const double* hopU) override;

  private:
    /// State of a port.
    struct Port
    {
        HpccFlow::Record record; ///< the port's element of L
        int64_t atNs;            ///< local clock at the port's last record, ns; -1 if there is none
        double u;                ///< U of the port
        uint32_t paths;          ///< number of known paths through the port
        bool measured;           ///< true if u has been computed from records
    };

    /// State of a path.
    struct Path
    {
        std::array<uint16_t, MAX_TELEMETRY_HOPS> ports; ///< indices of the path's ports in m_ports
        uint32_t values;                                ///< number of entropy values that select
                                                        ///< the path
        uint64_t lastSample;                            ///< value of m_samples at the path's last
                                                        ///< sample
        int64_t gradedNs;                               ///< local clock when share was set, ns
        uint64_t samples;                               ///< number of samples of the path so far
        double weight;                                  ///< number of recent samples of the path;
                                                        ///< about WINDOW samples per path are
                                                        ///< regarded as recent
        double share;                                   ///< see the class description
        double u;                                       ///< U of the path; negative if not measured
        double capacity;                                ///< rate of the slowest port from which u
                                                        ///< is computed, bit/s
        uint8_t hops;                                   ///< number of the path's ports; 0 if this
                                                        ///< element is unused
    };

    static constexpr uint16_t NO_PATH = UINT16_MAX; ///< index of the path of an entropy value whose
                                                    ///< path is unknown

    /**
     * Looks up the ports of a sample in m_ports, and adds ports that are new.
     * @param sample the sample of an acknowledgement
     * @param hops number of records to use
     */
    void FindPorts(const HpccSample& sample, uint32_t hops);

    /**
     * Decides whether a sample has a record of each hop. Called only with HpccFlow::sparse, because
     * switches may then insert records selectively. Recent samples are those of the current and the
     * previous period. A period has 16 samples per known path.
     * @param hops number of records of the sample
     * @return true if no recent sample has more records
     */
    bool IsLongest(uint32_t hops);

    /**
     * Finds the path of a sample, and adds the path if it is new.
     * @param sample the sample of an acknowledgement, after FindPorts()
     * @param hops number of records to use
     * @return index of the path
     */
    uint16_t FindPath(const HpccSample& sample, uint32_t hops);

    /// Assigns the sample's entropy value to the sample's path.
    void AssignValue();

    /// Forgets a path.
    /// @param path the path
    void Drop(Path& path);

    /// Forgets paths without a recent sample. Called only if the sender uses no entropy values;
    /// otherwise AssignValue() forgets paths.
    void DropOld();

    /// Returns true if all known paths cross a port.
    /// @param port a port
    bool IsShared(const Port& port) const
    {
        return port.paths == m_used;
    }

    /**
     * Returns the part of u' that is due to packets that meet by chance, see the class description.
     * @param now the newest record of a port
     * @param before the previous record of the port
     */
    double ChanceLoad(const HpccFlow::Record& now, const HpccFlow::Record& before) const;

    /**
     * Computes U of each path from U of its ports.
     * @param nowNs local clock, ns
     * @param sparse HpccFlow::sparse of the flow
     */
    void MeasurePaths(int64_t nowNs, bool sparse);

    /**
     * Returns the largest U of the ports of the current sample; negative if none is measured.
     * @param hops number of records of the current sample
     */
    double LargestOfSample(uint32_t hops) const;

    /// Returns U of the flow, combined from the loads of its paths; negative if nothing is
    /// measured.
    double CombinePaths();

    /// Returns the mean U of the known paths, see the class description; negative if none is
    /// measured.
    double WeightedMean() const;

    /**
     * Computes U of the flow as if each path had its own window, namely the path's share of W.
     * Dividing the window of each path by the path's U has two effects. W is divided by the
     * harmonic mean of U, weighted by the shares. The share of each path is multiplied by the ratio
     * of this mean to the path's U. If the sender does not obey shares, the weight of a path is the
     * number of its recent samples. Values of U below QUIET are replaced by QUIET, so that no
     * window more than doubles.
     * @return the harmonic mean; negative if no path is measured
     */
    double HarmonicMean() const;

    /// Returns the probability that a packet takes a path without a sample.
    double ChanceOfUnknownPath() const;

    /// Counts the current sample for its path.
    void CountSample();

    /**
     * Updates the share of the current sample's path, at most once per T.
     * @param nowNs local clock, ns
     */
    void Grade(int64_t nowNs);

    /// Computes the shares of the entropy values from the shares of the paths.
    void Publish();

    Combine m_combine;              ///< how U of the flow is computed
    HpccParameters m_parameters;    ///< parameters of the control law
    double m_chanceBytes;           ///< mean queue due to packets that meet by chance, bytes
    uint32_t m_value{NO_VALUE};     ///< see SetValue()
    uint64_t m_samples{0};          ///< number of samples so far that had a record of each hop of
                                    ///< their path
    uint64_t m_lists{0};            ///< number of samples in the current period of IsLongest()
    uint32_t m_longest{0};          ///< number of records of the longest sample in the current
                                    ///< period of IsLongest()
    uint32_t m_longestBefore{0};    ///< m_longest of the previous period
    uint16_t m_path{NO_PATH};       ///< path of the current sample; NO_PATH if a record is missing
    bool m_measured{false};         ///< true if U of the flow has been measured
    size_t m_used{0};               ///< number of known paths
    double m_sharedU{-1};           ///< largest U of shared ports; negative if not measured
    std::vector<Port> m_ports;      ///< known ports
    std::vector<Path> m_paths;      ///< known paths, and unused elements
    std::vector<uint16_t> m_pathOf; ///< path of each entropy value
    std::vector<float> m_shares;    ///< see GetShares()
    std::vector<double> m_sorted;   ///< buffer for the median
    std::array<uint16_t, MAX_TELEMETRY_HOPS> m_hops{}; ///< ports of the current sample
};

} // namespace ns3

#endif // HPCC_PORT_LOADS_H
