/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_AUTHORS_POLICIES_H
#define HPCC_AUTHORS_POLICIES_H

#include "hpcc-authors-config.h"
#include "hpcc-authors-run.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/hpcc-attribute-defaults.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/rdma-windowed.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <string>

namespace ns3
{

/**
 * Returns the CC_MODE of a config, which selects the congestion control.
 * @param config a config of the HPCC authors' simulator
 * @return 1, 3, 7, 8 or 10; throws HpccInputError for another value
 */
inline int
GetAuthorsMode(const HpccAuthorsConfig& config)
{
    const double mode = config.GetNumber("CC_MODE", 1);
    if (mode != 1 && mode != 3 && mode != 7 && mode != 8 && mode != 10)
    {
        config.Refuse("CC_MODE",
                      config.GetText("CC_MODE") +
                          " is not supported; 1 is DCQCN, 3 HPCC, 7 TIMELY, 8 DCTCP, 10 "
                          "HPCC-PINT");
    }
    return static_cast<int>(mode);
}

/**
 * Returns the short name of the policy for a config's CC_MODE.
 * @param config a config of the HPCC authors' simulator
 * @return the short name; throws HpccInputError for an unsupported CC_MODE
 */
inline std::string
GetAuthorsPolicyName(const HpccAuthorsConfig& config)
{
    const int mode = GetAuthorsMode(config);
    const bool window = config.GetFlag("HAS_WIN", true);
    if (window && !config.GetFlag("VAR_WIN", false))
    {
        config.Refuse("VAR_WIN", "must be 1 with HAS_WIN 1, the default");
    }
    if ((mode == 3 || mode == 8 || mode == 10) && !window)
    {
        config.Refuse("HAS_WIN", "must be 1 with CC_MODE " + std::to_string(mode));
    }
    switch (mode)
    {
    case 1:
        return window ? "dcqcn:authors+win" : "dcqcn:authors";
    case 3:
        return "hpcc:authors";
    case 7:
        return window ? "timely:authors+win" : "timely:authors";
    case 8:
        return "dctcp:authors";
    default:
        return "hpcc-pint:authors";
    }
}

/**
 * Sets those parameters of a config that apply only to HPCC.
 * @param config a config of the HPCC authors' simulator
 * @param policy factory of HPCC
 * @param format telemetry format of HPCC
 */
inline void
SetAuthorsHpcc(const HpccAuthorsConfig& config, ObjectFactory& policy, TelemetryFormat& format)
{
    format.SetAttribute("UnitMultiplier", UintegerValue(config.GetWhole("INT_MULTI", 1, 1, 4096)));
    policy.Set("PerHop", BooleanValue(config.GetFlag("MULTI_RATE", true)));
    const bool samples = config.GetFlag("SAMPLE_FEEDBACK", false);
    if (config.GetFlag("FAST_REACT", true))
    {
        policy.Set("SkipEmptyHops", BooleanValue(samples));
    }
    else
    {
        policy.Set("Reaction", StringValue("RttSample"));
    }
}

/**
 * Sets those parameters of a config that apply only to HPCC-PINT.
 * @param config a config of the HPCC authors' simulator
 * @param format telemetry format of HPCC-PINT
 */
inline void
SetAuthorsPint(const HpccAuthorsConfig& config, TelemetryFormat& format)
{
    const double base = config.GetNumber("PINT_LOG_BASE", 1.05);
    if (!(base >= 1.0002 && base <= 2))
    {
        config.Refuse("PINT_LOG_BASE", config.GetText("PINT_LOG_BASE") + " is outside 1.0002 to 2");
    }
    const double probability = config.GetNumber("PINT_PROB", 1);
    if (!(probability > 0 && probability <= 1))
    {
        config.Refuse("PINT_PROB", config.GetText("PINT_PROB") + " is not above 0 and at most 1");
    }
    const auto& flows = config.GetFlows();
    const auto rttOf = [&config](const HpccAuthorsConfig::Flow& flow) {
        return config.GetBaseRttNs(flow.source, flow.destination);
    };
    if (!config.GetFlag("GLOBAL_T", true) &&
        std::any_of(flows.begin(), flows.end(), [&rttOf, &flows](const auto& flow) {
            return rttOf(flow) != rttOf(flows.front());
        }))
    {
        // Refuse different base RTTs, because all switches average the load over the same T.
        config.Refuse("GLOBAL_T", "must be 1 with CC_MODE 10 if the base RTTs of flows differ");
    }
    format.SetAttribute("LogBase", DoubleValue(base));
    format.SetAttribute("Probability", DoubleValue(probability));
}

/// Sets attributes of a policy to values of a config.
struct HpccAuthorsPolicySetter
{
    const HpccAuthorsConfig& config; ///< a config of the HPCC authors' simulator
    ObjectFactory& policy;           ///< the policy
    DataRate rateAi;                 ///< RATE_AI of the config
    DataRate rateHai;                ///< RATE_HAI of the config

    /// Returns a number as text.
    static StringValue TextOf(double value)
    {
        std::ostringstream out;
        out << std::setprecision(15) << value;
        return StringValue(out.str());
    }

    /// Throws HpccInputError if an attribute does not allow the value of a key.
    void Check(const char* attribute, const std::string& key, const std::string& value) const
    {
        TypeId::AttributeInformation info;
        policy.GetTypeId().LookupAttributeByName(attribute, &info);
        ReadAttribute(config.NameOf(key), info.checker, value);
    }

    /// Sets an attribute to the value of a numeric key.
    void SetNumber(const char* attribute, const std::string& key, double fallback) const
    {
        const StringValue value = TextOf(config.GetNumber(key, fallback));
        Check(attribute, key, value.Get());
        policy.Set(attribute, value);
    }

    /// Sets an attribute to the value of a key that is a time in us.
    void SetMicroseconds(const char* attribute, const std::string& key, double fallback) const
    {
        const double number = config.GetNumber(key, fallback);
        if (!(number >= 0 && number <= 9e15))
        {
            config.Refuse(key, config.GetText(key) + " is outside 0 to 9000000000000000 us");
        }
        const auto ns = static_cast<int64_t>(number * 1000);
        Check(attribute, key, std::to_string(ns) + "ns");
        policy.Set(attribute, TimeValue(NanoSeconds(ns)));
    }

    /// Sets the attributes of DCQCN.
    void SetDcqcn() const
    {
        SetMicroseconds("AlphaInterval", "ALPHA_RESUME_INTERVAL", 55);
        SetMicroseconds("DecreaseInterval", "RATE_DECREASE_INTERVAL", 4);
        SetMicroseconds("IncreaseInterval", "RP_TIMER", 1500);
        SetNumber("Gain", "EWMA_GAIN", 0.0625);
        SetNumber("FastRecoverySteps", "FAST_RECOVERY_TIMES", 5);
        policy.Set("ClampTargetRate", BooleanValue(config.GetFlag("CLAMP_TARGET_RATE", false)));
        policy.Set("RateAi", DataRateValue(rateAi));
        policy.Set("RateHai", DataRateValue(rateHai));
        policy.Set("ReferenceRate", DataRateValue(DataRate(0)));
    }

    /// Sets the attributes of TIMELY.
    void SetTimely() const
    {
        if (rateAi.GetBitRate() == 0 || rateHai < rateAi)
        {
            config.Refuse("RATE_HAI", "must be at least RATE_AI, and that above 0, with CC_MODE 7");
        }
        policy.Set("Delta", DataRateValue(rateAi));
        policy.Set("HyperFactor",
                   TextOf(static_cast<double>(rateHai.GetBitRate()) /
                          static_cast<double>(rateAi.GetBitRate())));
        policy.Set("ReferenceRate", DataRateValue(DataRate(0)));
    }
};

/**
 * Returns the policy for a config's CC_MODE, with the parameters of the config.
 * @param config a config of the HPCC authors' simulator
 * @return the policy; throws HpccInputError for an unsupported value
 */
inline HpccFabricHelper::PolicySpec
MakeAuthorsPolicy(const HpccAuthorsConfig& config)
{
    const int mode = GetAuthorsMode(config);
    auto name = GetAuthorsPolicyName(config);
    const DataRate rateAi = config.GetRate("RATE_AI", "5Mb/s");
    const DataRate rateHai = config.GetRate("RATE_HAI", "50Mb/s");
    auto spec = HpccFabricHelper::MakePolicy(name,
                                             mode == 3    ? "sigcomm19:authors"
                                             : mode == 10 ? "pint:authors"
                                                          : "");
    ObjectFactory policy = spec.policy;
    const bool wrapped = policy.GetTypeId() == RdmaWindowed::GetTypeId();
    if (wrapped)
    {
        policy = HpccFabricHelper::MakePolicy(name.substr(0, name.rfind('+'))).policy;
    }
    const HpccAuthorsPolicySetter setter{config, policy, rateAi, rateHai};
    policy.Set("MinRate", DataRateValue(config.GetRate("MIN_RATE", "100Mb/s")));
    if (mode == 1)
    {
        setter.SetDcqcn();
    }
    else if (mode == 3 || mode == 10)
    {
        setter.SetNumber("Eta", "U_TARGET", 0.95);
        setter.SetNumber("MaxStage", "MI_THRESH", 5);
        policy.Set("RateAi", DataRateValue(rateAi));
        if (mode == 3)
        {
            SetAuthorsHpcc(config, policy, *spec.format);
        }
        else
        {
            SetAuthorsPint(config, *spec.format);
        }
    }
    else if (mode == 7)
    {
        setter.SetTimely();
    }
    else
    {
        setter.SetNumber("Gain", "EWMA_GAIN", 0.0625);
        policy.Set("RateAi", DataRateValue(config.GetRate("DCTCP_RATE_AI", "1000Mb/s")));
    }
    if (wrapped)
    {
        spec.policy.Set("Policy", ObjectFactoryValue(policy));
    }
    else
    {
        spec.policy = policy;
    }
    return spec;
}

/**
 * Sets host attributes that depend on CC_MODE and RATE_BOUND. These reproduce two properties of the
 * authors' simulator. First, after a rate change, that simulator changes the send time of a waiting
 * packet only with HPCC and HPCC-PINT. Second, with TIMELY, its packets carry a timestamp of 8
 * bytes.
 * @param config the config
 * @param fabric the network before Install()
 */
inline void
ConfigureAuthorsHosts(const HpccAuthorsConfig& config, HpccFabricHelper& fabric)
{
    const int mode = GetAuthorsMode(config);
    fabric.SetHostAttribute("RetimePending", BooleanValue(mode == 3 || mode == 10));
    fabric.SetHostAttribute("PaceByRate", BooleanValue(config.GetFlag("RATE_BOUND", true)));
    fabric.SetHostAttribute("AuthorsHeaderBytes", UintegerValue(mode == 7 ? 56 : 48));
}

/**
 * Chooses the order in which a node handles frames that arrive in the same nanosecond. The choice
 * depends on CC_MODE and approximates the order in the authors' simulator.
 *
 * For policies without random marks, this order has a lasting effect. For example, if two HPCC
 * flows share a link, the flow whose frames are handled first gets 53 of 95 Gb/s until one of the
 * flows ends. In the authors' simulator, this is the flow on the later link of the topology file.
 * With DCQCN, random marks give such flows equal rates. More runs of DCQCN agree with the authors'
 * simulator if the frames of earlier links are handled first.
 * @param config the config
 * @param run the run before MakeScenario()
 */
inline void
ConfigureAuthorsRun(const HpccAuthorsConfig& config, HpccAuthorsRun& run)
{
    run.SetLaterLinksFirst(GetAuthorsMode(config) != 1);
}

} // namespace ns3

#endif // HPCC_AUTHORS_POLICIES_H
