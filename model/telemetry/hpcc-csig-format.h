/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CSIG_FORMAT_H
#define HPCC_CSIG_FORMAT_H

#include "hpcc-telemetry-format.h"

#include <array>
#include <string>
#include <vector>

namespace ns3
{

class HpccTypeId;

/**
 * @ingroup hpcc
 *
 * CSIG, congestion signaling, as draft-miao-ccwg-hpcc-info-04 section 3 adopts it from
 * draft-ravi-ippm-csig: a tag in front of the EtherType contains a signal and a locator. Every
 * switch on the path replaces signal and locator if its own signal is worse. This class is the base
 * of CsigCompactFormat and CsigWideFormat, one class per tag size.
 *
 * Signals (types 0 to 2 are from the draft; type 3 is UEC's nQD, from OCP SAI's CSIG text):
 *
 * | type | signal | worse is | unit here |
 * |---|---|---|---|
 * | 0 | ABW, available bandwidth | lower | Mb/s |
 * | 1 | ABW/C, available share of the line rate | lower | ppm |
 * | 2 | PD, per-hop delay of the packet | higher | ns |
 * | 3 | nQD, queue length over line rate | higher | ns |
 *
 * A signal's range is divided into steps. Number k represents values above edge k-1 and up to edge
 * k; the last number also represents all larger values. Read() returns the middle of the step. If
 * edge 0 is 0, number 0 represents only the value 0, for example for an empty queue with type 3.
 * The sender inserts the best value of the signal: all ones for types 0 and 1, 0 for types 2 and 3.
 * As the locator, the sender inserts all ones, which means that no switch has written the signal.
 * Switches never change the type. If a hop finds an unknown type, or the trimmed bit set, Insert()
 * does not change the tag and returns NOT_INSERTED.
 *
 * A record (TelemetryCapabilities::pathExtreme) contains TELEMETRY_QUEUE_DELAY (types 2 and 3) or
 * TELEMETRY_UTILIZATION (types 0 and 1), and the locator in portId. Type 2 only approximates the
 * queue delay, because it includes the time that the packet has waited for other priorities. With
 * type 2 as QueueSignal, TelemetryCapabilities::fields contains TELEMETRY_HOP_LATENCY to show that
 * the queue delay is a sojourn time.
 *
 * The tag is not part of the IP packet and does not grow on the path. The tag therefore does not
 * count against the MTU, and switches need no spare room in the packet. No EtherType has been
 * published for CSIG; the defaults are placeholders from test code.
 *
 * Attributes:
 * - EtherType: marks the tag; 0x0600 or more, except the EtherTypes of IPv4, IPv6, ARP, VLAN tags
 *   and MAC control.
 * - BitLayout: Ietf or Uec. Ietf is the draft's layout; for the expanded tag it is the layout of
 *   draft-ravi-ippm-csig-01, as quoted by a third party. Uec is the layout of OCP SAI, whose
 *   locator is one bit shorter and is followed by the trimmed bit.
 * - QueueSignal: NormalizedQueue (type 3) or HopDelay (type 2), the signal of queue delay.
 * - UtilizationSignal: AvailableShare (type 1) or AvailableBandwidth (type 0). AvailableBandwidth
 *   needs Locator Capacity or Stage, which determines the line rate.
 * - Locator: content of the locator field.
 *   - Capacity: a code of the line rate, 0 to 10 for 1, 10, 25, 40, 50, 100, 200, 400, 800, 1600,
 *     3200 Gb/s. Any other rate has the code all ones. If traffic classes share a port, the rate is
 *     a share of the line rate, which is usually not in the list.
 *   - Stage: 4 (stage - 1) plus the PortDirection of the egress port. The host looks up the line
 *     rate of this code in a table that Learn() has filled before the simulation starts.
 *   - Port: the egress port's number.
 *   - Position: the position on the path, counted from 1: InitialTtl minus the TTL.
 * - InitialTtl: the TTL with which hosts send (RdmaHost::Ttl, or that of ns-3's IP stack); used
 *   only with Locator Position. With Locator Position, hosts that send with another TTL are
 *   refused.
 *
 * A domain edge between networks resets the locator to all ones and keeps the signal. The signal is
 * a share of the line rate or a delay, so it does not identify a switch or a line rate.
 * AvailableBandwidth cannot be used with a domain edge.
 */
class CsigFormat : public TelemetryFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Values of the tag's type field.
    enum Signal : uint8_t
    {
        AVAILABLE_BANDWIDTH = 0, ///< ABW
        AVAILABLE_SHARE = 1,     ///< ABW/C
        HOP_DELAY = 2,           ///< PD
        NORMALIZED_QUEUE = 3,    ///< nQD
        SIGNALS                  ///< number of signals
    };

    /// Specification whose bit layout is used.
    enum BitLayout
    {
        IETF, ///< draft
        UEC   ///< OCP SAI
    };

    /// Content of the locator: a property of the hop that wrote the signal.
    enum Locator
    {
        CAPACITY, ///< code of the line rate of the hop's egress port
        STAGE,    ///< stage of the hop, and direction of its egress port
        PORT,     ///< number of the hop's egress port
        POSITION  ///< position on the path
    };

    std::string Validate(const TelemetryNetwork& network) const override;
    void Learn(const TelemetryNetwork& network) override;
    bool CrossesBorder() const override;
    void ForgetOrigin(TelemetryStack& stack) const override;
    std::string CheckTtl(uint8_t ttl) const override;
    uint8_t GetReflectionId() const override;
    int32_t Insert(TelemetryStack& stack,
                   const HopSnapshot& hop,
                   uint32_t roomBytes) const override;
    HopTelemetry Read(const TelemetryStack& stack, uint32_t index) const override;
    uint32_t GetBaseBytes() const override;
    uint32_t GetHopBytes() const override;
    uint32_t GetReflectedBytes(const TelemetryStack& stack) const override;
    void Serialize(const TelemetryStack& stack, uint8_t* out) const override;
    size_t Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const override;
    void SerializeRecords(const TelemetryStack& stack, uint8_t* out) const override;
    size_t DeserializeRecords(const uint8_t* in,
                              size_t size,
                              uint8_t hops,
                              TelemetryStack& stack) const override;

  protected:
    /// A field of the tag, after the EtherType.
    struct Field
    {
        uint8_t shift; ///< number of bits to the right of the field
        uint8_t bits;  ///< width of the field, bits

        /// Returns the largest value of the field.
        uint32_t Max() const
        {
            return (uint32_t{1} << bits) - 1;
        }
    };

    /// Positions of the fields.
    struct Layout
    {
        uint8_t bytes;    ///< size of the tag without the EtherType, bytes
        Field type;       ///< T: type of the signal
        Field signal;     ///< S: value of the signal
        Field locator;    ///< LM: locator
        uint64_t trimmed; ///< mask of the trimmed bit; 0 if none
    };

    /**
     * Creates a format with two layouts of its fields.
     * @param ietf layout of the draft
     * @param uec layout of UEC
     * @param reflectionId number that identifies the layout Ietf in the reflection header; the
     * layout Uec has the next number
     */
    CsigFormat(const Layout& ietf, const Layout& uec, uint8_t reflectionId);

    /**
     * Adds the attribute of the EtherType.
     * @param tid the TypeId under construction
     * @param etherType default EtherType
     * @return the TypeId with the attribute
     */
    static HpccTypeId AddEtherType(HpccTypeId tid, uint16_t etherType);

    /// The units of signals.
    enum Unit : uint8_t
    {
        BANDWIDTH, ///< ABW, Mb/s
        SHARE,     ///< ABW/C, ppm
        DELAY,     ///< PD and nQD, ns
        UNITS      ///< number of units
    };

    /**
     * Returns the unit of a signal.
     * @param type type of the signal
     */
    static Unit UnitOf(uint32_t type)
    {
        return type < DELAY ? static_cast<Unit>(type) : DELAY;
    }

    /**
     * Returns true if lower values of a signal are worse.
     * @param type type of the signal
     */
    static bool IsMinimum(uint32_t type)
    {
        return type <= AVAILABLE_SHARE;
    }

    /**
     * Returns the largest values that the steps must cover: line rate, 100 percent and base RTT.
     * The value is 0 for a unit that no signal of this format uses.
     * @param network the network
     * @return the values, indexed by Unit and expressed in this unit
     */
    std::array<double, UNITS> LargestValues(const TelemetryNetwork& network) const;

    /// Returns the positions of the fields.
    const Layout& GetLayout() const
    {
        return m_layouts[m_bitLayout];
    }

    /// Returns the largest number that fits the signal field.
    uint32_t MaxNumber() const
    {
        return GetLayout().signal.Max();
    }

  private:
    void DoOpen(TelemetryStack& stack) const override;

    /**
     * Returns the smallest number whose edge is at least a value; the last number if no edge is
     * large enough.
     * @param type type of the signal
     * @param value value of the signal in its unit, 0 or more
     */
    virtual uint32_t Quantise(uint32_t type, double value) const = 0;

    /**
     * Returns the upper end of a step, in the signal's unit.
     * @param type type of the signal
     * @param number number of a step, at most MaxNumber()
     */
    virtual double GetEdge(uint32_t type, uint32_t number) const = 0;

    /**
     * Checks the steps for a network.
     * @param network the network
     * @return an empty string, or the error in the steps
     */
    virtual std::string CheckSteps(const TelemetryNetwork& network) const = 0;

    /**
     * Returns the value of a signal at a hop, in the signal's unit.
     * @param type type of the signal
     * @param hop a hop
     */
    static double Measure(uint32_t type, const HopSnapshot& hop);

    /**
     * Returns the locator of a hop; all ones if no locator represents the hop.
     * @param hop a hop
     */
    uint32_t LocatorOf(const HopSnapshot& hop) const;

    /**
     * Returns the locator of a port if the attribute Locator is Stage.
     * @param port the port of a switch
     */
    static uint32_t StageOf(const TelemetryPort& port);

    /**
     * Returns the line rate for each value of the locator if the attribute Locator is Stage, bit/s.
     * The rate is 0 if no port has this locator, or if ports of different line rates have it.
     * @param network the network
     */
    std::vector<uint64_t> StageRates(const TelemetryNetwork& network) const;

    /**
     * Returns the line rate of the hop that wrote a record, bit/s; 0 if the locator does not
     * determine the line rate.
     * @param locator locator of the record
     */
    uint64_t CapacityOf(uint32_t locator) const;

    /**
     * Checks that the locator can be used in a network.
     * @param network the network
     * @return an empty string if the locator can be used in this network; otherwise the reason
     */
    std::string CheckLocator(const TelemetryNetwork& network) const;

    /// Sets TelemetryCapabilities::fields according to QueueSignal.
    void DeriveFields();

    /// Sets the EtherType of the tag.
    /// @param etherType the EtherType
    void SetEtherType(uint16_t etherType);

    /// Returns the EtherType of the tag.
    uint16_t GetEtherType() const;

    const std::array<Layout, 2> m_layouts;       ///< layouts of the tag, indexed by BitLayout
    const uint8_t m_reflectionId;                ///< number that identifies the layout IETF in the
                                                 ///< reflection header
    BitLayout m_bitLayout{IETF};                 ///< attribute BitLayout
    Signal m_queueSignal{NORMALIZED_QUEUE};      ///< attribute QueueSignal
    Signal m_utilizationSignal{AVAILABLE_SHARE}; ///< attribute UtilizationSignal
    Locator m_locator{CAPACITY};                 ///< attribute Locator
    uint8_t m_initialTtl{64};                    ///< attribute InitialTtl
    std::vector<uint64_t> m_stageRates;          ///< see StageRates()
    std::vector<std::vector<uint32_t>> m_stages; ///< locator of each port with Locator Stage,
                                                 ///< indexed by switch id and port id
};

} // namespace ns3

#endif // HPCC_CSIG_FORMAT_H
