/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_NIC_FORMAT_H
#define HPCC_NIC_FORMAT_H

#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-ip-nic.h"
#include "ns3/hpcc-parameters.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/object.h"

#include <cstdint>
#include <functional>
#include <string>

namespace ns3
{

/// The control law of the flows that a NIC for ns-3's stack serves.
struct NicLaw
{
    std::string name;          ///< name of the class that runs the control law
    HpccParameters parameters; ///< parameters of the law

    /// Returns a line that describes the fault of a format; empty if there is none.
    std::function<std::string(const TelemetryFormat&)> validate;
};

/**
 * @ingroup hpcc
 *
 * Makes a telemetry format. Throws HpccInputError if the name is unknown, or if TCP or UDP packets
 * cannot carry the format.
 * @param name short name of the format
 * @return the format
 */
Ptr<TelemetryFormat> FindNicFormat(const std::string& name);

/**
 * @ingroup hpcc
 *
 * Makes the telemetry format of NICs that serve ns-3's stack. Throws HpccInputError in the cases of
 * FindNicFormat() and AdoptNicFormat().
 * @param fabric the network after Install(), with ns-3's stacks
 * @param name short name of the format
 * @param nic NIC of one of the hosts
 * @param law control law of the flows
 * @return the format
 */
Ptr<TelemetryFormat> MakeNicFormat(const HpccFabricHelper& fabric,
                                   const std::string& name,
                                   Ptr<Object> nic,
                                   const NicLaw& law);

/**
 * @ingroup hpcc
 *
 * Installs a telemetry format in the NICs that serve ns-3's stack. Throws HpccInputError if the
 * format does not fit the network, or if it requires IPv6 and a host has no IPv6.
 * @param fabric the network after Install(), with ns-3's stacks
 * @param name name of the format
 * @param format the format; if a DSCP marks the format, the format's attribute Dscp is set to the
 * NIC's ProbeDscp
 * @param nic NIC of one of the hosts
 * @param law control law of the flows
 */
void AdoptNicFormat(const HpccFabricHelper& fabric,
                    const std::string& name,
                    Ptr<TelemetryFormat> format,
                    Ptr<Object> nic,
                    const NicLaw& law);

/**
 * @ingroup hpcc
 *
 * Installs a NIC that serves ns-3's stack in a host. The NIC then refuses a flow if a packet has no
 * room for the records of all switches on the path. Throws HpccInputError if the host already has
 * such a NIC.
 * @param fabric the network after Install(), with ns-3's stacks
 * @param host number of the host
 * @param nic the NIC, which becomes part of the host's node
 * @param format the telemetry format; AdoptNicFormat() has already been called with it
 * @param dataBytes size of the largest IP packet that carries both data and telemetry, not counting
 * its records, bytes; 0: data carry no telemetry
 */
void InstallNic(const HpccFabricHelper& fabric,
                uint32_t host,
                Ptr<HpccIpNic> nic,
                Ptr<TelemetryFormat> format,
                uint32_t dataBytes = 0);

} // namespace ns3

#endif // HPCC_NIC_FORMAT_H
