/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_FUZZ_H
#define HPCC_TEST_FUZZ_H

#include "fuzz/fuzz-input.h"
#include "hpcc-test-seeds.h"

#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-telemetry-format.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace hpcctest
{

using namespace ns3;

/// Fixture that runs a fuzz target with seeds and random changes of seeds, in any build. In
/// addition, libFuzzer can run the same targets for hours.
class FuzzTest : public testing::Test
{
  protected:
    /// Function that decodes an input, and returns false if the decoder refuses it.
    using Target = std::function<bool(const Bytes&)>;

    FuzzTest()
    {
        m_seed = ChooseSeed();
        m_random.seed(m_seed);
        std::cout << "HPCC_TEST_SEED=" << m_seed << "\n";
    }

    /// Returns a random number from 0 to a limit.
    uint64_t Draw(uint64_t limit)
    {
        return std::uniform_int_distribution<uint64_t>(0, limit)(m_random);
    }

    /**
     * Runs a target with seeds and random changes of seeds. If HPCC_FUZZ_CORPUS is set, writes the
     * seeds to a subdirectory of that directory, for libFuzzer.
     * @param name name of the subdirectory
     * @param target the target
     * @param seeds inputs that reach every branch
     * @param changes number of changed inputs
     */
    void Run(const std::string& name,
             const Target& target,
             const std::vector<Bytes>& seeds,
             int changes = 100000)
    {
        for (size_t i = 0; i < seeds.size(); ++i)
        {
            EXPECT_TRUE(Run(target, seeds[i])) << "seed " << i << " is refused";
            Keep(name, i, seeds[i]);
        }
        int reads = 0;
        for (int i = 0; i < changes && !HasFailure(); ++i)
        {
            reads += Run(target, Changed(seeds));
        }
        EXPECT_GT(reads, changes / 20) << "what is refused at once tests little";
    }

    /// Returns a telemetry stack of at least one record. Some stacks contain the record of a domain
    /// edge.
    TelemetryStack RandomStack(const TelemetryFormat& format)
    {
        TelemetryStack stack;
        format.Open(stack, {ROCE_UDP_PORT, 17, 0});
        uint64_t hops = 1 + Draw(12);
        for (uint64_t i = 0; i < hops; ++i)
        {
            HopSnapshot hop{};
            hop.timestampNs = Draw(1ULL << 34);
            hop.txBytes = Draw(1ULL << 40);
            hop.bandwidthBps = (Draw(7) + 1) * 25000000000;
            hop.queueBytes = Draw(1) ? Draw(1 << 25) : 0;
            hop.switchId = Draw(0xfff);
            hop.egressPort = Draw(0xff);
            hop.hopLatencyNs = Draw(1 << 20);
            hop.utilizationPpm = Draw(1000000);
            hop.queueId = Draw(7);
            hop.ttl = 64;
            format.Insert(stack, hop, i == 0 || Draw(9) ? 9000 : 0);
        }
        if (format.CarriesLoad() && Draw(3) == 0)
        {
            format.Truncate(stack, stack.hops - 1);
            format.AppendLoad(stack, static_cast<double>(Draw(3000)) / 1000, 7);
        }
        return stack;
    }

    static Bytes WireBytes(const TelemetryFormat& format, const TelemetryStack& stack)
    {
        Bytes bytes(format.GetWireBytes(stack));
        format.Serialize(stack, bytes.data());
        return bytes;
    }

    static Bytes RecordBytes(const TelemetryFormat& format, const TelemetryStack& stack)
    {
        Bytes bytes(format.GetReflectedBytes(stack));
        format.SerializeRecords(stack, bytes.data());
        return bytes;
    }

    static void Append(Bytes& bytes, const Bytes& more)
    {
        bytes.insert(bytes.end(), more.begin(), more.end());
    }

    static void Append(Bytes& bytes, uint64_t number, size_t size)
    {
        while (size-- > 0)
        {
            bytes.push_back(static_cast<uint8_t>(number >> 8 * size));
        }
    }

    uint32_t m_seed;          ///< seed of m_random; differs from run to run
    std::mt19937_64 m_random; ///< source of random changes

  private:
    bool Run(const Target& target, const Bytes& input)
    {
        try
        {
            return target(input);
        }
        catch (const std::logic_error& error)
        {
            std::string hex;
            for (uint8_t byte : input)
            {
                hex += "0123456789abcdef"[byte >> 4];
                hex += "0123456789abcdef"[byte & 0xf];
            }
            ADD_FAILURE() << error.what() << ": " << hex;
            return false;
        }
    }

    static void Keep(const std::string& name, size_t number, const Bytes& seed)
    {
        if (const char* corpus = std::getenv("HPCC_FUZZ_CORPUS"))
        {
            std::filesystem::path directory = std::filesystem::path(corpus) / name;
            std::filesystem::create_directories(directory);
            std::ofstream file(directory / ("seed-" + std::to_string(number)), std::ios::binary);
            file.write(reinterpret_cast<const char*>(seed.data()),
                       static_cast<std::streamsize>(seed.size()));
            ASSERT_TRUE(file) << directory;
        }
    }

    /// Returns a random seed that is truncated, spliced with another seed, lengthened, or changed
    /// in some bytes.
    Bytes Changed(const std::vector<Bytes>& seeds)
    {
        Bytes bytes = seeds[Draw(seeds.size() - 1)];
        if (Draw(3) == 0)
        {
            bytes.resize(Draw(bytes.size() + 40));
        }
        if (Draw(7) == 0)
        {
            const Bytes& other = seeds[Draw(seeds.size() - 1)];
            bytes.insert(bytes.end(), other.begin() + Draw(other.size()), other.end());
        }
        for (uint64_t changes = Draw(4); changes > 0 && !bytes.empty(); --changes)
        {
            constexpr uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff};
            uint64_t last = bytes.size() - 1;
            bytes[Draw(Draw(1) ? last : std::min<uint64_t>(last, 40))] =
                Draw(1) ? edges[Draw(std::size(edges) - 1)] : Draw(255);
        }
        return bytes;
    }
};

} // namespace hpcctest

#endif // HPCC_TEST_FUZZ_H
