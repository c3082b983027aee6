/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_STAR_REFUSALS_H
#define HPCC_TEST_STAR_REFUSALS_H

#include "hpcc-test-refusal.h"

#include "ns3/hpcc-fabric-helper.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace hpcctest
{

const ns3::HpccTopology::LinkSpeeds FAST{ns3::DataRate("100Gbps"),
                                         ns3::DataRate("100Gbps"),
                                         ns3::MicroSeconds(1)};

/// Fixture of tests of calls that are refused with a message of one line. The network is built when
/// Fabric() is first called.
class StarRefusals : public testing::Test
{
  protected:
    ~StarRefusals() override
    {
        ns3::Simulator::Destroy();
    }

    /// @return a star with hosts 0 and 1 and switch 2
    ns3::HpccFabricHelper& Fabric()
    {
        if (m_fabric.GetNodes().GetN() == 0)
        {
            m_fabric.Install(ns3::HpccTopology::Star(2, FAST));
        }
        return m_fabric;
    }

    /**
     * Expects that a line contains several texts.
     * @param said line to check
     * @param parts the texts, in order
     */
    static void Expect(const std::string& said, const std::vector<std::string>& parts)
    {
        size_t from = 0;
        for (const auto& part : parts)
        {
            const size_t at = said.find(part, from);
            EXPECT_NE(at, std::string::npos) << "no \"" << part << "\" in: " << said;
            from = at == std::string::npos ? from : at;
        }
        EXPECT_EQ(said.find('\n'), std::string::npos);
    }

  private:
    ns3::HpccFabricHelper m_fabric; ///< the network
};

} // namespace hpcctest

#endif // HPCC_TEST_STAR_REFUSALS_H
