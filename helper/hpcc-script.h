/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SCRIPT_H
#define HPCC_SCRIPT_H

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Starts a Python script that replaces the program. The scripts are in the module's directory
 * examples, or installed with the library.
 */
class HpccScript
{
  public:
    /**
     * Returns the path of this program. Throws HpccInputError if it cannot be read.
     * @return the path
     */
    static std::string GetProgram();

    /**
     * Starts a script, which replaces this process. If that is impossible, throws HpccInputError.
     * @param purpose option or program that needs the script, for error messages
     * @param name file name of the script
     * @param arguments arguments of the script
     */
    [[noreturn]] static void Start(const std::string& purpose,
                                   const std::string& name,
                                   const std::vector<std::string>& arguments);
};

} // namespace ns3

#endif // HPCC_SCRIPT_H
