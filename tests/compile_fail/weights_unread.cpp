// SPDX-License-Identifier: MIT
// A loss of one's own that does not read what samples count is asked to weigh them.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace own {

constexpr problem shapes(node_draft& draft) {
  draft.target(draft.input(0), dtype::float32);
  draft.result(2);
  return {};
}

constexpr void forward(emitter& emit) {
  emit.call().writes(emit.output_value(0)).reads(emit.input_value(0)).reads(emit.input_value(1));
}

constexpr void input_gradient(emitter& emit) {
  emit.call()
      .writes(emit.input_gradient(0))
      .writes(emit.output_value(0))
      .reads(emit.input_value(0))
      .reads(emit.input_value(1));
}

inline constexpr family error_family{
    .name = "own_error", .shapes = shapes, .forward = forward, .input_gradient = input_gradient};

struct error_of_mine {
  static constexpr bool is_loss = true;
  static constexpr const family* rule = &error_family;
};

}  // namespace own

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

#ifdef WITH_MISTAKE
using wanted = loss<own::error_of_mine, sample_weights>;
#else
using wanted = loss<own::error_of_mine>;
#endif

struct training : compile<regression, micro_batch<8>, wanted> {};

static_assert(check<training>());
