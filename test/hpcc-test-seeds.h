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
#include <string>

/// Seeds of random runs.
namespace hpcctest
{

/**
 * Run with one seed after the other: HPCC_TEST_RUNS of them from HPCC_TEST_SEED on, by default 1.
 * @param runs how many unless HPCC_TEST_RUNS says so
 * @param run called with each seed
 * @return how many there were
 */
inline uint64_t
ForSeeds(uint64_t runs, const std::function<void(uint64_t)>& run)
{
    const char* seed = std::getenv("HPCC_TEST_SEED");
    const char* wanted = std::getenv("HPCC_TEST_RUNS");
    const uint64_t first = seed ? std::stoull(seed) : 1;
    const uint64_t count = wanted ? std::stoull(wanted) : runs;
    std::cout << "HPCC_TEST_SEED=" << first << " HPCC_TEST_RUNS=" << count << "\n";
    for (uint64_t i = first; i < first + count; ++i)
    {
        run(i);
    }
    return count;
}

} // namespace hpcctest

#endif // HPCC_TEST_SEEDS_H
