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
 * A Python script that a program continues as. The scripts stand in the module's directory
 * examples; those of an installed library are installed with it.
 */
class HpccScript
{
  public:
    /// @return path of the program that runs; if the system does not tell it, throws HpccInputError
    static std::string GetProgram();

    /**
     * Starts a script, which takes the place of this process. If that is impossible, throws
     * HpccInputError.
     * @param purpose option or program that needs the script, for messages
     * @param name file name of the script
     * @param arguments its arguments
     */
    [[noreturn]] static void Start(const std::string& purpose,
                                   const std::string& name,
                                   const std::vector<std::string>& arguments);
};

} // namespace ns3

#endif // HPCC_SCRIPT_H
