// SPDX-License-Identifier: MIT
// Models of 16 stages x 256 micro-batches under schedules of several stages a device.
#include <ipu_dsl/catalogue/looped.hpp>

#include "deep_model.hpp"

using namespace ipu_dsl;

static_assert(is_valid<deep_model::training<interleaved_one_f_one_b>>());
static_assert(is_valid<deep_model::training<looped_bfs>>());
static_assert(is_valid<deep_model::training<interleaved_zero_bubble>>());
