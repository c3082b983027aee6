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
 * CSIG's expanded tag of 8 bytes: 2 of EtherType, then locator 16 bits, type 4, signal 20, reserved
 * 8. The HPCC++ draft leaves it to the IETF; this is draft-ravi-ippm-csig-01 as a third party
 * quotes it. UEC's, from OCP SAI's CSIG text, differs only in the trimmed bit. Name "csig-wide";
 * "csig-wide:delay" with QueueSignal HopDelay.
 *
 * Number k of a signal stands for base + (k-1) step to base + k step (PD, nQD; 0: up to base) or
 * base + k step to base + (k+1) step (ABW, ABW/C). Attributes, bases 0 or a power of two, steps a
 * power of two: BandwidthBase and BandwidthStep, Mb/s, 0 and 8; DelayBase and DelayStep, ns, 0 and
 * 128 (the steps are examples of the draft, as quoted); ShareBase and ShareStep, ppm, 0 and 1.
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
     * @param unit of a signal
     * @return its steps
     */
    Steps StepsOf(Unit unit) const;

    uint32_t m_bandwidthBase; ///< attribute
    uint32_t m_bandwidthStep; ///< attribute
    uint32_t m_shareBase;     ///< attribute
    uint32_t m_shareStep;     ///< attribute
    uint32_t m_delayBase;     ///< attribute
    uint32_t m_delayStep;     ///< attribute
};

} // namespace ns3

#endif // HPCC_CSIG_WIDE_FORMAT_H
