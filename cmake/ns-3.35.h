/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Parts of later ns-3 versions that ns-3.35 lacks. The wscript includes this file before each file
// of the module.

#ifndef HPCC_NS3_35_H
#define HPCC_NS3_35_H

#include "ns3/event-impl.h"
#include "ns3/make-event.h"

#include <utility>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Makes an event that calls any callable object. Simulator::Schedule() of ns-3.36 accepts such
 * objects itself.
 * @tparam Function callable without arguments
 * @param function the object that the event calls
 * @return the event
 */
template <typename Function>
EventImpl*
MakeEvent(Function function)
{
    class Event : public EventImpl
    {
      public:
        explicit Event(Function callee)
            : m_function(std::move(callee))
        {
        }

      private:
        void Notify() override
        {
            m_function();
        }

        Function m_function;
    };

    return new Event(std::move(function));
}

} // namespace ns3

#endif // HPCC_NS3_35_H
