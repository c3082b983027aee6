/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What ns-3.35 lacks of later versions. The wscript puts it ahead of each of the module's files.

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
 * An event that calls anything callable, which Simulator::Schedule() of ns-3.36 takes.
 * @tparam Function callable without arguments
 * @param function what the event is to call
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
