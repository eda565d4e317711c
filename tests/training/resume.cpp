// SPDX-License-Identifier: MIT
// Training that is saved, loaded and goes on.
#include <cstdint>
#include <cstdio>
#include <string>

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;
using tests::point_set;
using tests::sentence_of;

namespace {

struct net : model<input<8>, pipeline<stage<Dense<16, relu>, Dropout<0.25F>>, stage<Dense<3>>>> {};

template <typename Optimizer>
struct training : compile<net, micro_batch<8>, gradient_accumulation<2>, sequential_schedule,
                          loss<sparse_categorical_crossentropy>, optimizer<Optimizer>> {};

constexpr std::size_t update_samples = 16;

/// Some updates, from where in the points the first begins.
template <typename Compiled>
void train(session<Compiled>& run, const point_set& data, std::size_t first, std::size_t updates) {
  for (std::size_t i = first; i < first + updates; ++i) {
    run.train_step(data.features().subspan(i * update_samples * 8, update_samples * 8),
                   data.labels().subspan(i * update_samples, update_samples));
  }
}

/// Ten updates, with and without a break in the middle.
template <typename Optimizer>
void check_resumed(const typename Optimizer::settings& rates, const std::string& path) {
  const point_set data = tests::labelled_points(160, 3);
  session<training<Optimizer>> unbroken(rates);
  train(unbroken, data, 0, 10);
  {
    session<training<Optimizer>> first(rates);
    train(first, data, 0, 5);
    first.save_training(path);
  }
  session<training<Optimizer>> resumed(rates);
  resumed.load_training(path);
  train(resumed, data, 5, 5);
  CHECK(resumed.weights().fingerprint() == unbroken.weights().fingerprint());
  session<training<Optimizer>> forgetful(rates);
  train(forgetful, data, 5, 5);
  CHECK(forgetful.weights().fingerprint() != unbroken.weights().fingerprint());
  std::remove(path.c_str());
}

}  // namespace

TEST_CASE("training goes on with the bits of one that was never interrupted") {
  check_resumed<sgd<momentum>>({.learning_rate = 0.05F, .momentum = 0.9F}, "resume_momentum.npz");
  check_resumed<adam>({.learning_rate = 0.01F}, "resume_adam.npz");
  check_resumed<sgd<>>({.learning_rate = 0.05F}, "resume_plain.npz");
  check_resumed<rmsprop<momentum, centered>>({.learning_rate = 0.01F}, "resume_rmsprop.npz");
  // What is kept does not begin with zero, and the rate depends on the update.
  check_resumed<adagrad>(
      {.learning_rate =
           exponential_decay{.initial_learning_rate = 0.1F, .decay_steps = 2, .decay_rate = 0.5F}},
      "resume_adagrad.npz");
}

TEST_CASE("a file of weights, or of another optimizer, is no training, and nothing is changed") {
  const point_set data = tests::labelled_points(160, 3);
  session<training<adam>> run;
  train(run, data, 0, 2);
  const std::uint64_t before = run.weights().fingerprint();
  run.save("resume_weights.npz");
  CHECK(sentence_of([&] { run.load_training("resume_weights.npz"); }) ==
        "The file resume_weights.npz has no array training/progress: it holds weights, not how far "
        "training has come. Load it with load.");
  session<training<sgd<momentum>>> other;
  other.save_training("resume_other.npz");
  const std::string said = sentence_of([&] { run.load_training("resume_other.npz"); });
  INFO(said);
  CHECK(said.find("/kernel/m; it has") != std::string::npos);
  CHECK(run.weights().fingerprint() == before);
  std::remove("resume_weights.npz");
  std::remove("resume_other.npz");
}
