// SPDX-License-Identifier: MIT
// Models of 16 stages x 256 micro-batches under schedules with blocks of stages on a V.
#include <ipu_dsl/catalogue/v_blocks.hpp>

#include "deep_model.hpp"

using namespace ipu_dsl;

static_assert(is_valid<deep_model::training<one_f_one_b_v>>());
static_assert(is_valid<deep_model::training<v_half>>());
static_assert(is_valid<deep_model::training<v_min>>());
