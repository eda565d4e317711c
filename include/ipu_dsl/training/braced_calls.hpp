// SPDX-License-Identifier: MIT
// Lists in braces, which Keras takes of arrays and of callbacks, and arguments of evaluate that
// Keras takes: what is said of them.
#pragma once

#include <ipu_dsl/core/anything.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/training/const_calls.hpp>
#include <ipu_dsl/training/history.hpp>
#include <ipu_dsl/training/options_elsewhere.hpp>
#include <ipu_dsl/training/session_options.hpp>
#include <ipu_dsl/training/session_source.hpp>

namespace ipu_dsl {

/// What is wrong with lists of arrays; `Compiled` is whose session was given them.
template <typename Compiled>
struct array_lists_fault_of {
  static constexpr problem find() {
    problem found =
        refuse("an array, or input_arrays and target_arrays of several", "a list in braces",
               "write run.fit(input_arrays{images, words}, target_arrays{labels, prices}), and "
               "output_arrays{...} of what predict makes");
    found.where = "session";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with what samples count, in a list.
template <typename Compiled>
struct weights_list_fault_of {
  static constexpr problem find() {
    problem found =
        refuse("what samples count in an array, or weight_arrays of several", "a list in braces",
               "write std::vector<float> counts{1, 0.5F} and train_step(features, "
               "labels, counts)");
    found.where = "train_step";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a list of callbacks.
template <typename Compiled>
struct callback_list_fault_of {
  static constexpr problem find() {
    problem found = refuse("callbacks one behind the other", "a list in braces",
                           "write run.fit(data, {.epochs = 4}, progress_bar(), "
                           "early_stopping({.patience = 2})), and arrays to validate on as "
                           "validation_data(features, labels)");
    found.where = "fit";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a list behind data, where options stand.
template <typename Compiled>
struct options_list_fault_of {
  static constexpr problem find() {
    problem found =
        refuse("fit_options by their names, or an array", "a list in braces",
               "write fit(data, {.epochs = 4}, progress_bar()), or fit(features, target_arrays{a, "
               "b})");
    found.where = "fit";
    return found;
  }

  static constexpr problem value = find();
};

/// What `evaluate` has instead of Keras's batch_size and steps.
inline constexpr const char* no_options_of_evaluate =
    "micro_batch<32> of compile is the batch; data | take(1'000) are fewer samples";

/// What is wrong with `evaluate()`, and with options behind data that are evaluated.
template <typename Compiled, bool OfNothing>
struct evaluation_fault_of {
  static constexpr problem find() {
    problem found = OfNothing ? refuse("data to evaluate", "nothing",
                                       "write evaluate(data), or evaluate(features, labels)")
                              : refuse("nothing but callbacks behind the data", "options",
                                       no_options_of_evaluate);
    found.where = "evaluate";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with options in front of data.
template <typename Compiled>
struct options_first_fault_of {
  static constexpr problem find() {
    problem found = refuse("data, and its options behind them", "options first",
                           "write run.fit(data, {.epochs = 4})");
    found.where = "fit";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with options behind what is predicted.
template <typename Compiled>
struct prediction_options_fault_of {
  static constexpr problem find() {
    problem found = refuse("nothing but callbacks behind the outputs", "options",
                           "micro_batch<32> of compile is the batch; hand over fewer samples to "
                           "predict fewer");
    found.where = "predict";
    return found;
  }

  static constexpr problem value = find();
};

/// The calls of a session with lists in braces, each refused with a sentence. Volatile, because
/// what a session does is not: where both can be called, that is nearer.
template <typename Compiled>
class braced_calls : public const_calls<Compiled> {
 public:
  using const_calls<Compiled>::fit;
  using const_calls<Compiled>::evaluate;
  using const_calls<Compiled>::predict;
  using const_calls<Compiled>::train_step;

  template <typename... Behind>
  const history& fit(const anything&, const anything&, const fit_options& = {},
                     const Behind&...) volatile {
    static_assert(diagnose<array_lists_fault_of<Compiled>>());
    return refused_history();
  }

  template <typename Source, typename... Behind>
  const history& fit(const fit_options&, const Source&, const Behind&...) volatile {
    static_assert(diagnose<options_first_fault_of<Compiled>>());
    return refused_history();
  }

  template <typename Source, typename... Behind>
  const history& fit(const Source&, const anything&, const Behind&...) volatile {
    static_assert(diagnose<options_list_fault_of<Compiled>>());
    return refused_history();
  }

  template <typename Source>
  const history& fit(const Source&, const fit_options&, const anything&) volatile {
    static_assert(diagnose<callback_list_fault_of<Compiled>>());
    return refused_history();
  }

  template <typename Source, typename First>
  const history& fit(const Source&, const fit_options&, const First&, const anything&) volatile {
    static_assert(diagnose<callback_list_fault_of<Compiled>>());
    return refused_history();
  }

  template <typename Input, typename Target>
  const history& fit(const Input&, const Target&, const fit_options&, const anything&) volatile {
    static_assert(diagnose<callback_list_fault_of<Compiled>>());
    return refused_history();
  }

  evaluation evaluate(const anything&, const anything&) volatile {
    static_assert(diagnose<array_lists_fault_of<Compiled>>());
    return {};
  }

  evaluation evaluate() volatile {
    static_assert(diagnose<evaluation_fault_of<Compiled, true>>());
    return {};
  }

  template <typename Source>
  evaluation evaluate(const Source&, const options_elsewhere&) volatile {
    static_assert(diagnose<evaluation_fault_of<Compiled, false>>());
    return {};
  }

  template <typename Input, typename Target>
  evaluation evaluate(const Input&, const Target&, const options_elsewhere&) volatile {
    static_assert(diagnose<evaluation_fault_of<Compiled, false>>());
    return {};
  }

  double train_step(const anything&, const anything&) volatile {
    static_assert(diagnose<array_lists_fault_of<Compiled>>());
    return 0;
  }

  template <typename Input, typename Target>
  double train_step(const Input&, const Target&, const anything&) volatile {
    static_assert(diagnose<weights_list_fault_of<Compiled>>());
    return 0;
  }

  void predict(const anything&, const anything&) volatile {
    static_assert(diagnose<array_lists_fault_of<Compiled>>());
  }

  template <typename Input, typename Output>
  void predict(const Input&, const Output&, const options_elsewhere&) volatile {
    static_assert(diagnose<prediction_options_fault_of<Compiled>>());
  }
};

}  // namespace ipu_dsl
