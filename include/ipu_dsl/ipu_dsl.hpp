// SPDX-License-Identifier: MIT
// Everything that defining, training, evaluating and reporting a model needs.
#pragma once

// First, so that compilers name a short way to them above what the library says.
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/late_refusal.hpp>
#include <ipu_dsl/data/cached.hpp>
#include <ipu_dsl/data/class_weights.hpp>
#include <ipu_dsl/data/concatenated.hpp>
#include <ipu_dsl/data/generated.hpp>
#include <ipu_dsl/data/mapped.hpp>
#include <ipu_dsl/data/over_arrays.hpp>
#include <ipu_dsl/data/picked.hpp>
#include <ipu_dsl/data/windowed.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>
#include <ipu_dsl/interface.hpp>
#include <ipu_dsl/plan/cut_bounds.hpp>
#include <ipu_dsl/training/session_definition.hpp>
