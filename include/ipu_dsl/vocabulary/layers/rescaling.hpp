// SPDX-License-Identifier: MIT
// Rescaling: x * scale + offset; of bytes, what makes numbers of them.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

struct rescaling_options {
  float scale = 1;
  float offset = 0;
};

/// Scale and offset are scalars; of a gradient the offset is zero.
struct rescaling_call {
  std::int32_t rows;      ///< of a micro-batch: samples, or their positions
  std::int32_t units;     ///< numbers of a row
  std::int32_t of_bytes;  ///< what it reads are bytes, which are not padded
};

namespace rescaling_rules {

constexpr label describe(const family&, const attributes& options) {
  const auto of = options.as<rescaling_options>();
  label words = "Rescaling<";
  words << of.scale;
  if (of.offset != 0) {
    words << ", " << of.offset;
  }
  words << ">";
  return words;
}

constexpr problem shapes(node_draft& draft) {
  if (draft.input_type(0) == dtype::int32) {
    return refuse("numbers of float32 or uint8", name_of(draft.input_type(0)),
                  "integers of 32 bits are numbers of words: put Embedding before it");
  }
  draft.output(draft.input(0));
  return {};
}

constexpr void rescale(emitter& emit, const buffer_ref& written, const buffer_ref& read,
                       float offset) {
  const stored_rows lain = emit.rows_of(written);
  call_draft call = emit.call(rescaling_call{
      .rows = lain.count, .units = lain.length, .of_bytes = read.type == dtype::uint8 ? 1 : 0});
  const auto [sample, element] = call.over(emit.batch(), read.extents.elements());
  call.scalar(emit.options<rescaling_options>().scale)
      .scalar(offset)
      .writes(written.flat(), {sample, element})
      .reads_in_place(read.flat(), {sample, element});
}

constexpr void forward(emitter& emit) {
  rescale(emit, emit.output_value(0), emit.input_value(0),
          emit.options<rescaling_options>().offset);
}

constexpr void input_gradient(emitter& emit) {
  if (emit.wants_input_gradient(0)) {
    rescale(emit, emit.input_gradient(0), emit.output_gradient(0), 0);
  }
}

}  // namespace rescaling_rules

inline constexpr family rescaling_family{.name = "Rescaling",
                                         .describe = rescaling_rules::describe,
                                         .reads_integers = true,
                                         .shapes = rescaling_rules::shapes,
                                         .forward = rescaling_rules::forward,
                                         .input_gradient = rescaling_rules::input_gradient,
                                         .one_step = each_step_alone,
                                         .reads = {storage::rows, storage::positions},
                                         .writes = {storage::rows, storage::positions},
                                         .passes_mask = true};

/// Every number would be the offset.
inline constexpr problem rescales_to_nothing =
    refuse("a scale other than 0", "0", "integers divide to 0: write 1.0F / 255");

constexpr element describe_rescaling(const real_number& scale, const real_number& offset,
                                     const problem& fault) {
  if (!is_null(scale.fault) || !is_null(offset.fault)) {
    return unfit_layer("Rescaling<...>", !is_null(scale.fault) ? *scale.fault : *offset.fault);
  }
  if (scale.value == 0) {
    return unfit_layer("Rescaling<...>", rescales_to_nothing);
  }
  return {.kind = element_kind::layer,
          .rule = &rescaling_family,
          .options = attributes::of(rescaling_options{scale.value, offset.value}),
          .fault = &fault};
}

/// x * Scale + Offset, rounded once, as Keras's layer: `Rescaling<1.0F / 255>` of bytes gives
/// [0, 1], `Rescaling<2.0F / 255, -1>` gives [-1, 1]. Behind an input of uint8 it stands first: the
/// device reads the bytes as they are.
template <auto Scale, auto Offset = 0, typename... Options>
struct Rescaling {
 private:
  static constexpr problem fault = options_of<Options...>.find_fault({});

 public:
  static constexpr element description = describe_rescaling(real(Scale), real(Offset), fault);
};

}  // namespace ipu_dsl
