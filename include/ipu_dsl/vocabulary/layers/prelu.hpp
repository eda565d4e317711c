// SPDX-License-Identifier: MIT
// PReLU: a relu whose slope below zero is learned.
#pragma once

#include <bit>
#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/whole_number.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/initialization.hpp>
#include <ipu_dsl/vocabulary/layers/permute.hpp>
#include <ipu_dsl/vocabulary/layers/weights.hpp>

namespace ipu_dsl {

inline constexpr option_key shared_axes_key{"shared_axes"};

struct prelu_options {
  std::int32_t shared = 0;  ///< bit i is axis i of a sample, from 1
};

enum class prelu_variant : std::int32_t {
  forward,
  input_gradient,
  weight_gradient  ///< adds to the accumulator of the slopes
};

/// Axes that are not there stand in front, with an extent of 1.
struct prelu_call {
  prelu_variant variant;
  std::int32_t batch;
  std::int32_t extents[most_permuted_axes];
  std::int32_t strides[most_permuted_axes];  ///< among the slopes; 0 along a shared axis
};

namespace prelu_rules {

constexpr bool is_shared(const prelu_options& options, std::int32_t axis) {
  return ((options.shared >> (axis + 1)) & 1) != 0;
}

constexpr shape slopes_of(const prelu_options& options, const shape& input) {
  shape made = input;
  for (std::int32_t axis = 0; axis < input.rank; ++axis) {
    made.extents[axis] = is_shared(options, axis) ? 1 : input[axis];
  }
  return made;
}

constexpr label describe(const family&, const attributes& given) {
  const auto options = given.as<prelu_options>();
  label words = "PReLU<";
  const char* between = "shared_axes<";
  for (std::int32_t axis = 0; axis < shape::max_rank; ++axis) {
    if (is_shared(options, axis)) {
      words << between << axis + 1;
      between = ", ";
    }
  }
  return words << (options.shared != 0 ? ">>" : ">");
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<prelu_options>();
  const shape input = draft.input(0);
  if (input.rank < 1 || input.rank > most_permuted_axes) {
    return refuse(label("samples of 1 to ") << most_permuted_axes << " axes",
                  ipu_dsl::describe(input));
  }
  const std::int32_t known = (2 << input.rank) - 2;
  const auto unknown = static_cast<std::uint32_t>(options.shared & ~known);
  if (unknown != 0) {
    const std::int32_t axis = std::countr_zero(unknown);
    const label got = axis == 0 ? label("one that no sample has") : label("axis ") << axis;
    return refuse(label("shared axes from 1 to ") << input.rank,
                  label(got) << " of " << ipu_dsl::describe(input),
                  "as in Keras axes are counted from 1, samples are not among them");
  }
  draft.parameter("alpha", slopes_of(options, input), draft.start(0));
  draft.output(input);
  return {};
}

constexpr prelu_call key_of(const emitter& emit, prelu_variant variant) {
  const shape& input = emit.input_shape(0);
  const shape slopes = permute_rules::filled_up(slopes_of(emit.options<prelu_options>(), input));
  const shape extents = permute_rules::filled_up(input);
  prelu_call made{.variant = variant, .batch = emit.batch(), .extents = {}, .strides = {}};
  std::int32_t stride = 1;
  for (std::int32_t axis = most_permuted_axes - 1; axis >= 0; --axis) {
    made.extents[axis] = extents[axis];
    made.strides[axis] = slopes[axis] == 1 && extents[axis] != 1 ? 0 : stride;
    stride *= slopes[axis];
  }
  return made;
}

/// Where the slope of an element is: at the only position of a shared axis.
constexpr reach slope_at(const prelu_call& key, std::int32_t place, axis_id along) {
  return key.strides[place] == 0 ? reach{} : reach{along};
}

constexpr buffer_ref with_axes(const buffer_ref& lying) {
  return lying.as(permute_rules::filled_up(lying.extents));
}

constexpr void apply(emitter& emit, prelu_variant variant, const buffer_ref& written,
                     const buffer_ref& gradient) {
  const prelu_call key = key_of(emit, variant);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const auto [first, second] = call.over(key.extents[0], key.extents[1]);
  const auto [third, fourth] = call.over(key.extents[2], key.extents[3]);
  call.writes(with_axes(written), {sample, first, second, third, fourth})
      .reads(with_axes(emit.input_value(0)), {sample, first, second, third, fourth})
      .reads(with_axes(emit.parameter_value(0)),
             {slope_at(key, 0, first), slope_at(key, 1, second), slope_at(key, 2, third),
              slope_at(key, 3, fourth)});
  if (variant == prelu_variant::input_gradient) {
    call.reads(with_axes(gradient), {sample, first, second, third, fourth});
  }
}

constexpr void forward(emitter& emit) {
  apply(emit, prelu_variant::forward, emit.output_value(0), emit.output_value(0));
}

constexpr void input_gradient(emitter& emit) {
  if (emit.wants_input_gradient(0)) {
    apply(emit, prelu_variant::input_gradient, emit.input_gradient(0), emit.output_gradient(0));
  }
}

/// Samples and shared axes are summed over.
constexpr void weight_gradient(emitter& emit) {
  const prelu_call key = key_of(emit, prelu_variant::weight_gradient);
  call_draft call = emit.call(key);
  const axis_id sample = call.all(key.batch);
  const auto axis = [&](std::int32_t place) {
    return key.strides[place] == 0 ? call.all(key.extents[place]) : call.over(key.extents[place]);
  };
  const axis_id first = axis(0);
  const axis_id second = axis(1);
  const axis_id third = axis(2);
  const axis_id fourth = axis(3);
  call.updates(with_axes(emit.accumulator(0)), {slope_at(key, 0, first), slope_at(key, 1, second),
                                                slope_at(key, 2, third), slope_at(key, 3, fourth)})
      .reads(with_axes(emit.input_value(0)), {sample, first, second, third, fourth})
      .reads(with_axes(emit.output_gradient(0)), {sample, first, second, third, fourth});
}

}  // namespace prelu_rules

inline constexpr family prelu_family{.name = "PReLU",
                                     .describe = prelu_rules::describe,
                                     .shapes = prelu_rules::shapes,
                                     .forward = prelu_rules::forward,
                                     .input_gradient = prelu_rules::input_gradient,
                                     .weight_gradient = prelu_rules::weight_gradient,
                                     .one_step = each_step_alone,
                                     .counts_axes = true,
                                     .passes_mask = true};

/// Axes of a sample, from 1, along which PReLU has one slope: `shared_axes<1, 2>` of an image.
template <auto... Axes>
struct shared_axes {
 private:
  /// What is no axis at all is bit 0, which no sample has.
  static constexpr std::int32_t bit(const whole_number& axis) {
    const bool fits = is_null(axis.fault) && axis.value >= 1 && axis.value <= shape::max_rank;
    return fits ? 1 << axis.value : 1;
  }

 public:
  static constexpr option as_option{&shared_axes_key, (0 | ... | bit(read_whole(Axes)))};
};

/// What the options of a PReLU say.
template <typename... Options>
struct prelu_reading {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&shared_axes_key, &init_key};
  static constexpr problem fault = given.find_fault(accepted);
  static constexpr initializer starts[] = {start_of(given, init_key, zeros::start)};
  static constexpr prelu_options options{given.integer(shared_axes_key, 0)};
};

/// x above zero, alpha x below, where every element of a sample has an alpha that learns (He et al.
/// 2015). Options in any order, with Keras's defaults: `shared_axes<...>` (none), `init<...>`
/// (zeros).
template <typename... Options>
struct PReLU {
  static constexpr element description{
      .kind = element_kind::layer,
      .rule = &prelu_family,
      .options = attributes::of(prelu_reading<Options...>::options),
      .starts = prelu_reading<Options...>::starts,
      .fault = &prelu_reading<Options...>::fault};
};

}  // namespace ipu_dsl
