// SPDX-License-Identifier: MIT
// What is wrong with what a predictor is given.
// Over 300 lines: a short answer for each of many mistakes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <ipu_dsl/core/arrays.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/fixed_length.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/plan/options.hpp>
#include <ipu_dsl/plan/planned_graph.hpp>

namespace ipu_dsl {

/// What can be read as floats, whatever its length.
template <typename Features>
concept readable_floats = std::convertible_to<const Features&, std::span<const float>>;

/// What floats can be written to: no temporary array, which would take the results with it.
template <typename Output>
concept writable_floats = std::convertible_to<Output, std::span<float>>;

/// What is wrong with the number of values that a predictor is given.
template <std::size_t Wanted, std::size_t Given>
struct value_count_fault_of {
  static constexpr problem find() {
    problem found;
    if (Wanted != Given) {
      found = refuse(label() << Wanted << (Wanted == 1 ? " value" : " values"), label() << Given,
                     "a call takes micro_batch samples, of one_step<...> a step of each, and gives "
                     "as many results");
      found.where = "the predictor";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// The length of numbers whose type tells it; 0 of others.
template <typename Numbers>
constexpr std::size_t known_length() {
  if constexpr (fixed_length_range<const Numbers>) {
    return static_length_of<const Numbers>;
  } else {
    return 0;
  }
}

/// The first of arrays for `what`, "input" or "output", whose type tells another length than
/// samples of so many values have.
template <typename... Numbers>
constexpr problem find_other_length(std::string_view what, std::size_t batch,
                                    const std::size_t* values) {
  std::size_t number = 0;
  for (const std::size_t given : {known_length<Numbers>()...}) {
    const std::size_t wanted = batch * values[number];
    if (given != 0 && given != wanted) {
      return refuse(label() << wanted << (wanted == 1 ? " value for " : " values for ") << what
                            << " " << number,
                    label() << given, "arrays stand in the order in which the model has them");
    }
    ++number;
  }
  return {};
}

/// What is wrong with arrays whose lengths the compiler knows, of a predictor with so many values a
/// sample.
template <std::size_t Batch, auto InputValues, auto OutputValues, typename Input, typename Output>
struct known_lengths_fault_of;

template <std::size_t Batch, auto InputValues, auto OutputValues, typename... Input,
          typename... Output>
struct known_lengths_fault_of<Batch, InputValues, OutputValues, input_arrays<Input...>,
                              output_arrays<Output...>> {
  static constexpr problem find() {
    problem found = find_other_length<Input...>("input", Batch, InputValues.data());
    if (!found.found()) {
      found = find_other_length<Output...>("output", Batch, OutputValues.data());
    }
    found.where = "the predictor";
    return found;
  }

  static constexpr problem value = find();
};

/// "2 inputs".
constexpr label count_of_ends(std::size_t count, std::string_view what) {
  label words;
  words << count << " " << what << (count == 1 ? "" : "s");
  return words;
}

/// What is wrong with arrays of these types as the inputs of a predictor.
template <compiled_model C, dtype... Given>
struct predicted_inputs_fault_of {
  static constexpr problem find() {
    const graph_view model = planned_graph_of<C>.view();
    const auto wanted = static_cast<std::size_t>(model.count(tensor_role::input));
    problem found;
    if (sizeof...(Given) != wanted) {
      found = refuse(count_of_ends(wanted, "input"), count_of_ends(sizeof...(Given), "input"),
                     "write input_arrays{first, second} with an array for each");
    }
    std::int32_t number = 0;
    for (const dtype given : {Given...}) {
      if (!found.found()) {
        found = check_type(model.at(model.source(tensor_role::input, number)).type, given);
      }
      ++number;
    }
    found.where = "the predictor";
    return found;
  }

  static constexpr problem check_type(dtype wanted, dtype given) {
    return wanted == given ? problem()
                           : refuse(label("an input of ") << name_of(wanted), name_of(given));
  }

  static constexpr problem value = find();
};

/// What is wrong with room for so many outputs.
template <compiled_model C, std::size_t Given>
struct predicted_outputs_fault_of {
  static constexpr problem find() {
    const std::size_t wanted = planned_graph_of<C>.view().outputs.size();
    problem found;
    if (wanted != Given) {
      found = refuse(label("room for ") << count_of_ends(wanted, "output").view(), label() << Given,
                     "write output_arrays{first, second} with an array for each");
    }
    found.where = "the predictor";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a type that is given to a predictor as its batch.
template <typename T>
struct batch_fault_of {
  static constexpr problem find() {
    problem found;
    if (*read_option<T>().value.key != micro_batch_key) {
      found = refuse("micro_batch<...> behind the model", type_name<T>());
      found.where = "predictor";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with features and room for results of a model that takes or gives something else.
template <compiled_model C>
struct plain_arrays_fault_of {
  static constexpr problem find() {
    const graph_view model = planned_graph_of<C>.view();
    const auto inputs = static_cast<std::size_t>(model.count(tensor_role::input));
    text<191> hint;
    hint << "write predict(input_arrays{" << (inputs > 1 ? "first, second" : "features")
         << "}, output_arrays{" << (model.outputs.size() > 1 ? "means, spreads" : "scores")
         << "}), with std::int32_t where the model takes integers";
    problem found = refuse(count_of_ends(inputs, "input")
                               << " and " << count_of_ends(model.outputs.size(), "output").view(),
                           "one array of floats for each", hint);
    found.where = "predict";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with the types of features and of the memory for results.
template <typename Features, typename Output>
struct value_type_fault_of {
  static constexpr const char* hint =
      "arrays, std::array, std::vector and std::span of float do; a pointer p as "
      "std::span(p, count), other numbers copied to floats";

  static constexpr problem find() {
    problem found;
    if (!readable_floats<Features>) {
      found = refuse("features that are a range of floats", type_name<Features>(), hint);
    } else if (readable_floats<Output>) {
      constexpr bool named = std::is_lvalue_reference_v<Output>;
      found = refuse("floats to write to",
                     label(named ? "a constant " : "a temporary ")
                         << type_name<std::remove_cvref_t<Output>>(),
                     "give it a variable that is not const: std::vector<float> scores(count)");
    } else if (!writable_floats<Output>) {
      found = refuse("a range of floats to write to", type_name<std::remove_reference_t<Output>>(),
                     hint);
    }
    found.where = "predict";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with the sample of a stream.
template <typename Sample, std::size_t Values>
struct sample_fault_of {
  static constexpr problem find() {
    problem found;
    if (!readable_floats<Sample>) {
      found = refuse("a range of floats", type_name<Sample>(),
                     "of a pointer p give std::span<const float, 4>(p, 4); copy other numbers to a "
                     "std::array of floats");
    } else {
      found =
          refuse(label() << Values << " floats, a number that the type tells", type_name<Sample>());
      found.hint << "write push(std::span(values).first<" << Values << ">())";
    }
    found.where = "push";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with the samples of a stream of integers, or of several inputs.
template <typename... Samples>
struct samples_fault_of {
  static constexpr problem find() {
    label given;
    const char* before = "";
    ((given << before << type_name<Samples>(), before = ", "), ...);
    problem found =
        refuse("an array for each input", given, "of a single index 3 write push(std::array{3})");
    found.where = "push";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with pushing samples where a call takes several.
template <std::size_t Batch>
struct push_fault_of {
  static constexpr problem find() {
    problem found = refuse("a predictor of one sample", label("micro_batch<") << Batch << ">",
                           "write predictor<mlp>, or predict(features, scores)");
    found.where = "push";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a number of arguments of `predict`.
template <std::size_t Given>
struct argument_count_fault_of {
  static constexpr problem find() {
    problem found = refuse("features and what to write to",
                           label() << Given << (Given == 1 ? " argument" : " arguments"),
                           "write std::array<float, 10> scores and predict(features, scores)");
    found.where = "predict";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with memory of another type.
template <typename Memory>
struct memory_type_fault_of {
  static constexpr problem find() {
    problem found = refuse("a range of std::byte", type_name<std::remove_cvref_t<Memory>>(),
                           "take a std::array of std::byte, or std::as_writable_bytes of a span");
    found.where = "the memory given";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a `reset` of a predictor that carries nothing.
template <typename M>
struct nothing_carried_fault_of {
  static constexpr problem find() {
    problem found = refuse("reset() of steps one by one", "whole sequences, which begin anew",
                           "predictor<one_step<tagger>> carries states from push to push");
    found.where = "the predictor";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with weights of another model.
template <typename Wanted, typename Given>
struct weights_fault_of {
  static constexpr problem find() {
    problem found =
        refuse(label("those of ") << type_name<Wanted>(), label("those of ") << type_name<Given>(),
               "weights_of the predictor's model, filled by copy_from");
    found.where = "the weights of a predictor";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with an exchange of sets of weights: of models beside `M`, or, if both are of `M`,
/// of one that cannot be written or ends with the statement.
template <typename M, typename Current, typename Spare>
struct exchanged_weights_fault_of {
  static constexpr label got() {
    if constexpr (std::same_as<Current, M> && std::same_as<Spare, M>) {
      return "a constant or a temporary one";
    } else {
      return label("those of ") << type_name<Current>() << " and of " << type_name<Spare>();
    }
  }

  static constexpr problem find() {
    problem found =
        refuse(label("two sets of weights of ") << type_name<M>() << " to be written", got(),
               "weights_of<mlp> first, second; weights_exchange<mlp> exchange(first, second);");
    found.where = "weights_exchange";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with weights that a predictor may not read, because they end with the statement.
template <typename Weights>
struct temporary_weights_fault_of {
  static constexpr problem find() {
    problem found = refuse("weights that outlive it", "temporary ones",
                           "name them: weights_of<mlp> weights; predictor<mlp> classify(weights);");
    found.where = "the predictor";
    return found;
  }

  static constexpr problem value = find();
};

}  // namespace ipu_dsl
