// SPDX-License-Identifier: MIT
// Options of fit by names that they have elsewhere, and what is said of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/problem.hpp>

namespace ipu_dsl {

/// Of any type: what is written is refused for its name.
struct any_option {
  any_option() = default;

  template <typename... Given>
  constexpr any_option(Given&&...) {}
};

/// `fit_options` with the names of Keras, and some that are nearly ours: a name that a struct does
/// not have is an error of the compiler's own, which has no room for what to write. In the order in
/// which they are mostly written; `epochs` and others of ours because they stand beside them. Each
/// has a value, so that no compiler warns of those that are left out.
struct options_elsewhere {
  /// Nothing without a name is taken for this struct.
  struct by_name {
  } names_only = {};

  any_option epoch = {}, num_epochs = {}, n_epochs = {};
  any_option epochs = {};
  any_option batch_size = {}, batch = {};
  any_option steps_per_epoch = {};
  any_option steps = {}, steps_per_update = {};
  any_option steps_per_execution = {};
  any_option initial_epoch = {};
  any_option learning_rate = {}, lr = {}, verbose = {}, verbosity = {}, callbacks = {},
             callback = {};
  any_option validation_frequency = {};
  any_option validation_freq = {};
  any_option validation_split = {};
  any_option validation_data = {}, validation = {}, validation_steps = {},
             validation_batch_size = {}, shuffle = {};
  any_option step = {}, resume = {}, class_weight = {}, sample_weight = {}, sample_weights = {},
             workers = {}, threads = {}, seed = {};
};

/// A text, or what becomes one.
struct text_alone {
  template <typename Text>
    requires(std::convertible_to<Text, const char*> && !std::same_as<Text, std::nullptr_t>)
  constexpr text_alone(const Text&) {}
};

/// `fit_options` with a path where a bool is wanted, which every pointer becomes: a call with one
/// may mean either struct, so that a compiler refuses it. Nothing but such options fits.
struct resume_is_true_and_load_training_has_the_path {
  struct by_name {
  } names_only = {};

  std::int32_t epochs = 0;
  std::int64_t steps_per_epoch = 0;
  std::int64_t steps_per_execution = 0;
  std::int32_t initial_epoch = 0;
  std::int32_t validation_frequency = 0;
  double validation_split = 0;
  any_option step = {};
  text_alone resume;
};

/// What a compiler says that `fit` returns where its options have a name that is nobody's.
struct not_in_fit_options;

/// What is wrong with options by another name; `Source` is what was to be trained on.
template <typename Source>
struct options_elsewhere_fault_of {
  static constexpr problem find() {
    problem found = refuse(
        "options by the names of fit_options, such as .epochs", "another name, or another type",
        "batch_size is micro_batch<32> of compile; validation_data(...) and callbacks, such as "
        "progress_bar(), stand behind the options; shuffled(1'000) behind the data");
    found.where = "fit";
    return found;
  }

  static constexpr problem value = find();
};

}  // namespace ipu_dsl
