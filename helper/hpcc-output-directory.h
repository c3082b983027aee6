/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_OUTPUT_DIRECTORY_H
#define HPCC_OUTPUT_DIRECTORY_H

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A directory of results. As long as this object exists, no other process may use the directory.
 */
class HpccOutputDirectory
{
  public:
    static constexpr const char* MANIFEST = "manifest.json"; ///< name of the file, written at the
                                                             ///< end of a run, that lists the files
                                                             ///< of the run

    /**
     * Creates the directory and its parents, and locks the directory. Throws HpccInputError if the
     * directory cannot be created, or if another process has locked it. If the file system does not
     * support locks, prints a warning on standard error instead of locking.
     * @param path path of the directory
     */
    explicit HpccOutputDirectory(const std::string& path);

    /// Unlocks the directory.
    ~HpccOutputDirectory();

    HpccOutputDirectory(const HpccOutputDirectory&) = delete;
    HpccOutputDirectory& operator=(const HpccOutputDirectory&) = delete;

    /**
     * Removes the results of an earlier command: its manifest, the files that the manifest lists,
     * the files in @p files, and pcap files of devices (*-NODE-DEVICE.pcap). For each such FILE it
     * also removes FILE.part, which an interrupted HpccCsvFile leaves behind. Other files stay.
     * @param path a directory, which need not exist
     * @param files names of files
     */
    static void RemoveResults(const std::string& path, const std::vector<std::string>& files);

    /**
     * Returns the canonical paths of the manifest and of the files with given names. These include
     * the temporary files that HpccCsvFile writes.
     * @param path a directory, which need not exist
     * @param files names of files
     */
    static std::set<std::filesystem::path> PathsOf(const std::string& path,
                                                   const std::vector<std::string>& files);

    /**
     * Writes a file so that an incomplete file never exists under its name. If the path is a
     * device, pipe or symbolic link, writes to it directly, without this guarantee.
     * @param path path of the file
     * @param text content of the file
     * @return false if the file cannot be written
     */
    static bool WriteFile(const std::string& path, const std::string& text);

  private:
    int m_descriptor; ///< descriptor of the locked directory
};

} // namespace ns3

#endif // HPCC_OUTPUT_DIRECTORY_H
