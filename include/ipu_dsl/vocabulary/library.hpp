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
#include <ipu_dsl/vocabulary/optimizers/adadelta.hpp>
#include <ipu_dsl/vocabulary/optimizers/adagrad.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>
#include <ipu_dsl/vocabulary/optimizers/adamax.hpp>
#include <ipu_dsl/vocabulary/optimizers/adamw.hpp>
#include <ipu_dsl/vocabulary/optimizers/amsgrad.hpp>
#include <ipu_dsl/vocabulary/optimizers/ftrl.hpp>
#include <ipu_dsl/vocabulary/optimizers/lion.hpp>
#include <ipu_dsl/vocabulary/optimizers/nadam.hpp>
#include <ipu_dsl/vocabulary/optimizers/rmsprop.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>
