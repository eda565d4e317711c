// SPDX-License-Identifier: MIT
// The groups of rows of the table.
#pragma once

#include "table/contest.hpp"

namespace table {

/// What the machine can do at most.
void measure_limits(const run& settings);

/// The matrix products of every layer at batch 1, 32 and 128.
void measure_products(const run& settings);

/// Convolutions by themselves, forward and both gradients.
void measure_convolutions(const run& settings);

/// Training steps on one worker.
void measure_steps(const run& settings);

/// Training steps of models that people know.
void measure_models(const run& settings);

/// Updates of parameters by themselves.
void measure_updates(const run& settings);

/// Layers by themselves that move more than they compute.
void measure_memory_bound(const run& settings);

/// Predictions at batch 1 and 32, and of one sample after the other.
void measure_predictors(const run& settings);

/// Steps of recurrent layers, one sample at a time.
void measure_recurrent(const run& settings);

/// What a second worker gains, calm and disturbed.
void measure_workers(const run& settings);

/// What calls and actions cost beside their kernels.
void measure_executor(const run& settings);

/// What the programs of the parts count: hand-off, schedules, allocations.
void measure_parts(const run& settings);

/// Time, compile time and code size over depth, width, micro-batches, stages and tiles.
void measure_growth(const run& settings);

}  // namespace table
