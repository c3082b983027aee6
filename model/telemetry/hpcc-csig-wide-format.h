/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CSIG_WIDE_FORMAT_H
#define HPCC_CSIG_WIDE_FORMAT_H

#include "hpcc-csig-format.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * CSIG's expanded tag of 8 bytes: EtherType (2 bytes), then locator (16 bits), type (4), signal
 * (20) and reserved (8). The HPCC++ draft does not define the layout of this tag. The layout Ietf
 * is from draft-ravi-ippm-csig-01, as quoted by a third party. The layout Uec, from OCP SAI's CSIG
 * text, differs in one bit: the last bit of the locator is the trimmed bit. The short name is
 * "csig-wide"; "csig-wide:delay" selects QueueSignal HopDelay.
 *
 * For PD and nQD, number k represents values from base + (k-1) step to base + k step, and number 0
 * represents values up to base. For ABW and ABW/C, number k represents values from base + k step to
 * base + (k+1) step.
 *
 * Attributes with their defaults; a base is 0 or a power of two; a step is a power of two:
 * - BandwidthBase and BandwidthStep: 0 and 8 Mb/s; the step is an example in
 *   draft-ravi-ippm-csig-01, as quoted by the third party.
 * - DelayBase and DelayStep: 0 and 128 ns; the step is an example in draft-ravi-ippm-csig-01, as
 *   quoted by the third party.
 * - ShareBase and ShareStep: 0 and 1 ppm.
 */
class CsigWideFormat : public CsigFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    CsigWideFormat();

  private:
    /// Steps of equal width.
    struct Steps
    {
        uint32_t base; ///< 0 or a power of two
        uint32_t step; ///< a power of two
    };

    uint32_t Quantise(uint32_t type, double value) const override;
    double GetEdge(uint32_t type, uint32_t number) const override;
    std::string CheckSteps(const TelemetryNetwork& network) const override;

    /**
     * Returns the steps of the signals of a unit.
     * @param unit unit of a signal
     */
    Steps StepsOf(Unit unit) const;

    uint32_t m_bandwidthBase; ///< attribute BandwidthBase
    uint32_t m_bandwidthStep; ///< attribute BandwidthStep
    uint32_t m_shareBase;     ///< attribute ShareBase
    uint32_t m_shareStep;     ///< attribute ShareStep
    uint32_t m_delayBase;     ///< attribute DelayBase
    uint32_t m_delayStep;     ///< attribute DelayStep
};

} // namespace ns3

#endif // HPCC_CSIG_WIDE_FORMAT_H
