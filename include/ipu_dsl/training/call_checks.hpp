// SPDX-License-Identifier: MIT
// Whether a step or a prediction of a compiled model can be given what stands in the call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <ipu_dsl/core/arrays.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/plan/planned_graph.hpp>
#include <ipu_dsl/runtime/prediction_faults.hpp>
#include <ipu_dsl/training/data_check.hpp>
#include <ipu_dsl/training/model_arrays.hpp>

namespace ipu_dsl {

/// What is wrong with the arrays of a step, the first thing that is: of inputs, targets and
/// weights, if there are any.
template <compiled_model C, typename Input, typename Target, typename... Weights>
struct step_fault_of {
  static constexpr problem find() {
    constexpr problem of_input = find_array_fault<C, tensor_role::input, Input>();
    if constexpr (of_input.found()) {
      return would_fit_the_other_way() ? with_hint(of_input) : of_input;
    }
    problem found = find_array_fault<C, tensor_role::target, Target>();
    // A model without a loss is refused as that.
    if (!found.found() && C::settings.has_loss) {
      found = find_weights_fault();
    }
    return found;
  }

  static constexpr problem value = find();

 private:
  static constexpr problem with_hint(problem found) {
    found.hint = "inputs stand before targets, as in run.fit(images, labels)";
    return found;
  }

  static constexpr bool would_fit_the_other_way() {
    if constexpr (arrays_of_role<Target, tensor_role::input>) {
      return !find_array_fault<C, tensor_role::input, Target>().found() && fits_as_target();
    } else {
      return false;
    }
  }

  static constexpr bool fits_as_target() {
    if constexpr (arrays_of_role<Input, tensor_role::target>) {
      return !find_array_fault<C, tensor_role::target, Input>().found();
    } else {
      return false;
    }
  }

  static constexpr problem find_weights_fault() {
    if constexpr (sizeof...(Weights) == 0) {
      return check_array_count(planned_graph_of<C>.view(), tensor_role::weight, 0);
    } else {
      return find_array_fault<C, tensor_role::weight, Weights...>();
    }
  }
};

/// What is wrong with a type where arrays of this role belong.
template <tensor_role Role, typename T>
constexpr problem find_argument_fault() {
  if constexpr (arrays_of_role<T, Role>) {
    return {};
  } else if constexpr (Role == tensor_role::input) {
    return refuse("an input that is an array of float, std::int32_t or std::uint8_t",
                  type_name<T>(), "write std::vector<float> features(samples * elements)");
  } else if constexpr (Role == tensor_role::target) {
    return refuse("targets that are an array of float or std::int32_t", type_name<T>(),
                  "write std::vector<std::int32_t> labels(samples)");
  } else {
    return refuse("an array of float, what samples count", type_name<T>(),
                  "write std::vector<float> weights(samples)");
  }
}

/// Whether a step of some model can be given arrays of these types.
template <typename Input, typename Target, typename... Weights>
inline constexpr bool are_arrays_of_step =
    arrays_of_role<Input, tensor_role::input> && arrays_of_role<Target, tensor_role::target> &&
    (arrays_of_role<Weights, tensor_role::weight> && ...);

/// What is wrong with the types of an input, targets and what samples count, if that is there: the
/// first thing that is.
template <typename Input, typename Target, typename... Weights>
constexpr problem find_types_fault() {
  problem found = find_argument_fault<tensor_role::input, Input>();
  if (!found.found()) {
    found = find_argument_fault<tensor_role::target, Target>();
  }
  if constexpr (sizeof...(Weights) == 1) {
    found = found.found() ? found : find_argument_fault<tensor_role::weight, Weights...>();
  }
  return found;
}

/// What is wrong with the types that a step is given, whatever the model: they are too few or too
/// many.
template <typename... Given>
struct step_arguments_fault_of {
  static constexpr problem find() {
    problem found =
        refuse("an input and its targets, and what samples count",
               label() << sizeof...(Given) << (sizeof...(Given) == 1 ? " argument" : " arguments"),
               "write run.train_step(features, labels); input_arrays{...} and "
               "target_arrays{...} hold several");
    found.where = "train_step";
    return found;
  }

  static constexpr problem value = find();
};

template <typename Input, typename Target, typename... Weights>
  requires(sizeof...(Weights) <= 1)
struct step_arguments_fault_of<Input, Target, Weights...> {
  static constexpr problem find() {
    problem found = find_types_fault<Input, Target, Weights...>();
    found.where = "train_step";
    return found;
  }

  static constexpr problem value = find();
};

/// Makes one compile error if a step of a compiled model cannot be given these; whether it has
/// arrays of numbers, at least.
template <compiled_model C, typename Input, typename Target, typename... Weights>
constexpr bool check_step() {
  if constexpr (are_arrays_of_step<Input, Target, Weights...>) {
    return diagnose<step_fault_of<C, Input, Target, Weights...>>();
  } else {
    return !diagnose<step_arguments_fault_of<Input, Target, Weights...>>();
  }
}

/// How many arrays a type is to write outputs to; none if nothing can be written to it.
template <typename T>
inline constexpr std::size_t outputs_given = writable_floats<T> ? 1 : 0;

template <typename... Numbers>
inline constexpr std::size_t outputs_given<output_arrays<Numbers...>> = sizeof...(Numbers);

template <typename... Numbers>
inline constexpr std::size_t outputs_given<output_arrays<Numbers...>&> = sizeof...(Numbers);

template <typename... Numbers>
inline constexpr std::size_t outputs_given<const output_arrays<Numbers...>&> = sizeof...(Numbers);

/// What is wrong with the number of arrays that outputs are written to.
template <compiled_model C, std::size_t Outputs>
struct output_count_fault_of {
  static constexpr problem value = check_output_count(planned_graph_of<C>.view(), Outputs);
};

/// What is wrong with arrays as the input and the outputs of a compiled model, the first thing that
/// is.
template <compiled_model C, typename Input, std::size_t Outputs>
struct predicted_arrays_fault_of {
  static constexpr problem find() {
    const problem& found = output_count_fault_of<C, Outputs>::value;
    return found.found() ? found : find_array_fault<C, tensor_role::input, Input>();
  }

  static constexpr problem value = find();
};

/// What is wrong with the types that a prediction is given, whatever the model: they are too few or
/// too many.
template <typename... Given>
struct prediction_arguments_fault_of {
  static constexpr problem find() {
    problem found =
        refuse("features and what to write to", find_got(),
               "write std::vector<float> scores(samples * classes) and predict(features, scores)");
    found.where = "predict";
    return found;
  }

  static constexpr problem value = find();

 private:
  static constexpr label find_got() {
    if constexpr (sizeof...(Given) == 1) {
      return label() << type_name<typename first_type<Given...>::type>();
    } else {
      return label() << sizeof...(Given) << " arguments";
    }
  }
};

/// What is wrong with what outputs are to be written to.
template <typename Output>
struct room_fault_of {
  static constexpr problem find() {
    problem found = refuse("floats to write to",
                           label(writable_floats<Output&> ? "a temporary " : "")
                               << type_name<std::remove_reference_t<Output>>(),
                           "write std::vector<float> scores(samples * classes) and "
                           "predict(features, scores)");
    found.where = "predict";
    return found;
  }

  static constexpr problem value = find();
};

template <typename Input, typename Output>
struct prediction_arguments_fault_of<Input, Output> {
  static constexpr problem find() {
    problem found = find_argument_fault<tensor_role::input, Input>();
    if constexpr (feed<Input>) {
      found = refuse("a feed that has a name", label("a temporary ") << type_name<Input>(),
                     "write auto source = make_feed(data, 1); predict(source, scores), or "
                     "predict(data, scores)");
    }
    found.where = "predict";
    return found.found() ? found : room_fault_of<Output>::value;
  }

  static constexpr problem value = find();
};

/// Makes one compile error if a compiled model cannot predict from an input to an output; whether
/// they are arrays of numbers, at least.
template <compiled_model C, typename Input, typename Output>
constexpr bool check_prediction() {
  if constexpr (arrays_of_role<Input, tensor_role::input> && outputs_given<Output> != 0) {
    return diagnose<predicted_arrays_fault_of<C, Input, outputs_given<Output>>>();
  } else {
    return !diagnose<prediction_arguments_fault_of<Input, Output>>();
  }
}

/// Makes one compile error if the outputs of a compiled model cannot be written there; whether
/// they can be written at all.
template <compiled_model C, typename Output>
constexpr bool check_outputs() {
  if constexpr (outputs_given<Output> != 0) {
    return diagnose<output_count_fault_of<C, outputs_given<Output>>>();
  } else {
    return !diagnose<room_fault_of<Output>>();
  }
}

/// What the output of a model is written to.
template <typename Output>
  requires writable_floats<Output&>
std::array<std::span<float>, 1> rooms_of(Output& output) {
  return {arrays::seen<float>(output)};
}

/// The same of several.
template <typename... Numbers>
list_view<std::span<float>> rooms_of(const output_arrays<Numbers...>& outputs) {
  return outputs.each;
}

}  // namespace ipu_dsl
