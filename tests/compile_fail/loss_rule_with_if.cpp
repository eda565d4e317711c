// SPDX-License-Identifier: MIT
// A rule of a loss that asks by `if` which of two vectors is larger, as one would of two numbers.
// At most 28 lines: behind the sentence clang says how the user's rule came to be compiled.
// Where the vectors are those of AVX-512, whose masks are numbers, it is refused for these.
#define IPU_DSL_PORTABLE
#include "ipu_dsl/ipu_dsl.hpp"

using namespace ipu_dsl;

namespace own {

struct far_rule {
  template <typename Math, typename Vector>
  Vector add(const Vector& sum, const Vector& predicted, const Vector& wanted) const {
    return sum + Math::magnitude(predicted - wanted);
  }

  template <typename Math, typename Vector>
  Vector slope(const Vector& predicted, const Vector& wanted) const {
#ifdef WITH_MISTAKE
    if (predicted > wanted) {
      return Vector(1.0F);
    }
    return Vector(-1.0F);
#else
    return Math::choose(predicted > wanted, Vector(1.0F), Vector(-1.0F));
#endif
  }
};

inline constexpr family far_family{.name = "far",
                                   .shapes = pointwise_rules::shapes,
                                   .forward = pointwise_rules::forward,
                                   .input_gradient = pointwise_rules::input_gradient};

struct far {
  static constexpr bool is_loss = true;
  static constexpr const family* rule = &far_family;
};

}  // namespace own

template <>
struct ipu_dsl::pointwise_rule<&own::far_family> {
  using type = own::far_rule;
};

struct mlp : model<input<4>, sequential<Dense<3, relu>, Dense<2>>> {};

struct training : compile<mlp, micro_batch<4>, loss<own::far>> {};

std::size_t bytes() {
  return session<training>().bytes();
}
