// SPDX-License-Identifier: MIT
// Everything that defining, training, evaluating and reporting a model needs.
#pragma once

#include <ipu_dsl/interface.hpp>
#include <ipu_dsl/plan/cut_bounds.hpp>
#include <ipu_dsl/training/session_definition.hpp>
