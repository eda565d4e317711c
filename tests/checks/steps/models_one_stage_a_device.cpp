// SPDX-License-Identifier: MIT
// Models of 16 stages x 256 micro-batches under schedules of one stage a device.
#include <ipu_dsl/schedule/catalogue/asynchronous.hpp>
#include <ipu_dsl/schedule/catalogue/fill.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

#include "deep_model.hpp"

using namespace ipu_dsl;
using namespace deep_model;

static_assert(check<deep_model::training<sequential_schedule>>());
static_assert(check<deep_model::training<grouped>>());
static_assert(check<deep_model::training<interleaved>>());
static_assert(check<deep_model::training<gpipe>>());
static_assert(check<deep_model::training<one_f_one_b>>());
static_assert(check<deep_model::training<eager_one_f_one_b>>());
static_assert(check<deep_model::training<popart_implicit>>());
