// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/learning_rate_schedule.hpp and decays.hpp: rates against Keras's
// formulas in long double, what is refused, and training whose rate changes.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>
#include <ipu_dsl/vocabulary/optimizers/learning_rate_schedule.hpp>

#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

constexpr long double half_turn = 3.14159265358979323846264338327950288L;

/// Compares the first iterations with a formula, which is written after Keras's source.
template <typename Formula>
int compare(const learning_rate_schedule& schedule, const Formula& formula, int iterations = 400) {
  int agreed = 0;
  for (int i = 0; i < iterations; ++i) {
    const double got = schedule.at(static_cast<std::uint64_t>(i));
    const long double exact = formula(static_cast<long double>(i));
    const long double error = std::fabs(static_cast<long double>(got) - exact);
    // Functions are within 2^-48 of what they say; the rates here are at most 1.
    agreed += error <= 0x1p-47L ? 1 : 0;
  }
  return agreed;
}

std::string refused(const learning_rate_schedule& schedule) {
  return std::string(schedule.fault().message().view());
}

constexpr double falling(std::uint64_t iteration) {
  return 0.5 / static_cast<double>(1 + iteration);
}

// Iterations count from 0, updates from 1.
constexpr learning_rate_schedule pieces =
    piecewise_constant_decay{.boundaries = {2, 4}, .values = {0.5F, 0.25F, 0.125F}};
static_assert(!pieces.fault().found());
static_assert(pieces.at(0) == 0.5 && pieces.at(2) == 0.5 && pieces.at(3) == 0.25);
static_assert(pieces.at(4) == 0.25 && pieces.at(5) == 0.125 && pieces.at(500) == 0.125);
static_assert(pieces.of_update(1) == pieces.at(0) && pieces.of_update(4) == 0.25);

constexpr learning_rate_schedule plain = 0.01F;
static_assert(plain.at(0) == static_cast<double>(0.01F) && plain.at(1'000'000) == plain.at(0));

constexpr learning_rate_schedule staircase = exponential_decay{
    .initial_learning_rate = 0.5F, .decay_steps = 10, .decay_rate = 0.5F, .staircase = true};
static_assert(staircase.at(9) == 0.5 && staircase.at(10) == 0.25 && staircase.at(29) == 0.125);

constexpr learning_rate_schedule restarts =
    cosine_decay_restarts{.initial_learning_rate = 0.5F, .first_decay_steps = 10, .m_mul = 0.5F};
static_assert(restarts.at(0) == 0.5 && restarts.at(5) == 0.25);
static_assert(restarts.at(10) == 0.25 && restarts.at(30) == 0.125 && restarts.at(70) == 0.0625);

constexpr learning_rate_schedule warmed = warm_up{
    .warmup_steps = 4, .schedule = cosine_decay{.initial_learning_rate = 0.5F, .decay_steps = 10}};
static_assert(warmed.at(0) == 0 && warmed.at(1) == 0.125 && warmed.at(4) == 0.5);
static_assert(warmed.at(9) == 0.25 && warmed.at(14) == 0 && warmed.at(100) == 0);

static_assert(learning_rate_schedule(falling).at(1) == 0.25);

struct linear_points : model<input<8>, sequential<Dense<6, relu>, Dense<3>>> {};

template <typename Schedule>
struct training : compile<linear_points, micro_batch<8>, gradient_accumulation<2>, Schedule,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<>>> {};

using trained = training<sequential_schedule>;

}  // namespace

TEST_CASE("rates are those of Keras's formulas") {
  const auto initial = static_cast<long double>(0.7F);
  const auto rate = static_cast<long double>(0.96F);
  int agreed = 0;
  agreed += compare(
      exponential_decay{.initial_learning_rate = 0.7F, .decay_steps = 30, .decay_rate = 0.96F},
      [&](long double step) { return initial * std::pow(rate, step / 30); });
  agreed += compare(
      exponential_decay{
          .initial_learning_rate = 0.7F, .decay_steps = 30, .decay_rate = 0.96F, .staircase = true},
      [&](long double step) { return initial * std::pow(rate, std::floor(step / 30)); });
  agreed += compare(
      inverse_time_decay{.initial_learning_rate = 0.7F, .decay_steps = 30, .decay_rate = 0.96F},
      [&](long double step) { return initial / (1 + rate * step / 30); });
  agreed += compare(
      inverse_time_decay{
          .initial_learning_rate = 0.7F, .decay_steps = 30, .decay_rate = 0.96F, .staircase = true},
      [&](long double step) { return initial / (1 + rate * std::floor(step / 30)); });
  CHECK(agreed == 4 * 400);
}

TEST_CASE("polynomial decay ends, or cycles as Keras does") {
  const auto initial = static_cast<long double>(0.7F);
  const auto end = static_cast<long double>(0.0001F);
  const auto of = [&](long double step, long double steps, long double power) {
    return (initial - end) * std::pow(1 - step / steps, power) + end;
  };
  int agreed = 0;
  agreed += compare(polynomial_decay{.initial_learning_rate = 0.7F, .decay_steps = 150},
                    [&](long double step) { return of(std::fmin(step, 150.0L), 150, 1); });
  agreed +=
      compare(polynomial_decay{.initial_learning_rate = 0.7F, .decay_steps = 150, .power = 0.5F},
              [&](long double step) { return of(std::fmin(step, 150.0L), 150, 0.5L); });
  agreed += compare(
      polynomial_decay{.initial_learning_rate = 0.7F, .decay_steps = 50, .power = 2, .cycle = true},
      [&](long double step) {
        const long double turns = step == 0 ? 1 : std::ceil(step / 50);
        return of(step, 50 * turns, 2);
      });
  CHECK(agreed == 3 * 400);
}

TEST_CASE("cosine decays end and restart as Keras does") {
  const auto initial = static_cast<long double>(0.7F);
  const auto alpha = static_cast<long double>(0.1F);
  int agreed = 0;
  agreed += compare(cosine_decay{.initial_learning_rate = 0.7F, .decay_steps = 300, .alpha = 0.1F},
                    [&](long double step) {
                      const long double cosine =
                          (1 + std::cos(half_turn * std::fmin(step, 300.0L) / 300)) / 2;
                      return initial * ((1 - alpha) * cosine + alpha);
                    });
  // A factor that is exact in a float and no power of two, so that no restart is a matter of
  // rounding in the formula's logarithms, the first iterations of a cosine apart.
  agreed += compare(cosine_decay_restarts{.initial_learning_rate = 0.7F,
                                          .first_decay_steps = 37,
                                          .t_mul = 1.5F,
                                          .m_mul = 0.75F,
                                          .alpha = 0.1F},
                    [&](long double step) {
                      const long double done = step / 37;
                      const long double turn =
                          std::floor(std::log(1 - done * (1 - 1.5L)) / std::log(1.5L) + 1e-12L);
                      const long double before = (1 - std::pow(1.5L, turn)) / (1 - 1.5L);
                      const long double within = (done - before) / std::pow(1.5L, turn);
                      const long double cosine =
                          std::pow(0.75L, turn) * (1 + std::cos(half_turn * within)) / 2;
                      return initial * ((1 - alpha) * cosine + alpha);
                    });
  agreed += compare(
      cosine_decay_restarts{
          .initial_learning_rate = 0.7F, .first_decay_steps = 37, .t_mul = 1, .m_mul = 0.75F},
      [&](long double step) {
        const long double turn = std::floor(step / 37);
        const long double cosine = (1 + std::cos(half_turn * (step / 37 - turn))) / 2;
        return initial * std::pow(0.75L, turn) * cosine;
      });
  CHECK(agreed == 3 * 400);
}

TEST_CASE("a warm-up leads in a straight line to what any schedule begins with") {
  const auto initial = static_cast<long double>(0.7F);
  const auto from = static_cast<long double>(0.1F);
  const int agreed = compare(warm_up{.initial_learning_rate = 0.1F,
                                     .warmup_steps = 50,
                                     .schedule = exponential_decay{.initial_learning_rate = 0.7F,
                                                                   .decay_steps = 30,
                                                                   .decay_rate = 0.5F}},
                             [&](long double step) {
                               return step < 50 ? from + (initial - from) * step / 50
                                                : initial * std::pow(0.5L, (step - 50) / 30);
                             });
  CHECK(agreed == 400);
  const learning_rate_schedule around_number = warm_up{.warmup_steps = 2, .schedule = 0.5F};
  CHECK(around_number.at(0) == 0);
  CHECK(around_number.at(1) == 0.25);
  CHECK(around_number.at(2) == 0.5);
}

TEST_CASE("a rate of one's own is a function of the iteration") {
  const learning_rate_schedule named = falling;
  const learning_rate_schedule written = [](std::uint64_t iteration) {
    return iteration < 3 ? 0.5 : 0.25;
  };
  CHECK(named.at(3) == 0.125);
  CHECK(written.at(2) == 0.5);
  CHECK(written.at(3) == 0.25);
  CHECK_FALSE(written.fault().found());
  const learning_rate_schedule of_floats = [](std::uint64_t iteration) {
    return 0.5F / static_cast<float>(1 + iteration);
  };
  CHECK(of_floats.at(3) == 0.125);
}

TEST_CASE("a rate of one's own is held to what a rate is") {
  const learning_rate_schedule climbing = [](std::uint64_t) { return -1; };
  const learning_rate_schedule nowhere = [](std::uint64_t) {
    return (std::numeric_limits<double>::quiet_NaN)();
  };
  const char* const words =
      "The function that is the learning_rate must return a finite number of at least 0.";
  CHECK_THROWS_WITH(climbing.at(0), words);
  CHECK_THROWS_WITH(nowhere.at(5), words);
}

TEST_CASE("schedules that cannot be are refused") {
  CHECK(refused(-1.0F) == ": expected a learning_rate of at least 0, got -1");
  CHECK(refused(std::numeric_limits<float>::infinity()) ==
        ": expected a finite learning_rate, got infinity");
  CHECK(refused(std::numeric_limits<float>::quiet_NaN()) ==
        ": expected a finite learning_rate, got not a number");
  CHECK(refused(exponential_decay{.decay_steps = 10, .decay_rate = 0.5F}) ==
        ": expected an initial_learning_rate above 0, got 0");
  CHECK(refused(exponential_decay{.initial_learning_rate = 0.1F, .decay_rate = 0.5F}) ==
        ": expected a decay_steps of at least 1, got 0");
  CHECK(refused(exponential_decay{.initial_learning_rate = 0.1F, .decay_steps = 10}) ==
        ": expected a decay_rate above 0, got 0");
  CHECK(refused(inverse_time_decay{
            .initial_learning_rate = 0.1F, .decay_steps = 10, .decay_rate = -0.5F}) ==
        ": expected a decay_rate above 0, got -0.5");
  CHECK(refused(polynomial_decay{.initial_learning_rate = 0.1F, .decay_steps = 5, .power = 0}) ==
        ": expected a power above 0, got 0");
  CHECK(refused(polynomial_decay{
            .initial_learning_rate = 0.1F, .decay_steps = 5, .end_learning_rate = -1}) ==
        ": expected an end_learning_rate of at least 0, got -1");
  CHECK(refused(cosine_decay{.initial_learning_rate = 0.1F, .decay_steps = 5, .alpha = 2}) ==
        ": expected an alpha of 0 to 1, got 2");
  CHECK(refused(cosine_decay_restarts{
            .initial_learning_rate = 0.1F, .first_decay_steps = 5, .t_mul = 0.5F}) ==
        ": expected a t_mul of at least 1, got 0.5");
  CHECK(refused(piecewise_constant_decay{.boundaries = {10}, .values = {0.1F}}) ==
        ": expected one value more than boundaries, got 1 values and 1 boundaries");
  CHECK(refused(piecewise_constant_decay{.boundaries = {10, 10}, .values = {0.1F, 0.2F, 0.3F}}) ==
        ": expected boundaries of at least 0 that ascend, got 10 behind 10");
  CHECK(refused(piecewise_constant_decay{
            .boundaries = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
            .values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}}) ==
        ": expected at most 16 values, got 17");
  CHECK(refused(warm_up{.schedule = 0.1F}) == ": expected a warmup_steps of at least 1, got 0");
  const std::string of_nothing =
      ": expected a schedule that a warm_up leads to, got none, or a rate of 0. Hint: write "
      ".schedule = 0.01F in it, or a decay";
  CHECK(refused(warm_up{.warmup_steps = 5}) == of_nothing);
  CHECK(refused(warm_up{.initial_learning_rate = 0.1F, .warmup_steps = 5}) == of_nothing);
  CHECK(refused(warm_up{.warmup_steps = 5, .schedule = -0.1F}) ==
        ": expected a learning_rate of at least 0, got -0.1");
  CHECK(refused(
            warm_up{.warmup_steps = 5, .schedule = warm_up{.warmup_steps = 5, .schedule = 0.1F}}) ==
        ": expected one warm_up, got one within another");
}

TEST_CASE("a session's first update has the rate of iteration 0, and no two need the same") {
  const point_set data = labelled_points(64, 1);
  const auto step = [&](session<trained>& run, std::size_t update) {
    run.train_step(data.features().subspan(update * 16 * 8, 16 * 8),
                   data.labels().subspan(update * 16, 16));
  };
  session<trained> scheduled{{.learning_rate = piecewise_constant_decay{
                                  .boundaries = {0, 1}, .values = {0.5F, 0.25F, 0.125F}}}};
  session<trained> by_hand{{.learning_rate = 0.5F}};
  int compared = 0;
  for (const float rate : {0.5F, 0.25F, 0.125F, 0.125F}) {
    by_hand.set_optimizer({.learning_rate = rate});
    step(scheduled, static_cast<std::size_t>(compared));
    step(by_hand, static_cast<std::size_t>(compared));
    CHECK(scheduled.weights().fingerprint() == by_hand.weights().fingerprint());
    ++compared;
  }
  CHECK(compared == 4);
}

TEST_CASE("a schedule refused by a session says where") {
  session<trained> run;
  std::string said;
  try {
    run.set_optimizer({.learning_rate = cosine_decay{.initial_learning_rate = 0.1F}});
  } catch (const error& found) {
    said = found.what();
  }
  CHECK(said == "the optimizer: expected a decay_steps of at least 1, got 0");
}
