// SPDX-License-Identifier: MIT
// What holds of every model, whoever drew it: it has the same bits whole and cut into stages, on
// one worker and on two, and in a predictor; its calls read and write what they declare; and its
// gradients are the slope of its loss.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/check_tiles.hpp>

namespace ipu_dsl::tests {

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

/// The samples of one update.
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
drawn_samples draw_samples(std::uint64_t seed) {
  constexpr int count = Drawn::samples * Drawn::micro_batches;
  drawn_samples drawn;
  for (std::size_t i = 0; i < Drawn::inputs.size(); ++i) {
    drawn.inputs[i] = draw_input(Drawn::inputs[i], count, 10 * seed + i);
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

/// How many things were found wrong, each printed.
struct findings {
  int compared = 0;
  int wrong = 0;

  void expect(bool right, const char* what) {
    ++compared;
    if (!right) {
      ++wrong;
      std::printf("wrong: %s\n", what);
    }
  }
};

/// What training leaves.
struct trained_bits {
  std::vector<double> losses;
  std::uint64_t weights = 0;
  std::vector<float> predicted;

  friend bool operator==(const trained_bits&, const trained_bits&) = default;
};

/// Three updates, and what is predicted then, by the session and by a predictor.
template <drawn_model Drawn, typename Model, typename Training>
trained_bits train(int threads, findings& found) {
  constexpr int count = Drawn::samples * Drawn::micro_batches;
  session<Training> run({.learning_rate = 0.02F}, {.threads = threads});
  trained_bits made;
  for (std::uint64_t update = 0; update < 3; ++update) {
    made.losses.push_back(with_targets<Drawn>(
        draw_samples<Drawn>(update), [&](const auto& inputs, const auto& targets) {
          return static_cast<double>(run.train_step(inputs, targets));
        }));
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

/// The parameters that learn, moved by `distance` along their gradients.
template <typename Session>
void move_along(Session& run, const std::vector<std::vector<float>>& from,
                const std::vector<std::vector<float>>& gradients, double distance) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::vector<float> moved = from[i];
    for (std::size_t n = 0; n < moved.size(); ++n) {
      moved[n] += static_cast<float>(distance) * gradients[i][n];
    }
    std::size_t place = 0;
    while (run.weights().name(place) != run.gradients().name(i)) {
      ++place;
    }
    run.weights().set(place, moved);
  }
}

/// Along its gradient a loss grows by the gradient's square; by how much in truth, on two sides, is
/// a share of that. A loss that bends wants a short way, one that rounds a long one: the best of
/// three.
template <drawn_model Drawn>
double slope_over_gradient() {
  session<drawn_by_hand<Drawn>> run;
  const drawn_samples drawn = draw_samples<Drawn>(7);
  const auto compute = [&] {
    return with_targets<Drawn>(drawn, [&](const auto& inputs, const auto& targets) {
      return static_cast<double>(run.compute_gradients(inputs, targets));
    });
  };
  static_cast<void>(compute());
  double square = 0;
  std::vector<std::vector<float>> gradients;
  std::vector<std::vector<float>> weights;
  for (std::size_t i = 0; i < run.gradients().size(); ++i) {
    const auto elements = static_cast<std::size_t>(run.gradients().at(i).extents.elements());
    gradients.emplace_back(elements);
    run.gradients().get(i, gradients.back());
    weights.emplace_back(elements);
    std::size_t place = 0;
    while (run.weights().name(place) != run.gradients().name(i)) {
      ++place;
    }
    run.weights().get(place, weights.back());
    for (const float each : gradients.back()) {
      square += static_cast<double>(each) * static_cast<double>(each);
    }
  }
  double best = 0;
  for (const double way : {3e-3, 5e-4, 1e-4}) {
    const double distance = way / std::sqrt(square);
    move_along(run, weights, gradients, distance);
    const double above = compute();
    move_along(run, weights, gradients, -distance);
    const double below = compute();
    // Gradients are sums over the micro-batches of an update, its loss is their mean.
    const double share = (above - below) / (2 * distance) * Drawn::micro_batches / square;
    best = std::fabs(share - 1) < std::fabs(best - 1) ? share : best;
  }
  return best;
}

/// The exit status: 0 if all holds. Prints what was compared.
template <drawn_model Drawn>
int check_everywhere() {
  using whole = drawn_training<Drawn, typename Drawn::whole>;
  using cut = drawn_training<Drawn, typename Drawn::cut, typename Drawn::schedule>;
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
  const tile_check tiles = check_tiles<drawn_on_tiles<Drawn>>(ipu2);
  found.expect(tiles.passed(), tiles.fault.c_str());
  double share = 1;
  if constexpr (Drawn::is_smooth) {
    share = slope_over_gradient<Drawn>();
    found.expect(std::fabs(share - 1) < 0.03, "gradients are the slope of the loss");
  }
  std::printf("compared %d, %d wrong; slope / gradient %.4f%s\n", found.compared, found.wrong,
              share, Drawn::is_smooth ? "" : " (not asked)");
  return found.wrong == 0 ? 0 : 1;
}

}  // namespace ipu_dsl::tests
