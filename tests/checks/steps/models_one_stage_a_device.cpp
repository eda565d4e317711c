// SPDX-License-Identifier: MIT
// Models of 16 stages x 256 micro-batches under the schedules of the reference.
#include <ipu_dsl/schedule/schedules.hpp>

#include "deep_model.hpp"

using namespace ipu_dsl;

static_assert(is_valid<deep_model::training<sequential_schedule>>());
static_assert(is_valid<deep_model::training<grouped>>());
static_assert(is_valid<deep_model::training<interleaved>>());
