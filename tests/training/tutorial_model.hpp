// SPDX-License-Identifier: MIT
// The sessions behind `tutorial_session`, for the translation unit of one schedule.
#pragma once

#include <memory>

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "training/tutorial.hpp"

namespace ipu_dsl::tests {

/// The tutorial's layers with the first `Cut` of them in the first stage.
template <int Cut>
struct tutorial_layers;

using logits_layer = named<"logits", Dense<10>>;

template <>
struct tutorial_layers<1> {
  using type = pipeline<stage<Flatten>, stage<Dense<256, relu>, Dense<128, relu>, Dense<64, relu>,
                                              Dense<32, relu>, logits_layer>>;
};

template <>
struct tutorial_layers<2> {
  using type = pipeline<stage<Flatten, Dense<256, relu>>,
                        stage<Dense<128, relu>, Dense<64, relu>, Dense<32, relu>, logits_layer>>;
};

template <>
struct tutorial_layers<3> {
  using type = pipeline<stage<Flatten, Dense<256, relu>, Dense<128, relu>>,
                        stage<Dense<64, relu>, Dense<32, relu>, logits_layer>>;
};

template <>
struct tutorial_layers<4> {
  using type = pipeline<stage<Flatten, Dense<256, relu>, Dense<128, relu>, Dense<64, relu>>,
                        stage<Dense<32, relu>, logits_layer>>;
};

template <>
struct tutorial_layers<5> {
  using type =
      pipeline<stage<Flatten, Dense<256, relu>, Dense<128, relu>, Dense<64, relu>, Dense<32, relu>>,
               stage<logits_layer>>;
};

template <int Cut>
struct tutorial_model : model<input<28, 28>, typename tutorial_layers<Cut>::type> {};

template <typename Schedule, int Cut>
struct tutorial_training
    : compile<tutorial_model<Cut>, Schedule, micro_batch<tutorial_micro_batch>,
              gradient_accumulation<tutorial_accumulation>, loss<sparse_categorical_crossentropy>,
              metrics<accuracy>, optimizer<sgd<momentum>>> {};

template <typename Schedule, int Cut>
class tutorial_run final : public tutorial_session {
 public:
  explicit tutorial_run(const session_options& options)
      : run_({.learning_rate = tutorial_rate, .momentum = tutorial_momentum}, options) {}

  const history& fit(feed_reference source, const fit_options& wanted) override {
    return run_.fit(source, wanted);
  }

  evaluation evaluate(feed_reference source) override { return run_.evaluate(source); }

  parameters& weights() override { return run_.weights(); }

 private:
  session<tutorial_training<Schedule, Cut>> run_;
};

/// The session of a cut that is known at run time.
template <typename Schedule>
std::unique_ptr<tutorial_session> tutorial_of(int cut, const session_options& options) {
  switch (cut) {
    case 1:
      return std::make_unique<tutorial_run<Schedule, 1>>(options);
    case 2:
      return std::make_unique<tutorial_run<Schedule, 2>>(options);
    case 3:
      return std::make_unique<tutorial_run<Schedule, 3>>(options);
    case 4:
      return std::make_unique<tutorial_run<Schedule, 4>>(options);
    default:
      return std::make_unique<tutorial_run<Schedule, 5>>(options);
  }
}

}  // namespace ipu_dsl::tests
