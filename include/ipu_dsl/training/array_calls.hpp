// SPDX-License-Identifier: MIT
// Keras's fit(x, y): a session's calls that take arrays, and what is wrong with such calls.
// Over 300 lines: each call once more for every way to give arrays, with its sentences.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/data/transform.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/training/array_data.hpp>
#include <ipu_dsl/training/braced_calls.hpp>
#include <ipu_dsl/training/call_checks.hpp>
#include <ipu_dsl/training/hooks.hpp>
#include <ipu_dsl/training/model_arrays.hpp>
#include <ipu_dsl/training/options_elsewhere.hpp>
#include <ipu_dsl/training/session_faults.hpp>
#include <ipu_dsl/training/session_options.hpp>
#include <ipu_dsl/training/session_source.hpp>
#include <ipu_dsl/training/validation_data.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What is wrong with the first two arguments of `fit`, or of `evaluate`: neither data and options
/// nor arrays.
template <typename First, typename Second, bool OfFit>
struct arguments_fault_of {
  static constexpr problem find() {
    problem found = find_by_types();
    found.where = OfFit ? "fit" : "evaluate";
    return found;
  }

  static constexpr problem value = find();

 private:
  static constexpr problem find_by_types() {
    if constexpr (dataset<dataset_of<First>> || feed<First>) {
      return find_behind_data();
    } else if constexpr (arrays_of_role<First, tensor_role::input>) {
      return find_argument_fault<tensor_role::target, Second>();
    } else if constexpr (arrays_of_role<Second, tensor_role::target>) {
      return find_argument_fault<tensor_role::input, First>();
    } else {
      return refuse("a data set or a feed", label() << type_name<First>() << " and more",
                    text<191>("write ")
                        << (OfFit ? "fit" : "evaluate")
                        << "(features, labels) with vectors of float and std::int32_t, "
                           "or labelled_dataset<shape{28, 28}, 10, float> "
                           "data(features, labels)");
    }
  }

  static constexpr problem find_behind_data() {
    problem found = refuse(
        OfFit ? "fit_options behind the data" : "nothing but callbacks behind the data",
        type_name<Second>(), OfFit ? "write fit(data, {.epochs = 4})" : no_options_of_evaluate);
    if constexpr (OfFit && is_validation<Second>) {
      found.got = "validation_data";
      found.hint = "options stand before it: write fit(data, {}, validation_data(unseen))";
    } else if constexpr (OfFit && callback<Second>) {
      found.got = "a callback";
      found.hint = "options stand before it: write fit(data, {}, done)";
    }
    return found;
  }
};

/// What is wrong with what stands behind features and labels.
template <typename Third, bool OfFit>
struct behind_arrays_fault_of {
  static constexpr problem find() {
    problem found;
    if constexpr (!arrays_of_role<Third, tensor_role::weight>) {
      found = refuse(OfFit ? "fit_options, or an array of float, what samples count"
                           : "callbacks, or an array of float, what samples count",
                     type_name<Third>(),
                     OfFit ? "write fit(features, labels, {.epochs = 4})" : no_options_of_evaluate);
      if constexpr (OfFit && (is_validation<Third> || callback<Third>)) {
        found.got = is_validation<Third> ? "validation_data" : "a callback";
        found.hint = "options stand before it: write fit(features, labels, {}, ...)";
      }
    }
    found.where = OfFit ? "fit" : "evaluate";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with the first four arguments of `fit`, or of `evaluate`, where none of them is
/// what stands behind data: batch_size and epochs, as Keras takes them.
template <bool OfFit, typename First, typename Second, typename Third, typename Fourth>
struct four_arguments_fault_of {
  static constexpr problem find() {
    if constexpr (!are_arrays_of_step<First, Second>) {
      return arguments_fault_of<First, Second, OfFit>::value;
    } else if constexpr (!arrays_of_role<Third, tensor_role::weight>) {
      return behind_arrays_fault_of<Third, OfFit>::value;
    } else {
      problem found = refuse(
          OfFit ? "fit_options behind what samples count"
                : "nothing but callbacks behind what samples count",
          type_name<Fourth>(),
          OfFit ? "write fit(features, labels, weights, {.epochs = 4})" : no_options_of_evaluate);
      found.where = OfFit ? "fit" : "evaluate";
      return found;
    }
  }

  static constexpr problem value = find();
};

/// What is wrong with `fit()`.
template <int Nothing>
struct no_data_fault_of {
  static constexpr problem find() {
    problem found = refuse("data to train on", "nothing",
                           "write fit(data, {.epochs = 4}), or fit(features, labels)");
    found.where = "fit";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with arrays that a compiled model trains on.
template <compiled_model C, typename Input, typename Target, typename... Weights>
struct array_data_fault_of {
  static constexpr problem find() {
    problem found = loss_fault_of<C>::value;
    if (!found.found()) {
      found = step_fault_of<C, Input, Target, Weights...>::value;
    }
    return found;
  }

  static constexpr problem value = find();
};

/// Whether a compiled model trains on these arrays; one compile error if not, and none of what has
/// been refused before.
template <compiled_model C, bool OfFit, typename Input, typename Target, typename... Weights>
constexpr bool check_array_data() {
  if constexpr (std::same_as<Input, refused_data> || std::same_as<Target, refused_data>) {
    return false;
  } else if constexpr (!are_arrays_of_step<Input, Target>) {
    return !diagnose<arguments_fault_of<Input, Target, OfFit>>();
  } else if constexpr (!are_arrays_of_step<Input, Target, Weights...>) {
    return !(diagnose<behind_arrays_fault_of<Weights, OfFit>>() && ...);
  } else {
    using fault = array_data_fault_of<C, Input, Target, Weights...>;
    return diagnose<fault>() && !fault::value.found();
  }
}

/// What is wrong with arrays that a compiled model is to be validated on, or with their types.
template <compiled_model C, typename Input, typename Target, typename... Weights>
struct validation_arrays_fault_of {
  static constexpr problem find() {
    problem found = find_types_fault<Input, Target, Weights...>();
    if constexpr (are_arrays_of_step<Input, Target, Weights...>) {
      found = array_data_fault_of<C, Input, Target, Weights...>::value;
    }
    if (found.found()) {
      found.where = "validation_data";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// Whether a compiled model can be validated on these arrays; one compile error if not, and none of
/// what has been refused before.
template <compiled_model C, typename Input, typename Target, typename... Weights>
constexpr bool check_validation_data() {
  if constexpr (std::same_as<Input, refused_data> || std::same_as<Target, refused_data>) {
    return false;
  } else {
    using fault = validation_arrays_fault_of<C, Input, Target, Weights...>;
    return diagnose<fault>() && !fault::value.found();
  }
}

/// The same of what stands behind the options of `fit`, whatever it is.
template <compiled_model C, typename Behind>
inline constexpr bool check_validation_arrays = true;

template <compiled_model C, typename Input, typename Target>
inline constexpr bool
    check_validation_arrays<C, validation_data<validation_arrays<Input, Target>>> =
        check_validation_data<C, std::remove_cvref_t<Input>, std::remove_cvref_t<Target>>();

template <compiled_model C, typename Input, typename Target, typename Weights>
inline constexpr bool
    check_validation_arrays<C, validation_data<validation_arrays<Input, Target, Weights>>> =
        check_validation_data<C, std::remove_cvref_t<Input>, std::remove_cvref_t<Target>,
                              std::remove_cvref_t<Weights>>();

/// The calls of a session that take arrays, an array for the features and one for the labels or
/// targets, of anything that `train_step` takes:
///
///   run.fit(features, labels, {.epochs = 4}, validation_data(unseen, their_labels));
///   const evaluation found = run.evaluate(unseen, their_labels);
///
/// Features are [samples, elements of the model's input], labels [samples]; of several
/// `input_arrays{...}` and `target_arrays{...}`. As everywhere, infinities and NaN of data are
/// refused, as are integers that are no class.
template <typename Session, compiled_model C>
class array_calls : public braced_calls<C> {
 public:
  using braced_calls<C>::fit;
  using braced_calls<C>::evaluate;

  /// Trains on arrays as `fit` of a data set does, in a new order every pass, as Keras: the
  /// session's seed says which. With `steps_per_epoch` they are repeated without end. In their own
  /// order, or another: `fit(over_arrays<columns...>(features, labels) | ...)`. Throws `error`
  /// before anything changes if they do not belong together.
  template <typename Input, typename Target, typename... Behind>
    requires(!std::convertible_to<Target, fit_options>)
  const history& fit(const Input& input, const Target& target, const fit_options& wanted = {},
                     Behind&&... behind) {
    if constexpr (check_array_data<C, true, Input, Target>() &&
                  (check_validation_arrays<C, std::remove_cvref_t<Behind>> && ...)) {
      return fit_shuffled(make_array_data<C>(rows_of<tensor_role::input>(input),
                                             rows_of<tensor_role::target>(target), {}),
                          wanted, behind...);
    }
    return refused_history();
  }

  /// The same with what each sample counts [samples], where the loss has `sample_weights`.
  template <typename Input, typename Target, typename Weights, typename... Behind>
    requires(!std::convertible_to<Target, fit_options> &&
             !std::convertible_to<Weights, fit_options>)
  const history& fit(const Input& input, const Target& target, const Weights& weights,
                     const fit_options& wanted = {}, Behind&&... behind) {
    if constexpr (check_array_data<C, true, Input, Target, Weights>() &&
                  (check_validation_arrays<C, std::remove_cvref_t<Behind>> && ...)) {
      return fit_shuffled(make_array_data<C>(rows_of<tensor_role::input>(input),
                                             rows_of<tensor_role::target>(target),
                                             rows_of<tensor_role::weight>(weights)),
                          wanted, behind...);
    }
    return refused_history();
  }

  /// Refused with a sentence.
  template <int Nothing = 0>
  const history& fit() {
    static_assert(diagnose<no_data_fault_of<Nothing>>());
    return refused_history();
  }

  /// Refused with a sentence: options by names that they have elsewhere. Volatile, because what a
  /// session does is not: where both can be called, that is nearer.
  template <typename Source, typename... Behind>
  const history& fit(const Source&, const options_elsewhere&, Behind&&...) volatile {
    static_assert(diagnose<options_elsewhere_fault_of<Source>>());
    return refused_history();
  }

  /// The same behind arrays.
  template <typename Input, typename Target, typename... Behind>
  const history& fit(const Input&, const Target&, const options_elsewhere&, Behind&&...) volatile {
    static_assert(diagnose<options_elsewhere_fault_of<Input>>());
    return refused_history();
  }

  /// A path is no bool: a compiler itself says that either could be meant.
  template <typename Source, typename... Behind>
  not_in_fit_options fit(Source&&, const resume_is_true_and_load_training_has_the_path&,
                         Behind&&...) = delete;

  template <typename Input, typename Target, typename... Behind>
  not_in_fit_options fit(const Input&, const Target&,
                         const resume_is_true_and_load_training_has_the_path&,
                         Behind&&...) = delete;

  /// Refused with a sentence: numbers, where options belong.
  template <typename Input, typename Target, typename Third, typename Fourth, typename... Behind>
  const history& fit(const Input&, const Target&, const Third&, const Fourth&,
                     const Behind&...) volatile {
    static_assert(diagnose<four_arguments_fault_of<true, Input, Target, Third, Fourth>>());
    return refused_history();
  }

  template <typename Input, typename Target, typename Third, typename Fourth, typename... Behind>
  evaluation evaluate(const Input&, const Target&, const Third&, const Fourth&,
                      const Behind&...) volatile {
    static_assert(diagnose<four_arguments_fault_of<false, Input, Target, Third, Fourth>>());
    return {};
  }

  /// Of any other name a compiler itself says that there is none, in as few lines as it can.
  template <typename Source>
  not_in_fit_options fit(const Source&, ...) volatile = delete;

  template <typename Input, typename Target>
  not_in_fit_options fit(const Input&, const Target&, ...) volatile = delete;

  /// Mean loss and metrics over arrays, in order. Behind them stand callbacks.
  template <typename Input, typename Target, callback... Callbacks>
    requires(!callback<Target>)
  evaluation evaluate(const Input& input, const Target& target, Callbacks&&... callbacks) {
    if constexpr (check_array_data<C, false, Input, Target>()) {
      return evaluate_data(make_array_data<C>(rows_of<tensor_role::input>(input),
                                              rows_of<tensor_role::target>(target), {}),
                           callbacks...);
    }
    return {};
  }

  /// The same with what each sample counts.
  template <typename Input, typename Target, typename Weights, callback... Callbacks>
    requires(!callback<Target> && !callback<Weights>)
  evaluation evaluate(const Input& input, const Target& target, const Weights& weights,
                      Callbacks&&... callbacks) {
    if constexpr (check_array_data<C, false, Input, Target, Weights>()) {
      return evaluate_data(make_array_data<C>(rows_of<tensor_role::input>(input),
                                              rows_of<tensor_role::target>(target),
                                              rows_of<tensor_role::weight>(weights)),
                           callbacks...);
    }
    return {};
  }

 protected:
  array_calls() = default;

  /// What `work` makes of arrays to validate on, as data.
  template <typename Input, typename Target, typename Weights, typename Work>
  static const history& with_array_data(const validation_arrays<Input, Target, Weights>& given,
                                        const Work& work) {
    using input = std::remove_cvref_t<Input>;
    using target = std::remove_cvref_t<Target>;
    using weights = std::remove_cvref_t<Weights>;
    if constexpr (!std::same_as<weights, uncounted>) {
      if constexpr (check_validation_data<C, input, target, weights>()) {
        return work(make_array_data<C>(rows_of<tensor_role::input>(given.input),
                                       rows_of<tensor_role::target>(given.target),
                                       rows_of<tensor_role::weight>(given.weights)));
      }
    } else {
      if constexpr (check_validation_data<C, input, target>()) {
        return work(make_array_data<C>(rows_of<tensor_role::input>(given.input),
                                       rows_of<tensor_role::target>(given.target), {}));
      }
    }
    return refused_history();
  }

 private:
  template <tensor_role Role, typename Arrays>
  static auto rows_of(const Arrays& given) {
    return model_arrays<C>::template rows_of<Role>(given);
  }

  Session& self() { return static_cast<Session&>(*this); }

  template <typename... Behind>
  const history& fit_shuffled(const array_data<C>& data, const fit_options& wanted,
                              Behind&... behind) {
    auto order = data | shuffled((std::max)(data.size(), std::int64_t{1}));
    if (wanted.steps_per_epoch > 0) {
      order.steps.push_back(repeated());
    }
    return self().fit(order, wanted, behind...);
  }

  template <typename... Callbacks>
  evaluation evaluate_data(const array_data<C>& data, Callbacks&... callbacks) {
    return self().evaluate(data, callbacks...);
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
