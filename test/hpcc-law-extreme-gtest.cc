/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-law.h"

#include "ns3/hpcc-signal-request.h"

using namespace ns3;

// ---------------------------------------------------------------------------------------------
// Loads, and records of the bottleneck hop only

TEST_F(HpccLawTest, ALoadIsTheFirstTermAndTheSecond)
{
    Open();
    HopTelemetry border{};
    border.fields = IDS | TELEMETRY_LOAD;
    border.switchId = 9;
    border.portId = 77;
    border.load = 1.5;
    Ack({Hop(1, 1000, 0, 0), border}, 1000, 62500, 1000);
    EXPECT_EQ(law.GetOutcome().reset, HpccReset::FIRST_RECORD);
    const auto& outcome = Ack({Hop(1, 2000, 6250, 0), border}, 2000, 63500, 2500);
    EXPECT_DOUBLE_EQ(outcome.hopU[0], 0.5);
    EXPECT_EQ(outcome.hopU[1], 1.5);
    EXPECT_EQ(outcome.bottleneck, 1);
    EXPECT_EQ(outcome.portId, 77U);
    EXPECT_EQ(outcome.tauNs, 1500) << "the reader's clock";
    EXPECT_DOUBLE_EQ(flow.utilization, 0.7 * 1 + 0.3 * 1.5);
    EXPECT_EQ(law.GetSkippedHops(), 0U);
    border.portId = 78;
    EXPECT_EQ(Ack({Hop(1, 3000, 12500, 0), border}, 3000, 64500, 3500).reset,
              HpccReset::PATH_CHANGE)
        << "the tag stands for the path inside";
}

/// Tests acknowledgements that carry only one quantity of the bottleneck hop.
class HpccExtremeTest : public HpccLawTest
{
  protected:
    HpccExtremeTest()
    {
        format = {TELEMETRY_QUEUE_DELAY | TELEMETRY_UTILIZATION, 0, 0, false, true};
    }

    /// Passes an acknowledgement of 1000 further bytes, 1 us after the last one and in the same
    /// round.
    const HpccOutcome& Delay(double ns, uint32_t locator = 5)
    {
        HopTelemetry hop{};
        hop.fields = TELEMETRY_QUEUE_DELAY;
        hop.queueDelayNs = ns;
        hop.portId = locator;
        return Next(hop);
    }

    const HpccOutcome& Utilization(double utilization)
    {
        HopTelemetry hop{};
        hop.fields = TELEMETRY_UTILIZATION;
        hop.utilization = utilization;
        hop.portId = 5;
        return Next(hop);
    }

    const HpccOutcome& Next(const HopTelemetry& hop)
    {
        nowNs += 1000;
        ackSeq += 1000;
        return Ack({hop}, ackSeq, sndNxt, nowNs, idleNs);
    }

    /// Makes the next acknowledgement start a new round.
    void BeginRound()
    {
        ackSeq = sndNxt;
        sndNxt += 62500;
    }

    int64_t nowNs{0};
    int64_t idleNs{0};
    uint64_t ackSeq{0};
    uint64_t sndNxt{62500};
};

TEST_F(HpccExtremeTest, TheLoadIsTheLastQueueTermPlusTheLastUtilisation)
{
    Open();
    EXPECT_EQ(Utilization(0.9).reset, HpccReset::FIRST_RECORD);
    EXPECT_EQ(flow.lastUpdateSeq, 62500U);
    EXPECT_EQ(flow.windowBytes, W_INIT);
    EXPECT_DOUBLE_EQ(Delay(1000).u, 0.2 + 0.9);
    EXPECT_EQ(law.GetOutcome().branch, HpccBranch::FAST);
    EXPECT_EQ(law.GetOutcome().tauNs, 1000);
    EXPECT_DOUBLE_EQ(flow.utilization, 0.8 * 1 + 0.2 * 1.1);
    EXPECT_EQ(law.GetOutcome().portId, 5U);
    EXPECT_DOUBLE_EQ(Utilization(0.8).u, 0.2 + 0.8);
    EXPECT_DOUBLE_EQ(Delay(0).u, 0.8);
    EXPECT_EQ(flow.windowBytes, law.ComputeWind(flow, false));
    BeginRound();
    EXPECT_EQ(Utilization(0.7).branch, HpccBranch::COMMIT);
    EXPECT_EQ(flow.lastUpdateSeq, sndNxt);
}

TEST_F(HpccExtremeTest, TheSmallerOfTwoQueuesCountsOnlyAtOneLocator)
{
    Open();
    Utilization(0.9);
    Delay(1000);
    EXPECT_DOUBLE_EQ(Delay(2000).u, 0.2 + 0.9);
    EXPECT_DOUBLE_EQ(Delay(3000).u, 0.4 + 0.9)
        << "smaller than this is the last one, not the least";
    EXPECT_DOUBLE_EQ(Delay(4000, 6).u, 0.8 + 0.9) << "another hop's queue says nothing of this one";
    EXPECT_DOUBLE_EQ(Delay(500, 6).u, 0.1 + 0.9);
    parameters.queueFilter = HpccParameters::QUEUE_CURRENT;
    law.SetParameters(parameters);
    EXPECT_DOUBLE_EQ(Delay(2000, 6).u, 0.4 + 0.9);
}

TEST_F(HpccExtremeTest, ATermLivesThroughTheRoundAfterItsOwn)
{
    Open();
    Utilization(0.6);
    Delay(1000);
    BeginRound();
    EXPECT_DOUBLE_EQ(Delay(1000).u, 0.2 + 0.6);
    BeginRound();
    EXPECT_DOUBLE_EQ(Delay(1000).u, 0.2 + 1) << "two rounds old; a queue means a busy link";
    EXPECT_DOUBLE_EQ(Utilization(0.7).u, 0.2 + 0.7);
    BeginRound();
    EXPECT_DOUBLE_EQ(Utilization(0.7).u, 0.2 + 0.7);
    BeginRound();
    EXPECT_DOUBLE_EQ(Utilization(0.7).u, 0.7) << "a queue two rounds ago is none";
    EXPECT_DOUBLE_EQ(Delay(4000).u, 0.8 + 0.7) << "nor is it what to take the smaller one with";
}

TEST_F(HpccExtremeTest, WithoutAQueueAMissingUtilisationMeasuresNothingUntilItComes)
{
    Open();
    Delay(0);
    EXPECT_EQ(Delay(0).branch, HpccBranch::NONE);
    EXPECT_EQ(Delay(0).branch, HpccBranch::NONE);
    EXPECT_EQ(flow.utilization, 1);
    EXPECT_EQ(Utilization(0.5).u, 0.5);
    EXPECT_EQ(law.GetOutcome().tauNs, 3000) << "the time since the last measurement";
    EXPECT_DOUBLE_EQ(flow.utilization, 0.4 * 1 + 0.6 * 0.5);
}

TEST_F(HpccExtremeTest, TheSenderAsksForTheQueueWhileThereIsOneAndEveryFourthTimeForTheOther)
{
    Open();
    auto four = [this] {
        std::string asked;
        for (int i = 0; i < 8; ++i)
        {
            asked += HpccSignalRequest::WantedSignal(flow) == TELEMETRY_QUEUE_DELAY ? 'q' : 'u';
            HpccSignalRequest::NoteSent(flow);
        }
        return asked;
    };
    EXPECT_EQ(four(), "uuuquuuq");
    Delay(100);
    EXPECT_EQ(four(), "qqquqqqu");
    Utilization(0.9);
    EXPECT_EQ(four(), "qqquqqqu");
    Delay(0);
    EXPECT_EQ(four(), "uuuquuuq");
}

TEST_F(HpccExtremeTest, TheOnlyPacketOfARoundAsksInTurnAndOnceMoreForAQueueWhateverComesAndGoes)
{
    auto asked = [this](const std::string& queued) {
        flow = HpccFlow();
        Open();
        std::string wanted;
        for (char found : queued)
        {
            const bool queue =
                HpccSignalRequest::AskNext(flow, format, true) == TELEMETRY_QUEUE_DELAY;
            wanted += queue ? 'q' : 'u';
            queue ? Delay(found == '1' ? 100 : 0) : Utilization(0.9);
        }
        return wanted;
    };
    EXPECT_EQ(asked("00000000"), "ququququ");
    EXPECT_EQ(asked("11111111"), "qquqquqq");
    EXPECT_EQ(asked("10101010"), "qquququq");
    EXPECT_EQ(asked("01010101"), "ququququ");
}

TEST_F(HpccExtremeTest,
       WhereFewRecordsComeBackTheSignalsTakeTurnsButAnIdleLinkIsNotAskedForItsQueue)
{
    Open();
    auto asked = [this](uint32_t packetsPerRecord) {
        flow.extreme.packetsPerRecord = packetsPerRecord;
        flow.extreme.packets = 0;
        flow.extreme.delaysAsked = 0;
        std::string wanted;
        for (int i = 0; i < 12; ++i)
        {
            wanted += HpccSignalRequest::WantedSignal(flow) == TELEMETRY_QUEUE_DELAY ? 'q' : 'u';
            HpccSignalRequest::NoteSent(flow);
        }
        return wanted;
    };
    EXPECT_EQ(asked(1), "ququququququ");
    EXPECT_EQ(asked(3), "qqquuuqqquuu") << "packets for one record ask the same";
    Utilization(0.9);
    EXPECT_EQ(asked(1), "uuuuuuuuuuuu");
    Utilization(0.95);
    EXPECT_EQ(asked(1), "ququququququ") << "from eta on there may be a queue";
    Utilization(0.9);
    Delay(100);
    EXPECT_EQ(asked(1), "ququququququ");
    Delay(0);
    EXPECT_EQ(asked(1), "uuuuuuuuuuuu");
    parameters.eta = 0.85;
    law.SetParameters(parameters);
    Utilization(0.9);
    EXPECT_EQ(asked(1), "ququququququ");
}

TEST_F(HpccExtremeTest, WhereFewRecordsComeBackATermLivesForTOrUntilItIsAnswered)
{
    Open();
    flow.extreme.packetsPerRecord = 1;
    Utilization(0.9);
    EXPECT_DOUBLE_EQ(Delay(1000).u, 0.2 + 0.9);
    nowNs += 5000;
    EXPECT_DOUBLE_EQ(Delay(3000).u, 0.6 + 1) << "the utilisation is older than T, so is the queue";
    nowNs += 5000;
    EXPECT_DOUBLE_EQ(Utilization(0.8).u, 0.8) << "a link with room has no queue";
    nowNs += 5000;
    EXPECT_EQ(Delay(0).branch, HpccBranch::NONE) << "no queue and no utilisation tell nothing";
    nowNs += 5000;
    EXPECT_DOUBLE_EQ(Delay(2000).u, 0.4 + 1);
    EXPECT_EQ(law.GetOutcome().branch, HpccBranch::FAST);
    nowNs += 5000;
    EXPECT_DOUBLE_EQ(Utilization(0.97).u, 0.4 + 0.97) << "no commit has answered the queue";
    BeginRound();
    nowNs += 5000;
    EXPECT_DOUBLE_EQ(Utilization(0.97).u, 0.4 + 0.97);
    EXPECT_EQ(law.GetOutcome().branch, HpccBranch::COMMIT);
    nowNs += 5000;
    EXPECT_DOUBLE_EQ(Utilization(0.97).u, 0.97) << "one has";
}

TEST_F(HpccExtremeTest, AnotherPathATimeoutARestartAndAnIdleGapDropBothTerms)
{
    for (auto reason :
         {HpccReset::PATH_CHANGE, HpccReset::TIMEOUT, HpccReset::IDLE_GAP, HpccReset::FIRST_RECORD})
    {
        SCOPED_TRACE(static_cast<int>(reason));
        Open();
        Utilization(0.9);
        Delay(1000);
        flow.incStage = 2;
        const double before = flow.utilization;
        if (reason == HpccReset::PATH_CHANGE)
        {
            law.ChangePath(flow);
        }
        else if (reason == HpccReset::TIMEOUT)
        {
            law.Rollback(flow, 62500, true);
        }
        else if (reason == HpccReset::FIRST_RECORD)
        {
            Open();
        }
        idleNs = reason == HpccReset::IDLE_GAP ? 5001 : 0;
        EXPECT_EQ(Delay(0).reset, reason);
        EXPECT_EQ(law.GetOutcome().branch, HpccBranch::NONE);
        idleNs = 0;
        EXPECT_EQ(HpccSignalRequest::WantedSignal(flow), TELEMETRY_UTILIZATION);
        const bool fresh = reason == HpccReset::PATH_CHANGE || reason == HpccReset::FIRST_RECORD;
        EXPECT_EQ(flow.utilization, fresh ? 1 : before);
        EXPECT_EQ(flow.incStage, fresh ? 0U : 2U);
        EXPECT_EQ(Delay(500).u, 0.1 + 1) << "the utilisation of before is gone";
    }
}

TEST_F(HpccExtremeTest, AChangeOfPathMakesStackedRecordsFirstOnesToo)
{
    format = {IDS | COUNTERS, 0, 0, false};
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    law.ChangePath(flow);
    EXPECT_EQ(Ack({Hop(1, 2000, 6250, 0)}, 2000, 63500).reset, HpccReset::PATH_CHANGE);
    EXPECT_EQ(Ack({Hop(1, 3000, 12500, 0)}, 3000, 64500).reset, HpccReset::NONE);
}

TEST_F(HpccExtremeTest, AnEstimatingFirstQueueCommitsOnePlusItsTerm)
{
    parameters.firstSample = HpccParameters::FIRST_ESTIMATE;
    Open();
    EXPECT_EQ(Delay(15000).branch, HpccBranch::COMMIT);
    EXPECT_DOUBLE_EQ(flow.utilization, 4);
    EXPECT_DOUBLE_EQ(flow.referenceBytes, 62500 / (4 / 0.95) + 31.25);
}

TEST_F(HpccExtremeTest, ARecordOfNeitherQuantityOrOfTheSameInstantChangesNothing)
{
    Open();
    Utilization(0.9);
    HopTelemetry none{};
    EXPECT_EQ(Next(none).branch, HpccBranch::NONE);
    EXPECT_EQ(law.GetSkippedHops(), 1U);
    nowNs -= 2000;
    EXPECT_EQ(Delay(10000).branch, HpccBranch::NONE);
    EXPECT_EQ(Utilization(0.9).u, 0.9);
}
