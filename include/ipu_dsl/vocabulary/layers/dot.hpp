// SPDX-License-Identifier: MIT
// Dot: products of two inputs along an axis of each.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/whole_number.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>
#include <ipu_dsl/vocabulary/layers/paired_shapes.hpp>

namespace ipu_dsl {

inline constexpr option_key l2_normalize_key{"l2_normalize"};

/// Whether each row is divided by its length before it is multiplied: Keras's `normalize`.
template <auto Value>
struct l2_normalize {
  static constexpr option as_option = bool_option<Value>(&l2_normalize_key);
};

struct dot_options {
  std::int32_t axes[2] = {0, 0};  ///< as written: 1 is the first of a sample, -1 the last
  std::int32_t normalizes = 0;
};

enum class dot_variant : std::int32_t {
  forward,         ///< writes the products, reads both inputs
  first_gradient,  ///< writes that of input 0, reads that of the output and both inputs
  second_gradient  ///< the same of input 1
};

/// An input: its elements before the axis, along it and behind it.
struct dot_rows {
  std::int32_t before;
  std::int32_t length;
  std::int32_t behind;

  constexpr shape extents() const { return {before, length, behind}; }

  constexpr std::int32_t count() const { return before * behind; }
};

struct dot_call {
  dot_variant variant;
  std::int32_t batch;
  dot_rows inputs[2];
  std::int32_t normalizes;
};

namespace dot_rules {

constexpr label describe(const family&, const attributes& attributes) {
  const auto options = attributes.as<dot_options>();
  label words = "Dot<";
  words << options.axes[0] << ", " << options.axes[1];
  words << (options.normalizes != 0 ? ", l2_normalize<true>>" : ">");
  return words;
}

constexpr dot_rows rows_of(const shape& input, std::int32_t written_axis) {
  const std::int32_t axis = concatenate_rules::place_of_axis(written_axis, input.rank);
  dot_rows made{1, input[axis], 1};
  for (std::int32_t i = 0; i < input.rank; ++i) {
    made.before *= i < axis ? input[i] : 1;
    made.behind *= i > axis ? input[i] : 1;
  }
  return made;
}

/// What is wrong with an axis of an input, if anything.
constexpr problem check_axis(node_draft& draft, std::int32_t input, std::int32_t written) {
  const shape given = draft.input(input);
  const std::int32_t axis = concatenate_rules::place_of_axis(written, given.rank);
  const bool fits = written != 0 && axis >= 0 && axis < given.rank;
  return fits ? problem() : concatenate_rules::refuse_axis(written, given);
}

/// All axes but one, behind those that `made` has.
constexpr void append_others(shape& made, const shape& input, std::int32_t written_axis) {
  const std::int32_t axis = concatenate_rules::place_of_axis(written_axis, input.rank);
  for (std::int32_t i = 0; i < input.rank; ++i) {
    if (i != axis) {
      made.extents[made.rank] = input[i];
      ++made.rank;
    }
  }
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<dot_options>();
  const shape inputs[] = {draft.input(0), draft.input(1)};
  for (std::int32_t i = 0; i < 2; ++i) {
    const problem found = check_axis(draft, i, options.axes[i]);
    if (found.found()) {
      return found;
    }
  }
  if (inputs[0].rank + inputs[1].rank - 2 > shape::max_rank) {
    return refuse(label("at most ") << shape::max_rank << " axes of the products",
                  label() << inputs[0].rank + inputs[1].rank - 2);
  }
  const std::int32_t first = rows_of(inputs[0], options.axes[0]).length;
  const std::int32_t second = rows_of(inputs[1], options.axes[1]).length;
  if (first != second) {
    return refuse("axes of one length",
                  label() << first << " and " << second << " of " << both_shapes(draft, 1));
  }
  shape made;
  append_others(made, inputs[0], options.axes[0]);
  append_others(made, inputs[1], options.axes[1]);
  draft.output(made.rank == 0 ? shape{1} : made);
  return {};
}

constexpr dot_call key_of(const emitter& emit, dot_variant variant) {
  const auto options = emit.options<dot_options>();
  return {.variant = variant,
          .batch = emit.batch(),
          .inputs = {rows_of(emit.input_shape(0), options.axes[0]),
                     rows_of(emit.input_shape(1), options.axes[1])},
          .normalizes = options.normalizes};
}

/// The products by the places of both rows: (before, behind) of input 0, then of input 1.
constexpr shape products_of(const dot_call& key) {
  return {key.inputs[0].before, key.inputs[0].behind, key.inputs[1].before, key.inputs[1].behind};
}

constexpr void forward(emitter& emit) {
  const dot_call key = key_of(emit, dot_variant::forward);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const auto [before, behind] = call.over(key.inputs[0].before, key.inputs[0].behind);
  const auto [other_before, other_behind] = call.over(key.inputs[1].before, key.inputs[1].behind);
  const axis_id along = call.all(key.inputs[0].length);
  call.writes(emit.output_value(0).as(products_of(key)),
              {sample, before, behind, other_before, other_behind})
      .reads(emit.input_value(0).as(key.inputs[0].extents()), {sample, before, along, behind})
      .reads(emit.input_value(1).as(key.inputs[1].extents()),
             {sample, other_before, along, other_behind});
}

/// That of input `own`, row by row: lengths of rows are of all their numbers, and only of them it
/// needs its own.
constexpr void gradient_of(emitter& emit, std::int32_t own, dot_variant variant) {
  const dot_call key = key_of(emit, variant);
  const dot_rows& rows = key.inputs[own];
  const dot_rows& others = key.inputs[1 - own];
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const auto [before, behind] = call.over(rows.before, rows.behind);
  const axis_id along = call.all(rows.length);
  const axis_id other_before = call.all(others.before);
  const axis_id other_behind = call.all(others.behind);
  call.writes(emit.input_gradient(own).as(rows.extents()), {sample, before, along, behind});
  if (own == 0) {
    call.reads(emit.output_gradient(0).as(products_of(key)),
               {sample, before, behind, other_before, other_behind});
  } else {
    call.reads(emit.output_gradient(0).as(products_of(key)),
               {sample, other_before, other_behind, before, behind});
  }
  call.reads(emit.input_value(1 - own).as(others.extents()),
             {sample, other_before, along, other_behind});
  if (key.normalizes != 0) {
    call.reads(emit.input_value(own).as(rows.extents()), {sample, before, along, behind});
  }
}

constexpr void input_gradient(emitter& emit) {
  if (emit.wants_input_gradient(0)) {
    gradient_of(emit, 0, dot_variant::first_gradient);
  }
  if (emit.wants_input_gradient(1)) {
    gradient_of(emit, 1, dot_variant::second_gradient);
  }
}

}  // namespace dot_rules

inline constexpr family dot_family{.name = "Dot",
                                   .describe = dot_rules::describe,
                                   .inputs = 2,
                                   .shapes = dot_rules::shapes,
                                   .forward = dot_rules::forward,
                                   .input_gradient = dot_rules::input_gradient};

constexpr element describe_dot(const whole_number& first, const whole_number& second,
                               std::int32_t normalizes, const problem& fault) {
  if (!is_null(first.fault) || !is_null(second.fault)) {
    return unfit_layer("Dot<...>", !is_null(first.fault) ? *first.fault : *second.fault);
  }
  return {.kind = element_kind::layer,
          .rule = &dot_family,
          .options = attributes::of(dot_options{{first.value, second.value}, normalizes}),
          .fault = &fault};
}

/// Keras's Dot of two inputs: `Dot<2, 1>` of (3, 5) and (5, 4) is the matrix product (3, 4), all
/// products of rows along axis 2 of the one and axis 1 of the other. Axes are counted as Keras
/// does: 1 is the first of a sample, -1 the last; without the second both are the first. Of two
/// vectors it is one number. Option: `l2_normalize<...>` (false), Keras's `normalize`: with it
/// products are cosines. Refused: axes of different lengths.
template <auto First = no_number{}, auto Second = First, typename... Options>
struct Dot {
 private:
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&l2_normalize_key};
  static constexpr problem fault = given.find_fault(accepted);

 public:
  static constexpr element description = describe_dot(read_whole(First), read_whole(Second),
                                                      given.integer(l2_normalize_key, 0), fault);
};

}  // namespace ipu_dsl
