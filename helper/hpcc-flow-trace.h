/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FLOW_TRACE_H
#define HPCC_FLOW_TRACE_H

#include "hpcc-monitor.h"

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// The class of a flow.
enum class HpccFlowClass : uint8_t
{
    BACKGROUND, ///< Poisson arrivals
    INCAST,     ///< a recurring incast
    JOB,        ///< a collective
};

/**
 * Returns the name of a class: background, incast or job.
 * @param flowClass class of a flow
 */
const char* NameOf(HpccFlowClass flowClass);

/**
 * @ingroup hpcc
 *
 * Flows in the order of their starts. A trace can be saved in a text file, so that other runs can
 * use the same flows. The file begins with the word "flows" and the number of flows. One line per
 * flow follows: source host, destination host, payload in bytes, start in ns, class (background or
 * incast). Comments begin with '#'. Flow files of the HPCC authors' simulator can be read, too.
 * Such a file begins with the number of flows. One line per flow follows: source, destination,
 * priority group (ignored), destination port, payload in bytes, start in seconds. AuthorsStartNs()
 * converts this start to ns. A flow with destination port 200 belongs to an incast.
 */
class HpccFlowTrace
{
  public:
    /**
     * Adds a flow.
     * @param flow flow as planned
     * @param flowClass class of the flow
     */
    void Add(const HpccFlowPlan& flow, HpccFlowClass flowClass);

    /// Sorts the flows by start, class, source and destination.
    void Sort();

    /**
     * Reads a file.
     * @param path the file
     * @param topology network that the flows use
     * @return the flows, sorted by Sort(). Throws an HpccInputError that names file and line if the
     * file is truncated, if a flow has no payload, or if its ends are not two hosts of the topology
     */
    static HpccFlowTrace Load(const std::string& path, const HpccTopology& topology);

    /**
     * Reads flows from a text.
     * @param in text in one of the formats described at the class
     * @param name name for error messages
     * @param topology network of the flows
     * @return the flows
     */
    static HpccFlowTrace Read(std::istream& in,
                              const std::string& name,
                              const HpccTopology& topology);

    /**
     * Converts a start time as the HPCC authors' simulator does. Seconds() of that simulator
     * truncates: the double closest to 2.000000003 is slightly smaller than this number, so a start
     * at 2.000000003 s becomes 2000000002 ns.
     * @param seconds start, s; values above 10^9 count as 10^9
     * @return start, ns; -1 if @p seconds is negative
     */
    static int64_t AuthorsStartNs(double seconds);

    /**
     * Writes the flows.
     * @param out the stream
     * @param comment one line that describes the flows
     */
    void Write(std::ostream& out, const std::string& comment) const;

    /// Returns the flows.
    const std::vector<HpccFlowPlan>& GetFlows() const
    {
        return m_flows;
    }

    /// Moves the flows out of this object. The classes of the flows stay in this object.
    /// @return the flows
    std::vector<HpccFlowPlan> TakeFlows()
    {
        return std::move(m_flows);
    }

    /**
     * Returns the class of a flow. Throws HpccInputError if there is no such flow.
     * @param flow index of a flow
     * @return class of the flow
     */
    HpccFlowClass GetClass(size_t flow) const;

  private:
    std::vector<HpccFlowPlan> m_flows;    ///< the flows
    std::vector<HpccFlowClass> m_classes; ///< class of each flow
};

} // namespace ns3

#endif // HPCC_FLOW_TRACE_H
