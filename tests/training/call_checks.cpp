// SPDX-License-Identifier: MIT
// What is said of calls that a compiled model cannot take; values alone.
#include <array>
#include <span>
#include <vector>

#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/training/call_checks.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

struct line : model<input<4>, sequential<Dense<2>>> {};

struct words : model<input<dtype::int32, 4>, sequential<Embedding<9, 2>, Flatten, Dense<2>>> {};

template <typename Model>
struct trained : compile<Model, micro_batch<4>, loss<sparse_categorical_crossentropy>,
                         optimizer<sgd<momentum>>> {};

using floats = std::vector<float>;
using integers = std::vector<std::int32_t>;

template <typename Found>
constexpr sentence said() {
  return Found::value.found() ? Found::value.message() : sentence();
}

constexpr checks test_predictions_that_fit() {
  checks done;
  done.that(said<predicted_arrays_fault_of<trained<line>, floats, 1>>().empty());
  done.that(said<predicted_arrays_fault_of<trained<words>, integers, 1>>().empty());
  done.that(said<predicted_arrays_fault_of<trained<line>, input_arrays<floats>, 1>>().empty());
  return done;
}

constexpr checks test_what_can_be_written_to() {
  checks done;
  done.that(outputs_given<floats&> == 1);
  done.that(outputs_given<std::span<float>> == 1);
  done.that(outputs_given<std::array<float, 4>&> == 1);
  done.that(outputs_given<output_arrays<floats, floats>> == 2);
  done.that(outputs_given<const output_arrays<floats>&> == 1);
  done.that(outputs_given<floats> == 0);
  done.that(outputs_given<const floats&> == 0);
  done.that(outputs_given<std::span<const float>> == 0);
  done.that(outputs_given<std::vector<double>&> == 0);
  return done;
}

constexpr checks test_predictions_that_do_not_fit() {
  checks done;
  done.that(said<predicted_arrays_fault_of<trained<line>, integers, 1>>().view() ==
            "the batch: expected an input of float32, got int32. Hint: write them as float");
  done.that(said<predicted_arrays_fault_of<trained<line>, floats, 2>>().view().find(
                "predict: expected room for 1 output, got 2") == 0);
  done.that(
      said<prediction_arguments_fault_of<std::vector<double>, floats&>>().view() ==
      "predict: expected an input that is an array of float, std::int32_t or std::uint8_t, got "
      "std::vector<double>. Hint: write std::vector<float> features(samples * elements)");
  done.that(said<prediction_arguments_fault_of<floats, floats>>().view().find(
                "predict: expected floats to write to, got a temporary std::vector<float>") == 0);
  done.that(said<prediction_arguments_fault_of<floats, const floats&>>().view().find(
                "predict: expected floats to write to, got const std::vector<float>") == 0);
  done.that(said<prediction_arguments_fault_of<floats>>().view().find(
                "predict: expected features and what to write to, got std::vector<float>") == 0);
  done.that(said<prediction_arguments_fault_of<floats, floats, floats>>().view().find(
                "predict: expected features and what to write to, got 3 arguments") == 0);
  return done;
}

constexpr checks test_room_for_a_feed() {
  checks done;
  done.that(said<output_count_fault_of<trained<line>, 1>>().empty());
  done.that(said<output_count_fault_of<trained<line>, 2>>().view().find(
                "predict: expected room for 1 output, got 2") == 0);
  done.that(said<room_fault_of<const floats&>>().view().find(
                "predict: expected floats to write to, got const std::vector<float>") == 0);
  return done;
}

constexpr checks test_steps() {
  checks done;
  done.that(said<step_fault_of<trained<line>, floats, integers>>().empty());
  done.that(said<step_fault_of<trained<line>, integers, integers>>().view() ==
            "the batch: expected an input of float32, got int32. Hint: write them as float");
  done.that(said<step_fault_of<trained<line>, integers, floats>>().view() ==
            "the batch: expected an input of float32, got int32. Hint: inputs stand before "
            "targets, as in run.fit(images, labels)");
  done.that(!said<step_fault_of<trained<line>, floats, floats>>().empty());
  done.that(said<step_arguments_fault_of<floats>>().view().find(
                "train_step: expected an input and its targets, and what samples count, got 1 "
                "argument") == 0);
  return done;
}

static_assert(test_predictions_that_fit());
static_assert(test_what_can_be_written_to());
static_assert(test_predictions_that_do_not_fit());
static_assert(test_room_for_a_feed());
static_assert(test_steps());

}  // namespace

TEST_CASE("what a prediction or a step is given is checked by its types") {
  CHECK(test_predictions_that_fit());
  CHECK(test_what_can_be_written_to());
  CHECK(test_predictions_that_do_not_fit());
  CHECK(test_room_for_a_feed());
  CHECK(test_steps());
}
