// SPDX-License-Identifier: MIT
// Permute: the axes of a sample in another order.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/given_extents.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

/// Axes of a sample that Permute can exchange.
inline constexpr std::int32_t most_permuted_axes = 4;

struct permute_options {
  std::int32_t rank = 0;
  std::int32_t axes[most_permuted_axes] = {};  ///< of the input, from 1, in order of the output
};

/// What is written lies in order; each of its axes has a stride in what is read. Axes that are not
/// there stand in front, with an extent of 1.
struct permute_call {
  std::int32_t batch;
  std::int32_t extents[most_permuted_axes];
  std::int32_t strides[most_permuted_axes];
};

namespace permute_rules {

constexpr label describe(const family&, const attributes& options) {
  const auto of = options.as<permute_options>();
  label words = "Permute<";
  for (std::int32_t i = 0; i < of.rank; ++i) {
    words << (i == 0 ? "" : ", ") << of.axes[i];
  }
  return words << ">";
}

constexpr problem refuse_axes(const permute_options& options, const shape& input) {
  label got;
  for (std::int32_t i = 0; i < options.rank; ++i) {
    got << (i == 0 ? "" : ", ") << options.axes[i];
  }
  got << " of " << ipu_dsl::describe(input);
  return refuse(label("each axis from 1 to ") << input.rank << " once", got,
                "as in Keras axes are counted from 1, samples are not among them");
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<permute_options>();
  const shape input = draft.input(0);
  if (input.rank != options.rank) {
    return refuse_axes(options, input);
  }
  shape made = input;
  std::uint32_t seen = 0;
  for (std::int32_t i = 0; i < options.rank; ++i) {
    const std::int32_t axis = options.axes[i] - 1;
    if (axis < 0 || axis >= options.rank || ((seen >> axis) & 1U) != 0) {
      return refuse_axes(options, input);
    }
    seen |= 1U << axis;
    made.extents[i] = input[axis];
  }
  draft.output(made);
  return {};
}

/// A shape with axes of 1 in front.
constexpr shape filled_up(const shape& given) {
  shape made = {1, 1, 1, 1};
  for (std::int32_t i = 0; i < given.rank; ++i) {
    made.extents[most_permuted_axes - given.rank + i] = given[i];
  }
  return made;
}

/// By axis of the output, with those in front: which axis of the input it is.
struct axis_order {
  std::int32_t from[most_permuted_axes] = {0, 1, 2, 3};

  constexpr explicit axis_order(const permute_options& options) {
    const std::int32_t front = most_permuted_axes - options.rank;
    for (std::int32_t i = 0; i < options.rank; ++i) {
      from[front + i] = front + options.axes[i] - 1;
    }
  }

  constexpr axis_order inverse() const {
    axis_order made = *this;
    for (std::int32_t i = 0; i < most_permuted_axes; ++i) {
      made.from[from[i]] = i;
    }
    return made;
  }
};

constexpr permute_call key_of(std::int32_t batch, const shape& read, const axis_order& order) {
  permute_call made{.batch = batch, .extents = {}, .strides = {}};
  for (std::int32_t i = 0; i < most_permuted_axes; ++i) {
    std::int32_t stride = 1;
    for (std::int32_t behind = order.from[i] + 1; behind < most_permuted_axes; ++behind) {
      stride *= read[behind];
    }
    made.extents[i] = read[order.from[i]];
    made.strides[i] = stride;
  }
  return made;
}

constexpr void permute(emitter& emit, const buffer_ref& written, const buffer_ref& read,
                       const axis_order& order) {
  const shape from = filled_up(read.extents);
  const permute_call key = key_of(emit.batch(), from, order);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const auto [first, second] = call.over(key.extents[0], key.extents[1]);
  const auto [third, fourth] = call.over(key.extents[2], key.extents[3]);
  const axis_id made[] = {first, second, third, fourth};
  axis_id seen[] = {first, second, third, fourth};
  for (std::int32_t i = 0; i < most_permuted_axes; ++i) {
    seen[order.from[i]] = made[i];
  }
  call.writes(written.as(filled_up(written.extents)), {sample, first, second, third, fourth})
      .reads(read.as(from), {sample, seen[0], seen[1], seen[2], seen[3]});
}

constexpr void forward(emitter& emit) {
  permute(emit, emit.output_value(0), emit.input_value(0),
          axis_order(emit.options<permute_options>()));
}

constexpr void input_gradient(emitter& emit) {
  if (emit.wants_input_gradient(0)) {
    permute(emit, emit.input_gradient(0), emit.output_gradient(0),
            axis_order(emit.options<permute_options>()).inverse());
  }
}

}  // namespace permute_rules

inline constexpr family permute_family{.name = "Permute",
                                       .describe = permute_rules::describe,
                                       .shapes = permute_rules::shapes,
                                       .forward = permute_rules::forward,
                                       .input_gradient = permute_rules::input_gradient,
                                       .keeps_bounds = true};

inline constexpr problem too_many_axes = refuse("at most four axes", "more");

constexpr element describe_permute(const given_extents& given) {
  if (!is_null(given.fault) || given.value.rank > most_permuted_axes) {
    return unfit_layer("Permute<...>", !is_null(given.fault) ? *given.fault : too_many_axes);
  }
  permute_options options{.rank = given.value.rank};
  for (std::int32_t i = 0; i < given.value.rank; ++i) {
    options.axes[i] = given.value[i];
  }
  return {.kind = element_kind::layer, .rule = &permute_family, .options = attributes::of(options)};
}

/// The axes of a sample in the order given, counted from 1: `Permute<2, 1>` of (steps, features) is
/// (features, steps).
template <auto... Axes>
struct Permute {
  static constexpr element description = describe_permute(extents_of({read_whole(Axes)...}));
};

}  // namespace ipu_dsl
