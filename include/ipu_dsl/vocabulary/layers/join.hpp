// SPDX-License-Identifier: MIT
// Layers of several inputs: Add and Concatenate.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/whole_number.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/masked_steps.hpp>
#include <ipu_dsl/vocabulary/layers/paired_shapes.hpp>

namespace ipu_dsl {

/// Writes the sum of what it reads, in order; of one read that is a copy.
struct add_call {
  std::int32_t reads;
  std::int32_t rows;      ///< of a micro-batch: samples, or their positions
  std::int32_t elements;  ///< of a row
  activation_kind applies = activation_kind::linear;  ///< to the sum
};

namespace add_rules {

constexpr problem shapes(node_draft& draft) {
  if (draft.inputs() < 2) {
    return refuse("at least 2 inputs", label() << draft.inputs(),
                  "build.layer<Add>(\"\", a, b) takes several tensors; in a list of layers "
                  "residual<...> adds what its layers compute to their input");
  }
  for (std::int32_t i = 1; i < draft.inputs(); ++i) {
    if (!(draft.input(i) == draft.input(0))) {
      return refuse("inputs of one shape", both_shapes(draft, i),
                    hint_of_pairs(draft, i, "numbers are added in pairs"));
    }
  }
  draft.output(draft.input(0));
  return {};
}

constexpr add_call key_of(const emitter& emit, std::int32_t reads) {
  const stored_rows lain = emit.rows_of(emit.output_value(0));
  return {.reads = reads, .rows = lain.count, .elements = lain.length};
}

constexpr void forward(emitter& emit) {
  add_call key = key_of(emit, emit.inputs());
  key.applies = emit.applies(0);
  call_draft call = emit.call(key);
  const auto [sample, element] = call.over(emit.batch(), emit.output_shape(0).elements());
  call.all(key.reads);
  call.writes(emit.output_value(0).flat(), {sample, element});
  for (std::int32_t i = 0; i < emit.inputs(); ++i) {
    call.reads_in_place(emit.input_value(i).flat(), {sample, element});
  }
}

constexpr void input_gradient(emitter& emit) {
  const add_call key = key_of(emit, 1);
  for (std::int32_t i = 0; i < emit.inputs(); ++i) {
    if (emit.wants_input_gradient(i) && !emit.hands_gradient_on(i)) {
      call_draft call = emit.call(key);
      const auto [sample, element] = call.over(emit.batch(), emit.output_shape(0).elements());
      call.writes(emit.input_gradient(i).flat(), {sample, element})
          .reads_in_place(emit.output_gradient(0).flat(), {sample, element});
    }
  }
}

}  // namespace add_rules

inline constexpr family add_family{.name = "Add",
                                   .inputs = any_number,
                                   .shapes = add_rules::shapes,
                                   .forward = add_rules::forward,
                                   .input_gradient = add_rules::input_gradient,
                                   .applies_activation = true,
                                   .hands_gradient_on = true,
                                   .one_step = each_step_alone,
                                   .reads = {storage::rows, storage::positions},
                                   .writes = {storage::rows, storage::positions},
                                   .passes_mask = true,
                                   .join_masks = join_by_step};

/// The sum of inputs of one shape, added in order of inputs.
struct Add {
  static constexpr element description{.kind = element_kind::layer, .rule = &add_family};
};

/// Writes what it reads: a sum of one.
constexpr void copy_tensor(emitter& emit, const buffer_ref& written, const buffer_ref& read) {
  const stored_rows lain = emit.rows_of(written);
  call_draft call = emit.call_of(add_family, add_call{1, lain.count, lain.length});
  const auto [sample, element] = call.over(emit.batch(), written.extents.elements());
  call.writes(written.flat(), {sample, element}).reads_in_place(read.flat(), {sample, element});
}

struct concatenate_options {
  std::int32_t axis = 0;  ///< from 1, from -1 at the end; 0 is the last
};

/// Forward a block of columns goes to its place in the joined rows, backward it comes from there.
enum class concatenate_variant : std::int32_t { forward, gradient };

struct concatenate_call {
  concatenate_variant variant;
  std::int32_t batch;
  std::int32_t rows;     ///< of a sample
  std::int32_t columns;  ///< of the block
  std::int32_t joined;   ///< columns of the joined
  std::int32_t offset;   ///< of the block in the joined
};

namespace concatenate_rules {

constexpr label describe(const family& rule, const attributes& options) {
  const std::int32_t axis = options.as<concatenate_options>().axis;
  label words = rule.name;
  if (axis != 0) {
    words << "On<" << axis << ">";
  }
  return words;
}

/// Where the axis is among those of a sample, below 0 or beyond them if it is none.
constexpr std::int32_t place_of_axis(std::int32_t axis, std::int32_t rank) {
  if (axis == 0) {
    return rank - 1;
  }
  return axis > 0 ? axis - 1 : rank + axis;
}

constexpr problem refuse_axis(std::int32_t axis, const shape& input) {
  return refuse(label("an axis from 1 to ") << input.rank << " or from -1 to " << -input.rank,
                label() << axis << " of " << ipu_dsl::describe(input),
                "as in Keras axis 0 is that of the samples");
}

/// What to write instead, of two shapes that cannot be joined as they were to be.
constexpr text<191> hint_of_axis(const shape& one, const shape& other) {
  std::int32_t differing = 0;
  std::int32_t axis = 0;
  for (std::int32_t i = 0; one.rank == other.rank && i < one.rank; ++i) {
    const bool differs = one[i] != other[i];
    differing += differs ? 1 : 0;
    axis = differs ? i + 1 : axis;
  }
  text<191> hint = "inputs of one layer, or branches of a concat, fit side by side";
  if (differing == 1) {
    hint = text<191>("ConcatenateOn<") << axis << "> joins what differs in axis " << axis;
  }
  return hint;
}

constexpr problem shapes(node_draft& draft) {
  if (draft.inputs() < 2) {
    return refuse("at least 2 inputs", label() << draft.inputs(),
                  "concat<...> takes two branches or more");
  }
  shape joined = draft.input(0);
  if (joined.rank == 0) {
    return refuse("inputs with at least 1 axis", "a scalar");
  }
  const std::int32_t given = draft.options<concatenate_options>().axis;
  const std::int32_t axis = place_of_axis(given, joined.rank);
  if (axis < 0 || axis >= joined.rank) {
    return refuse_axis(given, joined);
  }
  label expected = "inputs that differ in the last axis only";
  if (axis < joined.rank - 1) {
    expected = label("inputs that differ in axis ") << axis + 1 << " only";
  }
  for (std::int32_t i = 1; i < draft.inputs(); ++i) {
    shape comparable = draft.input(i);
    const bool same_rank = comparable.rank == joined.rank;
    const std::int32_t width = same_rank ? comparable[axis] : 0;
    comparable.extents[axis] = draft.input(0)[axis];
    if (!same_rank || !(comparable == draft.input(0))) {
      return refuse(expected, both_shapes(draft, i), hint_of_axis(draft.input(0), draft.input(i)));
    }
    joined.extents[axis] += width;
  }
  draft.output(joined);
  return {};
}

constexpr void copy_block(emitter& emit, const concatenate_call& key, std::int32_t input) {
  call_draft call = emit.call(key);
  const auto [sample, row, column] = call.over(key.batch, key.rows, key.columns);
  const reach placed = shifted(column, key.offset);
  const shape joined = {key.rows, key.joined};
  const shape block = {key.rows, key.columns};
  if (key.variant == concatenate_variant::forward) {
    call.writes(emit.output_value(0).as(joined), {sample, row, placed})
        .reads(emit.input_value(input).as(block), {sample, row, column});
  } else {
    call.writes(emit.input_gradient(input).as(block), {sample, row, column})
        .reads(emit.output_gradient(0).as(joined), {sample, row, placed});
  }
}

/// One call an input: its columns to or from their place in the joined rows.
constexpr void copy_blocks(emitter& emit, concatenate_variant variant) {
  const shape& joined = emit.output_shape(0);
  const std::int32_t axis = place_of_axis(emit.options<concatenate_options>().axis, joined.rank);
  std::int32_t rows = 1;
  for (std::int32_t before = 0; before < axis; ++before) {
    rows *= joined[before];
  }
  const std::int32_t behind = static_cast<std::int32_t>(joined.elements()) / (rows * joined[axis]);
  concatenate_call key = {.variant = variant,
                          .batch = emit.batch(),
                          .rows = rows,
                          .columns = 0,
                          .joined = joined[axis] * behind,
                          .offset = 0};
  for (std::int32_t i = 0; i < emit.inputs(); ++i) {
    key.columns = emit.input_shape(i)[axis] * behind;
    if (variant == concatenate_variant::forward || emit.wants_input_gradient(i)) {
      copy_block(emit, key, i);
    }
    key.offset += key.columns;
  }
}

constexpr void forward(emitter& emit) {
  copy_blocks(emit, concatenate_variant::forward);
}

constexpr void input_gradient(emitter& emit) {
  copy_blocks(emit, concatenate_variant::gradient);
}

/// Of one step alone there is no other behind it. Which axis is that of the steps is known where it
/// is counted from the first, or is the last.
constexpr problem one_step(attributes& options) {
  const std::int32_t axis = options.as<concatenate_options>().axis;
  if (axis == 0 || axis == -1 || axis > 1) {
    return {};
  }
  return refuse("a Concatenate of what stands at each step", label("one along axis ") << axis,
                "Concatenate puts features side by side, along the last axis");
}

/// Along the steps masks are joined as the inputs are, else a step is there that is there in all.
constexpr mask_join join_masks(const attributes& options, const shape& input);

}  // namespace concatenate_rules

inline constexpr family concatenate_family{.name = "Concatenate",
                                           .describe = concatenate_rules::describe,
                                           .inputs = any_number,
                                           .shapes = concatenate_rules::shapes,
                                           .forward = concatenate_rules::forward,
                                           .input_gradient = concatenate_rules::input_gradient,
                                           .one_step = concatenate_rules::one_step,
                                           .passes_mask = true,
                                           .join_masks = concatenate_rules::join_masks,
                                           .keeps_bounds = true};

constexpr mask_join concatenate_rules::join_masks(const attributes& options, const shape& input) {
  const std::int32_t axis = options.as<concatenate_options>().axis;
  const bool along_steps = input.rank > 1 && place_of_axis(axis, input.rank) == 0;
  return along_steps ? mask_join{.rule = &concatenate_family,
                                 .options = attributes::of(concatenate_options{}),
                                 .takes_steps = true}
                     : join_by_step(options, input);
}

/// The inputs side by side along the last axis, in order of inputs.
struct Concatenate {
  static constexpr element description{.kind = element_kind::layer, .rule = &concatenate_family};
};

inline constexpr problem concatenates_samples =
    refuse("an axis of a sample", "0", "as in Keras axis 0 is that of the samples, 1 the next");

constexpr element describe_concatenate(const whole_number& axis) {
  if (!is_null(axis.fault) || axis.value == 0) {
    return unfit_layer("ConcatenateOn<...>",
                       !is_null(axis.fault) ? *axis.fault : concatenates_samples);
  }
  return {.kind = element_kind::layer,
          .rule = &concatenate_family,
          .options = attributes::of(concatenate_options{axis.value})};
}

/// The inputs one behind the other along an axis, in order of inputs. Axes are counted as Keras
/// does: 1 is the first of a sample, -1 the last.
template <auto Axis>
struct ConcatenateOn {
  static constexpr element description = describe_concatenate(read_whole(Axis));
};

}  // namespace ipu_dsl
