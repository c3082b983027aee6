/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_OUTPUT_DIRECTORY_H
#define HPCC_OUTPUT_DIRECTORY_H

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A directory of results that belongs to one process, as long as this object exists.
 */
class HpccOutputDirectory
{
  public:
    static constexpr const char* MANIFEST = "manifest.json"; ///< what a run writes at its end

    /**
     * Creates the directory and its parents, and locks it. If that is impossible, or another
     * process has locked it, throws HpccInputError. On a file system that cannot lock, a warning
     * goes to standard error.
     * @param path its path
     */
    explicit HpccOutputDirectory(const std::string& path);

    /// Unlocks the directory.
    ~HpccOutputDirectory();

    HpccOutputDirectory(const HpccOutputDirectory&) = delete;
    HpccOutputDirectory& operator=(const HpccOutputDirectory&) = delete;

    /**
     * Removes what an earlier command has left: its manifest, the files that the manifest lists,
     * those named here, each also as FILE.part (what an interrupted HpccCsvFile leaves), and pcap
     * files of devices, *-NODE-DEVICE.pcap. Other files stay.
     * @param path a directory, which need not exist
     * @param files names of files
     */
    static void RemoveResults(const std::string& path, const std::vector<std::string>& files);

  private:
    int m_descriptor; ///< of the directory, which has the lock
};

} // namespace ns3

#endif // HPCC_OUTPUT_DIRECTORY_H
