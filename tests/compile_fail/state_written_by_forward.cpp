// SPDX-License-Identifier: MIT
// The rule for forward of a layer of one's own writes a state.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace own {

constexpr problem shapes(node_draft& draft) {
  draft.state("count", draft.input(0), {});
  draft.output(draft.input(0));
  return {};
}

constexpr void forward(emitter& emit) {
#ifdef WITH_MISTAKE
  emit.call()
      .writes(emit.output_value(0))
      .updates(emit.parameter_value(0))
      .reads(emit.input_value(0));
#else
  emit.call().writes(emit.output_value(0)).reads(emit.input_value(0));
  if (emit.program() == program_kind::train) {
    emit.call().writes(emit.state_contribution(0)).reads(emit.input_value(0));
  }
#endif
}

constexpr void input_gradient(emitter& emit) {
  emit.call().writes(emit.input_gradient(0)).reads(emit.output_gradient(0));
}

constexpr void fold(emitter& emit) {
  emit.call().updates(emit.parameter_value(0)).reads(emit.state_contribution(0));
}

inline constexpr family counted_family{.name = "Counted",
                                       .shapes = shapes,
                                       .forward = forward,
                                       .input_gradient = input_gradient,
                                       .fold = fold};

struct Counted {
  static constexpr element description{.kind = element_kind::layer, .rule = &counted_family};
};

}  // namespace own

struct net : model<input<6>, sequential<Dense<6>, own::Counted, Dense<3>>> {};

struct training : compile<net, micro_batch<8>, loss<sparse_categorical_crossentropy>> {};

static_assert(check<training>());
