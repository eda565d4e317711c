// SPDX-License-Identifier: MIT
// A loss of one's own whose rule is not joined to its family.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace own {

struct far_rule {
  template <typename Math, typename Vector>
  Vector add(const Vector& sum, const Vector& predicted, const Vector& wanted) const {
    return sum + Math::magnitude(predicted - wanted);
  }

  template <typename Math, typename Vector>
  Vector slope(const Vector& predicted, const Vector& wanted) const {
    return Math::sign(predicted - wanted);
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

#ifndef WITH_MISTAKE
template <>
struct ipu_dsl::pointwise_rule<&own::far_family> {
  using type = own::far_rule;
};
#endif

struct mlp : model<input<4>, sequential<Dense<3, relu>, Dense<2>>> {};

struct training : compile<mlp, micro_batch<4>, loss<own::far>> {};

std::size_t bytes() {
  return session<training>().bytes();
}
