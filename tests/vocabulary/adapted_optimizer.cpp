// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/adapted_optimizer.hpp: twenty updates against float64, what is
// refused.
#include <algorithm>
#include <cmath>
#include <vector>

#include <ipu_dsl/vocabulary/optimizers/adam.hpp>
#include <ipu_dsl/vocabulary/optimizers/adamw.hpp>
#include <ipu_dsl/vocabulary/optimizers/adapted_optimizer.hpp>
#include <ipu_dsl/vocabulary/optimizers/lamb.hpp>
#include <ipu_dsl/vocabulary/optimizers/nadam.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

#include "whole_updates.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

/// Makes the numbers of an optimizer as a session does.
template <typename Optimizer>
struct numbers_made_for {
  typename Optimizer::settings chosen;

  auto numbers(std::uint64_t update) const {
    typename update_rule<Optimizer::rule>::type::numbers made;
    float written[most_optimizer_numbers] = {};
    optimizer_reference::of<Optimizer>(chosen).write(update, written);
    std::memcpy(static_cast<void*>(&made), written, sizeof(made));
    return made;
  }
};

using both = adapted_optimizer<sgd<momentum>, clipvalue<0.25F>, weight_decay<0.5F>>;
using clipped = adapted_optimizer<sgd<>, clipvalue<0.25>>;
using shrinking = adapted_optimizer<sgd<>, weight_decay<0.5>>;

/// Keras's optimizers clip first, and take from w before they move it.
struct exact_both : exact_number {
  void update(double gradient, double) {
    w -= 0.5 * static_cast<double>(0.1F) * w;
    kept[0] = static_cast<double>(0.9F) * kept[0] -
              static_cast<double>(0.1F) * std::clamp(gradient, -0.25, 0.25);
    w += kept[0];
  }
};

struct exact_clipped : exact_number {
  void update(double gradient, double) {
    w -= static_cast<double>(0.1F) * std::clamp(gradient, -0.25, 0.25);
  }
};

struct exact_shrinking : exact_number {
  void update(double gradient, double step) {
    const double rate = step == 1 ? 0.5 : 0.125;
    w -= 0.5 * rate * w;
    w -= rate * gradient;
  }
};

using norm_clipped = adapted_optimizer<sgd<momentum>, clipnorm<2.0F>, weight_decay<0.5F>>;
using clipped_lamb = adapted_optimizer<lamb, clipnorm<1.0F>, weight_decay<0.5F>>;

/// Keras: tf.clip_by_norm of each gradient, t limit / max(norm, limit).
std::vector<double> clipped_to(double limit, const std::vector<double>& gradient) {
  double squares = 0;
  for (const double each : gradient) {
    squares += each * each;
  }
  std::vector<double> made = gradient;
  for (double& each : made) {
    each = each * limit / std::max(std::sqrt(squares), limit);
  }
  return made;
}

struct exact_norm_clipped {
  static void update(std::vector<exact_number>& all, const std::vector<double>& gradient, double) {
    const std::vector<double> taken = clipped_to(2, gradient);
    for (std::size_t i = 0; i < all.size(); ++i) {
      exact_number& each = all[i];
      each.w -= 0.5 * static_cast<double>(0.1F) * each.w;
      each.kept[0] =
          static_cast<double>(0.9F) * each.kept[0] - static_cast<double>(0.1F) * taken[i];
      each.w += each.kept[0];
    }
  }
};

/// Two stages: what the second sums up is made of the gradient that the first has clipped, and of
/// weights that have decayed.
struct exact_clipped_lamb {
  static void update(std::vector<exact_number>& all, const std::vector<double>& gradient,
                     double step) {
    const std::vector<double> taken = clipped_to(1, gradient);
    const double keep_mean = static_cast<double>(0.9F);
    const double keep_square = static_cast<double>(0.999F);
    const double rate = static_cast<double>(0.01F);
    std::vector<double> steps;
    double of_w = 0;
    double of_step = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      exact_number& each = all[i];
      each.w -= 0.5 * rate * each.w;
      each.kept[0] = keep_mean * each.kept[0] + (1 - keep_mean) * taken[i];
      each.kept[1] = keep_square * each.kept[1] + (1 - keep_square) * taken[i] * taken[i];
      steps.push_back(each.kept[0] / (1 - std::pow(keep_mean, step)) /
                      (std::sqrt(each.kept[1] / (1 - std::pow(keep_square, step))) +
                       static_cast<double>(1e-6F)));
      of_w += each.w * each.w;
      of_step += steps.back() * steps.back();
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].w -= rate * std::sqrt(of_w) / std::sqrt(of_step) * steps[i];
    }
  }
};

using averaged = adapted_optimizer<sgd<momentum>, moving_average<0.75F>, clipvalue<0.5F>>;
using averaged_norm = adapted_optimizer<lamb, moving_average<0.5F>, clipnorm<1.0F>>;

/// Keras's use_ema: the first update begins the average.
struct exact_averaged : exact_number {
  void update(double gradient, double step) {
    kept[0] = static_cast<double>(0.9F) * kept[0] -
              static_cast<double>(0.1F) * std::clamp(gradient, -0.5, 0.5);
    w += kept[0];
    kept[1] = step == 1 ? w : 0.75 * kept[1] + 0.25 * w;
  }
};

/// An optimizer without a rule, and one without a learning rate.
inline constexpr family whole_family{.name = "whole", .update = update_each_parameter};

struct whole : adam {
  static constexpr const family* rule = &whole_family;
};

inline constexpr family family_of_four{
    .name = "whole", .update = update_each_parameter, .kept = {{"a", "b", "c", "d"}}};

struct keeping_four : adam {
  static constexpr const family* rule = &family_of_four;
};

struct no_rate_settings {
  constexpr sgd_rule::numbers numbers(std::uint64_t) const { return {1}; }

  constexpr problem fault() const { return {}; }
};

struct without_rate {
  static constexpr problem fault{};
  static constexpr const family* rule = &sgd_family;
  using settings = no_rate_settings;
};

template <typename Optimizer, typename... Options>
constexpr problem fault_with = adapted_optimizer<Optimizer, Options...>::fault;

static_assert(!both::fault.found() && !clipped::fault.found() && !shrinking::fault.found());
static_assert(both::rule->kept.names[0] == "momentum");
static_assert(both::rule != sgd<momentum>::rule && clipped::rule != shrinking::rule);
static_assert(fault_with<adam, clipvalue<-1>>.expected.view() == "a clipvalue above 0");
static_assert(fault_with<adamw, weight_decay<0.5>>.expected.view() ==
              "weight_decay among the settings of adamw");
static_assert(fault_with<adam, weight_decay<-1>>.expected.view() == "a weight_decay of at least 0");
static_assert(fault_with<adam, clipvalue<1>, clipvalue<1>>.expected.view() ==
              "one option for clipvalue");
static_assert(fault_with<adam, global_clipnorm<1>>.got.view() ==
              "the norm of all gradients together");
static_assert(fault_with<adam, clipnorm<0>>.expected.view() == "a clipnorm above 0");
static_assert(fault_with<adam, clipnorm<1>, clipnorm<1>>.expected.view() ==
              "one option for clipnorm");
static_assert(fault_with<adam, clipnorm<1>, clipvalue<1>>.expected.view() ==
              "one of clipvalue and clipnorm");
static_assert(norm_clipped::rule->sums == whole_sums{{1}} && !norm_clipped::rule->elementwise);
static_assert(clipped_lamb::rule->sums == whole_sums{{1, 2}});
static_assert(adapted_optimizer<adam, clipvalue<1>>::rule->elementwise);
static_assert(fault_with<adam, moving_average<1>>.expected.view() ==
              "a moving_average of at least 0 and below 1");
static_assert(fault_with<adam, moving_average<-0.5>>.found());
static_assert(fault_with<keeping_four, moving_average<0.5>>.got.view() ==
              "a moving_average beside those of whole");
static_assert(averaged::rule->kept.names[1] == "average" && averaged::rule->elementwise);
static_assert(averaged_norm::rule->kept.count() == 3 && !averaged_norm::rule->elementwise);
static_assert(averaged_norm::rule->sums == whole_sums{{1, 2}});
static_assert(fault_with<sgd<adam>, clipvalue<1>>.got.view() == "adam as option 1");
static_assert(fault_with<whole, clipvalue<1>>.got.view() == "whole");
static_assert(fault_with<without_rate, weight_decay<1>>.got.view() == "those of sgd");
static_assert(!fault_with<without_rate, clipvalue<1>>.found());

}  // namespace

TEST_CASE("clipping and decay stand around the rule of any optimizer") {
  check_updates<update_rule<both::rule>::type>(
      "clipped and decaying", numbers_made_for<both>{{.learning_rate = 0.1F}}, exact_both());
  check_updates<update_rule<clipped::rule>::type>(
      "clipped", numbers_made_for<clipped>{{.learning_rate = 0.1F}}, exact_clipped());
  check_padding<update_rule<both::rule>::type>(numbers_made_for<both>{});
}

TEST_CASE("the norm of a parameter's gradient is clipped") {
  check_whole_parameters<norm_clipped>("clipped by norm", {.learning_rate = 0.1F},
                                       exact_norm_clipped());
  check_whole_parameters<clipped_lamb>("lamb clipped by norm", {.learning_rate = 0.01F},
                                       exact_clipped_lamb(), 64);
}

TEST_CASE("moving averages stand beside what an optimizer keeps") {
  check_updates<update_rule<averaged::rule>::type>(
      "averaged", numbers_made_for<averaged>{{.learning_rate = 0.1F}}, exact_averaged());
  check_padding<update_rule<averaged::rule>::type>(numbers_made_for<averaged>{});
}

TEST_CASE("a gradient within its norm is what it is, one that is not a number too") {
  constexpr parameter_extents small{storage::panel_bias, shape{5}};
  using whole = whole_parameter<adapted_optimizer<sgd<>, clipnorm<5>>, small>;
  whole within;
  within.gradient[0] = 3;
  within.gradient[4] = -4;
  within.update({.learning_rate = 1}, 1, 2);
  CHECK(within.w[0] == -3);
  CHECK(within.w[4] == 4);
  whole beyond;
  beyond.gradient[0] = 30;
  beyond.gradient[4] = -40;
  beyond.update({.learning_rate = 1}, 1, 2);
  CHECK(beyond.w[0] == Approx(-3));
  CHECK(beyond.w[4] == Approx(4));
  whole undefined;
  undefined.gradient[0] = 1;
  undefined.gradient[1] = std::nanf("");
  undefined.update({.learning_rate = 1}, 1, 2);
  CHECK(undefined.w[0] == -1);
  CHECK(std::isnan(undefined.w[1]));
}

TEST_CASE("decay follows the schedule of the rate") {
  const numbers_made_for<shrinking> settings{
      {.learning_rate = piecewise_constant_decay{.boundaries = {0}, .values = {0.5F, 0.125F}}}};
  check_updates<update_rule<shrinking::rule>::type>("decaying", settings, exact_shrinking());
}

TEST_CASE("the numbers of the rule with the most fit beside those of what is around it") {
  using most = adapted_optimizer<nadam, clipnorm<1>, weight_decay<0.5>, moving_average<0.75>>;
  const numbers_made_for<most> settings{{.learning_rate = 0.5F}};
  const auto made = settings.numbers(2);
  CHECK(made.keep_average == 0.75F);
  CHECK(made.take_weight == 0.25F);
  CHECK(settings.numbers(1).take_weight == 1);
  CHECK(made.of_rule.limit == 1);
  CHECK(made.of_rule.factor == 1);
  CHECK(made.of_rule.of_rule.keep_weight == 0.75F);
  CHECK(made.of_rule.of_rule.of_rule.epsilon == 1e-7F);
}

TEST_CASE("what is not a number is not clipped") {
  float w = 0.5F;
  const numbers_made_for<clipped> settings{};
  update_rule<clipped::rule>::type::apply<kernels::arithmetic>(w, &w, std::nanf(""),
                                                               settings.numbers(1));
  CHECK(std::isnan(w));
}
