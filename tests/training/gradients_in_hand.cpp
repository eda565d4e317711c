// SPDX-License-Identifier: MIT
// Training loops of one's own: forward and backward, gradients that are looked at, and the update.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>

#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// With states that are folded, masks, and a parameter of two uses.
struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input("x", {8});
    auto twice = build.shared<Dense<8, relu>>("twice");
    const symbolic_tensor masked = build.layer<Dropout<0.25F>>("", twice(twice(x)));
    build.stage(1);
    const symbolic_tensor normal = build.layer<BatchNormalization<>>("normal", masked);
    return build.layer<Dense<3>>("logits", normal);
  }
};

template <int Replicas, typename... Options>
struct trained : compile<net, micro_batch<4>, gradient_accumulation<4>, replicas<Replicas>,
                         loss<sparse_categorical_crossentropy>, optimizer<adam, clipvalue<0.01F>>,
                         Options...> {};

/// Updates of the two ways in turn; returns how many had the same bits.
template <int Replicas>
int equal_updates(int threads) {
  session<trained<Replicas>> fused({.learning_rate = 0.01F},
                                   {.threads = threads, .shared_from = 0});
  session<trained<Replicas, gradients_in_hand>> run({.learning_rate = 0.01F},
                                                    {.threads = threads, .shared_from = 0});
  int equal = 0;
  for (std::uint64_t update = 0; update < 6; ++update) {
    const point_set data = labelled_points(16 * Replicas, update + 1);
    const double expected = fused.train_step(data.features(), data.labels());
    double loss = 0;
    if (update % 3 == 2) {
      loss = run.train_step(data.features(), data.labels());
    } else {
      const std::uint64_t before = run.weights().fingerprint();
      loss = run.compute_gradients(data.features(), data.labels());
      CHECK(run.weights().fingerprint() == before);
      run.apply_gradients();
    }
    const bool same =
        loss == expected && run.weights().fingerprint() == fused.weights().fingerprint();
    equal += same ? 1 : 0;
  }
  return equal;
}

}  // namespace

TEST_CASE("gradients and their update, one behind the other, have the bits of a step") {
  CHECK(equal_updates<1>(1) == 6);
  CHECK(equal_updates<1>(2) == 6);
  CHECK(equal_updates<2>(3) == 6);
}

namespace {

/// Plain descent, so that a weight moves by its gradient.
struct plain : compile<net, micro_batch<4>, gradient_accumulation<4>, replicas<2>,
                       gradients_in_hand, loss<sparse_categorical_crossentropy>, optimizer<sgd<>>> {
};

std::vector<float> values_of(const parameters& all, std::size_t index) {
  std::vector<float> values(static_cast<std::size_t>(all.at(index).extents.elements()));
  all.get(index, values);
  return values;
}

}  // namespace

TEST_CASE("an update takes the gradients as they were changed, of all replicas and uses") {
  const point_set data = labelled_points(32, 1);
  session<plain> run({.learning_rate = 0.5F}, {.threads = 2, .shared_from = 0});
  parameters& gradients = run.gradients();
  REQUIRE(gradients.size() == 6);
  CHECK(gradients.name(0) == "twice/kernel");
  std::size_t right = 0;
  std::size_t moved = 0;
  std::size_t all = 0;
  for (std::size_t parameter = 0; parameter < gradients.size(); ++parameter) {
    const std::string name = gradients.name(parameter);
    const std::size_t slash = name.find('/');
    const std::size_t weight = run.weights().find(name.substr(0, slash), name.substr(slash + 1));
    const std::vector<float> before = values_of(run.weights(), weight);
    run.compute_gradients(data.features(), data.labels());
    std::vector<float> changed = values_of(gradients, parameter);
    for (float& each : changed) {
      moved += each != 0 ? 1U : 0U;
      each *= 0.25F;
    }
    gradients.set(parameter, changed);
    run.apply_gradients();
    const std::vector<float> after = values_of(run.weights(), weight);
    for (std::size_t i = 0; i < after.size(); ++i) {
      right += std::abs(after[i] - (before[i] - 0.5F * changed[i])) < 1e-6F ? 1U : 0U;
    }
    all += after.size();
  }
  CHECK(right == all);
  CHECK(moved > all * 3 / 4);
}

TEST_CASE("an update without gradients is refused, and gradients are there for one") {
  const point_set data = labelled_points(32, 1);
  session<plain> run;
  const std::string refused =
      "There are no gradients to apply: compute_gradients comes first, and an update uses them up.";
  CHECK(sentence_of([&] { run.apply_gradients(); }) == refused);
  run.compute_gradients(data.features(), data.labels());
  run.apply_gradients();
  CHECK(sentence_of([&] { run.apply_gradients(); }) == refused);
}

TEST_CASE("nothing trains between gradients and their update, and gradients are made anew") {
  const point_set data = labelled_points(32, 1);
  const point_set others = labelled_points(32, 2);
  session<plain> run;
  session<plain> expected({.learning_rate = 0});
  run.compute_gradients(data.features(), data.labels());
  const std::uint64_t before = run.gradients().fingerprint();
  CHECK(sentence_of([&] { run.train_step(data.features(), data.labels()); }) ==
        "There are gradients that are not applied yet, and train_step would lose them: call "
        "apply_gradients before.");
  CHECK(sentence_of([&] { run.fit(data, {}); }) ==
        "There are gradients that are not applied yet, and fit would lose them: call "
        "apply_gradients before.");
  CHECK(run.gradients().fingerprint() == before);
  CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
  // Those of samples that came behind others, as in the session that really trained on those.
  run.compute_gradients(others.features(), others.labels());
  expected.train_step(data.features(), data.labels());
  expected.compute_gradients(others.features(), others.labels());
  CHECK(run.gradients().fingerprint() == expected.gradients().fingerprint());
  CHECK(run.gradients().fingerprint() != before);
  run.apply_gradients();
  const std::uint64_t applied = run.weights().fingerprint();
  run.train_step(data.features(), data.labels());
  CHECK(run.weights().fingerprint() != applied);
}

namespace {

/// Asks a session of a fit, behind its first update, for something; what is said of that.
struct asks_behind_update {
  std::function<void()> asked;
  std::string& said;

  void on_update_end() {
    if (said.empty()) {
      said = sentence_of(asked);
    }
  }
};

}  // namespace

TEST_CASE("a callback of fit neither makes gradients nor applies some") {
  const point_set data = labelled_points(64, 1);
  session<plain> run;
  session<plain> expected;
  const fit_options wanted = {.epochs = 2};
  std::string of_gradients;
  std::string of_update;
  run.fit(data, wanted,
          asks_behind_update{[&] {
                               run.compute_gradients(std::span(data.features()).first(32 * 8),
                                                     std::span(data.labels()).first(32));
                             },
                             of_gradients},
          asks_behind_update{[&] { run.apply_gradients(); }, of_update});
  CHECK(of_gradients.starts_with(
      "A session does one thing at a time: it was asked to compute_gradients while it had to fit"));
  CHECK(of_update.starts_with(
      "A session does one thing at a time: it was asked to apply_gradients while it had to fit"));
  expected.fit(data, wanted);
  CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
}

TEST_CASE(
    "no file is written between gradients and their update, and one that is read drops them") {
  const point_set data = labelled_points(32, 1);
  const temporary_directory directory;
  const std::string path = directory / "training.npz";
  session<plain> run;
  run.save_training(path);
  run.compute_gradients(data.features(), data.labels());
  CHECK(sentence_of([&] { run.save_training(directory / "other.npz"); }) ==
        "There are gradients that are not applied yet, and save_training would lose them: call "
        "apply_gradients before.");
  CHECK(!file_exists(directory / "other.npz"));
  run.load_training(path);
  CHECK(sentence_of([&] { run.apply_gradients(); }).starts_with("There are no gradients to apply"));
  run.compute_gradients(data.features(), data.labels());
  run.apply_gradients();
  run.save_training(directory / "other.npz");
  CHECK(file_exists(directory / "other.npz"));
}
