/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests three variants of DCQCN step by step: the paper, its authors' simulator, and a vendor's
// implementation.

#include "hpcc-test-policies.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-dcqcn.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

/// A queue pair that runs the timer of its policy as a sender does.
class QueuePair : public PolicyQueuePair
{
  public:
    QueuePair(const Ptr<RdmaCongestionOps>& ops, uint64_t lineRateBps = LINE_RATE)
        : PolicyQueuePair(ops, {7, lineRateBps, 1000, 90, 0, 0})
    {
    }

    void RunUntil(int64_t nowNs)
    {
        while (m_state->timerNs <= nowNs)
        {
            const int64_t due = m_state->timerNs;
            m_ops->OnTimer(m_state, due);
            ASSERT_GT(m_state->timerNs, due);
            ++m_timers;
        }
    }

    void Cnp(int64_t nowNs)
    {
        RunUntil(nowNs);
        m_ops->OnCongestionMessage(m_state, {nowNs});
    }

    void Echo(int64_t nowNs)
    {
        RunUntil(nowNs);
        RdmaAckInfo ack = EmptyAck(nowNs);
        ack.congestionExperienced = true;
        m_ops->OnAck(m_state, ack);
    }

    void Sent(int64_t nowNs, uint32_t wireBytes)
    {
        RunUntil(nowNs);
        m_ops->OnSent(m_state, {nowNs, wireBytes, 0});
    }

    const RdmaDcqcnState& Dcqcn() const
    {
        return *static_cast<const RdmaDcqcnState*>(m_state);
    }

    double TargetGbps() const
    {
        return Dcqcn().targetBps / 1e9;
    }

    int Timers() const
    {
        return m_timers;
    }

  private:
    int m_timers{0};
};

} // namespace

TEST(RdmaDcqcnTest, AFlowStartsAtLineRateWithoutAWindowOrATimer)
{
    for (const std::string name : {"dcqcn", "dcqcn:authors", "dcqcn:vendor", "dcqcn:paper"})
    {
        auto ops = Make(name);
        EXPECT_EQ(ops->Describe(nullptr).ecn, RdmaPolicyDescription::ECT0);
        EXPECT_TRUE(ops->Describe(nullptr).cnps);
        EXPECT_EQ(ops->Describe(nullptr).sentPackets, name == "dcqcn:paper");
        EXPECT_EQ(ops->Validate(0, nullptr), "");
        QueuePair qp(ops);
        EXPECT_EQ(qp.Gbps(), 100);
        EXPECT_EQ(qp.State()->windowBytes, std::numeric_limits<double>::infinity());
        EXPECT_EQ(qp.State()->timerNs, NEVER);
    }
}

TEST(RdmaDcqcnTest, ThePapersFirstCnpHalvesTheRateAtOnceAndTheNextUsesTheNewAlpha)
{
    // According to SIGCOMM 2015, a CNP sets Rt = Rc, Rc = Rc (1 - alpha/2) and alpha = (1 - g)
    // alpha + g. Initially alpha is 1.
    QueuePair qp(Make("dcqcn:paper"), 40'000'000'000);
    qp.Cnp(100 * US);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 20);
    EXPECT_DOUBLE_EQ(qp.TargetGbps(), 40);
    EXPECT_DOUBLE_EQ(qp.Dcqcn().alpha, 1);
    qp.Cnp(150 * US);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 10);
    EXPECT_DOUBLE_EQ(qp.TargetGbps(), 20);
}

TEST(RdmaDcqcnTest, ThePapersAlphaDecaysByGEach55UsWithoutACnp)
{
    QueuePair qp(Make("dcqcn:paper"), 40'000'000'000);
    const double g = 1.0 / 256;
    qp.Cnp(0);
    qp.RunUntil(1000 * US);
    const double before = qp.Gbps();
    qp.Cnp(1000 * US); // 18 intervals of 55 us have passed.
    const double alpha = std::pow(1 - g, 18);
    EXPECT_NEAR(qp.Gbps(), before * (1 - alpha / 2), 1e-9);
    EXPECT_NEAR(qp.Dcqcn().alpha, (1 - g) * alpha + g, 1e-12);
    EXPECT_NEAR(qp.TargetGbps(), before, 1e-9);
}

TEST(RdmaDcqcnTest, ThePapersTimerAloneRecoversFiveTimesThenAddsAndNeverHyperIncreases)
{
    // F is 5. In each of the first five steps, Rc moves half way to Rt. Then Rt increases by 40
    // Mb/s per step, because min(T, BC) stays 0.
    auto ops = Make("dcqcn:paper");
    QueuePair qp(ops, 100'000'000'000);
    ops->SetAttribute("ClampTargetRate", BooleanValue(true));
    qp.Cnp(0);
    qp.Cnp(50 * US);
    double rate = 25;
    double target = 50;
    for (int step = 1; step <= 12; ++step)
    {
        qp.RunUntil(50 * US + step * 55 * US - 1);
        EXPECT_NEAR(qp.Gbps(), rate, 1e-9) << step;
        qp.RunUntil(50 * US + step * 55 * US);
        target += step > 5 ? 0.040 : 0;
        rate = (rate + target) / 2;
        EXPECT_NEAR(qp.Gbps(), rate, 1e-9) << step;
        EXPECT_NEAR(qp.TargetGbps(), target, 1e-9) << step;
    }
}

TEST(RdmaDcqcnTest, ThePapersByteCounterStepsEach10MbAndBothCountersBeyondFHyperIncrease)
{
    QueuePair qp(Make("dcqcn:paper"), 100'000'000'000);
    qp.Sent(0, 20'000'000); // Bytes sent before the first CNP are not counted.
    EXPECT_EQ(qp.Gbps(), 100);
    qp.Cnp(0);
    qp.Cnp(50 * US);
    qp.Sent(51 * US, 9'999'999);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 25);
    qp.Sent(51 * US, 1);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 37.5);
    EXPECT_EQ(qp.Dcqcn().byteSteps, 1U);
    qp.Sent(51 * US, 50'000'000); // four more steps of fast recovery, one additive step
    EXPECT_EQ(qp.Dcqcn().byteSteps, 6U);
    EXPECT_NEAR(qp.TargetGbps(), 50.040, 1e-9);
    qp.RunUntil(50 * US + 6 * 55 * US); // before these steps T is 0 to 5, so they are additive
    EXPECT_EQ(qp.Dcqcn().timerSteps, 6U);
    EXPECT_NEAR(qp.TargetGbps(), 50.040 + 6 * 0.040, 1e-9);
    qp.RunUntil(50 * US + 7 * 55 * US); // min(6, 6) - 5 = 1 time R_HAI
    EXPECT_NEAR(qp.TargetGbps(), 50.280 + 0.200, 1e-9);
    qp.Sent(50 * US + 7 * 55 * US, 10'000'000); // min(7, 6) - 5 = 1
    qp.Sent(50 * US + 7 * 55 * US, 10'000'000); // min(7, 7) - 5 = 2
    EXPECT_NEAR(qp.TargetGbps(), 50.480 + 0.200 + 0.400, 1e-9);
}

TEST(RdmaDcqcnTest, ThePapersCnpRestartsTimerBytesAndSteps)
{
    QueuePair qp(Make("dcqcn:paper"), 100'000'000'000);
    qp.Cnp(0);
    qp.Sent(1000, 9'000'000);
    qp.RunUntil(110 * US);
    EXPECT_EQ(qp.Dcqcn().timerSteps, 2U);
    qp.Cnp(120 * US);
    EXPECT_EQ(qp.Dcqcn().timerSteps, 0U);
    EXPECT_EQ(qp.Dcqcn().sentBytes, 0U);
    EXPECT_EQ(qp.State()->timerNs, 175 * US);
}

TEST(RdmaDcqcnTest, ThePapersEchoesCountOncePer50UsWhileCnpsAlwaysDo)
{
    QueuePair qp(Make("dcqcn:paper"), 40'000'000'000);
    qp.Echo(0);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 20);
    qp.Echo(49 * US);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 20);
    qp.Cnp(49 * US);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 10);
    qp.Echo(50 * US);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 10);
    qp.Echo(99 * US);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 5);
}

TEST(RdmaDcqcnTest, TheAuthorsFirstCnpKeepsTheRateAndCutsOneNsAfterTheFourthAlpha)
{
    // alpha is 1 when the CNP arrives. After four updates without another CNP it is (1 - g)^4.
    QueuePair qp(Make("dcqcn:authors"));
    const double g = 1.0 / 256;
    qp.Cnp(100 * US);
    EXPECT_EQ(qp.Gbps(), 100);
    EXPECT_EQ(qp.State()->timerNs, 104 * US + 1);
    qp.RunUntil(104 * US);
    EXPECT_EQ(qp.Gbps(), 100);
    qp.RunUntil(104 * US + 1);
    EXPECT_NEAR(qp.Gbps(), 100 * (1 - std::pow(1 - g, 4) / 2), 1e-9);
    EXPECT_NEAR(qp.Dcqcn().alpha, std::pow(1 - g, 4), 1e-12);
    EXPECT_EQ(qp.TargetGbps(), 100);
    EXPECT_EQ(qp.State()->timerNs, 404 * US + 1);
}

TEST(RdmaDcqcnTest, TheAuthorsAlphaRisesInTheIntervalsThatHadACnp)
{
    QueuePair qp(Make("dcqcn:authors"));
    const double g = 1.0 / 256;
    qp.Cnp(0);
    qp.Cnp(1500);
    qp.Cnp(1600);
    qp.RunUntil(4 * US + 1);
    double alpha = 1 - g;        // at 1 us
    alpha = (1 - g) * alpha + g; // at 2 us: a CNP at 1.5 us
    alpha *= (1 - g) * (1 - g);  // at 3 and 4 us
    EXPECT_NEAR(qp.Dcqcn().alpha, alpha, 1e-12);
    EXPECT_NEAR(qp.Gbps(), 100 * (1 - alpha / 2), 1e-9);
    qp.Cnp(6500);
    alpha *= (1 - g) * (1 - g); // at 5 and 6 us
    EXPECT_NEAR(qp.Dcqcn().alpha, alpha, 1e-12);
    qp.RunUntil(8 * US + 1);
    EXPECT_NEAR(qp.Dcqcn().alpha, ((1 - g) * alpha + g) * (1 - g), 1e-12); // at 7 and 8 us
}

TEST(RdmaDcqcnTest, TheAuthorsConsecutiveCutsKeepTheTargetAndOneAfterAnIncreaseLowersIt)
{
    QueuePair qp(Make("dcqcn:authors"));
    qp.Cnp(0);
    qp.Cnp(5 * US);
    qp.RunUntil(8 * US + 1);
    const double twice = qp.Gbps();
    const double g = 1.0 / 256;
    const double first = std::pow(1 - g, 4);
    const double second = ((1 - g) * (first * (1 - g)) + g) * (1 - g) * (1 - g);
    EXPECT_NEAR(twice, 100 * (1 - first / 2) * (1 - second / 2), 1e-9);
    EXPECT_EQ(qp.TargetGbps(), 100);
    qp.RunUntil(308 * US + 1); // fast recovery
    const double recovered = (twice + 100) / 2;
    EXPECT_NEAR(qp.Gbps(), recovered, 1e-9);
    qp.Cnp(309 * US);
    qp.RunUntil(312 * US + 1);
    EXPECT_NEAR(qp.TargetGbps(), recovered, 1e-9);
    EXPECT_LT(qp.Gbps(), recovered);
}

TEST(RdmaDcqcnTest, TheAuthorsDecreaseChecksStayOnTheGridOfTheFirstCnp)
{
    QueuePair qp(Make("dcqcn:authors"));
    qp.Cnp(100);
    qp.RunUntil(5 * US);
    qp.Cnp(10'900); // Checks are at 4101 + 4000 k ns.
    EXPECT_EQ(qp.State()->timerNs, 12'101);
    qp.Cnp(50'101);
    EXPECT_EQ(qp.State()->timerNs, 52'101);
}

TEST(RdmaDcqcnTest, TheAuthorsIncreaseComesBeforeTheDecreaseOfTheSameNs)
{
    // 300 us is 75 times 4 us, so each increase coincides with a check for a decrease.
    QueuePair qp(Make("dcqcn:authors"));
    qp.Cnp(0);
    qp.RunUntil(4 * US + 1);
    const double recovered = (qp.Gbps() + 100) / 2;
    qp.Cnp(303 * US);
    qp.RunUntil(304 * US + 1);
    EXPECT_NEAR(qp.TargetGbps(), recovered, 1e-9);
    EXPECT_NEAR(qp.Gbps(), recovered * (1 - qp.Dcqcn().alpha / 2), 1e-9);
    EXPECT_EQ(qp.Dcqcn().timerSteps, 0U);
}

TEST(RdmaDcqcnTest, ADecreaseAsOftenAsAnIncreaseComesFirst)
{
    auto ops = Make("dcqcn:authors");
    ops->SetAttribute("IncreaseInterval", TimeValue(MicroSeconds(4)));
    QueuePair qp(ops);
    qp.Cnp(0);
    qp.Cnp(5 * US);
    qp.RunUntil(8 * US + 1);
    EXPECT_EQ(qp.TargetGbps(), 100);
    EXPECT_EQ(qp.State()->timerNs, 12 * US + 1);
}

TEST(RdmaDcqcnTest, TheAuthorsIncreaseIsOneFastOneAdditiveThenHyperStepsScaledWithTheLineRate)
{
    // F is 1. At 100 Gb/s, R_AI is 20 Mb/s and R_HAI is 200 Mb/s. Only the timer causes steps,
    // every 300 us.
    for (uint64_t gbps : {25, 100, 400})
    {
        QueuePair qp(Make("dcqcn:authors"), gbps * 1'000'000'000);
        const double unit = static_cast<double>(gbps) / 25;
        qp.Cnp(0);
        qp.RunUntil(4 * US + 1);
        qp.RunUntil(304 * US + 1); // Rt is still the line rate.
        qp.Cnp(305 * US);
        qp.RunUntil(308 * US + 1);
        double rate = qp.Gbps();
        double target = qp.TargetGbps();
        ASSERT_LT(target, 0.9 * static_cast<double>(gbps));
        for (int step = 1; step <= 6; ++step)
        {
            qp.RunUntil(308 * US + 1 + step * 300 * US);
            target += step == 1 ? 0 : (step == 2 ? 0.005 : 0.050) * unit;
            rate = (rate + target) / 2;
            EXPECT_NEAR(qp.TargetGbps(), target, 1e-9) << step;
            EXPECT_NEAR(qp.Gbps(), rate, 1e-9) << step;
        }
    }
}

TEST(RdmaDcqcnTest, TheAuthorsEchoOfEveryMarkCountsAsACnp)
{
    QueuePair qp(Make("dcqcn:authors"));
    for (int64_t now = 0; now < 400 * US; now += 100)
    {
        qp.Echo(now);
    }
    qp.RunUntil(401 * US);
    EXPECT_NEAR(qp.Dcqcn().alpha, 1, 0.02);
    EXPECT_EQ(qp.Gbps(), 1); // MinRate
}

TEST(RdmaDcqcnTest, TheVendorsIncreasesDoNotScaleAndItsFloorIs1Mbps)
{
    auto ops = Make("dcqcn:vendor");
    QueuePair qp(ops);
    for (int64_t now = 0; now < 400 * US; now += US)
    {
        qp.Cnp(now);
    }
    qp.RunUntil(400 * US + 1);
    EXPECT_DOUBLE_EQ(qp.State()->rateBps, 1e6);
    EXPECT_EQ(Get<DoubleValue>(ops, "Gain").Get(), 5.0 / 1024);
    qp.RunUntil(400 * US + 1 + 300 * US);
    qp.Cnp(701 * US); // after an increase: lowers the target
    qp.RunUntil(705 * US);
    const double target = qp.TargetGbps();
    qp.RunUntil(1310 * US);
    EXPECT_NEAR(qp.TargetGbps(), target + 0.005, 1e-9);
}

TEST(RdmaDcqcnTest, AFlowBackAtLineRateNeedsNoTimer)
{
    QueuePair qp(Make("dcqcn:authors"));
    qp.Cnp(0);
    qp.RunUntil(1'000'000 * US);
    EXPECT_EQ(qp.Gbps(), 100);
    EXPECT_EQ(qp.State()->timerNs, NEVER);
    EXPECT_LT(qp.Timers(), 100);
    qp.Cnp(1'000'001 * US); // alpha has decayed to 0; an update with a CNP sets it to g
    qp.RunUntil(1'000'010 * US);
    EXPECT_NEAR(qp.Gbps(), 100 * (1 - 0.5 / 256), 0.01);
}

TEST(RdmaDcqcnTest, TheRateStaysBetweenMinRateAndLineRateWhateverComes)
{
    for (const std::string name : {"dcqcn:authors", "dcqcn:vendor", "dcqcn:paper"})
    {
        auto ops = Make(name);
        QueuePair qp(ops);
        const double floorBps =
            static_cast<double>(Get<DataRateValue>(ops, "MinRate").Get().GetBitRate());
        uint64_t random = 1;
        int64_t now = 0;
        for (int i = 0; i < 20000; ++i)
        {
            random = random * 6364136223846793005 + 1442695040888963407;
            now += static_cast<int64_t>((random >> 33) % (i % 1000 < 500 ? 3000 : 300000));
            switch ((random >> 60) % 4)
            {
            case 0:
                qp.Cnp(now);
                break;
            case 1:
                qp.Echo(now);
                break;
            default:
                qp.Sent(now, 1090);
            }
            ASSERT_GE(qp.State()->rateBps, floorBps);
            ASSERT_LE(qp.State()->rateBps, 100e9);
            ASSERT_GE(qp.Dcqcn().alpha, 0);
            ASSERT_LE(qp.Dcqcn().alpha, 1);
            ASSERT_GT(qp.State()->timerNs, now);
        }
    }
}
