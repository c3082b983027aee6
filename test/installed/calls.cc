/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/rdma-host.h"

/**
 * Calls public functions that pass pointers to classes of this module. It is compiled, but not run.
 * @param experiment a program
 * @param fabric its network
 * @param host a host
 * @return true if the simulation is shared
 */
bool
CallFunctionsOfPrivateTypes(const ns3::HpccExperiment& experiment,
                            ns3::HpccFabricHelper& fabric,
                            ns3::RdmaHost& host)
{
    fabric.SetRanks(nullptr, {});
    const auto inventory = ns3::Create<ns3::TelemetryInventory>();
    inventory->Add(0, 0, 100000000000);
    host.SetInventory(inventory);
    host.SetInventory(0, fabric.GetInventory(0));
    return fabric.GetRanks() != nullptr || experiment.GetRanks() != nullptr;
}
