// SPDX-License-Identifier: MIT
// Tests of plan/options.hpp.
#include <concepts>

#include <ipu_dsl/plan/options.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

/// A schedule of one's own is an option as it stands.
struct own_schedule : rotating_schedule<own_schedule> {
  static constexpr std::string_view name = "own";
  static constexpr overlap how = overlap::none;
  static constexpr int least_stages = 1;
};

struct none {};

static_assert(compile_options_of<micro_batch<8>, grouped>.integer(micro_batch_key, 32) == 8);
static_assert(compile_options_of<grouped, micro_batch<8>>.integer(micro_batch_key, 32) == 8);
static_assert(compile_options_of<grouped>.integer(micro_batch_key, 32) == 32);
static_assert(compile_options_of<mean_gradients>.integer(reduction_key, 0) == 1);
static_assert(compile_options_of<own_schedule>.given(schedule_key));
static_assert(!own_schedule::allows(1, 1, 4, purpose::training).found());
static_assert(std::same_as<option_about<&schedule_key, none, micro_batch<8>, own_schedule>::type,
                           own_schedule>);
static_assert(std::same_as<option_about<&schedule_key, none, micro_batch<8>>::type, none>);
static_assert(std::same_as<option_about<&loss_key, none>::type, none>);
static_assert(loss<sparse_categorical_crossentropy, from_probabilities>::choices[0]
                  .options.as<crossentropy_options>()
                  .scores == score_kind::probabilities);
static_assert(!loss<mean_squared_error>::fault.found());
static_assert(loss<mean_squared_error, from_probabilities>::fault.found());
static_assert(metrics<>::count == 0);
static_assert(metrics<accuracy, mean_squared_error>::count == 2);
static_assert(!metrics<accuracy, mean_squared_error>::fault.found());
static_assert(metrics<relu>::fault.expected.view() == "a metric in metrics<...>");
static_assert(metrics<accuracy, accuracy>::fault.got.view() == "accuracy twice");

TEST_CASE("compile options are read in any order") {
  CHECK(compile_options_of<micro_batch<8>, grouped>.integer(micro_batch_key, 32) == 8);
  CHECK(compile_options_of<grouped, micro_batch<8>>.integer(micro_batch_key, 32) == 8);
}

}  // namespace
