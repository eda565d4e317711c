// SPDX-License-Identifier: MIT
// What stands at every step, and what goes both ways, called several times with one set of
// parameters: the bits of shared layers that do the same without it, forward and back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"
#include "training/trained_digits.hpp"

using namespace ipu_dsl;
using reference::numbers;

namespace {

/// A convolution of each step, or of the rows of an image of which a row is a step. It is called on
/// two sequences, one of them of fewer steps, and on what it made of the other.
template <typename Layer>
struct called_thrice {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor digit = build.input({28, 28});
    const symbolic_tensor steps =
        build.layer<Dense<5>>("", build.layer<Reshape<4, 7, 28>>("", digit));
    const symbolic_tensor others =
        build.layer<Dense<5>>("", build.layer<Reshape<2, 14, 28>>("", digit));
    auto seen = build.shared<Layer>("seen");
    const symbolic_tensor first = seen(steps);
    const symbolic_tensor second = seen(first);
    const symbolic_tensor third = seen(others);
    const symbolic_tensor all =
        build.layer<Concatenate>("", build.layer<Flatten>("", second),
                                 build.layer<Flatten>("", third), build.layer<Flatten>("", first));
    return build.layer<Dense<10>>("out", all);
  }
};

using at_steps = called_thrice<TimeDistributed<Conv1D<5, 3, relu>>>;
using in_rows = called_thrice<Conv2D<5, kernel_size{1, 3}, relu>>;

/// Of several layers, and of a model, within.
struct encoder : model<input<7, 28>, sequential<Conv1D<4, 3>, Flatten, Dense<6, relu>>> {};

template <typename Layer>
struct two_stripes {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor digit = build.input({28, 28});
    const symbolic_tensor stripes = build.layer<Reshape<4, 7, 28>>("", digit);
    auto code = build.shared<Layer>("code");
    const symbolic_tensor first = code(stripes);
    const symbolic_tensor second = code(build.layer<relu>("", stripes));
    return build.layer<Dense<10>>("out",
                                  build.layer<GRU<5>>("", build.layer<Add>("", first, second)));
  }
};

using of_layers = two_stripes<TimeDistributed<sequential<Conv1D<4, 3>, Flatten, Dense<6, relu>>>>;
using of_model = two_stripes<TimeDistributed<encoder>>;

/// Both ways of a sequence at once, or one by one.
template <bool AtOnce>
struct both_ways {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor digit = build.input({28, 28});
    const symbolic_tensor x = build.layer<Dense<4>>("", digit);
    const symbolic_tensor y = build.layer<relu>("", x);
    return build.layer<Dense<10>>("out", ways(build, x, y));
  }

 private:
  static constexpr symbolic_tensor ways(functional_builder& build, symbolic_tensor x,
                                        symbolic_tensor y) {
    if constexpr (AtOnce) {
      auto both = build.shared<Bidirectional<GRU<3>>>("both");
      const symbolic_tensor first = both(x);
      return build.layer<Concatenate>("", first, both(y));
    } else {
      auto forth = build.shared<GRU<3>>("forth");
      auto back = build.shared<GRU<3, go_backwards<true>>>("back");
      const symbolic_tensor ahead = forth(x);
      const symbolic_tensor first = build.layer<Concatenate>("", ahead, back(x));
      const symbolic_tensor later = forth(y);
      return build.layer<Concatenate>("", first, build.layer<Concatenate>("", later, back(y)));
    }
  }
};

template <typename Model>
struct training : tests::digit_training<Model, sgd<momentum>, sequential_schedule, 8, 2> {};

struct tiled : compile<of_model, micro_batch<3>, gradient_accumulation<2>,
                       loss<sparse_categorical_crossentropy>> {};

struct trained {
  std::vector<std::vector<float>> weights;
  std::vector<double> losses;
};

/// Training that begins with the same numbers, whatever layers are called.
template <typename Model>
trained train() {
  session<training<Model>> run({.learning_rate = 0.05F, .momentum = 0.9F});
  parameters& weights = run.weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto count = static_cast<std::size_t>(weights.at(i).extents.elements());
    weights.set(i, numbers(count, static_cast<std::uint32_t>(i) + 1, 0.2F));
  }
  const auto losses = run.fit(tests::digits() | repeated(), {.steps_per_epoch = 12}).losses();
  trained made{.weights = {}, .losses = {losses.begin(), losses.end()}};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto count = static_cast<std::size_t>(weights.at(i).extents.elements());
    made.weights.emplace_back(count);
    weights.get(i, made.weights.back());
  }
  return made;
}

template <typename Model, typename Same>
void check_same(std::size_t parameters) {
  const trained found = train<Model>();
  const trained expected = train<Same>();
  CHECK(found.weights.size() == parameters);
  CHECK(found.weights == expected.weights);
  CHECK(found.losses == expected.losses);
  CHECK(found.losses.size() == 12);
}

}  // namespace

TEST_CASE("a layer at every step that is called thrice has the bits of one on an image's rows") {
  // Kernel and bias of two Dense, of the shared layer and of the last.
  check_same<at_steps, in_rows>(8);
}

TEST_CASE("several layers at every step that are called twice are as a model of them") {
  check_same<of_layers, of_model>(10);
}

TEST_CASE("both ways of a sequence that are called twice have the bits of a layer for each") {
  check_same<both_ways<true>, both_ways<false>>(12);
}

TEST_CASE("blocks of a shared layer at every step have the bits of the session") {
  machine_target machine = ipu2;
  machine.tiles = 16;
  const tile_check found = check_tiles<tiled>(machine, {.updates = 2, .most_blocks = 5});
  CHECK(found.fault == "");
  CHECK(found.count.blocks > 0);
}
