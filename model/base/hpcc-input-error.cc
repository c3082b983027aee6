/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-input-error.h"

#include <cstdlib>
#include <exception>
#include <iostream>

namespace ns3
{

namespace
{

/// Returns the terminate handler that ReportUncaught() has replaced.
std::terminate_handler&
EarlierHandler()
{
    static std::terminate_handler handler = nullptr;
    return handler;
}

/// Reports an uncaught HpccInputError and ends the program with exit code 2.
void
ReportUncaught()
{
    if (const std::exception_ptr uncaught = std::current_exception())
    {
        try
        {
            std::rethrow_exception(uncaught);
        }
        catch (const HpccInputError& error)
        {
            std::cout.flush();
            std::cerr << error.what() << std::endl;
            std::_Exit(2);
        }
        catch (...)
        {
            // The previous handler reports exceptions of other types.
        }
    }
    EarlierHandler()();
    std::abort();
}

} // namespace

HpccInputError::HpccInputError(const std::string& what)
    : std::runtime_error(what)
{
    if (std::get_terminate() != ReportUncaught)
    {
        EarlierHandler() = std::set_terminate(ReportUncaught);
    }
}

} // namespace ns3
