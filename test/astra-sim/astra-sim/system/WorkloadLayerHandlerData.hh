/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Part of Sys.hh in this stand-in.

#include "Sys.hh"
