// SPDX-License-Identifier: MIT
// Models of 16 stages x 256 micro-batches under schedules with stages on a V.
#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>

#include "deep_model.hpp"

using namespace ipu_dsl;

static_assert(is_valid<deep_model::training<zb_v>>());
static_assert(is_valid<deep_model::training<dualpipe_v>>());
