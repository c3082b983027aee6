/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_RECOVERY_H
#define HPCC_TEST_RECOVERY_H

#include "hpcc-test-rdma.h"

#include "ns3/config.h"
#include "ns3/hpcc-drop-reason.h"
#include "ns3/hpcc-presets.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-recovery.h"
#include "ns3/string.h"

#include <string>
#include <vector>

/**
 * \file
 * \ingroup hpcc
 * Fixture of the tests of loss recovery: networks that use one of the schemes, and losses in them.
 */

namespace hpcctest
{

using namespace ns3;

/// @return short names of all schemes
inline std::vector<std::string>
Schemes()
{
    return HpccPresets::Names(RdmaRecovery::GetTypeId());
}

/// @param scheme short name of a scheme
/// @return true if the scheme uses SACKs. Such schemes support only WRITEs
inline bool
UsesSacks(const std::string& scheme)
{
    ObjectFactory factory;
    return HpccPresets::Find(RdmaRecovery::GetTypeId(), scheme, factory) &&
           factory.Create<RdmaRecovery>()->UsesSacks();
}

/// Base class of the tests of a loss recovery scheme.
class RecoveryTestCase : public RdmaTestCase
{
  public:
    explicit RecoveryTestCase(const std::string& name)
        : RdmaTestCase(name)
    {
    }

  protected:
    /// @param name scheme of the hosts that are installed afterwards
    void Use(const std::string& name)
    {
        Fabric().SetHostAttribute("Recovery", StringValue(name));
    }

    /**
     * Sets an attribute of IRN for the hosts that are installed afterwards.
     * @param name name of the attribute
     * @param value value of the attribute
     */
    static void SetIrn(const std::string& name, const AttributeValue& value)
    {
        Config::SetDefault("ns3::RdmaIrn::" + name, value);
    }

    /// Returns the number of frames that all devices have dropped for @p reason.
    uint64_t GetDropsFor(DropReason reason)
    {
        uint64_t drops = 0;
        for (const auto& device : Fabric().GetDevices())
        {
            drops += device->GetDrops(reason);
        }
        return drops;
    }

    /// Removes the network, so that the case can build another network.
    void Again()
    {
        DoTeardown();
        m_acknowledged.clear();
        m_delivered.clear();
    }

    void DoTeardown() override
    {
        Config::Reset();
        RdmaTestCase::DoTeardown();
    }
};

} // namespace hpcctest

#endif // HPCC_TEST_RECOVERY_H
