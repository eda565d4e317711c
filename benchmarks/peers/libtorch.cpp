// SPDX-License-Identifier: MIT
// libtorch on one thread: nn::Sequential, cross_entropy, optim::SGD; predictions without autograd.
#include <torch/torch.h>

#include "peers/network.hpp"

namespace peers {
namespace {

using table::layer_count;
using table::layer_shapes;

/// torch keeps kernels as [outputs, inputs].
void load(torch::nn::Linear& layer, const layer_weights& from) {
  const torch::NoGradGuard no_gradients;
  const auto inputs = layer->options.in_features();
  const auto outputs = layer->options.out_features();
  const torch::Tensor kernel =
      torch::from_blob(const_cast<float*>(from.kernel.data()), {inputs, outputs});
  layer->weight.copy_(kernel.t());
  layer->bias.copy_(torch::from_blob(const_cast<float*>(from.bias.data()), {outputs}));
}

layer_weights unload(const torch::nn::Linear& layer) {
  const torch::Tensor kernel = layer->weight.detach().t().contiguous();
  const torch::Tensor bias = layer->bias.detach().contiguous();
  const float* const k = kernel.data_ptr<float>();
  const float* const b = bias.data_ptr<float>();
  return {{k, k + kernel.numel()}, {b, b + bias.numel()}};
}

struct network {
  torch::nn::Sequential sequence;
  std::vector<torch::nn::Linear> layers;
};

network network_of(const network_question& question) {
  at::set_num_threads(1);
  network made;
  for (std::size_t i = 0; i < layer_count; ++i) {
    torch::nn::Linear layer(layer_shapes[i].inputs, layer_shapes[i].outputs);
    load(layer, question.start[i]);
    made.layers.push_back(layer);
    made.sequence->push_back(layer);
    if (i + 1 < layer_count) {
      made.sequence->push_back(torch::nn::ReLU());
    }
  }
  return made;
}

/// A micro-batch, without a copy.
torch::Tensor features_of(const network_question& question, int micro_batch) {
  const std::ptrdiff_t first =
      std::ptrdiff_t{micro_batch} * question.micro_batch * table::network_inputs;
  return torch::from_blob(const_cast<float*>(question.features.data()) + first,
                          {question.micro_batch, table::network_inputs});
}

class torch_step final : public step_contestant {
 public:
  explicit torch_step(const network_question& question)
      : network_(network_of(question)),
        optimizer_(network_.sequence->parameters(),
                   torch::optim::SGDOptions(static_cast<double>(question.rate))
                       .momentum(static_cast<double>(question.momentum))),
        share_(1.0 / question.micro_batches) {
    for (int i = 0; i < question.micro_batches; ++i) {
      features_.push_back(features_of(question, i));
      const auto first = question.labels.begin() + std::ptrdiff_t{i} * question.micro_batch;
      const std::vector<std::int64_t> labels(first, first + question.micro_batch);
      labels_.push_back(torch::tensor(labels));
    }
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      optimizer_.zero_grad();
      for (std::size_t i = 0; i < features_.size(); ++i) {
        torch::Tensor loss = torch::nn::functional::cross_entropy(
            network_.sequence->forward(features_[i]), labels_[i]);
        (features_.size() == 1 ? loss : loss * share_).backward();
      }
      optimizer_.step();
    }
  }

  network_weights weights() override {
    network_weights now;
    for (std::size_t i = 0; i < layer_count; ++i) {
      now[i] = unload(network_.layers[i]);
    }
    return now;
  }

 private:
  network network_;
  torch::optim::SGD optimizer_;
  double share_;
  std::vector<torch::Tensor> features_;
  std::vector<torch::Tensor> labels_;
};

class torch_predictor final : public predictor_contestant {
 public:
  explicit torch_predictor(const network_question& question)
      : network_(network_of(question)), features_(features_of(question, 0)) {
    network_.sequence->eval();
  }

  void run(int times) override {
    const c10::InferenceMode inference;
    for (int time = 0; time < times; ++time) {
      last_ = network_.sequence->forward(features_);
    }
  }

  std::vector<float> outputs() override {
    const torch::Tensor rows = last_.contiguous();
    const float* const first = rows.data_ptr<float>();
    return {first, first + rows.numel()};
  }

 private:
  network network_;
  torch::Tensor features_;
  torch::Tensor last_;
};

std::unique_ptr<step_contestant> make_step(const network_question& question) {
  return std::make_unique<torch_step>(question);
}

std::unique_ptr<predictor_contestant> make_predictor(const network_question& question) {
  return std::make_unique<torch_predictor>(question);
}

const step_entry step_enters("libtorch", make_step);
const predictor_entry predictor_enters("libtorch", make_predictor);

}  // namespace
}  // namespace peers
