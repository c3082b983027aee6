/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CARD_FORMAT_H
#define HPCC_CARD_FORMAT_H

#include "hpcc-fabric-helper.h"

#include "ns3/hpcc-telemetry-format.h"
#include "ns3/object.h"

#include <functional>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Make the telemetry format of cards that probe for ns-3's stack. What does not fit throws
 * HpccInputError.
 * @param fabric the network, installed
 * @param name short name of the format
 * @param card one of the cards; if a DSCP marks the format, it is the card's ProbeDscp
 * @param validate says in one line what else is wrong with a format; empty if nothing
 * @return the format
 */
Ptr<TelemetryFormat> MakeCardFormat(
    const HpccFabricHelper& fabric,
    const std::string& name,
    Ptr<Object> card,
    const std::function<std::string(const TelemetryFormat&)>& validate);

} // namespace ns3

#endif // HPCC_CARD_FORMAT_H
