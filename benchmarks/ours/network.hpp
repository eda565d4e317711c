// SPDX-License-Identifier: MIT
// The network as models of this library.
#pragma once

#include <cstddef>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

#include "peers/network.hpp"

namespace ours {

struct mlp
    : ipu_dsl::model<
          ipu_dsl::input<784>,
          ipu_dsl::sequential<ipu_dsl::Dense<256, ipu_dsl::relu>,
                              ipu_dsl::Dense<128, ipu_dsl::relu>, ipu_dsl::Dense<64, ipu_dsl::relu>,
                              ipu_dsl::Dense<32, ipu_dsl::relu>, ipu_dsl::Dense<10>>> {};

/// The best contiguous cut in two: the first layer is most of the work.
struct cut_mlp
    : ipu_dsl::model<
          ipu_dsl::input<784>,
          ipu_dsl::pipeline<
              ipu_dsl::stage<ipu_dsl::Dense<256, ipu_dsl::relu>>,
              ipu_dsl::stage<ipu_dsl::Dense<128, ipu_dsl::relu>, ipu_dsl::Dense<64, ipu_dsl::relu>,
                             ipu_dsl::Dense<32, ipu_dsl::relu>, ipu_dsl::Dense<10>>>> {};

/// Sets the parameters: kernel and bias of every layer, in order.
inline void load(ipu_dsl::parameters& weights, const peers::network_weights& from) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    weights.set(2 * i, from[i].kernel);
    weights.set(2 * i + 1, from[i].bias);
  }
}

inline peers::network_weights unload(const ipu_dsl::parameters& weights) {
  peers::network_weights now;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const table::layer_shape layer = table::layer_shapes[i];
    now[i] = {measure::zeros(std::int64_t{layer.inputs} * layer.outputs),
              measure::zeros(layer.outputs)};
    weights.get(2 * i, now[i].kernel);
    weights.get(2 * i + 1, now[i].bias);
  }
  return now;
}

/// A session that trains on the same samples again and again.
template <typename Compiled>
class session_step final : public peers::step_contestant {
 public:
  session_step(const peers::network_question& question, int threads)
      : session_step(question, threads,
                     {.learning_rate = question.rate, .momentum = question.momentum}) {}

  session_step(const peers::network_question& question, int threads,
               const typename ipu_dsl::session<Compiled>::settings& settings)
      : question_(question), run_(settings, {.threads = threads}) {
    load(run_.weights(), question.start);
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      run_.train_step(question_.features, question_.labels);
    }
  }

  peers::network_weights weights() override { return unload(run_.weights()); }

 private:
  const peers::network_question& question_;
  ipu_dsl::session<Compiled> run_;
};

}  // namespace ours
