// SPDX-License-Identifier: MIT
// An optimizer of one's own, with the rights of the library's: fused into the weight gradients,
// saved by name, with the same bits on any number of workers. And a learning rate that warms up and
// falls.
#include <cstdio>

#include <ipu_dsl/ipu_dsl.hpp>

#include "example.hpp"

namespace mine {

using namespace ipu_dsl;

// [rule]
// Signum (Bernstein et al. 2018): m = beta m + (1 - beta) g, w -= rate sign(m). `Vector` is a float
// or a vector of them; what is kept beside a parameter and the numbers of an update are floats.
struct signum_rule {
  static constexpr int kept = 1;

  struct numbers {
    float rate;
    float keep;
    float take;
  };

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    Vector& mean = kept_beside[0];
    mean = Math::multiply_add(Vector(of_update.take), gradient, Vector(of_update.keep) * mean);
    w = Math::multiply_add(Vector(-of_update.rate), Math::sign(mean), w);
  }
};

inline constexpr family signum_family{
    .name = "signum", .update = update_each_parameter, .kept = {{"mean"}}, .elementwise = true};

// [/rule]

// [settings]
struct signum_settings {
  learning_rate_schedule learning_rate = 0.001F;
  float beta = 0.9F;

  // For an update, counted from 1.
  signum_rule::numbers numbers(std::uint64_t update) const {
    return {static_cast<float>(learning_rate.of_update(update)), beta, 1 - beta};
  }

  constexpr problem fault() const {
    settings_check check;
    check.take(learning_rate.fault());
    check.decay("beta", beta);
    return check.fault;
  }
};

struct signum {
  static constexpr problem fault{};
  static constexpr const family* rule = &signum_family;
  using settings = signum_settings;
};

// [/settings]

}  // namespace mine

// [update_rule]
template <>
struct ipu_dsl::update_rule<&mine::signum_family> {
  using type = mine::signum_rule;
};

// [/update_rule]

using namespace ipu_dsl;

struct mlp : model<input<28, 28>,
                   pipeline<stage<Flatten, Dense<64, relu>>, stage<Dense<32, relu>, Dense<10>>>> {};

struct training
    : compile<mlp, micro_batch<32>, gradient_accumulation<4>, mean_gradients,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<mine::signum>> {};

static_assert(check<training>());

static std::uint64_t train(int threads, double* accuracy) {
  const auto digits = synthetic_digits(20'000, 1);
  const auto unseen = synthetic_digits(5'000, 2);
  // [schedule]
  session<training> run{
      {.learning_rate =
           warm_up{.warmup_steps = 20,
                   .schedule = cosine_decay{.initial_learning_rate = 0.002F, .decay_steps = 380}}},
      {.threads = threads}};
  // [/schedule]
  run.fit(digits | shuffled(10'000) | repeated(), {.epochs = 4, .steps_per_epoch = 400});
  const evaluation found = run.evaluate(unseen);
  std::printf("%d workers: test loss %.4f, accuracy %.4f\n", threads, found.loss,
              found.metrics["accuracy"]);
  *accuracy = found.metrics["accuracy"];
  return run.weights().fingerprint();
}

static int train_twice() {
  double accuracy = 0;
  const bool same = train(1, &accuracy) == train(2, &accuracy);
  std::printf("%s\n", same ? "the same bits" : "other bits");
  return same && accuracy > 0.9 ? 0 : 1;
}

int main() {
  return example::run("own_optimizer", train_twice);
}
