// SPDX-License-Identifier: MIT
// Layers that make one tensor of several of one shape, number by number: Subtract, Multiply,
// Average, Maximum and Minimum. Add and Concatenate are in join.hpp.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>
#include <ipu_dsl/vocabulary/layers/paired_shapes.hpp>

namespace ipu_dsl {

enum class merge_kind : std::int32_t { subtract, multiply, average, maximum, minimum };

struct merge_options {
  merge_kind kind = merge_kind::subtract;
};

/// What a call makes of what it reads, in order of operands.
enum class merge_operation : std::int32_t {
  difference,
  negative,
  product,
  mean,
  largest,
  smallest,
  gradient_to_largest,  ///< reads the gradient and all inputs
  gradient_to_smallest
};

struct merge_call {
  merge_operation operation;
  std::int32_t inputs;    ///< of the layer
  std::int32_t of_input;  ///< of a gradient: whose
  std::int32_t reads;     ///< operands
  std::int32_t rows;      ///< of a micro-batch: samples, or their positions
  std::int32_t elements;  ///< of a row
};

namespace merge_rules {

constexpr label describe(const family&, const attributes& options) {
  switch (options.as<merge_options>().kind) {
    case merge_kind::subtract:
      return "Subtract";
    case merge_kind::multiply:
      return "Multiply";
    case merge_kind::average:
      return "Average";
    case merge_kind::maximum:
      return "Maximum";
    case merge_kind::minimum:
      return "Minimum";
  }
  return "";
}

constexpr problem shapes(node_draft& draft) {
  const bool of_two = draft.options<merge_options>().kind == merge_kind::subtract;
  if (draft.inputs() < 2 || (of_two && draft.inputs() > 2)) {
    return refuse(of_two ? "2 inputs" : "at least 2 inputs", label() << draft.inputs(),
                  "build.layer<...>(\"\", a, b) takes several tensors");
  }
  for (std::int32_t i = 1; i < draft.inputs(); ++i) {
    if (!(draft.input(i) == draft.input(0))) {
      return refuse("inputs of one shape", both_shapes(draft, i),
                    hint_of_pairs(draft, i, "numbers are merged in pairs"));
    }
  }
  draft.output(draft.input(0));
  return {};
}

constexpr merge_call key_of(const emitter& emit, merge_operation operation, std::int32_t reads) {
  const stored_rows lain = emit.rows_of(emit.output_value(0));
  return {.operation = operation,
          .inputs = emit.inputs(),
          .of_input = 0,
          .reads = reads,
          .rows = lain.count,
          .elements = lain.length};
}

constexpr merge_operation forward_of(merge_kind kind) {
  switch (kind) {
    case merge_kind::subtract:
      return merge_operation::difference;
    case merge_kind::multiply:
      return merge_operation::product;
    case merge_kind::average:
      return merge_operation::mean;
    case merge_kind::maximum:
      return merge_operation::largest;
    case merge_kind::minimum:
      return merge_operation::smallest;
  }
  return merge_operation::difference;
}

constexpr void forward(emitter& emit) {
  const merge_call key =
      key_of(emit, forward_of(emit.options<merge_options>().kind), emit.inputs());
  call_draft call = emit.call(key);
  const auto [sample, element] = call.over(emit.batch(), emit.output_shape(0).elements());
  call.all(key.reads);
  call.writes(emit.output_value(0).flat(), {sample, element});
  for (std::int32_t i = 0; i < emit.inputs(); ++i) {
    call.reads(emit.input_value(i).flat(), {sample, element});
  }
}

/// A call that makes the gradient of input `i` of that of the output, and of inputs beside it: of
/// none, of all others, or of all.
enum class beside : std::uint8_t { none, others, all };

constexpr void gradient_of(emitter& emit, std::int32_t i, merge_call key, beside reads) {
  const std::int32_t most = emit.inputs();
  key.of_input = reads == beside::all ? i : 0;
  key.reads = reads == beside::none ? 1 : reads == beside::others ? most : most + 1;
  call_draft call = emit.call(key);
  const auto [sample, element] = call.over(emit.batch(), emit.output_shape(0).elements());
  call.all(key.reads);
  call.writes(emit.input_gradient(i).flat(), {sample, element})
      .reads(emit.output_gradient(0).flat(), {sample, element});
  for (std::int32_t other = 0; other < most; ++other) {
    if (reads == beside::all || (reads == beside::others && other != i)) {
      call.reads(emit.input_value(other).flat(), {sample, element});
    }
  }
}

constexpr void input_gradient_of(emitter& emit, std::int32_t i) {
  const auto key = [&](merge_operation operation) { return key_of(emit, operation, 0); };
  switch (emit.options<merge_options>().kind) {
    case merge_kind::subtract:
      if (i == 0) {
        copy_tensor(emit, emit.input_gradient(i), emit.output_gradient(0));
      } else {
        gradient_of(emit, i, key(merge_operation::negative), beside::none);
      }
      break;
    case merge_kind::multiply:
      gradient_of(emit, i, key(merge_operation::product), beside::others);
      break;
    case merge_kind::average:
      gradient_of(emit, i, key(merge_operation::mean), beside::none);
      break;
    case merge_kind::maximum:
      gradient_of(emit, i, key(merge_operation::gradient_to_largest), beside::all);
      break;
    case merge_kind::minimum:
      gradient_of(emit, i, key(merge_operation::gradient_to_smallest), beside::all);
      break;
  }
}

constexpr void input_gradient(emitter& emit) {
  for (std::int32_t i = 0; i < emit.inputs(); ++i) {
    if (emit.wants_input_gradient(i)) {
      input_gradient_of(emit, i);
    }
  }
}

}  // namespace merge_rules

inline constexpr family merge_family{.name = "Merge",
                                     .describe = merge_rules::describe,
                                     .inputs = any_number,
                                     .shapes = merge_rules::shapes,
                                     .forward = merge_rules::forward,
                                     .input_gradient = merge_rules::input_gradient,
                                     .one_step = each_step_alone,
                                     .reads = {storage::rows, storage::positions},
                                     .writes = {storage::rows, storage::positions},
                                     .passes_mask = true,
                                     .join_masks = join_by_step};

/// What the types of merges have in common.
template <merge_kind Kind>
struct merge_layer {
  static constexpr element description{.kind = element_kind::layer,
                                       .rule = &merge_family,
                                       .options = attributes::of(merge_options{Kind})};
};

/// The first of two inputs of one shape less the second.
struct Subtract : merge_layer<merge_kind::subtract> {};

/// The product of inputs of one shape, multiplied in order of inputs.
struct Multiply : merge_layer<merge_kind::multiply> {};

/// The mean of inputs of one shape: their sum in order of inputs, divided by their number.
struct Average : merge_layer<merge_kind::average> {};

/// The largest of inputs of one shape. The first of those that are it has the gradient.
struct Maximum : merge_layer<merge_kind::maximum> {};

/// The smallest of inputs of one shape. The first of those that are it has the gradient.
struct Minimum : merge_layer<merge_kind::minimum> {};

}  // namespace ipu_dsl
