// SPDX-License-Identifier: MIT
// Layers of several inputs: Add and Concatenate.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

/// The variants of Add's code: {inputs, batch, elements, gradient lies in columns}.
enum class add_variant : std::int32_t { forward, gradient };

/// "(64) and (32) as inputs 0 and 1", for the first input and another.
constexpr label both_shapes(node_draft& draft, std::int32_t other) {
  label words = describe(draft.input(0));
  words << " and " << describe(draft.input(other)) << " as inputs 0 and " << other;
  return words;
}

namespace add_rules {

constexpr problem shapes(node_draft& draft) {
  if (draft.inputs() < 2) {
    return refuse("at least 2 inputs", label() << draft.inputs(),
                  "residual<...> adds what its layers compute to their input");
  }
  for (std::int32_t i = 1; i < draft.inputs(); ++i) {
    if (!(draft.input(i) == draft.input(0))) {
      return refuse("inputs of one shape", both_shapes(draft, i),
                    "the layers of a residual end in the shape that they start with");
    }
  }
  draft.output(draft.input(0));
  return {};
}

constexpr call_signature signature(const emitter& emit, add_variant variant, std::int32_t inputs) {
  return {.variant = static_cast<std::int32_t>(variant),
          .extents = {inputs, emit.batch(),
                      static_cast<std::int32_t>(emit.output_shape(0).elements())}};
}

constexpr work cost(const emitter& emit, std::int32_t inputs) {
  return {.kind = work_kind::elementwise,
          .m = emit.output_shape(0).elements() * emit.batch() * inputs};
}

constexpr void forward(emitter& emit) {
  list<std::int32_t> reads;
  for (std::int32_t i = 0; i < emit.inputs(); ++i) {
    reads.push_back(emit.input_value(i));
  }
  const std::int32_t writes[] = {emit.output_value(0)};
  emit.call_kernel(signature(emit, add_variant::forward, emit.inputs()), writes,
                   {reads.data(), reads.size()}, cost(emit, emit.inputs()));
}

constexpr void input_gradient(emitter& emit) {
  for (std::int32_t i = 0; i < emit.inputs(); ++i) {
    if (emit.wants_input_gradient(i)) {
      emit.call_kernel(signature(emit, add_variant::gradient, 1), {emit.input_gradient(i)},
                       {emit.output_gradient(0)}, cost(emit, 1));
    }
  }
}

}  // namespace add_rules

inline constexpr family add_family{.name = "Add",
                                   .inputs = any_number,
                                   .shapes = add_rules::shapes,
                                   .forward = add_rules::forward,
                                   .input_gradient = add_rules::input_gradient};

/// The sum of inputs of one shape, added in order of inputs.
struct Add {
  static constexpr element description{.kind = element_kind::layer, .rule = &add_family};
};

/// The variants of Concatenate's code: a block of `columns` goes to or comes from its place in the
/// joined rows. {batch, rows a sample, columns, columns of the joined, offset of the block}.
enum class concatenate_variant : std::int32_t { forward, gradient };

namespace concatenate_rules {

constexpr problem shapes(node_draft& draft) {
  if (draft.inputs() < 2) {
    return refuse("at least 2 inputs", label() << draft.inputs(),
                  "concat<...> takes two branches or more");
  }
  shape joined = draft.input(0);
  if (joined.rank == 0) {
    return refuse("inputs with at least 1 axis", "a scalar");
  }
  const std::int32_t last = joined.rank - 1;
  for (std::int32_t i = 1; i < draft.inputs(); ++i) {
    shape comparable = draft.input(i);
    const bool same_rank = comparable.rank == joined.rank;
    const std::int32_t width = same_rank ? comparable[last] : 0;
    comparable.extents[last] = draft.input(0)[last];
    if (!same_rank || !(comparable == draft.input(0))) {
      return refuse("inputs that differ in the last axis only", both_shapes(draft, i),
                    "the branches of a concat end in shapes that fit side by side");
    }
    joined.extents[last] += width;
  }
  draft.output(joined);
  return {};
}

/// One call an input: its columns to or from their place in the joined rows.
constexpr void copy_blocks(emitter& emit, concatenate_variant variant) {
  const shape& joined = emit.output_shape(0);
  const std::int32_t last = joined.rank - 1;
  const auto rows = static_cast<std::int32_t>(joined.elements() / joined[last]);
  std::int32_t offset = 0;
  for (std::int32_t i = 0; i < emit.inputs(); ++i) {
    const std::int32_t columns = emit.input_shape(i)[last];
    const call_signature signature = {
        .variant = static_cast<std::int32_t>(variant),
        .extents = {emit.batch(), rows, columns, joined[last], offset}};
    const work cost = {.kind = work_kind::copy, .m = emit.input_shape(i).elements() * emit.batch()};
    if (variant == concatenate_variant::forward) {
      emit.call_kernel(signature, {emit.output_value(0)}, {emit.input_value(i)}, cost);
    } else if (emit.wants_input_gradient(i)) {
      emit.call_kernel(signature, {emit.input_gradient(i)}, {emit.output_gradient(0)}, cost);
    }
    offset += columns;
  }
}

constexpr void forward(emitter& emit) {
  copy_blocks(emit, concatenate_variant::forward);
}

constexpr void input_gradient(emitter& emit) {
  copy_blocks(emit, concatenate_variant::gradient);
}

}  // namespace concatenate_rules

inline constexpr family concatenate_family{.name = "Concatenate",
                                           .inputs = any_number,
                                           .shapes = concatenate_rules::shapes,
                                           .forward = concatenate_rules::forward,
                                           .input_gradient = concatenate_rules::input_gradient};

/// The inputs side by side along the last axis, in order of inputs.
struct Concatenate {
  static constexpr element description{.kind = element_kind::layer, .rule = &concatenate_family};
};

}  // namespace ipu_dsl
