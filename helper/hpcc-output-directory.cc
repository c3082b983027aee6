/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-output-directory.h"

#include "ns3/hpcc-input-error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <set>
#include <sys/file.h>
#include <unistd.h>

namespace ns3
{

namespace
{

/// Returns the names in the list "files" of a manifest; empty if there is none.
std::set<std::string>
FilesOf(const std::string& manifest)
{
    std::ifstream in(manifest);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    std::set<std::string> files;
    std::smatch list;
    if (std::regex_search(text, list, std::regex("\"files\": \\[([^\\]]*)\\]")))
    {
        const std::string names = list[1];
        const std::regex name("\"([^\"/\\\\]+)\"");
        for (std::sregex_iterator i(names.begin(), names.end(), name), end; i != end; ++i)
        {
            files.insert((*i)[1]);
        }
    }
    return files;
}

} // namespace

HpccOutputDirectory::HpccOutputDirectory(const std::string& path)
{
    std::error_code error;
    std::filesystem::create_directories(path, error);
    m_descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    HPCC_REFUSE_IF(m_descriptor < 0, "--out: cannot create the directory " + path);
    if (flock(m_descriptor, LOCK_EX | LOCK_NB) == 0)
    {
        return;
    }
    const int why = errno;
    if (why == EWOULDBLOCK)
    {
        close(m_descriptor);
        throw HpccInputError("--out: " + path +
                             " is in use by another run; wait for it, or choose another directory");
    }
    std::cerr << "warning: --out: " << path << " cannot be locked (" << std::strerror(why)
              << "); no other run may write there at the same time" << std::endl;
}

HpccOutputDirectory::~HpccOutputDirectory()
{
    close(m_descriptor);
}

void
HpccOutputDirectory::RemoveResults(const std::string& path, const std::vector<std::string>& files)
{
    const std::filesystem::path directory(path);
    std::set<std::string> names = FilesOf((directory / MANIFEST).string());
    names.insert(files.begin(), files.end());
    names.insert(MANIFEST);
    std::error_code error;
    const std::regex pcap(".*-[0-9]+-[0-9]+\\.pcap");
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
    {
        const std::string name = entry.path().filename().string();
        if (entry.is_regular_file(error) && std::regex_match(name, pcap))
        {
            names.insert(name);
        }
    }
    for (const auto& name : names)
    {
        for (const auto& file : {directory / name, directory / (name + ".part")})
        {
            // If remove() fails without an error code, another run of --runs has already removed
            // the file.
            HPCC_REFUSE_IF(std::filesystem::is_regular_file(file, error) &&
                               !std::filesystem::remove(file, error) && error,
                           "--out: cannot remove " + file.string() +
                               ", which an earlier run has left");
        }
    }
}

std::set<std::filesystem::path>
HpccOutputDirectory::PathsOf(const std::string& path, const std::vector<std::string>& files)
{
    namespace fs = std::filesystem;
    const fs::path directory = fs::weakly_canonical(fs::absolute(path));
    std::set<fs::path> paths{directory / MANIFEST};
    for (const std::string& file : files)
    {
        paths.insert(directory / file);
        paths.insert(directory / (file + ".part"));
    }
    return paths;
}

bool
HpccOutputDirectory::WriteFile(const std::string& path, const std::string& text)
{
    std::error_code error;
    const auto there = std::filesystem::symlink_status(path, error);
    const bool direct = std::filesystem::exists(there) && !std::filesystem::is_regular_file(there);
    const std::string written = direct ? path : path + ".part";
    std::ofstream out(written, std::ios::binary);
    if (!out)
    {
        return false;
    }
    out << text;
    out.close();
    if (direct)
    {
        return static_cast<bool>(out);
    }
    if (out)
    {
        std::filesystem::rename(written, path, error);
    }
    if (!out || error)
    {
        std::filesystem::remove(written, error);
        return false;
    }
    return true;
}

} // namespace ns3
