/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-card-format.h"

#include "ns3/hpcc-presets.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

namespace ns3
{

Ptr<TelemetryFormat>
MakeCardFormat(const HpccFabricHelper& fabric,
               const std::string& name,
               Ptr<Object> card,
               const std::function<std::string(const TelemetryFormat&)>& validate)
{
    HpccFabricHelper::PolicySpec spec;
    spec.telemetryName = name;
    ObjectFactory factory;
    if (!HpccPresets::Find(TelemetryFormat::GetTypeId(), name, factory))
    {
        throw HpccInputError("--telemetry: unknown format \"" + name +
                             "\"; choices: " + HpccPresets::Choices(TelemetryFormat::GetTypeId()));
    }
    spec.format = factory.Create<TelemetryFormat>();
    const std::string why = validate(*spec.format);
    if (!why.empty())
    {
        throw HpccInputError(why);
    }
    if (spec.format->GetMarking().dscp >= 0)
    {
        UintegerValue dscp;
        card->GetAttribute("ProbeDscp", dscp);
        spec.format->SetAttribute("Dscp", dscp);
    }
    fabric.CheckFormat(spec);
    return spec.format;
}

} // namespace ns3
