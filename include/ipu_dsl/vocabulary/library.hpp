// SPDX-License-Identifier: MIT
// All that we bring to say models with: the one list of it.
#pragma once

#include <ipu_dsl/vocabulary/layers/activation.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>
#include <ipu_dsl/vocabulary/layers/embedding.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>
#include <ipu_dsl/vocabulary/layers/simple_rnn.hpp>
#include <ipu_dsl/vocabulary/losses/mean_squared_error.hpp>
#include <ipu_dsl/vocabulary/losses/sparse_categorical_crossentropy.hpp>
#include <ipu_dsl/vocabulary/metrics/accuracy.hpp>
#include <ipu_dsl/vocabulary/metrics/binary_accuracy.hpp>
#include <ipu_dsl/vocabulary/names_elsewhere.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>
