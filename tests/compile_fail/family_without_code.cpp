// SPDX-License-Identifier: MIT
// A session of a model with a layer of one's own whose family has no code.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/session.hpp>

using namespace ipu_dsl;

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

inline constexpr family scaled_family{.name = "Scaled", .shapes = shapes, .forward = forward};

struct Scaled {
  static constexpr element description{.kind = element_kind::layer, .rule = &scaled_family};
};

}  // namespace own

#ifndef WITH_MISTAKE
template <>
struct ipu_dsl::operators<&own::scaled_family> {
  using key = own::own_call;

  template <own::own_call Call>
  static void run(const run_context&, void* const*, const float*) noexcept {}
};
#endif

struct net : model<input<4>, sequential<own::Scaled, Dense<3>>> {};

struct predicting : compile<net, micro_batch<1>> {};

std::size_t bytes() {
  return session<predicting>().bytes();
}
