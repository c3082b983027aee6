/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The smallest policy: each flow sends at half the line rate, whatever happens.

#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/rdma-congestion-ops.h"

using namespace ns3;

class RdmaHalf : public RdmaCongestionOpsBase<RdmaCongestionState>
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            HpccTypeId::Of<RdmaHalf, RdmaCongestionOps>("ns3::RdmaHalf").Presets("half");
        return tid;
    }

  private:
    void DoOpen(RdmaCongestionState& state, const RdmaFlowInfo& info, int64_t) override
    {
        state.rateBps = info.lineRateBps / 2.0;
    }
};

NS_OBJECT_ENSURE_REGISTERED(RdmaHalf);

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        HpccExperiment experiment("half", "Two flows to one host", "half");
        experiment.Parse(argc, argv);
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(3, {});
        scenario.flows = {{0, 2, 1000000, 0, 0, 0}, {1, 2, 1000000, 0, 0, 0}};
        experiment.Run(scenario);
    });
}
