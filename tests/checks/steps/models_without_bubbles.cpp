// SPDX-License-Identifier: MIT
// Models of 16 stages x 256 micro-batches under schedules whose backwards come in halves.
#include <ipu_dsl/catalogue/zero_bubble.hpp>

#include "deep_model.hpp"

using namespace ipu_dsl;

static_assert(is_valid<deep_model::training<zb_h1>>());
static_assert(is_valid<deep_model::training<zb_h2>>());
