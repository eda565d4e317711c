// SPDX-License-Identifier: MIT
// Weights of samples and of positions: trained and judged as float64 says, the same bits however an
// update is cut, block by block, and what is said of data that do not fit.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <ipu_dsl/data/paired_dataset.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/descent.hpp"
#include "support/reference/numbers.hpp"
#include "support/reference/row_losses.hpp"

namespace {

using namespace ipu_dsl;
using reference::cross_entropy_of;
using reference::dense_of;
using reference::descend;
using reference::numbers;
using reference::numbers_of_row;
using reference::row_of;
using reference::tanh_of;
using reference::weight_list;
using reference::weights_of_session;
using reference::zeros_like;

constexpr std::size_t samples = 96;
constexpr std::size_t inputs = 5;
constexpr std::size_t outputs = 3;
constexpr std::size_t samples_of_update = 24;

struct uncut : model<input<5>, sequential<Dense<4, hyperbolic_tangent>, Dense<3>>> {};

struct cut : model<input<5>, pipeline<stage<Dense<4, hyperbolic_tangent>>, stage<Dense<3>>>> {};

/// 24 samples an update.
template <typename Model, int MicroBatch, typename Loss, typename... Options>
struct trained : compile<Model, micro_batch<MicroBatch>, mean_gradients, Loss,
                         optimizer<sgd<momentum>>, Options...> {};

template <typename Loss>
using on_one = trained<uncut, 6, Loss, sequential_schedule, gradient_accumulation<4>>;

/// Two outputs of one shape.
struct twins {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor read = build.input({5});
    const symbolic_tensor hidden = build.layer<Dense<4, hyperbolic_tangent>>("hidden", read);
    return {build.layer<Dense<3>>("near", hidden), build.layer<Dense<3>>("far", hidden)};
  }
};

template <typename... Losses>
struct weighted_twins : compile<twins, micro_batch<6>, loss<Losses...>> {};

/// Features, targets of both kinds, and weights of which every fourth is 0.
struct weighted_samples {
  std::vector<float> features = numbers(samples * inputs, 5, 1.0F);
  std::vector<float> targets = numbers(samples * outputs, 6, 1.0F);
  std::vector<std::int32_t> labels = reference::labels(samples, 7, 3);
  std::vector<float> weights = numbers(samples, 8, 1.0F);

  weighted_samples() {
    for (std::size_t i = 0; i < samples; ++i) {
      weights[i] = i % 4 == 1 ? 0.0F : 1.0F + weights[i];
    }
    // Probabilities: three numbers of one sum.
    for (std::size_t i = 0; i < samples * outputs; i += outputs) {
      targets[i] = 0.25F * (1 + targets[i]);
      targets[i + 1] = 0.25F * (1 + targets[i + 1]);
      targets[i + 2] = 1.0F - targets[i] - targets[i + 1];
    }
  }

  auto with_targets() const {
    return zipped(feature_column<shape{5}>(features), target_column<shape{3}>(targets),
                  weight_column(weights));
  }

  auto with_labels() const {
    return zipped(feature_column<shape{5}>(features), label_column<3>(labels),
                  weight_column(weights));
  }
};

std::vector<double> output_of(const weight_list& weights, const std::vector<double>& x) {
  return dense_of(weights, 1, tanh_of(dense_of(weights, 0, x)));
}

using row_loss = double (*)(numbers_of_row, numbers_of_row);

/// A sample's loss in float64, by its targets, or by its label if `by_targets` is null.
double loss_of_sample(const weight_list& weights, const weighted_samples& data, std::size_t sample,
                      row_loss by_targets) {
  const std::vector<double> output = output_of(weights, row_of(data.features, sample, inputs));
  return by_targets == nullptr ? cross_entropy_of(output, data.labels[sample])
                               : by_targets(output, row_of(data.targets, sample, outputs));
}

/// The sum of w l over the samples of an update, by their count.
double loss_of_update(const weight_list& weights, const weighted_samples& data, std::size_t update,
                      row_loss by_targets) {
  double sum = 0;
  for (std::size_t i = update * samples_of_update; i < (update + 1) * samples_of_update; ++i) {
    sum += static_cast<double>(data.weights[i]) * loss_of_sample(weights, data, i, by_targets);
  }
  return sum / samples_of_update;
}

template <bool OfLabels, typename Session>
double train_step(Session& run, const weighted_samples& data, std::size_t update) {
  const auto part = [&](const auto& of, std::size_t elements) {
    return std::span(of).subspan(update * samples_of_update * elements,
                                 samples_of_update * elements);
  };
  const auto features = part(data.features, inputs);
  const auto weights = part(data.weights, 1);
  if constexpr (OfLabels) {
    return run.train_step(features, part(data.labels, 1), weights);
  } else {
    return run.train_step(features, part(data.targets, outputs), weights);
  }
}

/// Twelve updates beside central differences in float64; returns how many weights were compared.
template <typename Loss>
int check_training(row_loss by_targets) {
  constexpr bool of_labels =
      std::same_as<Loss, loss<sparse_categorical_crossentropy, sample_weights>>;
  const weighted_samples data;
  session<on_one<Loss>> run({.learning_rate = 0.05F, .momentum = 0.9F});
  weight_list weights = weights_of_session(run.weights());
  weight_list velocities = zeros_like(weights);
  const weight_list start = weights;
  int compared = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    const std::size_t update = i % 4;
    const double expected = loss_of_update(weights, data, update, by_targets);
    descend(weights, velocities, 0.05, 0.9, [&](const weight_list& probe) {
      return loss_of_update(probe, data, update, by_targets);
    });
    CHECK(train_step<of_labels>(run, data, update) == Approx(expected).epsilon(1e-5));
    const weight_list found = weights_of_session(run.weights());
    REQUIRE(found.size() == weights.size());
    for (std::size_t p = 0; p < weights.size(); ++p) {
      for (std::size_t k = 0; k < weights[p].size(); ++k) {
        CHECK(found[p][k] == Approx(weights[p][k]).margin(3e-6));
        ++compared;
      }
    }
  }
  CHECK(std::abs(weights[0][0] - start[0][0]) > 1e-3);
  CHECK(std::abs(weights[2][0] - start[2][0]) > 1e-3);
  return compared;
}

/// What training leaves: the weights, and what its evaluation says.
struct outcome {
  std::uint64_t weights = 0;
  double loss = 0;
  std::vector<double> metrics;

  bool operator==(const outcome&) const = default;
};

template <typename Compiled, typename Data>
outcome train(const Data& data, int threads) {
  session<Compiled> run({.learning_rate = 0.1F, .momentum = 0.9F},
                        {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  run.fit(data, {.epochs = 3});
  const evaluation found = run.evaluate(data);
  return {run.weights().fingerprint(),
          found.loss,
          {found.metrics.values().begin(), found.metrics.values().end()}};
}

/// Every schedule, cut and number of workers against one stage and one worker.
template <typename Loss, typename Metrics, typename Data>
int check_bits(const Data& data) {
  using one = trained<uncut, 6, Loss, Metrics, sequential_schedule, gradient_accumulation<4>>;
  const outcome expected = train<one>(data, 1);
  CHECK(train<one>(data, 3) == expected);
  CHECK(train<trained<cut, 6, Loss, Metrics, grouped, gradient_accumulation<4>>>(data, 2) ==
        expected);
  CHECK(train<trained<cut, 6, Loss, Metrics, interleaved, gradient_accumulation<4>>>(data, 2) ==
        expected);
  CHECK(train<trained<uncut, 12, Loss, Metrics, sequential_schedule, gradient_accumulation<2>>>(
            data, 1)
            .weights == expected.weights);
  CHECK(train<trained<uncut, 24, Loss, Metrics, sequential_schedule>>(data, 1).weights ==
        expected.weights);
  using replicated = trained<cut, 3, Loss, Metrics, grouped, gradient_accumulation<4>, replicas<2>>;
  CHECK(train<replicated>(data, 1) == train<replicated>(data, 4));
  return 6;
}

}  // namespace

TEST_CASE("a weighted loss of every kind of rule trains as float64 says") {
  int compared =
      check_training<loss<mean_squared_error, sample_weights>>(reference::mean_squared_error);
  compared +=
      check_training<loss<huber, sample_weights, delta<0.25F>>>(reference::huber_from_quarter);
  compared +=
      check_training<loss<categorical_crossentropy, sample_weights>>(reference::categorical_logits);
  compared += check_training<loss<cosine_similarity, sample_weights>>(reference::minus_cosine);
  compared += check_training<loss<sparse_categorical_crossentropy, sample_weights>>(nullptr);
  CHECK(compared == 5 * 12 * 39);
  std::printf("sample weights: compared %d weights\n", compared);
}

TEST_CASE("a weighted loss has the same bits everywhere, however an update is cut") {
  const weighted_samples data;
  CHECK(check_bits<loss<mean_squared_error, sample_weights>, metrics<mean_absolute_error>>(
            data.with_targets()) == 6);
  CHECK(check_bits<loss<categorical_crossentropy, sample_weights>,
                   metrics<metric<categorical_accuracy, sample_weights>>>(data.with_targets()) ==
        6);
  CHECK(check_bits<loss<sparse_categorical_crossentropy, sample_weights>,
                   metrics<metric<accuracy, sample_weights>>>(data.with_labels()) == 6);
}

TEST_CASE("weights of one leave the bits of a model without weights") {
  weighted_samples data;
  data.weights.assign(samples, 1.0F);
  const auto plain =
      zipped(feature_column<shape{5}>(data.features), target_column<shape{3}>(data.targets));
  const auto labelled =
      zipped(feature_column<shape{5}>(data.features), label_column<3>(data.labels));
  CHECK(train<on_one<loss<mean_squared_error, sample_weights>>>(data.with_targets(), 1) ==
        train<on_one<loss<mean_squared_error>>>(plain, 1));
  CHECK(train<on_one<loss<categorical_crossentropy, sample_weights>>>(data.with_targets(), 1) ==
        train<on_one<loss<categorical_crossentropy>>>(plain, 1));
  CHECK(
      train<on_one<loss<sparse_categorical_crossentropy, sample_weights>>>(data.with_labels(), 1) ==
      train<on_one<loss<sparse_categorical_crossentropy>>>(labelled, 1));
}

TEST_CASE("what has weight 0 is not looked at") {
  weighted_samples data;
  const outcome expected =
      train<on_one<loss<mean_squared_error, sample_weights>>>(data.with_targets(), 1);
  for (std::size_t i = 1; i < samples; i += 4) {
    data.targets[i * outputs] = (std::numeric_limits<float>::quiet_NaN)();
    data.targets[i * outputs + 2] = (std::numeric_limits<float>::infinity)();
  }
  const auto holes =
      zipped(feature_column<shape{5}>(data.features),
             target_column<shape{3}>(data.targets, non_finite::kept), weight_column(data.weights));
  CHECK(train<on_one<loss<mean_squared_error, sample_weights>>>(holes, 1) == expected);
  const outcome of_rows = train<on_one<loss<categorical_crossentropy, sample_weights>>>(holes, 1);
  CHECK(std::isfinite(of_rows.loss));
}

namespace {

/// Outputs that are probabilities.
struct yes : model<input<5>, sequential<Dense<4, hyperbolic_tangent>, Dense<3, sigmoid>>> {};

using judged_by_weight =
    trained<yes, 6, loss<mean_squared_error, sample_weights>,
            metrics<mean_absolute_error, metric<mean_squared_error, sample_weights>,
                    metric<categorical_accuracy, sample_weights>, metric<precision, sample_weights>,
                    metric<mean_of_output, sample_weights>,
                    metric<root_mean_squared_error, sample_weights>, metric<auc, sample_weights>>>;

}  // namespace

TEST_CASE("weighted metrics are means over what samples count, others are not") {
  const weighted_samples data;
  session<judged_by_weight> run;
  // The last micro-batch is not full.
  const auto all = data.with_targets();
  const evaluation found = run.evaluate(all | take(95));
  const weight_list weights = weights_of_session(run.weights());
  double sum = 0;
  double absolute = 0;
  double weighted_loss = 0;
  double hits = 0;
  double said_yes = 0;
  double rightly = 0;
  double total = 0;
  for (std::size_t i = 0; i < 95; ++i) {
    const auto weight = static_cast<double>(data.weights[i]);
    std::vector<double> output = output_of(weights, row_of(data.features, i, inputs));
    for (double& number : output) {
      number = 1 / (1 + std::exp(-number));
    }
    const std::vector<double> wanted = row_of(data.targets, i, outputs);
    sum += weight;
    absolute += reference::mean_absolute_error(output, wanted);
    weighted_loss += weight * reference::mean_squared_error(output, wanted);
    hits += std::max_element(output.begin(), output.end()) - output.begin() ==
                    std::max_element(wanted.begin(), wanted.end()) - wanted.begin()
                ? weight
                : 0;
    for (std::size_t n = 0; n < outputs; ++n) {
      said_yes += output[n] > 0.5 ? weight : 0;
      rightly += output[n] > 0.5 && wanted[n] != 0 ? weight : 0;
      total += weight * output[n] / 3;
    }
  }
  CHECK(found.samples == 95);
  CHECK(found.loss == Approx(weighted_loss / 95).epsilon(1e-5));
  CHECK(found.metrics["mean_absolute_error"] == Approx(absolute / 95).epsilon(1e-5));
  CHECK(found.metrics["mean_squared_error"] == Approx(weighted_loss / sum).epsilon(1e-5));
  CHECK(found.metrics["categorical_accuracy"] == Approx(hits / sum).epsilon(1e-6));
  CHECK(found.metrics["precision"] == Approx(rightly / said_yes).epsilon(1e-6));
  CHECK(found.metrics["mean"] == Approx(total / sum).epsilon(1e-5));
  CHECK(found.metrics["root_mean_squared_error"] ==
        Approx(std::sqrt(weighted_loss / sum)).epsilon(1e-5));
}

TEST_CASE("of samples that all weigh 0 every weighted metric is 0, as Keras divides") {
  weighted_samples data;
  data.weights.assign(samples, 0.0F);
  session<judged_by_weight> run;
  const evaluation found = run.evaluate(data.with_targets() | take(95));
  CHECK(found.loss == 0);
  CHECK(found.metrics["mean_absolute_error"] > 0);
  int zeros = 0;
  for (const std::string_view name : found.metrics.names()) {
    zeros += found.metrics[name] == 0 ? 1 : 0;
  }
  CHECK(found.metrics.names().size() == 7);
  CHECK(zeros == 6);
}

namespace {

/// Outputs of four positions of three features.
struct steps : model<input<4, 5>, sequential<Dense<3>>> {};

template <int MicroBatch>
struct masked : compile<steps, micro_batch<MicroBatch>, mean_gradients,
                        gradient_accumulation<24 / MicroBatch>,
                        loss<mean_squared_error, position_weights>, optimizer<sgd<momentum>>> {};

}  // namespace

TEST_CASE("weights of positions are a mask, which trains as float64 says") {
  const std::vector<float> features = numbers(24 * 20, 41, 1.0F);
  const std::vector<float> targets = numbers(24 * 12, 42, 1.0F);
  std::vector<float> mask(24 * 4);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    mask[i] = i % 4 > i / 4 % 5 ? 0.0F : i % 3 == 0 ? 0.5F : 1.0F;
  }
  session<masked<6>> run({.learning_rate = 0.05F, .momentum = 0.9F});
  session<masked<12>> cut_otherwise({.learning_rate = 0.05F, .momentum = 0.9F});
  weight_list weights = weights_of_session(run.weights());
  weight_list velocities = zeros_like(weights);
  const auto loss_of = [&](const weight_list& probe) {
    double sum = 0;
    for (std::size_t position = 0; position < mask.size(); ++position) {
      sum += static_cast<double>(mask[position]) *
             reference::mean_squared_error(dense_of(probe, 0, row_of(features, position, 5)),
                                           row_of(targets, position, 3));
    }
    return sum / static_cast<double>(mask.size());
  };
  int compared = 0;
  for (int update = 0; update < 10; ++update) {
    const double expected = loss_of(weights);
    descend(weights, velocities, 0.05, 0.9, loss_of);
    CHECK(run.train_step(features, targets, mask) == Approx(expected).epsilon(1e-5));
    cut_otherwise.train_step(features, targets, mask);
    CHECK(cut_otherwise.weights().fingerprint() == run.weights().fingerprint());
    const weight_list found = weights_of_session(run.weights());
    for (std::size_t p = 0; p < weights.size(); ++p) {
      for (std::size_t k = 0; k < weights[p].size(); ++k) {
        CHECK(found[p][k] == Approx(weights[p][k]).margin(3e-6));
        ++compared;
      }
    }
  }
  CHECK(compared == 10 * 18);
}

namespace {

template <typename Model, int MicroBatch, typename Loss, typename... Options>
struct summed : compile<Model, micro_batch<MicroBatch>, Loss, optimizer<sgd<momentum>>,
                        gradient_accumulation<24 / MicroBatch>, Options...> {};

template <typename Loss>
std::uint64_t bits_of_sum(const weighted_samples& data) {
  const auto given = data.with_targets();
  const auto train_in = [&](auto run) {
    run.fit(given, {.epochs = 3});
    return run.weights().fingerprint();
  };
  const sgd<momentum>::settings slow{.learning_rate = 0.005F, .momentum = 0.9F};
  const std::uint64_t expected = train_in(session<summed<uncut, 6, Loss>>(slow));
  CHECK(train_in(session<summed<uncut, 12, Loss>>(slow)) == expected);
  CHECK(train_in(session<summed<uncut, 24, Loss>>(slow)) == expected);
  CHECK(train_in(session<summed<cut, 6, Loss, grouped>>(slow)) == expected);
  return expected;
}

}  // namespace

TEST_CASE("a sum of losses trains as float64 says, however an update is cut") {
  const weighted_samples data;
  using wanted = loss<mean_squared_error, sample_weights, reduction<"sum">>;
  session<summed<uncut, 6, wanted>> run({.learning_rate = 0.005F, .momentum = 0.9F});
  weight_list weights = weights_of_session(run.weights());
  weight_list velocities = zeros_like(weights);
  int compared = 0;
  for (std::size_t update = 0; update < 12; ++update) {
    const auto sum = [&](const weight_list& probe) {
      return samples_of_update *
             loss_of_update(probe, data, update % 4, reference::mean_squared_error);
    };
    // What is reported is the sum of a micro-batch, a mean over the four of them.
    const double expected = sum(weights) / 4;
    descend(weights, velocities, 0.005, 0.9, sum);
    CHECK(train_step<false>(run, data, update % 4) == Approx(expected).epsilon(1e-5));
    const weight_list found = weights_of_session(run.weights());
    for (std::size_t p = 0; p < weights.size(); ++p) {
      for (std::size_t k = 0; k < weights[p].size(); ++k) {
        CHECK(found[p][k] == Approx(weights[p][k]).margin(3e-6));
        ++compared;
      }
    }
  }
  CHECK(compared == 12 * 39);
  const std::uint64_t numbers_alone = bits_of_sum<wanted>(data);
  CHECK(bits_of_sum<loss<categorical_crossentropy, sample_weights, reduction<"sum">>>(data) !=
        numbers_alone);
}

TEST_CASE("a sum over positions is one over samples and steps") {
  const std::vector<float> features = numbers(6 * 20, 41, 1.0F);
  const std::vector<float> targets = numbers(6 * 12, 42, 1.0F);
  const auto loss_by = [&]<typename Loss>(std::type_identity<Loss>) {
    session<compile<steps, micro_batch<6>, Loss>> run;
    return run.train_step(features, targets);
  };
  const double mean_loss = loss_by(std::type_identity<loss<mean_squared_error>>());
  CHECK(loss_by(std::type_identity<loss<mean_squared_error, reduction<"sum_over_batch_size">>>()) ==
        mean_loss);
  CHECK(loss_by(std::type_identity<loss<mean_squared_error, reduction<"sum">>>()) ==
        Approx(mean_loss * 6 * 4).epsilon(1e-6));
}

namespace own {

/// A rule of one's own: nothing in it speaks of weights.
struct squared_rule {
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector add(const Vector& sum, const Vector& predicted,
                                           const Vector& wanted) {
    const Vector difference = predicted - wanted;
    return Math::multiply_add(difference, difference, sum);
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector slope(const Vector& predicted, const Vector& wanted) {
    const Vector difference = predicted - wanted;
    return difference + difference;
  }
};

inline constexpr family squared_family{.name = "own_squared",
                                       .shapes = pointwise_rules::shapes,
                                       .forward = pointwise_rules::forward,
                                       .input_gradient = pointwise_rules::input_gradient};

struct squared {
  static constexpr bool is_loss = true;
  static constexpr const family* rule = &squared_family;
};

}  // namespace own

template <>
struct ipu_dsl::pointwise_rule<&own::squared_family> {
  using type = own::squared_rule;
};

TEST_CASE("a loss of one's own is weighed as ours are") {
  const weighted_samples data;
  CHECK(train<on_one<loss<own::squared, sample_weights>>>(data.with_targets(), 1) ==
        train<on_one<loss<mean_squared_error, sample_weights>>>(data.with_targets(), 1));
}

TEST_CASE("weights of two outputs come in the order of the outputs") {
  const weighted_samples data;
  using both = weighted_twins<for_output<"far", mean_squared_error, sample_weights>,
                              for_output<"near", mean_squared_error, sample_weights>>;
  std::vector<float> others(samples, 2.0F);
  const auto train_with = [&](auto column, auto other) {
    const auto zip =
        zipped(feature_column<shape{5}>(data.features), target_column<shape{3}>(data.targets),
               target_column<shape{3}>(data.targets), column, other);
    session<both> run;
    return run.evaluate(zip);
  };
  const evaluation found = train_with(weight_column(data.weights), weight_column(others));
  const evaluation swapped = train_with(weight_column(others), weight_column(data.weights));
  session<
      weighted_twins<for_output<"far", mean_squared_error>, for_output<"near", mean_squared_error>>>
      plain;
  const evaluation unweighted = plain.evaluate(zipped(feature_column<shape{5}>(data.features),
                                                      target_column<shape{3}>(data.targets),
                                                      target_column<shape{3}>(data.targets)));
  CHECK(found.metrics["far_loss"] == Approx(2 * unweighted.metrics["far_loss"]).epsilon(1e-12));
  CHECK(swapped.metrics["near_loss"] == Approx(2 * unweighted.metrics["near_loss"]).epsilon(1e-12));
  CHECK(found.metrics["near_loss"] != Approx(2 * unweighted.metrics["near_loss"]).epsilon(1e-3));
}

namespace {

template <typename Loss, typename... Metrics>
struct tiled : compile<yes, micro_batch<5>, gradient_accumulation<2>, Loss, metrics<Metrics...>,
                       sequential_schedule> {};

/// Outputs of four positions of three probabilities.
struct sigmoid_steps : model<input<4, 5>, sequential<Dense<3, sigmoid>>> {};

struct tiled_steps : compile<sigmoid_steps, micro_batch<5>, gradient_accumulation<2>,
                             loss<mean_squared_error, position_weights>,
                             metrics<metric<mean_absolute_error, position_weights>,
                                     metric<recall, threshold<0.5F>, position_weights>>> {};

template <typename Compiled>
int check_blocks() {
  int passed = 0;
  for (const std::int32_t tiles : {1, 4, 16}) {
    machine_target small = ipu2;
    small.tiles = tiles;
    const tile_check found = check_tiles<Compiled>(small);
    INFO(found.fault);
    CHECK(found.passed());
    CHECK(found.count.blocks > 0);
    passed += found.passed() ? 1 : 0;
  }
  return passed;
}

}  // namespace

TEST_CASE("weighted losses and metrics are what they declare, block by block") {
  int passed = check_blocks<
      tiled<loss<mean_squared_error, sample_weights>, metric<mean_absolute_error, sample_weights>,
            metric<mean_of_output, sample_weights>>>();
  passed += check_blocks<tiled<loss<categorical_crossentropy, sample_weights>,
                               metric<categorical_accuracy, sample_weights>,
                               metric<recall, threshold<0.5F>, sample_weights>>>();
  passed += check_blocks<tiled<loss<sparse_categorical_crossentropy, sample_weights>,
                               metric<accuracy, sample_weights>>>();
  passed += check_blocks<tiled_steps>();
  CHECK(passed == 12);
}

TEST_CASE("a feed without weights, and weights that are none, are refused") {
  const weighted_samples data;
  session<on_one<loss<mean_squared_error, sample_weights>>> run;
  const std::uint64_t before = run.weights().fingerprint();
  const paired_dataset<shape{5}, shape{3}> pairs(data.features, data.targets);
  auto source = make_feed(pairs, 1);
  CHECK_THROWS_WITH(run.fit(source),
                    "A feed gives 2 sources, the model wants 3: its input, then its target, then "
                    "what a sample counts.");
  const std::span<const float> features(data.features);
  const std::span<const float> targets(data.targets);
  const std::span<const float> weights(data.weights);
  CHECK_THROWS_WITH(
      run.train_step(features.first(24 * 5), targets.first(24 * 3), weights.first(23)),
      "A batch of 24 samples got 23 weights.");
  CHECK(run.weights().fingerprint() == before);
}

TEST_CASE("weights below 0 are refused, and infinities and NaN, whatever is to be kept of others") {
  weighted_samples data;
  const std::span<const float> features = std::span(data.features).first(24 * 5);
  const std::span<const float> targets = std::span(data.targets).first(24 * 3);
  const std::span<const float> weights = std::span(data.weights).first(24);
  session<on_one<loss<mean_squared_error, sample_weights>>> run;
  const std::uint64_t before = run.weights().fingerprint();
  const auto train_on_arrays = [&](non_finite floats) {
    return run.train_step(input_arrays{features}, target_arrays{targets}, weight_arrays{weights},
                          floats);
  };
  int refused = 0;
  const float infinity = (std::numeric_limits<float>::infinity)();
  for (const float none : {-1.0F, -infinity, infinity, (std::numeric_limits<float>::quiet_NaN)()}) {
    data.weights[2] = none;
    const std::string sentence =
        "Weight 2 is " + std::to_string(none) + "; expected finite numbers of 0 or more.";
    CHECK_THROWS_WITH(run.train_step(features, targets, weights), sentence);
    CHECK_THROWS_WITH(run.train_step(features, targets, weights, non_finite::refused), sentence);
    CHECK_THROWS_WITH(train_on_arrays(non_finite::kept), sentence);
    ++refused;
  }
  CHECK(refused == 4);
  CHECK(run.weights().fingerprint() == before);
}
