/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_IP_CHECKS_H
#define HPCC_IP_CHECKS_H

#include "ns3/application.h"
#include "ns3/node.h"
#include "ns3/nstime.h"

#include <map>
#include <string>

namespace ns3
{

class HpccFabricHelper;

/**
 * @ingroup hpcc
 *
 * Throws HpccInputError if a fabric has no network yet, if it has refused the network, or if
 * Simulator::Destroy() has removed the network.
 * @param function name of the function that needs the network, "CLASS::FUNCTION", for the message
 * @param fabric helper that must have a network
 */
void RequireNetwork(const std::string& function, const HpccFabricHelper& fabric);

/**
 * @ingroup hpcc
 *
 * Throws HpccInputError if a setting is made after Install().
 * @param function name of the function that makes the setting, for the message
 * @param installed true after Install() of the function's class
 */
void RequireBeforeInstall(const std::string& function, bool installed);

/**
 * @ingroup hpcc
 *
 * Throws HpccInputError if there is no node.
 * @param function name of the function that got the node, for the message
 * @param node node to check; may be null
 */
void RequireNode(const std::string& function, Ptr<const Node> node);

/**
 * @ingroup hpcc
 *
 * Throws HpccInputError if an application would start in the past.
 * @param function name of the function that got the time, for the message
 * @param start the time
 */
void RequireStart(const std::string& function, Time start);

/**
 * @ingroup hpcc
 *
 * Adds an application to a node, before or during the simulation.
 * @param node node on which the application runs
 * @param application application to add
 * @param start start of the application in simulated time; now or later
 */
void StartAt(Ptr<Node> node, Ptr<Application> application, Time start);

/**
 * @ingroup hpcc
 *
 * Throws HpccInputError if a program tries to set an attribute that a function of the helper sets
 * itself.
 * @param function name of the function that got the attribute, for the message
 * @param name name of the attribute
 * @param setters names of the functions that set attributes themselves, by name of the attribute
 */
void RequireNotSetBy(const std::string& function,
                     const std::string& name,
                     const std::map<std::string, std::string>& setters);

/**
 * @ingroup hpcc
 *
 * Throws HpccInputError if the lower bound of the rate is the line rate or more, because the
 * control law could not reduce the rate.
 * @param name full name of the attribute, for the message
 * @param minRateBps lower bound of the rate, bit/s; 0: none
 * @param line owner of the line rate, for the message
 * @param lineRateBps the line rate, bit/s
 */
void RequireMinRateBelow(const std::string& name,
                         double minRateBps,
                         const std::string& line,
                         uint64_t lineRateBps);

} // namespace ns3

#endif // HPCC_IP_CHECKS_H
