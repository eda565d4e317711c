// SPDX-License-Identifier: MIT
// The largest programs of models: 8,192 stages x micro-batches and fewer of
// those that are made for the costs.
#include <ipu_dsl/catalogue/best_of.hpp>
#include <ipu_dsl/catalogue/list_scheduler.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/plan/program_limit.hpp>

#include "deep_model.hpp"

using namespace ipu_dsl;

static_assert(most_compiled<zb_h2>() == 16 * 512 && most_compiled<zero_bubble_list<>>() == 16 * 64);
static_assert(deep_model::stands<deep_model::training<zb_h2, 16, 512>>());
static_assert(is_valid<deep_model::training<zero_bubble_list<>, 16, 64>>());

using best = best_of<interleaved, zb_h1, zero_bubble_list<>>;
static_assert(most_compiled<best>() == 16 * 8);
static_assert(is_valid<deep_model::training<best, 16, 8>>());
