// SPDX-License-Identifier: MIT
// The largest model of the examples: 177 calls, each with a name.
#include "../../../examples/models/resnet50.hpp"

static_assert(ipu_dsl::check<models::resnet50>());
