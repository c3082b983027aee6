/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-script.h"

#include "ns3/hpcc-input-error.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <iostream>
#include <unistd.h>

#ifndef HPCC_DIR
#error "HPCC_DIR must name the directory of the module"
#endif
#ifndef HPCC_INSTALLED_SCRIPTS
#define HPCC_INSTALLED_SCRIPTS "" // the scripts are not installed
#endif

namespace ns3
{

namespace
{

/// Returns the directory of the scripts of an installed library; empty if it has none.
std::filesystem::path
FindInstalledScripts()
{
    const std::filesystem::path fromLibrary = HPCC_INSTALLED_SCRIPTS;
    Dl_info library = {};
    if (fromLibrary.empty() ||
        dladdr(reinterpret_cast<const void*>(&HpccScript::GetProgram), &library) == 0)
    {
        return {};
    }
    std::error_code error;
    const auto path = std::filesystem::canonical(library.dli_fname, error);
    return error ? std::filesystem::path() : path.parent_path() / fromLibrary;
}

} // namespace

std::string
HpccScript::GetProgram()
{
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
    HPCC_REFUSE_IF(error,
                   "/proc/self/exe, the path of this program, cannot be read: " + error.message());
    return path.string();
}

void
HpccScript::Start(const std::string& purpose,
                  const std::string& name,
                  const std::vector<std::string>& arguments)
{
    const auto installed = FindInstalledScripts();
    std::filesystem::path script = installed / name;
    if (installed.empty() || !std::filesystem::exists(script))
    {
        script = std::filesystem::path(HPCC_DIR) / "examples" / name;
    }
    HPCC_REFUSE_IF(!std::filesystem::exists(script),
                   purpose + ": the script " + script.string() + " does not exist");
    std::vector<std::string> words{"python3", "-B", script.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (auto& word : words)
    {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    std::cout.flush();
    execvp(pointers.front(), pointers.data());
    throw HpccInputError(purpose + ": python3 cannot be started: " + std::strerror(errno));
}

} // namespace ns3
