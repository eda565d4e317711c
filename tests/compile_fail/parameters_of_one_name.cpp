// SPDX-License-Identifier: MIT
// A layer of one's own with two parameters of one name.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace own {

constexpr problem shapes(node_draft& draft) {
  draft.parameter("slope", draft.input(0), {initializer_kind::ones});
#ifdef WITH_MISTAKE
  draft.parameter("slope", draft.input(0), {initializer_kind::zeros});
#else
  draft.parameter("begin", draft.input(0), {initializer_kind::zeros});
#endif
  draft.output(draft.input(0));
  return {};
}

inline constexpr family line_family{.name = "Line", .shapes = shapes};

struct Line {
  static constexpr element description{.kind = element_kind::layer, .rule = &line_family};
};

}  // namespace own

struct mlp : model<input<4>, sequential<own::Line, Dense<2>>> {};

static_assert(check<mlp>());
