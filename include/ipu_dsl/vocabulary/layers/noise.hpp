// SPDX-License-Identifier: MIT
// Noise in training: GaussianNoise, GaussianDropout, AlphaDropout and SpatialDropout. Dropout of
// single elements is in dropout.hpp.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/whole_number.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>

namespace ipu_dsl {

enum class noise_kind : std::int32_t { gaussian, gaussian_dropout, alpha_dropout, spatial_dropout };

struct noise_options {
  noise_kind kind = noise_kind::gaussian;
  float amount = 0;       ///< the standard deviation of gaussian, the rate of the others
  std::int32_t axes = 0;  ///< of what is dropped as a whole: 1 steps, 2 rows and columns
};

/// What is drawn is a function of the seed, the node and the number of the element or channel, so
/// that the gradient meets the same; the amount is a scalar.
struct noise_call {
  noise_kind kind;
  std::int32_t is_gradient;
  std::int32_t batch;
  std::int32_t positions;  ///< of a sample, each padded
  std::int32_t elements;   ///< of a position
};

namespace noise_rules {

constexpr std::string_view name_of(const noise_options& options) {
  switch (options.kind) {
    case noise_kind::gaussian:
      return "GaussianNoise";
    case noise_kind::gaussian_dropout:
      return "GaussianDropout";
    case noise_kind::alpha_dropout:
      return "AlphaDropout";
    case noise_kind::spatial_dropout:
      return options.axes == 1 ? "SpatialDropout1D" : "SpatialDropout2D";
  }
  return "";
}

constexpr label describe(const family&, const attributes& given) {
  const auto options = given.as<noise_options>();
  label words = name_of(options);
  return words << "<" << options.amount << ">";
}

constexpr problem check_amount(const noise_options& options) {
  const float amount = options.amount;
  if (options.kind == noise_kind::gaussian) {
    return amount >= 0.0F ? problem{}
                          : refuse("a standard deviation of at least 0", label() << amount);
  }
  return amount >= 0.0F && amount < 1.0F
             ? problem{}
             : refuse("a rate of at least 0 and below 1", label() << amount);
}

constexpr problem check_rank(const noise_options& options, const shape& input) {
  if (options.axes == 0 || input.rank == options.axes + 1) {
    return {};
  }
  const text<191> hint = "channels are dropped as a whole";
  return options.axes == 1
             ? refuse_without_steps("a sequence (steps, channels)", ipu_dsl::describe(input), hint)
             : refuse("an image (rows, columns, channels)", ipu_dsl::describe(input), hint);
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<noise_options>();
  const shape input = draft.input(0);
  const problem wrong = check_amount(options);
  if (wrong.found()) {
    return wrong;
  }
  const problem unfit = check_rank(options, input);
  if (unfit.found()) {
    return unfit;
  }
  draft.output(input);
  return {};
}

constexpr noise_call key_of(const emitter& emit, const buffer_ref& read, bool is_gradient) {
  const stored_rows lain = emit.rows_of(read);
  return {.kind = emit.options<noise_options>().kind,
          .is_gradient = is_gradient ? 1 : 0,
          .batch = emit.batch(),
          .positions = lain.count / emit.batch(),
          .elements = lain.length};
}

constexpr void declare(const emitter& emit, call_draft call, const buffer_ref& written,
                       const buffer_ref& read) {
  const auto [sample, element] = call.over(emit.batch(), read.extents.elements());
  call.scalar(emit.options<noise_options>().amount)
      .writes(written.flat(), {sample, element})
      .reads_in_place(read.flat(), {sample, element});
}

/// Only training is disturbed.
constexpr void forward(emitter& emit) {
  const buffer_ref read = emit.input_value(0);
  if (emit.program() != program_kind::train) {
    copy_tensor(emit, emit.output_value(0), read);
    return;
  }
  declare(emit, emit.call(key_of(emit, read, false)), emit.output_value(0), read);
}

/// What is added has no part in the gradient.
constexpr void input_gradient(emitter& emit) {
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const buffer_ref read = emit.output_gradient(0);
  if (emit.options<noise_options>().kind == noise_kind::gaussian) {
    copy_tensor(emit, emit.input_gradient(0), read);
    return;
  }
  declare(emit, emit.call(key_of(emit, read, true)), emit.input_gradient(0), read);
}

}  // namespace noise_rules

inline constexpr family noise_family{.name = "Noise",
                                     .describe = noise_rules::describe,
                                     .shapes = noise_rules::shapes,
                                     .forward = noise_rules::forward,
                                     .input_gradient = noise_rules::input_gradient,
                                     .one_step = each_step_alone,
                                     .reads = {storage::rows, storage::positions},
                                     .writes = {storage::rows, storage::positions},
                                     .passes_mask = true,
                                     .keeps_bounds = true};

namespace spatial_rules {

constexpr void drop(emitter& emit, const buffer_ref& written, const buffer_ref& read) {
  const noise_call key = noise_rules::key_of(emit, read, false);
  noise_rules::declare(emit, emit.call_of(noise_family, key), written, read);
}

constexpr void forward(emitter& emit) {
  if (emit.program() == program_kind::train) {
    drop(emit, emit.output_value(0), emit.input_value(0));
  } else {
    copy_tensor(emit, emit.output_value(0), emit.input_value(0));
  }
}

constexpr void input_gradient(emitter& emit) {
  if (emit.wants_input_gradient(0)) {
    drop(emit, emit.input_gradient(0), emit.output_gradient(0));
  }
}

}  // namespace spatial_rules

/// Channels lie together at every position. The code of noise does it.
inline constexpr family spatial_dropout_family{.name = "SpatialDropout",
                                               .describe = noise_rules::describe,
                                               .shapes = noise_rules::shapes,
                                               .forward = spatial_rules::forward,
                                               .input_gradient = spatial_rules::input_gradient,
                                               .one_step = each_step_alone,
                                               .reads = {storage::positions},
                                               .writes = {storage::positions},
                                               .passes_mask = true,
                                               .keeps_bounds = true};

constexpr element describe_noise(noise_kind kind, const real_number& amount,
                                 std::int32_t axes = 0) {
  const noise_options options{.kind = kind, .amount = amount.value, .axes = axes};
  if (!is_null(amount.fault)) {
    return unfit_layer(noise_rules::name_of(options), *amount.fault);
  }
  return {.kind = element_kind::layer,
          .rule = axes == 0 ? &noise_family : &spatial_dropout_family,
          .options = attributes::of(options)};
}

/// In training adds to every element what is drawn from the normal distribution of mean 0 and this
/// standard deviation; the identity otherwise.
template <auto Deviation>
struct GaussianNoise {
  static constexpr element description = describe_noise(noise_kind::gaussian, real(Deviation));
};

/// In training multiplies every element by what is drawn from the normal distribution of mean 1 and
/// standard deviation sqrt(rate / (1 - rate)); the identity otherwise. (Srivastava et al. 2014)
template <auto Rate>
struct GaussianDropout {
  static constexpr element description = describe_noise(noise_kind::gaussian_dropout, real(Rate));
};

/// In training sets a share `Rate` of the elements to what selu tends to below, and scales and
/// moves all so that mean and variance stay; the identity otherwise. (Klambauer et al. 2017)
template <auto Rate>
struct AlphaDropout {
  static constexpr element description = describe_noise(noise_kind::alpha_dropout, real(Rate));
};

/// In training zeroes a share `Rate` of the channels of each sequence (steps, channels), each at
/// all steps, and divides the others by 1 - Rate; the identity otherwise. (Tompson et al. 2015)
template <auto Rate>
struct SpatialDropout1D {
  static constexpr element description = describe_noise(noise_kind::spatial_dropout, real(Rate), 1);
};

/// The same of images (rows, columns, channels).
template <auto Rate>
struct SpatialDropout2D {
  static constexpr element description = describe_noise(noise_kind::spatial_dropout, real(Rate), 2);
};

}  // namespace ipu_dsl
