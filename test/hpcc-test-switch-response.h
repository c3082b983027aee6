/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_SWITCH_RESPONSE_H
#define HPCC_TEST_SWITCH_RESPONSE_H

#include "hpcc-test-rdma.h"

#include "ns3/hpcc-switch-responder.h"

#include <vector>

/// Contains the base class of tests of networks whose switches send responses.
namespace hpcctest
{

/// A response, and the time at which the switch sends it.
struct Noted
{
    int64_t atNs;
    Frame frame;
};

/// Base class with hosts at one switch, or at two switches in a row. The switches send responses.
class ResponseTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /**
     * Starts to record the responses that are sent through a port.
     * @param port port of a switch
     * @param responses stores the responses
     */
    void NoteResponses(QbbNetDevice& port, std::vector<Noted>& responses)
    {
        OnTransmit(port, [&responses](int64_t nowNs, const Frame& frame) {
            if (frame.opcode == ROCE_SWITCH_RESPONSE)
            {
                responses.push_back({nowNs, frame});
                responses.back().frame.packet = nullptr;
            }
        });
    }

    /**
     * Returns the responder of a switch.
     * @param node node of the switch
     * @return the responder; null if there is none
     */
    Ptr<SwitchResponder> ResponderOf(uint32_t node)
    {
        return Fabric().GetNodes().Get(node)->GetObject<SwitchResponder>();
    }
};

} // namespace hpcctest

#endif // HPCC_TEST_SWITCH_RESPONSE_H
