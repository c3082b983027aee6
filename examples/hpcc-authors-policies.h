/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_AUTHORS_POLICIES_H
#define HPCC_AUTHORS_POLICIES_H

#include "ns3/boolean.h"
#include "ns3/hpcc-authors-config.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <iomanip>
#include <sstream>
#include <string>

namespace ns3
{

/**
 * @param config a config of the HPCC authors' simulator
 * @return the policy that its CC_MODE stands for, with its parameters; what is not supported throws
 * HpccInputError
 */
inline HpccFabricHelper::PolicySpec
MakeAuthorsPolicy(const HpccAuthorsConfig& config)
{
    auto text = [](double value) {
        std::ostringstream out;
        out << std::setprecision(15) << value;
        return StringValue(out.str());
    };
    auto microseconds = [&](const std::string& key, double fallback) {
        return TimeValue(NanoSeconds(static_cast<int64_t>(config.GetNumber(key, fallback) * 1000)));
    };
    auto mode = static_cast<int>(config.GetNumber("CC_MODE", 1));
    bool window = config.GetNumber("HAS_WIN", 0) != 0;
    DataRate minRate = config.GetRate("MIN_RATE", "100Mb/s");
    if (mode == 3)
    {
        if (!window || config.GetNumber("VAR_WIN", 1) == 0)
        {
            config.Refuse("HAS_WIN", "and VAR_WIN must be 1 with CC_MODE 3");
        }
        auto spec = HpccFabricHelper::MakePolicy("hpcc:authors", "sigcomm19:authors");
        spec.format->SetAttribute(
            "UnitMultiplier",
            UintegerValue(static_cast<uint64_t>(config.GetNumber("INT_MULTI", 1))));
        spec.policy.Set("Eta", text(config.GetNumber("U_TARGET", 0.95)));
        spec.policy.Set("MaxStage", text(config.GetNumber("MI_THRESH", 5)));
        double rateAi = static_cast<double>(config.GetRate("RATE_AI", "5Mb/s").GetBitRate());
        spec.policy.Set("Wai", text(rateAi * static_cast<double>(config.GetMaxBaseRttNs()) / 8e9));
        spec.policy.Set("MinRate", DataRateValue(minRate));
        if (config.GetNumber("FAST_REACT", 1) == 0)
        {
            spec.policy.Set("Reaction", StringValue("PerRtt"));
        }
        return spec;
    }
    if (mode == 1)
    {
        if (window)
        {
            config.Refuse("HAS_WIN", "1 is not supported with CC_MODE 1; only 0");
        }
        auto spec = HpccFabricHelper::MakePolicy("dcqcn:authors");
        spec.policy.Set("AlphaInterval", microseconds("ALPHA_RESUME_INTERVAL", 55));
        spec.policy.Set("DecreaseInterval", microseconds("RATE_DECREASE_INTERVAL", 4));
        spec.policy.Set("IncreaseInterval", microseconds("RP_TIMER", 1500));
        spec.policy.Set("Gain", text(config.GetNumber("EWMA_GAIN", 0.0625)));
        spec.policy.Set("FastRecoverySteps", text(config.GetNumber("FAST_RECOVERY_TIMES", 5)));
        spec.policy.Set("ClampTargetRate",
                        BooleanValue(config.GetNumber("CLAMP_TARGET_RATE", 0) != 0));
        spec.policy.Set("RateAi", DataRateValue(config.GetRate("RATE_AI", "5Mb/s")));
        spec.policy.Set("RateHai", DataRateValue(config.GetRate("RATE_HAI", "50Mb/s")));
        spec.policy.Set("ReferenceRate", DataRateValue(DataRate(0)));
        spec.policy.Set("MinRate", DataRateValue(minRate));
        return spec;
    }
    config.Refuse("CC_MODE", std::to_string(mode) + " is not supported; 1 is DCQCN, 3 is HPCC");
}

/**
 * Host attributes that depend on CC_MODE: that simulator re-times the pending packet for HPCC, not
 * for DCQCN.
 * @param config the config
 * @param fabric before Install()
 */
inline void
ConfigureAuthorsHosts(const HpccAuthorsConfig& config, HpccFabricHelper& fabric)
{
    fabric.SetHostAttribute("RetimePending", BooleanValue(config.GetNumber("CC_MODE", 1) == 3));
}

} // namespace ns3

#endif // HPCC_AUTHORS_POLICIES_H
