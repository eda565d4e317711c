// SPDX-License-Identifier: MIT
// What holds of every model, whoever drew it: it has the same bits whole and cut into stages, on
// one worker and on two, saved and gone on with, and in a predictor; its calls read and write what
// they declare; and its gradients are the slope of its loss.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/check_tiles.hpp>

#include "formats/temporary_directory.hpp"
#include "random_models/findings.hpp"

namespace ipu_dsl::tests {

inline constexpr std::uint64_t updates = 3;

/// A model that was drawn: `whole` and `cut` are the same layers in one stage and in several.
template <typename Drawn>
concept drawn_model = requires {
  typename Drawn::whole;
  typename Drawn::cut;
  typename Drawn::schedule;   // of `cut`
  typename Drawn::judge;      // the loss
  typename Drawn::optimizer;  // optimizer<...>
  Drawn::samples;             // of a micro-batch
  Drawn::micro_batches;       // of an update
  Drawn::outputs;             // numbers of a sample
  Drawn::labels;              // whether targets are labels
  Drawn::is_smooth;           // whether its loss has a slope that differences show
  Drawn::inputs;              // extents of each input, a std::array of shapes
};

template <drawn_model Drawn, typename Model, typename... Options>
struct drawn_training
    : compile<Model, micro_batch<Drawn::samples>, gradient_accumulation<Drawn::micro_batches>,
              loss<typename Drawn::judge>, typename Drawn::optimizer, Options...> {};

template <drawn_model Drawn>
struct drawn_by_hand : compile<typename Drawn::whole, micro_batch<Drawn::samples>,
                               gradient_accumulation<Drawn::micro_batches>,
                               loss<typename Drawn::judge>, optimizer<sgd<>>, gradients_in_hand> {};

template <drawn_model Drawn>
struct drawn_on_tiles : compile<typename Drawn::whole, micro_batch<Drawn::samples>, on<ipu2>,
                                loss<typename Drawn::judge>, typename Drawn::optimizer> {};

/// The samples of one update, or of some to predict.
struct drawn_samples {
  std::vector<float> inputs[2];
  std::vector<std::int32_t> labels;
  std::vector<float> targets;
};

/// Numbers of one input in [-1, 1); a quarter of the steps of a sequence are zero, to be masked.
inline std::vector<float> draw_input(const shape& extents, int count, std::uint64_t seed) {
  const auto elements = static_cast<std::size_t>(extents.elements());
  const std::size_t steps = extents.rank == 2 ? static_cast<std::size_t>(extents[0]) : 1;
  std::vector<float> drawn(static_cast<std::size_t>(count) * elements);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const std::size_t step = i * steps / elements;
    const bool masked = steps > 1 && random_word(seed, 1, step) % 4 == 0;
    drawn[i] = masked ? 0.0F : 2 * uniform_unit(random_word(seed, 0, i)) - 1;
  }
  return drawn;
}

template <drawn_model Drawn>
drawn_samples draw_samples(std::uint64_t seed, int replicas = 1) {
  const int rows = Drawn::samples * Drawn::micro_batches * replicas;
  const auto count = static_cast<std::uint64_t>(rows);
  drawn_samples drawn;
  for (std::size_t i = 0; i < Drawn::inputs.size(); ++i) {
    drawn.inputs[i] = draw_input(Drawn::inputs[i], rows, 10 * seed + i);
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    drawn.labels.push_back(static_cast<std::int32_t>(random_word(seed, 2, i) % Drawn::outputs));
  }
  for (std::uint64_t i = 0; i < count * Drawn::outputs; ++i) {
    drawn.targets.push_back(uniform_unit(random_word(seed, 3, i)));
  }
  return drawn;
}

/// Calls `call(inputs)` with the arrays as a session takes them.
template <drawn_model Drawn, typename Call>
auto with_inputs(const drawn_samples& drawn, const Call& call) {
  if constexpr (Drawn::inputs.size() == 1) {
    return call(drawn.inputs[0]);
  } else {
    return call(input_arrays{drawn.inputs[0], drawn.inputs[1]});
  }
}

/// Calls `call(inputs, targets)` likewise.
template <drawn_model Drawn, typename Call>
auto with_targets(const drawn_samples& drawn, const Call& call) {
  return with_inputs<Drawn>(drawn, [&](const auto& inputs) {
    if constexpr (Drawn::labels) {
      return call(inputs, drawn.labels);
    } else {
      return call(inputs, drawn.targets);
    }
  });
}

/// What training leaves.
struct trained_bits {
  std::vector<double> losses;
  std::uint64_t weights = 0;
  std::vector<float> predicted;

  friend bool operator==(const trained_bits&, const trained_bits&) = default;
};

/// The loss of an update of as many samples as all replicas see.
template <drawn_model Drawn, typename Training>
double update(session<Training>& run, std::uint64_t number) {
  const drawn_samples seen = draw_samples<Drawn>(number, Training::compiled::settings.replicas);
  return with_targets<Drawn>(seen, [&](const auto& inputs, const auto& targets) {
    return static_cast<double>(run.train_step(inputs, targets));
  });
}

/// Three updates, and what is predicted then, by the session and by a predictor.
template <drawn_model Drawn, typename Model, typename Training>
trained_bits train(int threads, findings& found) {
  constexpr int count = Drawn::samples * Drawn::micro_batches;
  session<Training> run({.learning_rate = 0.02F}, {.threads = threads, .shared_from = 0});
  trained_bits made;
  for (std::uint64_t number = 0; number < updates; ++number) {
    made.losses.push_back(update<Drawn>(run, number));
  }
  made.weights = run.weights().fingerprint();
  made.predicted.resize(std::size_t{count} * Drawn::outputs);
  std::vector<float> alone(made.predicted.size());
  weights_of<Model> kept;
  kept.copy_from(run.weights());
  predictor<Model, micro_batch<count>> given(kept);
  const drawn_samples unseen = draw_samples<Drawn>(4);
  with_inputs<Drawn>(unseen, [&](const auto& inputs) {
    run.predict(inputs, made.predicted);
    found.expect(given.predict(inputs, alone), "a predictor takes what a session takes");
  });
  found.expect(alone == made.predicted, "a predictor has the bits of its session");
  return made;
}

/// What is saved of a training behind its first update, another session goes on with: a training of
/// other stages, for the updates that are left.
template <drawn_model Drawn, typename First, typename Then>
bool goes_on(const trained_bits& expected) {
  const temporary_directory directory;
  const std::string path = directory / "training.npz";
  {
    session<First> run({.learning_rate = 0.02F}, {.threads = 1});
    static_cast<void>(update<Drawn>(run, 0));
    run.save_training(path);
  }
  session<Then> run({.learning_rate = 0.02F}, {.threads = 2});
  run.load_training(path);
  bool is_equal = true;
  for (std::uint64_t number = 1; number < updates; ++number) {
    is_equal = is_equal && update<Drawn>(run, number) == expected.losses[number];
  }
  return is_equal && run.weights().fingerprint() == expected.weights;
}

/// How gradients compare with the slope of the loss.
struct slope_check {
  int asked = 0;      ///< parameters
  int too_small = 0;  ///< of so small a gradient that differences of float32 show nothing
  double worst = 1;   ///< slope / gradient, furthest from 1
};

/// Moves one parameter along its gradient, and says what the loss becomes.
template <drawn_model Drawn>
class loss_along_gradients {
 public:
  loss_along_gradients() {
    for (std::size_t number = 0; number < parameters(); ++number) {
      leave_start(number);
    }
    static_cast<void>(compute());
  }

  std::size_t parameters() { return run_.gradients().size(); }

  std::vector<float> gradient(std::size_t number) {
    std::vector<float> found(
        static_cast<std::size_t>(run_.gradients().at(number).extents.elements()));
    run_.gradients().get(number, found);
    return found;
  }

  /// Slope by gradient at so many steps to both sides of a parameter, then put back.
  double slope(std::size_t number, const std::vector<float>& gradient, double square, double way) {
    const double distance = way / std::sqrt(square);
    const double above = moved(number, gradient, distance);
    const double below = moved(number, gradient, -distance);
    // Gradients are sums over the micro-batches of an update, its loss is their mean.
    return (above - below) / (2 * distance) * Drawn::micro_batches / square;
  }

 private:
  double compute() {
    return with_targets<Drawn>(samples_, [&](const auto& inputs, const auto& targets) {
      return static_cast<double>(run_.compute_gradients(inputs, targets));
    });
  }

  /// Where among the weights a parameter is that learns.
  std::size_t place_of(std::size_t number) {
    std::size_t place = 0;
    while (run_.weights().name(place) != run_.gradients().name(number)) {
      ++place;
    }
    return place;
  }

  /// A bias of zero behind zeros in a padding stands where relu has two slopes.
  void leave_start(std::size_t number) {
    std::vector<float> drawn = gradient(number);
    const std::size_t place = place_of(number);
    run_.weights().get(place, drawn);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      drawn[i] += 0.1F * uniform_unit(random_word(number, 2, i)) - 0.05F;
    }
    run_.weights().set(place, drawn);
  }

  double moved(std::size_t number, const std::vector<float>& gradient, double distance) {
    const std::size_t place = place_of(number);
    std::vector<float> kept(gradient.size());
    run_.weights().get(place, kept);
    std::vector<float> other = kept;
    for (std::size_t i = 0; i < other.size(); ++i) {
      other[i] += static_cast<float>(distance) * gradient[i];
    }
    run_.weights().set(place, other);
    const double found = compute();
    run_.weights().set(place, kept);
    return found;
  }

  session<drawn_by_hand<Drawn>> run_;
  drawn_samples samples_ = draw_samples<Drawn>(7);
};

/// Along its gradient a loss grows by the gradient's square; by how much in truth, is a share of
/// that. A loss that bends wants a short way, one that rounds a long one: the best of four.
template <drawn_model Drawn>
slope_check compare_slopes() {
  loss_along_gradients<Drawn> loss;
  std::vector<std::vector<float>> gradients;
  for (std::size_t i = 0; i < loss.parameters(); ++i) {
    gradients.push_back(loss.gradient(i));
  }
  slope_check found;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    double square = 0;
    for (const float each : gradients[i]) {
      square += static_cast<double>(each) * static_cast<double>(each);
    }
    constexpr double least = 4e-3 * Drawn::micro_batches;
    if (square < least * least) {
      ++found.too_small;
      continue;
    }
    double best = 0;
    for (const double way : {3e-3, 2e-2, 5e-4, 1e-4}) {
      const double share = loss.slope(i, gradients[i], square, way);
      best = std::fabs(share - 1) < std::fabs(best - 1) ? share : best;
    }
    ++found.asked;
    found.worst = std::fabs(best - 1) > std::fabs(found.worst - 1) ? best : found.worst;
  }
  return found;
}

/// The exit status: 0 if all holds. Prints what was compared.
template <drawn_model Drawn>
int check_everywhere() {
  using whole = drawn_training<Drawn, typename Drawn::whole>;
  using cut = drawn_training<Drawn, typename Drawn::cut, typename Drawn::schedule>;
  using whole_twice = drawn_training<Drawn, typename Drawn::whole, replicas<2>>;
  using cut_twice =
      drawn_training<Drawn, typename Drawn::cut, typename Drawn::schedule, replicas<2>>;
  static_assert(check<whole>());
  static_assert(check<cut>());
  findings found;
  const trained_bits one = train<Drawn, typename Drawn::whole, whole>(1, found);
  found.expect(train<Drawn, typename Drawn::whole, whole>(2, found) == one,
               "two workers have the bits of one");
  found.expect(train<Drawn, typename Drawn::cut, cut>(1, found) == one,
               "stages have the bits of the whole model");
  found.expect(train<Drawn, typename Drawn::cut, cut>(2, found) == one,
               "stages on two workers have the bits of the whole model");
  found.expect(goes_on<Drawn, whole, cut>(one), "what is saved goes on in stages");
  found.expect(train<Drawn, typename Drawn::cut, cut_twice>(2, found) ==
                   train<Drawn, typename Drawn::whole, whole_twice>(1, found),
               "stages of two replicas on two workers have the bits of two whole models");
  const tile_check tiles = check_tiles<drawn_on_tiles<Drawn>>(ipu2);
  found.expect(tiles.passed(), tiles.fault.c_str());
  slope_check slopes;
  if constexpr (Drawn::is_smooth) {
    slopes = compare_slopes<Drawn>();
    found.expect(slopes.asked > 0, "a gradient is large enough to be asked for its slope");
    found.expect(std::fabs(slopes.worst - 1) < 0.03, "gradients are the slope of the loss");
  }
  std::printf(
      "compared %d, %d wrong; slope / gradient of %d parameters at worst %.4f, of %d too small; "
      "bits %016llx\n",
      found.compared, found.wrong, slopes.asked, slopes.worst, slopes.too_small,
      bits_of(one.predicted) ^ one.weights);
  return found.wrong == 0 ? 0 : 1;
}

}  // namespace ipu_dsl::tests
