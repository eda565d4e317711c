// SPDX-License-Identifier: MIT
// Tests of `reads_in_place`, of runtime/copied_call.hpp and runtime/continued_sums.hpp: what a
// kernel does beside its declaration is found, each in one sentence.
#include <cstdint>
#include <string>

#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

// y = x * scale with one learned scale a unit, and a kernel that is wrong in a way of its own.
namespace own {

using namespace ipu_dsl;

enum class mistake : std::int32_t {
  none,
  goes_on_from_nothing,
  never_starts_anew,
  goes_on_by_half,
  writes_a_one_that_it_reads,
  copies_a_one,
  reads_a_scalar,
  fills_padding
};

struct scale_options {
  mistake made;
};

struct scale_call {
  mistake made;
  std::int32_t sums;
  std::int32_t batch;
  std::int32_t units;
};

constexpr problem shapes(node_draft& draft) {
  draft.parameter("scale", draft.input(0), {initializer_kind::ones});
  draft.output(draft.input(0));
  return {};
}

constexpr void forward(emitter& emit) {
  const scale_call key{emit.options<scale_options>().made, 0, emit.batch(), emit.input_shape(0)[0]};
  call_draft call = emit.call(key);
  const auto [sample, unit] = call.over(key.batch, key.units);
  call.writes(emit.output_value(0), {sample, unit})
      .reads(emit.input_value(0), {sample, unit})
      .reads(emit.parameter_value(0), {unit});
}

constexpr void weight_gradient(emitter& emit) {
  const scale_call key{emit.options<scale_options>().made, 1, emit.batch(), emit.input_shape(0)[0]};
  call_draft call = emit.call(key);
  const axis_id unit = call.over(key.units);
  const axis_id sample = call.all(key.batch);
  call.updates(emit.accumulator(0), {unit})
      .reads(emit.output_gradient(0), {sample, unit})
      .reads(emit.input_value(0), {sample, unit});
  // The first scale alone.
  call.reads(emit.parameter_value(0), {reach{}});
}

inline constexpr family rules{
    .name = "Scale", .shapes = shapes, .forward = forward, .weight_gradient = weight_gradient};

template <mistake Made>
struct Scale {
  static constexpr element description{
      .kind = element_kind::layer, .rule = &rules, .options = attributes::of(scale_options{Made})};
};

inline void multiply(const scale_call& call, void* const* operands, float beside) {
  const std::int32_t stride = layout::row_stride(call.units);
  float* const y = floats(operands[0]);
  const float* const x = floats(operands[1]);
  float* const scales = floats(operands[2]);
  if (call.made == mistake::writes_a_one_that_it_reads) {
    scales[0] = 1;
  }
  for (std::int32_t sample = 0; sample < call.batch; ++sample) {
    for (std::int32_t unit = 0; unit < call.units; ++unit) {
      const std::int32_t at = sample * stride + unit;
      y[at] = x[at] * scales[unit] + beside;
    }
    if (call.made == mistake::fills_padding) {
      y[sample * stride + call.units] = 1;
    }
  }
}

inline float start(const scale_call& call, bool continues, float found) {
  if (call.made == mistake::goes_on_by_half) {
    return continues ? found / 2 : 0;
  }
  const bool goes_on = call.made == mistake::never_starts_anew ||
                       (continues && call.made != mistake::goes_on_from_nothing);
  return goes_on ? found : 0;
}

inline void sum_up(const scale_call& call, bool continues, void* const* operands) {
  const std::int32_t stride = layout::row_stride(call.units);
  float* const scales = floats(operands[3]);
  if (call.made == mistake::copies_a_one) {
    scales[1] = scales[0];
  }
  for (std::int32_t unit = 0; unit < call.units; ++unit) {
    float sum = start(call, continues, floats(operands[0])[unit]);
    for (std::int32_t sample = 0; sample < call.batch; ++sample) {
      const std::int32_t at = sample * stride + unit;
      sum += floats(operands[1])[at] * floats(operands[2])[at];
    }
    floats(operands[0])[unit] = sum;
  }
}

// y[u] = x[u] + x[units - 1 - u]: the first half of a row is read once more by the second.
struct mirror_options {
  std::int32_t in_place;
};

struct mirror_call {
  std::int32_t batch;
  std::int32_t units;
};

constexpr problem mirror_shapes(node_draft& draft) {
  draft.output(draft.input(0));
  return {};
}

constexpr void mirror_forward(emitter& emit) {
  const mirror_call key{emit.batch(), emit.input_shape(0)[0]};
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const axis_id unit = call.all(key.units);
  call.writes(emit.output_value(0), {sample, unit});
  if (emit.options<mirror_options>().in_place != 0) {
    call.reads_in_place(emit.input_value(0), {sample, unit});
  } else {
    call.reads(emit.input_value(0), {sample, unit});
  }
}

inline constexpr family mirror_rules{
    .name = "Mirror", .shapes = mirror_shapes, .forward = mirror_forward};

template <bool InPlace>
struct Mirror {
  static constexpr element description{.kind = element_kind::layer,
                                       .rule = &mirror_rules,
                                       .options = attributes::of(mirror_options{InPlace ? 1 : 0})};
};

}  // namespace own

template <>
struct ipu_dsl::operators<&own::mirror_rules> {
  using key = own::mirror_call;

  template <key Call>
  static void run(const run_context&, void* const* operands, const float*) noexcept {
    const std::int32_t stride = layout::row_stride(Call.units);
    for (std::int32_t sample = 0; sample < Call.batch; ++sample) {
      float* const y = floats(operands[0]) + std::ptrdiff_t{sample} * stride;
      const float* const x = floats(operands[1]) + std::ptrdiff_t{sample} * stride;
      for (std::int32_t unit = 0; unit < Call.units; ++unit) {
        y[unit] = x[unit] + x[Call.units - 1 - unit];
      }
    }
  }
};

template <>
struct ipu_dsl::operators<&own::rules> {
  using key = own::scale_call;

  template <key Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    if constexpr (Call.sums != 0) {
      own::sum_up(Call, context.continues, operands);
    } else {
      own::multiply(Call, operands, Call.made == own::mistake::reads_a_scalar ? scalars[0] : 0);
    }
  }
};

using namespace ipu_dsl;

namespace {

template <own::mistake Made>
struct scaled : model<input<6>, sequential<own::Scale<Made>, Dense<3>>> {};

template <own::mistake Made>
struct training : compile<scaled<Made>, micro_batch<4>, loss<sparse_categorical_crossentropy>> {};

template <bool InPlace>
struct mirrored : model<input<6>, sequential<own::Mirror<InPlace>, Dense<3>>> {};

template <bool InPlace>
struct mirrored_training
    : compile<mirrored<InPlace>, micro_batch<4>, loss<sparse_categorical_crossentropy>> {};

/// Not inlined: g++ 12 then takes a sentence for one that fits into the string itself.
template <own::mistake Made>
[[gnu::noinline]] std::string fault() {
  return check_tiles<training<Made>>(ipu2).fault;
}

}  // namespace

TEST_CASE("a kernel without a mistake passes") {
  CHECK(fault<own::mistake::none>() == "");
}

TEST_CASE("sums of gradients that are written over, never begun anew or changed are found") {
  const std::string adds =
      "weight_gradient of layer 0 Scale in stage 0: the kernel does not add to the sums that it "
      "finds where context.continues is true, of operand 0, an accumulator of (6).";
  CHECK(fault<own::mistake::goes_on_from_nothing>() == adds);
  CHECK(fault<own::mistake::goes_on_by_half>() == adds);
  CHECK(fault<own::mistake::never_starts_anew>() ==
        "weight_gradient of layer 0 Scale in stage 0: the kernel does not start anew where "
        "context.continues is false, of operand 0, an accumulator of (6).");
}

TEST_CASE("an undeclared write of the value that lay there is found") {
  CHECK(fault<own::mistake::writes_a_one_that_it_reads>() ==
        "forward of layer 0 Scale in stage 0: the kernel writes elements that it does not declare "
        "to write, of operand 2, a value of (6).");
  CHECK(fault<own::mistake::copies_a_one>() ==
        "weight_gradient of layer 0 Scale in stage 0: the kernel writes elements that it does not "
        "declare to write, of operand 3, a value of (6).");
}

TEST_CASE("a scalar that no rule gives is found") {
  CHECK(
      fault<own::mistake::reads_a_scalar>() ==
      "forward of layer 0 Scale in stage 0: the kernel reads a scalar that its rule does not give "
      "it by .scalar(...), block 0 of 24.");
}

TEST_CASE("a kernel that leaves numbers behind the elements of a row is found") {
  CHECK(fault<own::mistake::fills_padding>() ==
        "forward of layer 0 Scale in stage 0: the kernel writes other numbers than zero behind the "
        "elements of a row, of operand 0, a value of (6).");
}

TEST_CASE("a kernel that reads again what it has written in its place is found") {
  CHECK(check_tiles<mirrored_training<false>>(ipu2).fault == "");
  CHECK(check_tiles<mirrored_training<true>>(ipu2).fault ==
        "forward of layer 0 Mirror in stage 0: the kernel does not compute all elements from what "
        "it declares to read, of operand 0, a value of (6), block 0 of 4.");
}
