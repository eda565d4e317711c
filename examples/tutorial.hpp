// SPDX-License-Identifier: MIT
// What the tutorial's programs share: constants, data, and the training function.
#pragma once

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/report/summary.hpp>

#include "example.hpp"

namespace tutorial {

using namespace ipu_dsl;

// Samples per micro-batch.
inline constexpr int batch_size = 32;

// Micro-batches of an epoch.
inline constexpr int steps_per_epoch = 500;

inline constexpr int epochs = 4;
inline constexpr float learning_rate = 0.01F;
inline constexpr float momentum_factor = 0.9F;

// Micro-batches whose gradients make one update.
inline constexpr int steps_per_replica = 4;

/// The steps of an epoch that the command line asks for, or the usual ones. Throws `error` if it
/// asks for something else.
inline int steps_of(int argc, char** argv) {
  if (argc < 2) {
    return steps_per_epoch;
  }
  const std::string_view words = argv[1];
  int steps = 0;
  const auto [end, fault] = std::from_chars(words.data(), words.data() + words.size(), steps);
  if (argc > 2 || fault != std::errc() || end != words.data() + words.size() || steps < 1 ||
      steps % steps_per_replica != 0) {
    throw error("expected nothing or the steps of an epoch, a multiple of " +
                std::to_string(steps_per_replica) + ", got " + argv[argc - 1]);
  }
  return steps;
}

/// Trains a model for epochs of `steps` and tests it.
template <typename Training>
int train_steps(std::string_view name, int steps) {
  const auto digits = synthetic_digits(60'000, 1);
  const auto unseen = synthetic_digits(10'000, 2);

  session<Training> run{{.learning_rate = learning_rate, .momentum = momentum_factor},
                        {.threads = 2}};
  std::printf("%s\n",
              summary_text(planned_graph_of<typename Training::compiled>.view(), name).c_str());
  run.fit(digits | shuffled(10'000) | repeated(), {.epochs = epochs, .steps_per_epoch = steps},
          [](const epoch_record& epoch) {
            std::printf("Epoch %d/%d  loss %.4f\n", epoch.epoch + 1, epochs, epoch.loss);
          });
  const evaluation found = run.evaluate(unseen);
  std::printf("Test       loss %.4f  accuracy %.4f\n", found.loss, found.metrics["accuracy"]);
  return 0;
}

/// Trains a model and tests it. The first argument of the program, if any, is the steps of an
/// epoch.
template <typename Training>
int train(const char* name, int argc, char** argv) {
  return example::run(name, [=] { return train_steps<Training>(name, steps_of(argc, argv)); });
}

}  // namespace tutorial
