// SPDX-License-Identifier: MIT
// Opt-in, needs xtensor: batches, predictions and weights of a session as xtensors. Included by no
// other header.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <ipu_dsl/core/arrays.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/data/xtensor.hpp>
#include <ipu_dsl/plan/planned_graph.hpp>
#include <ipu_dsl/runtime/parameters.hpp>
#include <ipu_dsl/training/call_checks.hpp>
#include <ipu_dsl/training/model_arrays.hpp>
#include <ipu_dsl/training/session_interface.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

namespace xtensor_outputs {

/// The output of a compiled model with this number, as it is predicted: one axis more than that of
/// a sample.
template <compiled_model C>
constexpr shape extents_of_output(std::size_t number) {
  const graph_view model = planned_graph_of<C>.view();
  return model.at(model.output(static_cast<std::int32_t>(number))).extents;
}

template <compiled_model C>
inline constexpr std::size_t output_count = planned_graph_of<C>.view().outputs.size();

template <compiled_model C, std::size_t Number>
using output_of =
    xt::xtensor<float, static_cast<std::size_t>(extents_of_output<C>(Number).rank) + 1>;

/// Room for an output of so many samples.
template <compiled_model C, std::size_t Number>
output_of<C, Number> make_output(std::size_t samples) {
  constexpr shape sample = extents_of_output<C>(Number);
  typename output_of<C, Number>::shape_type extents;
  extents[0] = samples;
  for (std::int32_t axis = 0; axis < sample.rank; ++axis) {
    extents[static_cast<std::size_t>(axis) + 1] = static_cast<std::size_t>(sample[axis]);
  }
  return output_of<C, Number>::from_shape(extents);
}

/// What is wrong with what is to be predicted from.
template <compiled_model C, typename Input>
struct predicted_fault_of {
  static constexpr problem find() {
    problem found = find_argument_fault<tensor_role::input, Input>();
    if constexpr (arrays_of_role<Input, tensor_role::input>) {
      found = find_array_fault<C, tensor_role::input, Input>();
    } else {
      found.where = "predicted";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// All outputs, given as plain arrays to who predicts.
template <compiled_model C, typename Session, typename Input, std::size_t... Number>
auto predict_all(Session& run, const Input& input, std::size_t samples,
                 std::index_sequence<Number...>) {
  std::tuple<output_of<C, Number>...> made{make_output<C, Number>(samples)...};
  if constexpr (sizeof...(Number) == 1) {
    run.predict(input, std::get<0>(made));
    return std::get<0>(std::move(made));
  } else {
    run.predict(input, output_arrays{std::get<Number>(made)...});
    return made;
  }
}

}  // namespace xtensor_outputs

/// What a session predicts, an xtensor [samples, extents of the output...]:
///
///   const xt::xtensor<float, 2> scores = predicted(run, images / 255.0F);
///
/// Of several outputs a tuple, `const auto [kinds, prices] = predicted(run, images);`, of several
/// inputs from `input_arrays{images, words}`. Throws `error` as `predict` does.
template <typename Model, typename Input>
auto predicted(session<Model>& run, const Input& input) {
  using compiled = typename Model::compiled;
  using fault = xtensor_outputs::predicted_fault_of<compiled, Input>;
  using outputs = std::make_index_sequence<xtensor_outputs::output_count<compiled>>;
  static_assert(diagnose<fault>());
  if constexpr (fault::value.found()) {
    return xtensor_outputs::output_of<compiled, 0>();
  } else if constexpr (converted_to_array<Input>) {
    return predicted(run, array_conversion<Input>::converted(input));
  } else {
    const auto rows = model_arrays<compiled>::template rows_of<tensor_role::input>(input);
    const auto elements = static_cast<std::size_t>(rows[0].form.elements);
    return xtensor_outputs::predict_all<compiled>(run, input, rows[0].count / elements, outputs());
  }
}

/// A copy of the weights of this layer and name, in their shape: `as_xtensor<2>(run.weights(),
/// "dense_1", "kernel")` is [inputs, units]. They are copied because inside a session kernels lie
/// in panels. Throws `error` if there are none of these names, or they have another rank.
template <std::size_t Rank>
xt::xtensor<float, Rank> as_xtensor(const parameters& weights, std::string_view layer,
                                    std::string_view name) {
  const std::size_t found = weights.find(layer, name);
  const shape& extents = weights.at(found).extents;
  if (static_cast<std::size_t>(extents.rank) != Rank) {
    raise_error({"The weights ", weights.name(found), " are ", describe(extents), ", of rank ",
                 extents.rank, "; asked for as an xtensor of rank ", Rank, "."});
  }
  std::array<std::size_t, Rank> axes;
  std::copy_n(extents.extents, Rank, axes.begin());
  auto values = xt::xtensor<float, Rank>::from_shape(axes);
  weights.get(found, {values.data(), values.size()});
  return values;
}

/// Gives the weights of this layer and name the values of an xtensor or an expression:
/// `set_from(run.weights(), "dense_1", "kernel", 0.5F * kernel)`. Throws `error` if there are none
/// of these names, the extents are others, or a number has no float; nothing is changed then.
template <typename Expression>
void set_from(parameters& weights, std::string_view layer, std::string_view name,
              const xt::xexpression<Expression>& values) {
  const Expression& given = values.derived_cast();
  const std::size_t found = weights.find(layer, name);
  const shape& extents = weights.at(found).extents;
  if (!std::equal(given.shape().begin(), given.shape().end(), extents.extents,
                  extents.extents + extents.rank, [](auto have, auto want) {
                    return static_cast<std::int64_t>(have) == static_cast<std::int64_t>(want);
                  })) {
    raise_error({"The weights ", weights.name(found), " are ", describe(extents), "; got values ",
                 xtensors::describe_extents(given), "."});
  }
  weights.set(found, xtensors::computed_array<float>(given));
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
