// SPDX-License-Identifier: MIT
// A rule of a loss of one's own that judges rows and does not say its derivative.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace own {

struct spread_rule {
  template <typename Row>
  auto judge(const Row& row) const {
    const float spread =
        row.largest([](const auto& predicted, const auto& wanted) { return predicted - wanted; });
#ifdef WITH_MISTAKE
    return spread;
#else
    return row.loss(spread, [](const auto& predicted, const auto&) { return predicted; });
#endif
  }
};

inline constexpr family spread_family{.name = "spread",
                                      .shapes = rowwise_rules::shapes,
                                      .forward = rowwise_rules::forward,
                                      .input_gradient = rowwise_rules::input_gradient,
                                      .reads = {storage::positions}};

struct spread {
  static constexpr bool is_loss = true;
  static constexpr const family* rule = &spread_family;
};

}  // namespace own

template <>
struct ipu_dsl::row_rule<&own::spread_family> {
  using type = own::spread_rule;
};

struct mlp : model<input<4>, sequential<Dense<3, relu>, Dense<2>>> {};

struct training : compile<mlp, micro_batch<4>, loss<own::spread>> {};

std::size_t bytes() {
  return session<training>().bytes();
}
