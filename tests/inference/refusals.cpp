// SPDX-License-Identifier: MIT
// What keeps a model from a predictor is one sentence, before anything is instantiated.
#include <array>
#include <cstddef>
#include <cstdint>

#include "inference/models.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace own {

constexpr problem shapes(node_draft& draft) {
  draft.output(draft.input(0));
  return {};
}

struct own_call {
  std::int32_t elements;
};

constexpr void forward(emitter& emit) {
  emit.call(own_call{static_cast<std::int32_t>(emit.input_shape(0).elements())})
      .writes(emit.output_value(0))
      .reads(emit.input_value(0));
}

namespace counted {

constexpr problem shapes(node_draft& draft) {
  draft.state("count", draft.input(0), {initializer_kind::zeros});
  draft.output(draft.input(0));
  return {};
}

constexpr void forward(emitter& emit) {
  emit.call(own_call{0})
      .writes(emit.output_value(0))
      .writes(emit.parameter_value(0))
      .reads(emit.input_value(0));
}

}  // namespace counted

inline constexpr family counting_family{
    .name = "Counting", .shapes = counted::shapes, .forward = counted::forward};
inline constexpr family throwing_family{.name = "Throwing", .shapes = shapes, .forward = forward};
inline constexpr family missing_family{.name = "Missing", .shapes = shapes, .forward = forward};
inline constexpr family copying_family{.name = "Copying", .shapes = shapes, .forward = forward};

template <const family& Family>
struct Own {
  static constexpr element description{.kind = element_kind::layer, .rule = &Family};
};

}  // namespace own

template <>
struct ipu_dsl::operators<&own::throwing_family> {
  using key = own::own_call;

  template <own::own_call Call>
  static void run(const run_context&, void* const*, const float*) {}
};

template <>
struct ipu_dsl::operators<&own::copying_family> {
  using key = own::own_call;

  template <own::own_call Call>
  static void run(const run_context&, void* const* operands, const float*) noexcept {
    // Padding is zero, so that kernels may read it.
    constexpr std::int32_t elements = Call.elements;
    float padding = 0;
    for (std::int32_t i = elements; i < layout::row_stride(elements); ++i) {
      padding += floats(operands[1])[i];
    }
    for (std::int32_t i = 0; i < elements; ++i) {
      floats(operands[0])[i] = floats(operands[1])[i] + padding;
    }
  }
};

template <>
struct ipu_dsl::operators<&own::counting_family> {
  using key = own::own_call;

  template <own::own_call Call>
  static void run(const run_context&, void* const*, const float*) noexcept {}
};

namespace {

template <const family& Family>
struct with_own : model<input<6>, sequential<own::Own<Family>>> {};

struct wrong : model<input<6>, sequential<Dense<0>>> {};

template <model_type M>
using compiled = compiled_for_inference<M, micro_batch<1>>;

using throwing = compiled<with_own<own::throwing_family>>;
using missing = compiled<with_own<own::missing_family>>;
using counting = compiled<with_own<own::counting_family>>;
using copying = compiled<with_own<own::copying_family>>;

static_assert(!predictable<throwing>() && is_valid<throwing>());
static_assert(
    prediction_fault_of<throwing>::value.message().view() ==
    "the family Throwing: expected code that is noexcept, since only a feed may throw, got "
    "run that may throw. Hint: say noexcept behind the parameters of operators<...>::run");
static_assert(!predictable<missing>() && is_valid<missing>());
static_assert(prediction_fault_of<missing>::value.message().view() ==
              "the family Missing: expected code for every family of layers, got none for this "
              "one. Hint: specialise operators<&its family> before a session or a "
              "predictor is made");
static_assert(!predictable<counting>() && !is_valid<counting>());
static_assert(compile_fault_of<counting>::value.message().view() ==
              "layer 0 Counting in stage 0: expected a rule for forward that only reads parameters "
              "and states, got one that writes count. Hint: in training write "
              "emit.state_contribution(...), and let .fold take it in");
static_assert(predictable<copying>());

// A model that is wrong has its own sentence; here there is nothing to add.
static_assert(!is_valid<compiled<wrong>>() && !predictable<compiled<wrong>>());
static_assert(!prediction_fault_of<compiled<wrong>>::value.found());
static_assert(!is_valid<compiled_for_inference<odd_ends, micro_batch<0>>>());

}  // namespace

TEST_CASE("a layer of one's own predicts if its code never throws, and reads zeros as padding") {
  using own_predictor = predictor<with_own<own::copying_family>>;
  const weights_of<with_own<own::copying_family>> none;
  alignas(own_predictor::alignment) std::array<std::byte, own_predictor::bytes> memory;
  own_predictor given(none, memory);
  // All bits set is a NaN.
  memory.fill(std::byte{0xFF});
  const auto found = given.push(std::array{1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F});
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i] == static_cast<float>(i + 1));
  }
  CHECK(found.size() == 6);
}
