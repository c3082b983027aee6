/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SWITCH_PARTS_H
#define HPCC_SWITCH_PARTS_H

#include "ns3/hpcc-buffer-policy.h"
#include "ns3/hpcc-egress-scheduler.h"
#include "ns3/hpcc-marker.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The exchangeable parts of a switch and their attributes: packet memory, marking and scheduling.
 * HpccFabricHelper has one object for all switches. A program may create others for individual
 * switches, see HpccFabricHelper::PartsOf(). HpccFabricHelper::Install() calls CheckRates().
 */
class HpccSwitchParts
{
  public:
    HpccSwitchParts();

    /**
     * Chooses how the packet memory is shared. Call it before SetBufferAttribute().
     * @param name short name of a BufferPolicy, dynamic by default; other names throw an
     * HpccInputError that lists the choices
     */
    void SetBuffer(const std::string& name);

    /**
     * Sets an attribute of the BufferPolicy.
     * @param name name of the attribute; an unknown name throws HpccInputError
     * @param value value of the attribute
     */
    void SetBufferAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Chooses how packets are marked. Call it before SetEcnAttribute().
     * @param name short name of a Marker, red by default; other names throw an HpccInputError that
     * lists the choices
     */
    void SetMarking(const std::string& name);

    /**
     * Sets an attribute of the Marker.
     * @param name name of the attribute; an unknown name throws HpccInputError
     * @param value value of the attribute
     */
    void SetEcnAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Sets the Marker's attribute Thresholds to the values for which a policy is designed.
     * @param thresholds in the format of EcnMarker::Thresholds
     * @return false if the Marker has no attribute Thresholds
     */
    bool SetThresholds(const std::string& thresholds);

    /**
     * Chooses the scheduler of ports. Call it before SetSchedulerAttribute().
     * @param name short name of an EgressScheduler, ring by default; other names throw an
     * HpccInputError that lists the choices
     */
    void SetScheduler(const std::string& name);

    /**
     * Sets an attribute of each port's EgressScheduler.
     * @param name name of the attribute; an unknown name throws HpccInputError
     * @param value value of the attribute
     */
    void SetSchedulerAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Refuses attributes that list values for ports of given rates, if none of the ports has one of
     * these rates. A value of EcnMarker::Thresholds with a single entry is allowed, because the
     * entry is scaled to the rate of each port. Only attributes set by SetBufferAttribute() and
     * SetEcnAttribute() are checked.
     * @param ports name of the ports in the error message
     * @param rates rates of the ports, bit/s
     */
    void CheckRates(const std::string& ports, const std::set<uint64_t>& rates) const;

    /// Returns a copy of these parts. CheckRates() of the copy checks only attributes that are set
    /// in the copy later.
    HpccSwitchParts Copy() const;

    /**
     * From now on refuses changes of these parts, because the switch has been built.
     * @param node number of the switch, for the error message
     */
    void Fix(uint32_t node);

    /// Returns a new packet memory.
    Ptr<BufferPolicy> MakeBuffer() const;
    /// Returns a new marker.
    Ptr<Marker> MakeMarker() const;
    /// Returns a new scheduler for one port; null: the default of QbbNetDevice.
    Ptr<EgressScheduler> MakeScheduler() const;

  private:
    /**
     * Throws HpccInputError after Fix().
     * @param function function that changes the parts
     */
    void RequireNotFixed(const char* function) const;

    ObjectFactory m_buffer;    ///< makes packet memories
    ObjectFactory m_marker;    ///< makes markers
    ObjectFactory m_scheduler; ///< makes schedulers; has no type if ports use the default scheduler
    /// Values of the buffer's attributes that CheckRates() checks, by full name.
    std::map<std::string, std::string> m_bufferLists;
    /// Values of the marker's attributes that CheckRates() checks, by full name.
    std::map<std::string, std::string> m_markerLists;
    std::optional<uint32_t> m_fixed; ///< number given to Fix(); no value before Fix()
};

} // namespace ns3

#endif // HPCC_SWITCH_PARTS_H
