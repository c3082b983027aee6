/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TELEMETRY_FORMAT_H
#define HPCC_TELEMETRY_FORMAT_H

#include "hpcc-hop-telemetry.h"

#include "ns3/object.h"
#include "ns3/simple-ref-count.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Position of the telemetry header in a frame.
enum class TelemetryPosition : uint8_t
{
    TAG,       ///< after the MAC addresses, before the EtherType
    NETWORK,   ///< after the IP header
    TRANSPORT, ///< after the UDP or TCP header
};

/// Largest tag, bytes; a tag does not count against a port's MTU.
constexpr uint32_t MAX_TELEMETRY_TAG_BYTES = 8;

/**
 * @ingroup hpcc
 *
 * The header field that marks a packet with telemetry: port, protocol, DSCP or EtherType. If the
 * mark replaces a value, the receiver restores that value. The telemetry header stores the replaced
 * value, unless this value is always the same.
 */
struct TelemetryMarking
{
    TelemetryPosition position{TelemetryPosition::TRANSPORT}; ///< position of the telemetry header
    /// size of the first part of the telemetry header, which directly follows the IP header, bytes;
    /// the rest of the header is at `position`
    uint8_t leadBytes{0};
    uint16_t etherType{0};  ///< first two bytes of a tag; 0 without a tag
    int16_t protocol{-1};   ///< IPv4 protocol or IPv6 next header; -1: unchanged
    uint16_t udpPort{0};    ///< UDP destination port; 0: unchanged
    int8_t dscp{-1};        ///< DSCP, 0 to 63; -1: unchanged
    bool ipv6{false};       ///< true if only IPv6 packets can carry the format
    bool inUdpLength{true}; ///< true if the UDP length or the TCP checksum includes telemetry that
                            ///< follows the UDP or TCP header
    int8_t protocolAt{-1};  ///< offset in the telemetry header of the byte that holds the original
                            ///< protocol, below leadBytes; -1: none
};

/// Direction of the link at a switch port.
enum class PortDirection : uint8_t
{
    DOWN,  ///< to a node of a lower stage
    UP,    ///< to a switch of a higher stage
    LEVEL, ///< to a switch of the same stage
};

/// Properties of a switch port that are known before traffic runs.
struct TelemetryPort
{
    uint32_t switchId;       ///< HopSnapshot::switchId
    uint32_t portId;         ///< HopSnapshot::egressPort
    uint64_t rateBps;        ///< line rate, bit/s
    uint32_t stage;          ///< number of links from the switch to the nearest host, 1 or more
    PortDirection direction; ///< direction of the port's link
};

/**
 * @ingroup hpcc
 *
 * Properties of the network in which a format is used, for TelemetryFormat::Validate().
 */
struct TelemetryNetwork
{
    uint32_t largestSwitchId;    ///< largest switch id
    uint32_t largestPortId;      ///< largest port id
    uint32_t switchHops;         ///< maximum number of switches on a path
    uint64_t fastestBps;         ///< fastest line rate, bit/s
    int64_t baseRttNs;           ///< largest base RTT, ns
    bool classBandwidths{false}; ///< true if records carry the bandwidth of a traffic class, which
                                 ///< may be any value up to the line rate
    std::vector<TelemetryPort> ports{}; ///< ports of the switches
};

/**
 * @ingroup hpcc
 *
 * Table of the line rate of each switch port, or of a traffic class's share of this rate, for
 * formats whose records do not carry this rate. The topology helper fills it before the simulation
 * starts.
 */
class TelemetryInventory : public SimpleRefCount<TelemetryInventory>
{
  public:
    /**
     * Sets the line rate of a port.
     * @param switchId id of a switch; the table has a row for each id up to the largest
     * @param portId id of the port; a row has an entry for each id up to the largest
     * @param bandwidthBps line rate, bit/s
     */
    void Add(uint32_t switchId, uint32_t portId, uint64_t bandwidthBps)
    {
        if (m_rates.size() <= switchId)
        {
            m_rates.resize(switchId + 1);
        }
        if (m_rates[switchId].size() <= portId)
        {
            m_rates[switchId].resize(portId + 1, 0);
        }
        m_rates[switchId][portId] = bandwidthBps;
    }

    /**
     * Returns the line rate of a port, bit/s; 0 if unknown.
     * @param switchId id of a switch
     * @param portId id of the port
     */
    uint64_t Lookup(uint32_t switchId, uint32_t portId) const
    {
        return switchId < m_rates.size() && portId < m_rates[switchId].size()
                   ? m_rates[switchId][portId]
                   : 0;
    }

  private:
    std::vector<std::vector<uint64_t>> m_rates; ///< line rates by switch and port, bit/s
};

/**
 * @ingroup hpcc
 *
 * A wire format of in-band telemetry. A format defines how a sender initialises the records of a
 * packet, how a hop inserts its record, how a host reads the records, and the exact bytes on the
 * wire. A format does not change once traffic runs, so one object serves a whole network.
 *
 * To add a format, write a file pair:
 *
 * 1. Derive a class and implement the pure virtual functions.
 * 2. Set m_capabilities and m_marking in the constructor.
 * 3. Register a TypeId and its short names with HpccTypeId::Presets().
 * 4. Add NS_OBJECT_ENSURE_REGISTERED.
 *
 * No other format may use the same GetReflectionId() or the same UDP port, except formats derived
 * from the same format. doc/wire-formats.rst lists the ids and ports in use. If every hop inserts a
 * record of the same size, derive from StackedTelemetryFormat, which implements some of the
 * functions. No other file needs to mention the format.
 */
class TelemetryFormat : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Returns the capabilities of this format.
    const TelemetryCapabilities& GetCapabilities() const
    {
        return m_capabilities;
    }

    /// Returns the number that identifies the format in the reflection header, 1 to 255.
    virtual uint8_t GetReflectionId() const = 0;

    /// Returns the header field that marks frames with this format.
    const TelemetryMarking& GetMarking() const
    {
        return m_marking;
    }

    /**
     * Checks that the format suits the network, before simulated time starts.
     * @param network the network
     * @return an empty string, or one line that names the value that does not fit and the values
     * that fit
     */
    virtual std::string Validate(const TelemetryNetwork& network) const;

    /**
     * Checks the TTL of packets that collect records. Formats in which switches derive their
     * position on the path from the TTL override this function.
     * @param ttl TTL with which a host sends
     * @return an empty string if the records will be correct, which is the default; otherwise one
     * line with the reason and the allowed values
     */
    virtual std::string CheckTtl(uint8_t ttl) const;

    /**
     * Assigns this object to a network. An object can serve only one network at a time, because
     * Learn() stores facts about the network.
     * @return false if the object already serves a network
     */
    bool Claim()
    {
        return !std::exchange(m_claimed, true);
    }

    /// Ends the assignment that Claim() has made.
    void Release()
    {
        m_claimed = false;
    }

    /**
     * Stores facts about the network that the hosts know in advance and that records do not carry.
     * Called before simulated time starts.
     * @param network the network, which Validate() has accepted
     */
    virtual void Learn(const TelemetryNetwork& network);

    /**
     * Initialises the list of hop records of a packet at the sender and stores the original header
     * fields in it.
     * @param stack the stack to initialise
     * @param origin properties of the packet to which the telemetry is added
     */
    void Open(TelemetryStack& stack, const TelemetryOrigin& origin) const
    {
        stack.hops = 0;
        stack.flags = 0;
        stack.skippedHops = 0;
        stack.pathId = 0;
        stack.originalPort = origin.port;
        stack.originalProtocol = origin.protocol;
        stack.originalDscp = origin.dscp;
        stack.request = origin.request;
        DoOpen(stack);
        if (origin.words)
        {
            Tell(stack, origin.words);
        }
    }

    /// Return value of Insert() if it has inserted nothing.
    static constexpr int32_t NOT_INSERTED = -1;

    /**
     * Inserts a hop's record.
     * @param stack the frame's stack
     * @param hop state of the port
     * @param roomBytes bytes by which the frame may still grow before it exceeds the egress MTU
     * @return bytes by which the frame has grown, 0 or more; NOT_INSERTED if the hop could not
     * insert its record, for example because there was no room. If it returns NOT_INSERTED, the
     * implementation must increment skippedHops and, if the format has a flag for this case, set
     * the flag
     */
    virtual int32_t Insert(TelemetryStack& stack,
                           const HopSnapshot& hop,
                           uint32_t roomBytes) const = 0;

    /**
     * Reads one record.
     * @param stack the stack
     * @param index position on the path, 0 is the first hop
     * @return the record; `fields` marks the valid members. A value that the format marks as not
     * available is not valid
     */
    virtual HopTelemetry Read(const TelemetryStack& stack, uint32_t index) const = 0;

    /// Returns the short name of the SwitchAgent that fills in the format; empty if TelemetryAgent
    /// fills it in by Insert().
    virtual std::string GetSwitchAgent() const;

    /// Returns true if the format supports AppendLoad(). Default: false.
    virtual bool CarriesLoad() const;

    /// Returns true if the format can be used with domain edges, which replace its records by a
    /// load, or remove the locator of its only record. Default: CarriesLoad().
    virtual bool CrossesBorder() const;

    /**
     * Removes from the record the locator of the hop that wrote it, as a network's domain edge
     * does. Called only for formats with TelemetryCapabilities::pathExtreme.
     * @param stack the stack
     */
    virtual void ForgetOrigin(TelemetryStack& stack) const;

    /**
     * Removes the newest records, as a network's domain edge does. A format with a single record
     * resets this record to its initial state.
     * @param stack the stack
     * @param hops number of records to keep, at most the number of those present
     */
    virtual void Truncate(TelemetryStack& stack, uint32_t hops) const;

    /**
     * Appends a record with only a load, as a network's domain edge does for all hops that it
     * hides. The caller must have removed at least one record, so that there is room. Called only
     * if CarriesLoad() returns true.
     * @param stack the stack
     * @param load normalised bytes in flight u', at least 0; saturates at the format's largest
     * value
     * @param tag opaque id of the hidden path segment
     */
    virtual void AppendLoad(TelemetryStack& stack, double load, uint32_t tag) const;

    /**
     * Merges the records of a later packet into those of previous packets, for a receiver that
     * returns the records of several packets together. By default, the later records replace all
     * previous records.
     * @param stack records of previous packets; on return, the merged records
     * @param later records of a later packet
     * @param largestQueue true to keep the largest queue of each hop; must be false if
     * MergesQueues() returns false
     */
    virtual void Merge(TelemetryStack& stack, const TelemetryStack& later, bool largestQueue) const;

    /// Returns true if the format transmits the flag TELEMETRY_SUBSCRIBED. Default: false.
    virtual bool CarriesSubscription() const;

    /// Returns true if Merge() can keep the largest queue of each hop. Default: false.
    virtual bool MergesQueues() const;

    /// Returns the number of bytes that the format adds to a frame at the source.
    virtual uint32_t GetBaseBytes() const = 0;

    /// Returns the largest number of bytes that a hop adds to the frame; 0 if GetBaseBytes()
    /// already includes the bytes of all records.
    virtual uint32_t GetHopBytes() const = 0;

    /**
     * Returns the number of bytes that the format occupies on the wire with the records of a stack.
     * @param stack the stack
     */
    virtual uint32_t GetWireBytes(const TelemetryStack& stack) const
    {
        return GetBaseBytes() + stack.hops * GetHopBytes();
    }

    /**
     * Returns the number of words at the start of TelemetryStack::words that may be in use. The
     * default is an upper bound that does not depend on the stack.
     * @param stack a stack; only its hops are used
     */
    virtual uint32_t GetUsedWords(const TelemetryStack& stack) const;

    /**
     * Returns the number of bytes that the records of a stack need after the reflection header.
     * @param stack the stack
     */
    virtual uint32_t GetReflectedBytes(const TelemetryStack& stack) const = 0;

    /**
     * Writes the format's bytes as on the wire.
     * @param stack the stack
     * @param out at least GetWireBytes(stack) bytes
     */
    virtual void Serialize(const TelemetryStack& stack, uint8_t* out) const = 0;

    /**
     * Reads the format's bytes.
     * @param in the bytes from the format's first byte on
     * @param size bytes available
     * @param stack receives the telemetry on success. Of the original* fields, the function sets
     * only those whose values the marking replaced
     * @return bytes consumed; 0 if the bytes are not well-formed
     */
    virtual size_t Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const = 0;

    /**
     * Writes the records as the reflection header carries them.
     * @param stack the stack
     * @param out at least GetReflectedBytes(stack) bytes
     */
    virtual void SerializeRecords(const TelemetryStack& stack, uint8_t* out) const = 0;

    /**
     * Reads the records of a reflection header.
     * @param in the bytes of the records
     * @param size bytes available
     * @param hops number of records present
     * @param stack receives the records on success
     * @return bytes consumed; 0 if the bytes are not well-formed
     */
    virtual size_t DeserializeRecords(const uint8_t* in,
                                      size_t size,
                                      uint8_t hops,
                                      TelemetryStack& stack) const = 0;

  protected:
    /// Sets the UDP destination port that marks the format.
    /// @param port the port
    void SetUdpPort(uint16_t port);

    /// Returns the UDP destination port that marks the format.
    uint16_t GetUdpPort() const;

    TelemetryCapabilities m_capabilities{}; ///< set by the subclass before traffic runs
    TelemetryMarking m_marking{};           ///< set by the subclass before traffic runs

  private:
    bool m_claimed{false}; ///< see Claim()

    /**
     * Finishes Open(): sets remainingHops and the format's own words. Open() has set all other
     * fields.
     * @param stack the stack
     */
    virtual void DoOpen(TelemetryStack& stack) const = 0;

    /**
     * Writes the sender's words for the switches into the header.
     * @param stack an open stack
     * @param words array of TelemetryCapabilities::senderWords words
     */
    virtual void Tell(TelemetryStack& stack, const uint32_t* words) const;
};

} // namespace ns3

#endif // HPCC_TELEMETRY_FORMAT_H
