/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DESTINATION_PATHS_H
#define DESTINATION_PATHS_H

#include "ns3/hpcc-path-selector.h"

/**
 * Example of a user-defined path selector. Like d-mod-k routing, it chooses the path of a packet
 * only by the destination. Therefore all flows to a host pass the same spine.
 */
class DestinationPaths : public ns3::PathSelector
{
  public:
    static ns3::TypeId GetTypeId();

    uint32_t Select(const ns3::Frame& frame,
                    const ns3::EcmpTable::Choices& choices,
                    const std::vector<ns3::QbbNetDevice*>& ports,
                    int64_t nowNs) override;
    ns3::Multipath GetMultipath() const override;
};

#endif // DESTINATION_PATHS_H
