// SPDX-License-Identifier: MIT
// Prediction by this library: the one place of the table that knows how it is asked for.
#include <array>
#include <memory>
#include <span>
#include <utility>

#include <ipu_dsl/inference.hpp>

#include "ours/network.hpp"
#include "ours/stream.hpp"

namespace ours {
namespace {

using namespace ipu_dsl;

using shared_weights = std::shared_ptr<const weights_of<mlp>>;

shared_weights weights_from(const peers::network_question& question) {
  const auto made = std::make_shared<weights_of<mlp>>();
  load(*made, question.start);
  return made;
}

/// One micro-batch after the other.
template <int MicroBatch>
class batch_predictor final : public peers::predictor_contestant {
  using mlp_predictor = predictor<mlp, micro_batch<MicroBatch>>;

 public:
  batch_predictor(const peers::network_question& question, shared_weights weights)
      : question_(question), weights_(std::move(weights)) {}

  void run(int times) override {
    constexpr std::size_t values = mlp_predictor::batch * mlp_predictor::sample_values;
    const std::span<const float, values> features(question_.features);
    for (int time = 0; time < times; ++time) {
      predictor_.predict(features, outputs_);
    }
  }

  std::vector<float> outputs() override { return {outputs_.begin(), outputs_.end()}; }

 private:
  const peers::network_question& question_;
  shared_weights weights_;
  mlp_predictor predictor_{*weights_};
  std::array<float, mlp_predictor::batch * mlp_predictor::result_values> outputs_{};
};

/// One sample after the other, whose results stay in the predictor's memory.
class stream_predictor final : public peers::predictor_contestant {
  using mlp_predictor = predictor<mlp, micro_batch<1>>;

 public:
  stream_predictor(const peers::network_question& question, shared_weights weights)
      : question_(question), weights_(std::move(weights)) {}

  void run(int times) override {
    const std::span<const float, mlp_predictor::sample_values> sample(question_.features);
    for (int time = 0; time < times; ++time) {
      last_ = predictor_.push(sample).data();
    }
  }

  std::vector<float> outputs() override { return {last_, last_ + mlp_predictor::result_values}; }

 private:
  const peers::network_question& question_;
  shared_weights weights_;
  mlp_predictor predictor_{*weights_};
  const float* last_ = nullptr;
};

std::unique_ptr<peers::predictor_contestant> make(const peers::network_question& question) {
  switch (question.micro_batch) {
    case 1:
      return std::make_unique<batch_predictor<1>>(question, weights_from(question));
    case 32:
      return std::make_unique<batch_predictor<32>>(question, weights_from(question));
    default:
      return nullptr;
  }
}

const peers::predictor_entry enters(peers::ours, make);

}  // namespace

stream_calls make_stream_calls(const peers::network_question& question) {
  const shared_weights weights = weights_from(question);
  return {std::make_unique<stream_predictor>(question, weights),
          std::make_unique<batch_predictor<1>>(question, weights)};
}

}  // namespace ours
