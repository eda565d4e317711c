// SPDX-License-Identifier: MIT
// Everything that defining, training, evaluating and reporting a model needs.
#pragma once

// First, so that compilers name a short way to them above what the library says.
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/late_refusal.hpp>
#include <ipu_dsl/data/class_weights.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>
#include <ipu_dsl/interface.hpp>
#include <ipu_dsl/plan/cut_bounds.hpp>
#include <ipu_dsl/training/session_definition.hpp>
