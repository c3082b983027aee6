/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FLOW_H
#define HPCC_FLOW_H

#include "hpcc-sample.h"

#include "ns3/hpcc-hop-telemetry.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/// Reason why a record was treated as the first one of a path.
enum class HpccReset : uint8_t
{
    NONE,         ///< the record was not treated as a first one
    FIRST_RECORD, ///< no record was stored yet
    PATH_CHANGE,  ///< the list of hops or the path identifier differs, or the sender has moved the
                  ///< flow to another path
    IDLE_GAP,     ///< the sender had no message for more than T, or the flow was restarted
    COUNTER_WRAP, ///< a timestamp or byte counter may have wrapped, or a byte counter has decreased
    TIMEOUT,      ///< a retransmission time-out dropped the stored records
};

struct HpccFlow;

/**
 * @ingroup hpcc
 *
 * Stores the telemetry of all paths of a flow whose packets take several paths. The class also
 * grades the paths: it computes the share of packets that should be sent on each path.
 */
class HpccPathState
{
  public:
    static constexpr uint32_t NO_VALUE = UINT32_MAX; ///< entropy value that is not known

    virtual ~HpccPathState() = default;

    /**
     * Sets the entropy value of the packet that collected the next sample to be processed.
     * @param value the entropy value; NO_VALUE if unknown
     */
    virtual void SetValue(uint32_t value) = 0;

    /// Returns the share of packets that should be sent with each entropy value, scaled so that the
    /// largest share is 1. The vector is never reallocated, so the caller may keep a pointer to its
    /// elements.
    virtual const std::vector<float>& GetShares() const = 0;

    /**
     * Fills L (HpccFlow::records) with the stored records of a sample's path. Not called for
     * formats with TelemetryCapabilities::pathExtreme.
     * @param flow the flow's state. The function sets records, hopCount, pathId, lastSampleNs,
     * otherPaths and pendingReset
     * @param sample the sample of an acknowledgement
     * @param hops number of records to use
     */
    virtual void Select(HpccFlow& flow, const HpccSample& sample, uint32_t hops) = 0;

    /**
     * Stores the records of L after the sample has updated them, and computes U of the flow.
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement
     * @param hopU u' of each hop; negative for a hop without u'
     * @return U of the flow; negative if unknown
     */
    virtual double Update(HpccFlow& flow, const HpccSample& sample, const double* hopU) = 0;
};

/**
 * @ingroup hpcc
 *
 * The state of the control law for one flow. To save memory accesses, the first members are those
 * that every sample uses; they fill two cache lines. A sample of n hops also uses the first n
 * elements of the array of records.
 */
struct HpccFlow
{
    /// Last record of a hop: an element of the drafts' L.
    struct Record
    {
        uint64_t timestampNs;  ///< ts, ns
        uint64_t txBytes;      ///< txBytes, bytes
        uint64_t queue;        ///< qlen, bytes; or sojourn time, ns, see QueueSignal
        uint64_t bandwidthBps; ///< B, bit/s, from which nsPerByte was computed
        double nsPerByte;      ///< 8e9/B, ns per byte
        uint32_t switchId;     ///< id of the hop's switch; 0 if the format has no switch ids
        uint32_t portId;       ///< id of the hop's egress port; the hop's position if the format
                               ///< has no port ids
        bool counted;          ///< true if timestampNs, txBytes and queue are valid
        uint16_t ids; ///< the bits TELEMETRY_SWITCH_ID and TELEMETRY_PORT_ID, each set if the hop's
                      ///< record contains that id

        /**
         * Sets switchId, portId and ids.
         * @param hop the hop's record
         * @param position position of the hop on the path
         */
        void SetIds(const HopTelemetry& hop, uint32_t position)
        {
            ids = hop.fields & (TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID);
            switchId = ids & TELEMETRY_SWITCH_ID ? hop.switchId : 0;
            portId = ids & TELEMETRY_PORT_ID ? hop.portId : position;
        }

        /// Returns the id of the hop's switch, or -1 if the hop's record contains none.
        int64_t GetKnownSwitch() const
        {
            return ids & TELEMETRY_SWITCH_ID ? switchId : int64_t{-1};
        }

        /// Returns the id of the hop's egress port; -1 if the hop's record lacks this id or the id
        /// of the switch.
        int64_t GetKnownPort() const
        {
            return ids == (TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID) ? portId : int64_t{-1};
        }

        /// Updates bandwidthBps and nsPerByte.
        /// @param hop the hop's record, with a bandwidth
        void SetBandwidth(const HopTelemetry& hop)
        {
            if (bandwidthBps != hop.bandwidthBps)
            {
                bandwidthBps = hop.bandwidthBps;
                nsPerByte = 8e9 / static_cast<double>(hop.bandwidthBps);
            }
        }

        /**
         * Stores the values of a received record.
         * @param hop the received record
         * @param itsQueue queue length of the record, bytes, or its sojourn time, ns
         */
        void Store(const HopTelemetry& hop, uint64_t itsQueue)
        {
            timestampNs = hop.timestampNs;
            txBytes = hop.txBytes;
            queue = itsQueue;
            counted = true;
        }
    };

    /// State for formats with TelemetryCapabilities::pathExtreme, which carry only a record of the
    /// bottleneck hop.
    struct Extreme
    {
        bool delayKnown{false};       ///< true if a queue delay has been reported
        bool utilizationKnown{false}; ///< true if a utilisation has been reported
        uint8_t delaysAsked{0};       ///< number of requests for the queue delay since the last
                                      ///< request for a utilisation; used if packetsPerRecord is
                                      ///< above 0, or if only one packet per round requests a
                                      ///< quantity
        double delayNs{0};            ///< the last queue delay, ns
        double u1{0};                 ///< queue delay divided by T
        double u2{0};                 ///< the last utilisation
        int64_t delayAtNs{0};         ///< local time of the last queue delay, ns
        int64_t utilizationAtNs{0};   ///< local time of the last utilisation, ns
        uint32_t locator{0};          ///< locator in the record of the last queue delay
        uint32_t delayRound{0};       ///< round trip in which the last queue delay arrived
        uint32_t utilizationRound{0}; ///< round trip in which the last utilisation arrived
        uint32_t round{0};            ///< number of the current round trip
        uint64_t roundEndSeq{0};    ///< snd_nxt at the start of the round trip; an acknowledgement
                                    ///< above this value ends the round trip
        uint32_t packets{0};        ///< number of packets that have requested a queue delay or a
                                    ///< utilisation
        bool mayQueue{true};        ///< false if the last utilisation was so low that the hop can
                                    ///< have no queue
        uint64_t delayCommitSeq{0}; ///< value of lastUpdateSeq when the last queue delay arrived;
                                    ///< while lastUpdateSeq is the same, no commit has used this
                                    ///< delay
        uint32_t packetsPerRecord{0}; ///< number of packets that request a quantity, per record
                                      ///< that returns; 0 if every packet collects telemetry and
                                      ///< every record returns
    };

    /// L of one path of a flow whose packets are sprayed over several paths.
    struct Path
    {
        uint64_t key;                ///< identifies the path
        int64_t lastSampleNs;        ///< local clock when this L was last written, ns
        uint16_t pathId;             ///< path identifier
        std::vector<Record> records; ///< one record for each hop of the path
    };

    /// The last u' of a hop. Used for paths on which some hops insert a record only into some
    /// packets.
    struct LastLoad
    {
        double u;     ///< u'
        int64_t atNs; ///< local clock when u was measured, ns
    };

    /// The window of a single hop, used with HpccParameters::perHop.
    struct HopWindow
    {
        double referenceBytes; ///< Wc of the hop, bytes
        double utilization;    ///< U of the hop
        uint32_t incStage;     ///< incStage of the hop
        bool measured;         ///< true if U has changed since Wc was last computed from it
    };

    using HopWindows = std::array<HopWindow, MAX_TELEMETRY_HOPS>; ///< windows of the hops, in the
                                                                  ///< order of L

    double windowBytes{0};     ///< W, bytes
    double referenceBytes{0};  ///< Wc, bytes
    double utilization{1};     ///< U
    double waiBytes{0};        ///< W_ai in force, bytes
    double initialBytes{0};    ///< W_init, bytes
    double largestBytes{0};    ///< largest allowed W, bytes
    double minBytes{0};        ///< smallest allowed W, bytes
    double lineRateBps{0};     ///< rate of the sender's own port, bit/s
    uint64_t lastUpdateSeq{0}; ///< lastUpdateSeq: next byte to be sent (snd_nxt) at the time of the
                               ///< last commit
    uint64_t responseSeq{0};   ///< acknowledgements below this sequence number are older than the
                               ///< last switch response
    double responseBytes{0};   ///< W set by the last switch response, bytes
    int64_t lastSampleNs{0};   ///< local clock when L was last written, ns
    uint32_t incStage{0};      ///< incStage
    bool growthCapped{false};  ///< true: W grows by at most W_ai per round trip, because the
                               ///< receiver's reports are doubted
    uint32_t roundSamples{0};  ///< samples measured since the last commit
    uint32_t roundLastHop{0};  ///< number of samples since the last commit in which the last hop
                               ///< had the largest u'
    uint16_t pathId{0};        ///< identifier of the path that L belongs to
    uint8_t hopCount{0};       ///< number of records in L; 0 if L is empty
    bool sprayed{false};       ///< true if packets take different paths, each with an L of its own
    bool sparse{false};        ///< true if only some packets return a sample
    bool otherPaths{false};    ///< true if records of paths other than the last sample's path are
                               ///< known
    /// Rule by which switches select the packets into which they insert a record. With any rule
    /// except NOT_THINNED, a packet may lack the record of any hop.
    TelemetryThinning thinned{NOT_THINNED};
    HpccReset pendingReset{HpccReset::FIRST_RECORD}; ///< why L is empty
    std::vector<LastLoad> lastLoads;          ///< last u' of each hop; empty until a packet has
                                              ///< arrived without the record of a hop
    std::unique_ptr<HopWindows> hopWindows;   ///< null without HpccParameters::perHop
    std::unique_ptr<HpccPathState> pathState; ///< telemetry of the flow's paths; null if not
                                              ///< needed. Stores L of all paths if the format has
                                              ///< records of all hops
    std::array<Record, MAX_TELEMETRY_HOPS> records; ///< L; declared after the members that every
                                                    ///< sample uses, so that a sample of a short
                                                    ///< path needs only a few cache lines
    Extreme extreme;         ///< with TelemetryCapabilities::pathExtreme: the last queue delay and
                             ///< utilisation, used instead of most members of L
    uint64_t pathKey{0};     ///< Path::key of the path that L belongs to, if sprayed
    std::vector<Path> paths; ///< L of each known path, if sprayed. The entry of the current path
                             ///< has been copied to L and is outdated until L is copied back

    static constexpr std::size_t MAX_PATHS = 256; ///< largest number of paths of a sprayed flow

    /**
     * Drops L of all paths.
     * @param why reason for treating the next record as a first one; ignored if L is already empty
     */
    void Forget(HpccReset why);

    /**
     * Loads L of the sample's path if the flow is sprayed. If the path is new, L is empty
     * afterwards.
     * @param sample the sample of an acknowledgement
     * @param hops number of records to use
     */
    void SelectPath(const HpccSample& sample, uint32_t hops);

    /**
     * Sets L to HpccSample::previous. Called if the receiver returns only the new and the previous
     * record of one hop.
     * @param sample the sample of an acknowledgement, with one record and HpccSample::previous
     */
    void TakePrevious(const HpccSample& sample);
};

} // namespace ns3

#endif // HPCC_FLOW_H
