// SPDX-License-Identifier: MIT
// The library ipu_dsl::compiled: all that depends neither on a model nor on the vector unit.
#ifndef IPU_DSL_COMPILED
#error "compile this with IPU_DSL_COMPILED defined, as the target ipu_dsl::compiled does"
#endif

#include <ipu_dsl/data/digits_definition.hpp>
#include <ipu_dsl/data/index_stream_definition.hpp>
#include <ipu_dsl/data/mnist_definition.hpp>
#include <ipu_dsl/runtime/parameters_definition.hpp>
#include <ipu_dsl/training/checkpoint_definition.hpp>
#include <ipu_dsl/training/saved_training_definition.hpp>
#include <ipu_dsl/training/session_engine_definition.hpp>
