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
#include "ns3/type-id.h"

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
 * Describes the flows of NICs that serve ns-3's stack. Throws HpccInputError if the format does not
 * suit the control law or the NICs, or if it requires IPv6 and a host has no IPv6. Does not change
 * the network: HpccFabricHelper::CheckFormat() installs the format.
 * @param fabric the network after Install(), with ns-3's stacks
 * @param name name of the format
 * @param format the format; if a DSCP marks the format, the format's attribute Dscp is set to the
 * NIC's ProbeDscp
 * @param nic NIC of one of the hosts
 * @param law control law of the flows
 * @return the argument of HpccFabricHelper::CheckFormat()
 */
HpccFabricHelper::PolicySpec MakeNicSpec(const HpccFabricHelper& fabric,
                                         const std::string& name,
                                         Ptr<TelemetryFormat> format,
                                         Ptr<HpccIpNic> nic,
                                         const NicLaw& law);

/**
 * @ingroup hpcc
 *
 * Throws HpccInputError if InstallNic() would refuse a NIC: a host has no stack or already has such
 * a NIC, or probes and answers have the same DSCP. Does not change the network.
 * @param fabric the network after Install()
 * @param nic NIC like those of all hosts
 * @param stack class of ns-3's transport, such as TcpL4Protocol
 * @param transport name of the transport, for the message
 * @param helper name of the helper that installs the NICs, for the message
 */
void CheckNics(const HpccFabricHelper& fabric,
               const HpccIpNic& nic,
               TypeId stack,
               const std::string& transport,
               const std::string& helper);

/**
 * @ingroup hpcc
 *
 * Installs a NIC that serves ns-3's stack in a host. The NIC then refuses a flow if a packet has no
 * room for the records of all switches on the path. CheckNics() must have accepted the NIC.
 * @param fabric the network after Install(), with ns-3's stacks
 * @param host number of the host
 * @param nic the NIC, which becomes part of the host's node
 * @param format the telemetry format; HpccFabricHelper::CheckFormat() has accepted it
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
