// SPDX-License-Identifier: MIT
// Models of 16 stages x 256 micro-batches under schedules with whole backwards.
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/inference.hpp>

#include "deep_model.hpp"

using namespace ipu_dsl;

static_assert(is_valid<deep_model::training<gpipe>>());
static_assert(is_valid<deep_model::training<one_f_one_b>>());
static_assert(is_valid<deep_model::training<eager_one_f_one_b>>());
static_assert(is_valid<deep_model::training<popart_implicit>>());
