// SPDX-License-Identifier: MIT
// A compiled model that runs: what a session offers, with its code.
#pragma once

#include <ipu_dsl/training/session_definition.hpp>
#include <ipu_dsl/training/session_interface.hpp>
