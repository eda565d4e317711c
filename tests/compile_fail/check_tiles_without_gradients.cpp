// SPDX-License-Identifier: MIT
// A layer of one's own without gradients, behind one that learns: nothing is run on tiles.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/check_tiles.hpp>

using namespace ipu_dsl;

namespace own {

struct scale_call {
  std::int32_t batch;
  std::int32_t units;
};

constexpr problem shapes(node_draft& draft) {
  draft.parameter("scale", draft.input(0), {initializer_kind::ones});
  draft.output(draft.input(0));
  return {};
}

constexpr void forward(emitter& emit) {
  const scale_call key{emit.batch(), emit.input_shape(0)[0]};
  call_draft call = emit.call(key);
  const auto [sample, unit] = call.over(key.batch, key.units);
  call.writes(emit.output_value(0), {sample, unit})
      .reads(emit.input_value(0), {sample, unit})
      .reads(emit.parameter_value(0), {unit});
}

inline constexpr family rules{.name = "Scale", .shapes = shapes, .forward = forward};

struct Scale {
  static constexpr element description{.kind = element_kind::layer, .rule = &rules};
};

}  // namespace own

template <>
struct ipu_dsl::operators<&own::rules> {
  using key = own::scale_call;

  template <key Call>
  static void run(const run_context&, void* const* operands, const float*) noexcept {
    constexpr std::int32_t stride = layout::row_stride(Call.units);
    for (std::int32_t sample = 0; sample < Call.batch; ++sample) {
      for (std::int32_t unit = 0; unit < Call.units; ++unit) {
        const std::int32_t at = sample * stride + unit;
        floats(operands[0])[at] = floats(operands[1])[at] * floats(operands[2])[unit];
      }
    }
  }
};

#ifdef WITH_MISTAKE
struct net : model<input<6>, sequential<Dense<19, relu>, own::Scale, Dense<3>>> {};
#else
struct net : model<input<6>, sequential<Dense<19, relu>, Dense<3>>> {};
#endif

struct training : compile<net, micro_batch<4>, loss<sparse_categorical_crossentropy>> {};

int main() {
  return check_tiles<training>(ipu2).passed() ? 0 : 1;
}
