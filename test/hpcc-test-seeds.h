/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_SEEDS_H
#define HPCC_TEST_SEEDS_H

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>
#include <string>

/// Contains functions that choose the seeds of random tests. To repeat a failure, set the
/// environment variable HPCC_TEST_SEED. HPCC_TEST_RUNS sets the number of runs. HPCC_TEST_SHORT=1,
/// for slow builds, omits runs that execute the same code again.
namespace hpcctest
{

/**
 * Returns the number in an environment variable.
 * @param name name of the variable
 * @param otherwise number to return if the variable is not set or empty
 */
inline uint64_t
FromEnvironment(const char* name, uint64_t otherwise)
{
    const char* given = std::getenv(name);
    return given && *given ? std::stoull(given) : otherwise;
}

/// Returns @p shortened if HPCC_TEST_SHORT is positive, otherwise @p full.
inline uint64_t
FullOrShort(uint64_t full, uint64_t shortened)
{
    return FromEnvironment("HPCC_TEST_SHORT", 0) > 0 ? shortened : full;
}

/// Returns the seed from HPCC_TEST_SEED.
/// @param otherwise seed to return if the variable is not set
inline uint32_t
ChooseSeed(uint64_t otherwise)
{
    return static_cast<uint32_t>(FromEnvironment("HPCC_TEST_SEED", otherwise));
}

/// @return the seed from HPCC_TEST_SEED, or a random seed if it is not set
inline uint32_t
ChooseSeed()
{
    return ChooseSeed(std::random_device()());
}

/// Seeds of random runs.
struct RandomRuns
{
    uint64_t seed;  ///< seed of the first run
    uint64_t count; ///< number of runs
};

/// Returns the random runs that the environment variables select, and prints them.
/// @param count number of runs if HPCC_TEST_RUNS is not set
inline RandomRuns
ChooseRuns(uint64_t count)
{
    const RandomRuns runs{FromEnvironment("HPCC_TEST_SEED", 1),
                          FromEnvironment("HPCC_TEST_RUNS", count)};
    std::cout << "HPCC_TEST_SEED=" << runs.seed << " HPCC_TEST_RUNS=" << runs.count << std::endl;
    return runs;
}

/**
 * Runs a function with consecutive seeds.
 * @param count number of seeds if HPCC_TEST_RUNS is not set
 * @param run called with each seed
 * @return number of seeds
 */
inline uint64_t
ForSeeds(uint64_t count, const std::function<void(uint64_t)>& run)
{
    const RandomRuns runs = ChooseRuns(count);
    for (uint64_t i = 0; i < runs.count; ++i)
    {
        run(runs.seed + i);
    }
    return runs.count;
}

} // namespace hpcctest

#endif // HPCC_TEST_SEEDS_H
