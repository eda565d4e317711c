// SPDX-License-Identifier: MIT
// A rule of a loss of one's own that says what is added and not its derivative.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace own {

struct far_rule {
  template <typename Math, typename Vector>
  Vector add(const Vector& sum, const Vector& predicted, const Vector& wanted) const {
    return sum + Math::magnitude(predicted - wanted);
  }

#ifndef WITH_MISTAKE
  template <typename Math, typename Vector>
  Vector slope(const Vector& predicted, const Vector& wanted) const {
    return Math::sign(predicted - wanted);
  }
#endif
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
