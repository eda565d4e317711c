// SPDX-License-Identifier: MIT
// A loss and a metric of one's own. A courier wants no mean of travel times but a time that nine of
// ten trips keep: the pinball loss learns such a quantile, and a metric counts how many trips keep
// it. Both are judged in vectors, on any number of workers, with the same bits as our own.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

#include "example.hpp"

namespace mine {

using namespace ipu_dsl;

// [rule]
// What a pair of numbers adds to the sum, from which it goes on, and the slope of that. Options are
// members: the kernels are compiled for them. `Vector` is a float or a vector of them; what is not
// + or * is in `Math`.
struct quantile_rule {
  float level = 0.5F;

  template <typename Math, typename Vector>
  [[gnu::always_inline]] Vector add(const Vector& sum, const Vector& predicted,
                                    const Vector& wanted) const {
    const Vector late_by = wanted - predicted;
    return sum + Math::maximum(Vector(level) * late_by, Vector(level - 1) * late_by);
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] Vector slope(const Vector& predicted, const Vector& wanted) const {
    return Math::choose(wanted > predicted, Vector(-level), Vector(1 - level));
  }
};

// What cannot be is refused in a sentence; the rest is that of every loss of single numbers.
constexpr problem shapes(node_draft& draft) {
  const float level = draft.options<quantile_rule>().level;
  if (!(level > 0 && level < 1)) {
    return refuse("a quantile between 0 and 1", label() << level, "quantile<0.5F> is the median");
  }
  return pointwise_rules::shapes(draft);
}

inline constexpr family quantile_family{.name = "quantile",
                                        .shapes = shapes,
                                        .forward = pointwise_rules::forward,
                                        .input_gradient = pointwise_rules::input_gradient};

// [/rule]

// [loss]
template <auto Level>
struct quantile {
  static constexpr bool is_loss = true;
  static constexpr const family* rule = &quantile_family;

  template <std::size_t Count>
  static constexpr quantile_rule read(const option_list<Count>&) {
    return {real(Level).value};
  }
};

// [/loss]

// [metric]
// A metric that counts: what each pair adds to the counts, and what is reported of their sums.
struct kept_rule {
  [[gnu::always_inline]] void count(counted_numbers counted, float predicted, float wanted) const {
    counted[0] += wanted <= predicted ? 1 : 0;
    counted[1] += 1;
  }

  [[gnu::always_inline]] static double final_value(counted_sums counted) {
    return counted[0] / counted[1];
  }
};

inline constexpr family kept_family{
    .name = "kept",
    .shapes = [](node_draft& draft) { return counting_rules::shapes(draft, 2); },
    .forward = counting_rules::forward};

struct kept {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &kept_family;
};

// [/metric]

}  // namespace mine

// [joined]
template <>
struct ipu_dsl::pointwise_rule<&mine::quantile_family> {
  using type = mine::quantile_rule;
};

template <>
struct ipu_dsl::counting_rule<&mine::kept_family> {
  using type = mine::kept_rule;
};

// [/joined]

namespace {

using namespace ipu_dsl;

struct travel_time : model<input<3>, sequential<Dense<24, relu>, Dense<12, relu>, Dense<1>>> {};

template <auto Level>
struct training : compile<travel_time, micro_batch<50>, loss<mine::quantile<Level>>,
                          metrics<mine::kept, mean_absolute_error>, optimizer<adam>> {};

using trips = paired_dataset<shape{3}, shape{1}>;

/// Distance, hour and rain, in [-1, 1); minutes that are rarely a little less and often a lot more
/// than one would think.
trips draw_trips(std::int32_t count, std::uint64_t seed) {
  std::vector<float> features;
  std::vector<float> minutes;
  for (std::int32_t trip = 0; trip < count; ++trip) {
    float unit[4] = {};
    for (std::uint64_t i = 0; i < 4; ++i) {
      unit[i] = 2 * uniform_unit(random_word(seed, static_cast<std::uint64_t>(trip), i)) - 1;
    }
    features.insert(features.end(), unit, unit + 3);
    const float usual = 2 + unit[0] + 0.5F * std::fabs(unit[1]);
    const float luck = 0.5F * (unit[3] + 1);
    minutes.push_back(usual + (1.2F + unit[2]) * luck * luck);
  }
  return {features, minutes};
}

/// How many trips keep the times that a level learns.
template <auto Level>
double share_that_keeps(const trips& known, const trips& unseen) {
  session<training<Level>> run{{.learning_rate = 0.0005F}};
  run.fit(known | shuffled(8'000), {.epochs = 60});
  const evaluation found = run.evaluate(unseen);
  std::printf("level %.1f: %4.1f %% of the trips keep the time, which is off by %.2f on average\n",
              static_cast<double>(Level), 100 * found.metrics["kept"],
              found.metrics["mean_absolute_error"]);
  return found.metrics["kept"];
}

int learn_quantiles() {
  const trips known = draw_trips(8'000, 1);
  const trips unseen = draw_trips(2'000, 2);
  const double half = share_that_keeps<0.5F>(known, unseen);
  const double most = share_that_keeps<0.9F>(known, unseen);
  return std::fabs(half - 0.5) < 0.04 && std::fabs(most - 0.9) < 0.04 ? 0 : 1;
}

}  // namespace

int main() {
  return example::run("own_loss", learn_quantiles);
}
