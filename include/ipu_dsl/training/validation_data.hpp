// SPDX-License-Identifier: MIT
// What stands behind the options of a call: what `fit` evaluates between its epochs, and callbacks.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/data/transform.hpp>
#include <ipu_dsl/training/hooks.hpp>
#include <ipu_dsl/training/session_options.hpp>
#include <ipu_dsl/training/training_run.hpp>

namespace ipu_dsl {

/// In place of what samples count, where nobody asks for it.
struct uncounted {};

/// Features and labels or targets in arrays to validate on, and what each sample counts, of types
/// that are references or not.
template <typename Input, typename Target, typename Weights = uncounted>
struct validation_arrays {
  Input input;
  Target target;
  Weights weights = {};
};

template <typename T>
inline constexpr bool are_validation_arrays = false;

template <typename Input, typename Target, typename Weights>
inline constexpr bool are_validation_arrays<validation_arrays<Input, Target, Weights>> = true;

template <typename Input, typename Target, typename Weights>
inline constexpr bool are_validation_arrays<const validation_arrays<Input, Target, Weights>> = true;

/// Data, or a feed, that `fit` evaluates behind every `validation_frequency`th epoch:
/// `run.fit(known, {.epochs = 4}, validation_data(unseen))`; of arrays `validation_data(features,
/// labels)`, and `validation_data(features, labels, weights)` where the loss has `sample_weights`.
/// Refers to what has a name, and keeps what has none.
template <typename Source>
class validation_data {
 public:
  explicit validation_data(Source&& source) : source_(std::forward<Source>(source)) {}

  template <typename Input, typename Target>
  validation_data(Input&& input, Target&& target)
      : source_{std::forward<Input>(input), std::forward<Target>(target)} {}

  template <typename Input, typename Target, typename Weights>
  validation_data(Input&& input, Target&& target, Weights&& weights)
      : source_{std::forward<Input>(input), std::forward<Target>(target),
                std::forward<Weights>(weights)} {}

  auto& source() { return source_; }

  const auto& source() const { return source_; }

 private:
  Source source_;
};

template <typename Source>
validation_data(Source&&) -> validation_data<Source>;

template <typename Input, typename Target>
validation_data(Input&&, Target&&) -> validation_data<validation_arrays<Input, Target>>;

template <typename Input, typename Target, typename Weights>
validation_data(Input&&, Target&&, Weights&&)
    -> validation_data<validation_arrays<Input, Target, Weights>>;

template <typename T>
inline constexpr bool is_validation = false;

template <typename Source>
inline constexpr bool is_validation<validation_data<Source>> = true;

template <typename Source>
inline constexpr bool is_validation<const validation_data<Source>> = true;

/// It has no hooks.
template <typename Source>
callback_reference refer_to(const validation_data<Source>&) {
  static constexpr hook_table none;
  return {nullptr, &none};
}

/// What `fit` takes behind its options, first of all of them.
template <typename First, typename... More>
auto& validation_among(First& first, More&... more) {
  if constexpr (is_validation<First>) {
    return first.source();
  } else {
    return validation_among(more...);
  }
}

/// What is wrong with several validations.
template <int Count>
struct validation_fault_of {
  static constexpr problem find() {
    problem found = refuse("one validation_data", "several",
                           "concatenate the data, or evaluate the others in a callback");
    found.where = "fit";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with one thing behind the options: it is neither validation data nor a callback.
template <typename Behind>
struct behind_options_fault_of {
  static constexpr problem find() {
    if constexpr (is_validation<Behind>) {
      return {};
    } else {
      return callback_fault_of<Behind>::value;
    }
  }

  static constexpr problem value = find();
};

/// Makes one compile error with one sentence for what is wrong behind the options; always true.
template <typename... Behind>
constexpr bool check_behind_options() {
  constexpr int validations = (static_cast<int>(is_validation<Behind>) + ... + 0);
  if constexpr (validations > 1) {
    return diagnose<validation_fault_of<validations>>();
  } else {
    return (diagnose<behind_options_fault_of<Behind>>() && ...);
  }
}

/// Does the work of a call with the callbacks that stand behind it, without their types; `rate` is
/// null for an optimizer that has none.
template <typename Work, typename... Callbacks>
decltype(auto) with_callbacks(session_engine& engine, learning_rate_schedule* rate,
                              const Work& work, Callbacks&... callbacks) {
  if constexpr (sizeof...(Callbacks) == 0) {
    return work({});
  } else {
    training_run run(engine, rate);
    const callback_reference all[] = {refer_to(callbacks)...};
    return work({all, run});
  }
}

/// A data set cut in two, of which the share at the end is validated on; the first part takes the
/// steps that the whole was to take.
template <dataset Data>
struct split_data {
  transformed<Data> trained;
  transformed<Data> validated;
};

/// How many samples stand before a share of them at their end, rounded down as Keras does. A share
/// that was written as a float, 0.2F, stands for its decimal, from which it differs by so little of
/// a sample.
[[gnu::cold]] inline std::int64_t samples_before(std::int64_t samples, double share) {
  const double before = static_cast<double>(samples) * (1 - share);
  const double nearest = __builtin_round(before);
  const bool is_float = static_cast<double>(static_cast<float>(share)) == share;
  const double half_of_last_bit = static_cast<double>(samples) * share * 0x1p-24;
  const bool is_meant = is_float && __builtin_fabs(before - nearest) <= half_of_last_bit;
  return static_cast<std::int64_t>(is_meant ? nearest : before);
}

/// The same. Throws `error` unless the share leaves samples on both sides.
[[gnu::cold, gnu::noinline]] inline std::int64_t check_samples_before(std::int64_t samples,
                                                                      double share) {
  const bool is_share = share > 0 && share < 1;
  const std::int64_t trained = is_share ? samples_before(samples, share) : 0;
  if (!is_share || trained < 1 || trained >= samples) {
    raise_error(
        {"validation_split is a share of the data that leaves samples to train "
         "on and to validate on, above 0 and below 1; got ",
         label() << static_cast<float>(share), " of ", samples, " samples."});
  }
  return trained;
}

/// Cuts off a share of a data set at its end, as Keras does: in the order in which the data lie,
/// before any of its steps. Throws `error` unless it leaves samples on both sides.
template <dataset Data>
[[gnu::cold]] split_data<Data> split_off(const transformed<Data>& given, double share) {
  const std::int64_t trained = check_samples_before(given.data->size(), share);
  split_data<Data> made{*given.data | take(trained), *given.data | skip(trained)};
  made.trained.steps.append(given.steps);
  return made;
}

/// The same of data that its order owns, which must outlive both parts.
template <dataset Data>
split_data<Data> split_off(const owned_transformed<Data>& given, double share) {
  return split_off(transformed<Data>{&given.data, given.steps}, share);
}

/// The same of data without steps.
template <dataset Data>
split_data<Data> split_off(const Data& given, double share) {
  return split_off(transformed<Data>{&given, {}}, share);
}

/// Throws `error` if a share of the data is to be validated on.
[[gnu::cold]] inline void refuse_split(const fit_options& wanted, std::string_view why) {
  if (wanted.validation_split != 0) {
    raise_error({"validation_split divides a data set, and ", why,
                 ". Give fit validation_data(...) behind its options alone."});
  }
}

}  // namespace ipu_dsl
