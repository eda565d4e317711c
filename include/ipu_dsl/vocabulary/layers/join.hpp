// SPDX-License-Identifier: MIT
// Layers of several inputs: Add and Concatenate.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

/// Writes the sum of what it reads, in order; of one read that is a copy.
struct add_call {
  std::int32_t reads;
  std::int32_t rows;      ///< of a micro-batch: samples, or their positions
  std::int32_t elements;  ///< of a row
};

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
      return refuse(
          "inputs of one shape", both_shapes(draft, i),
          "only equal shapes are added: a residual ends in the shape that it starts with");
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
  const add_call key = key_of(emit, emit.inputs());
  call_draft call = emit.call(key);
  const auto [sample, element] = call.over(emit.batch(), emit.output_shape(0).elements());
  call.all(key.reads);
  call.writes(emit.output_value(0).flat(), {sample, element});
  for (std::int32_t i = 0; i < emit.inputs(); ++i) {
    call.reads(emit.input_value(i).flat(), {sample, element});
  }
}

constexpr void input_gradient(emitter& emit) {
  const add_call key = key_of(emit, 1);
  for (std::int32_t i = 0; i < emit.inputs(); ++i) {
    if (emit.wants_input_gradient(i)) {
      call_draft call = emit.call(key);
      const auto [sample, element] = call.over(emit.batch(), emit.output_shape(0).elements());
      call.writes(emit.input_gradient(i).flat(), {sample, element})
          .reads(emit.output_gradient(0).flat(), {sample, element});
    }
  }
}

}  // namespace add_rules

inline constexpr family add_family{.name = "Add",
                                   .inputs = any_number,
                                   .shapes = add_rules::shapes,
                                   .forward = add_rules::forward,
                                   .input_gradient = add_rules::input_gradient,
                                   .one_step = each_step_alone,
                                   .reads = {storage::rows, storage::positions},
                                   .writes = {storage::rows, storage::positions}};

/// The sum of inputs of one shape, added in order of inputs.
struct Add {
  static constexpr element description{.kind = element_kind::layer, .rule = &add_family};
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

constexpr void copy_block(emitter& emit, const concatenate_call& key, std::int32_t input) {
  call_draft call = emit.call(key);
  const auto [sample, row] = call.over(key.batch, key.rows);
  const axis_id column = call.over(key.columns);
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
  const std::int32_t last = joined.rank - 1;
  concatenate_call key = {.variant = variant,
                          .batch = emit.batch(),
                          .rows = static_cast<std::int32_t>(joined.elements() / joined[last]),
                          .columns = 0,
                          .joined = joined[last],
                          .offset = 0};
  for (std::int32_t i = 0; i < emit.inputs(); ++i) {
    key.columns = emit.input_shape(i)[last];
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

}  // namespace concatenate_rules

inline constexpr family concatenate_family{.name = "Concatenate",
                                           .inputs = any_number,
                                           .shapes = concatenate_rules::shapes,
                                           .forward = concatenate_rules::forward,
                                           .input_gradient = concatenate_rules::input_gradient,
                                           .one_step = each_step_alone};

/// The inputs side by side along the last axis, in order of inputs.
struct Concatenate {
  static constexpr element description{.kind = element_kind::layer, .rule = &concatenate_family};
};

}  // namespace ipu_dsl
