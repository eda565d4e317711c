// SPDX-License-Identifier: MIT
// The largest model of the examples: 177 calls, each with a name; and without its normalisations.
#include "../../../examples/models/resnet50.hpp"

#include <ipu_dsl/model/normalization_folded.hpp>

static_assert(ipu_dsl::check<models::resnet50>());
static_assert(ipu_dsl::check<ipu_dsl::normalization_folded<models::resnet50>>());
static_assert(ipu_dsl::folded_parameters_of<models::resnet50>.size() == 108);
