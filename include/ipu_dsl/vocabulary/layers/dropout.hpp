// SPDX-License-Identifier: MIT
// Dropout: in training, zeroes elements at random and scales up those that stay.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

struct dropout_options {
  float rate = 0;
};

/// The gradient is masked as the output was: the mask is a function of the seed, the node and the
/// sample's number, and the rate is a scalar.
struct dropout_call {
  std::int32_t batch;
  std::int32_t positions;  ///< of a sample, each padded
  std::int32_t elements;   ///< of a position
};

namespace dropout_rules {

constexpr label describe(const family&, const attributes& options) {
  label words = "Dropout<";
  words << options.as<dropout_options>().rate << ">";
  return words;
}

constexpr problem shapes(node_draft& draft) {
  const float rate = draft.options<dropout_options>().rate;
  if (!(rate >= 0.0F && rate < 1.0F)) {
    return refuse("a rate of at least 0 and below 1", label() << rate,
                  "Dropout<0.2F> zeroes a fifth of its input");
  }
  draft.output(draft.input(0));
  return {};
}

constexpr void mask(emitter& emit, const buffer_ref& written, const buffer_ref& read) {
  const stored_rows lain = emit.rows_of(read);
  call_draft call = emit.call(dropout_call{
      .batch = emit.batch(), .positions = lain.count / emit.batch(), .elements = lain.length});
  const auto [sample, element] = call.over(emit.batch(), read.extents.elements());
  call.scalar(emit.options<dropout_options>().rate)
      .writes(written.flat(), {sample, element})
      .reads_in_place(read.flat(), {sample, element});
}

constexpr void forward(emitter& emit) {
  mask(emit, emit.output_value(0), emit.input_value(0));
}

constexpr void input_gradient(emitter& emit) {
  if (emit.wants_input_gradient(0)) {
    mask(emit, emit.input_gradient(0), emit.output_gradient(0));
  }
}

}  // namespace dropout_rules

inline constexpr family dropout_family{.name = "Dropout",
                                       .describe = dropout_rules::describe,
                                       .shapes = dropout_rules::shapes,
                                       .forward = dropout_rules::forward,
                                       .input_gradient = dropout_rules::input_gradient,
                                       .one_step = each_step_alone,
                                       .reads = {storage::rows, storage::positions},
                                       .writes = {storage::rows, storage::positions},
                                       .passes_mask = true,
                                       .keeps_bounds = true};

constexpr element describe_dropout(const real_number& rate, const problem& fault) {
  if (!is_null(rate.fault)) {
    return unfit_layer("Dropout<rate>", *rate.fault);
  }
  return {.kind = element_kind::layer,
          .rule = &dropout_family,
          .options = attributes::of(dropout_options{rate.value}),
          .fault = &fault};
}

/// Zeroes a share `Rate` of the elements in training and divides the others by 1 - Rate; the
/// identity otherwise.
template <auto Rate, typename... Options>
struct Dropout {
 private:
  static constexpr problem fault = options_of<Options...>.find_fault({});

 public:
  static constexpr element description = describe_dropout(real(Rate), fault);
};

}  // namespace ipu_dsl
