/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_ASTRA_LOGGING_H
#define HPCC_TEST_ASTRA_LOGGING_H

// A stand-in for the part of ASTRA-sim's logging that hpcc-astra-sim uses, for test/astra-sim.py.

#include <memory>
#include <string>
#include <syslog.h> // as in ASTRA-sim, because its macros may conflict with ns-3
#include <vector>

namespace spdlog
{
namespace level
{
enum Level
{
    info,
    err,
};
} // namespace level

namespace sinks
{
struct Sink
{
    virtual ~Sink() = default;

    void set_level(level::Level)
    {
    }
};

struct stdout_color_sink_mt : Sink
{
};
} // namespace sinks

struct Logger
{
    std::vector<std::shared_ptr<sinks::Sink>>& sinks()
    {
        return all;
    }

    std::vector<std::shared_ptr<sinks::Sink>> all{std::make_shared<sinks::stdout_color_sink_mt>()};
};
} // namespace spdlog

namespace AstraSim
{
struct LoggerFactory
{
    static void init(const std::string&, const std::string&)
    {
    }

    static std::shared_ptr<spdlog::Logger> get_logger(const std::string&)
    {
        return std::make_shared<spdlog::Logger>();
    }
};
} // namespace AstraSim

#endif // HPCC_TEST_ASTRA_LOGGING_H
