// SPDX-License-Identifier: MIT
// Everything that defining, training, evaluating and reporting a model needs.
#pragma once

#include <ipu_dsl/core/version.hpp>
#include <ipu_dsl/data/digits.hpp>
#include <ipu_dsl/data/mnist.hpp>
#include <ipu_dsl/data/transform.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/plan/cut_bounds.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
