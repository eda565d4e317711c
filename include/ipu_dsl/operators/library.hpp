// SPDX-License-Identifier: MIT
// The code of all families that we bring: the one list of them.
#pragma once

#include <ipu_dsl/operators/dense.hpp>
#include <ipu_dsl/operators/elementwise.hpp>
#include <ipu_dsl/operators/feed.hpp>
#include <ipu_dsl/operators/losses/sparse_categorical_crossentropy.hpp>
#include <ipu_dsl/operators/metrics/accuracy.hpp>
#include <ipu_dsl/operators/pointwise.hpp>
#include <ipu_dsl/operators/update.hpp>
