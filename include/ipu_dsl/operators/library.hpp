// SPDX-License-Identifier: MIT
// The code of all families that we bring.
#pragma once

#include <ipu_dsl/operators/class_counting.hpp>
#include <ipu_dsl/operators/constraint.hpp>
#include <ipu_dsl/operators/counting.hpp>
#include <ipu_dsl/operators/feed.hpp>
#include <ipu_dsl/operators/layers.hpp>
#include <ipu_dsl/operators/losses/sparse_categorical_crossentropy.hpp>
#include <ipu_dsl/operators/metrics/accuracy.hpp>
#include <ipu_dsl/operators/parameter_sums.hpp>
#include <ipu_dsl/operators/penalty.hpp>
#include <ipu_dsl/operators/pointwise.hpp>
#include <ipu_dsl/operators/rowwise.hpp>
#include <ipu_dsl/operators/update.hpp>
