// SPDX-License-Identifier: MIT
// A metric of one's own that counts and does not say what is reported.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace own {

struct below_rule {
  void count(counted_numbers counted, float predicted, float wanted) const {
    counted[0] += predicted < wanted ? 1 : 0;
    counted[1] += 1;
  }

#ifndef WITH_MISTAKE
  static double final_value(counted_sums counted) { return counted[0] / counted[1]; }
#endif
};

inline constexpr family below_family{
    .name = "below",
    .shapes = [](node_draft& draft) { return counting_rules::shapes(draft, 2); },
    .forward = counting_rules::forward};

struct below {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &below_family;
};

}  // namespace own

template <>
struct ipu_dsl::counting_rule<&own::below_family> {
  using type = own::below_rule;
};

struct mlp : model<input<4>, sequential<Dense<3, relu>, Dense<2>>> {};

struct training : compile<mlp, micro_batch<4>, loss<mean_squared_error>, metrics<own::below>> {};

std::size_t bytes() {
  return session<training>().bytes();
}
