// SPDX-License-Identifier: MIT
// A rule of an optimizer of one's own whose apply takes a copy of what it should move.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace own {

struct heavy_rule {
  static constexpr int kept = 1;

  struct numbers {
    float rate = 0;
    float keep = 0;
  };

#ifdef WITH_MISTAKE
  template <typename Math, typename Vector>
  static void apply(Vector w, Vector* kept_beside, const Vector& gradient,
                    const numbers& of_update){
#else
  template <typename Math, typename Vector>
  static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                    const numbers& of_update) {
#endif
      kept_beside[0] = Math::multiply_add(Vector(of_update.keep), kept_beside[0], gradient);
  w = Math::multiply_add(Vector(-of_update.rate), kept_beside[0], w);
}
};  // namespace own

inline constexpr family heavy_family{
    .name = "heavy", .update = update_each_parameter, .kept = {{"velocity"}}, .elementwise = true};

struct heavy_settings {
  learning_rate_schedule learning_rate = 0.01F;

  heavy_rule::numbers numbers(std::uint64_t update) const {
    return {static_cast<float>(learning_rate.of_update(update)), 0.9F};
  }

  constexpr problem fault() const { return learning_rate.fault(); }
};

struct heavy {
  static constexpr problem fault{};
  static constexpr const family* rule = &heavy_family;
  using settings = heavy_settings;
};

}  // namespace own

template <>
struct ipu_dsl::update_rule<&own::heavy_family> {
  using type = own::heavy_rule;
};

struct mlp : model<input<4>, sequential<Dense<3, relu>, Dense<2>>> {};

struct training : compile<mlp, micro_batch<4>, loss<mean_squared_error>, optimizer<own::heavy>> {};

std::size_t bytes() {
  return session<training>().bytes();
}
