// SPDX-License-Identifier: MIT
// libtorch on one thread: nn::Sequential, cross_entropy, optim::SGD and Adam; predictions without
// autograd.
#include "peers/libtorch.hpp"

#include <cmath>
#include <torch/torch.h>

#include "peers/network.hpp"
#include "peers/update.hpp"

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
  settle();
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

/// Adam on one tensor in which all parameters lie one behind the other, and their gradients in
/// another: as few calls as there can be, where torch::optim::Adam makes them for each parameter.
class flat_adam {
 public:
  explicit flat_adam(const torch::Tensor& start)
      : w_(start),
        mean_(torch::zeros_like(start)),
        square_(torch::zeros_like(start)),
        scale_(torch::zeros_like(start)),
        gradient_(torch::zeros_like(start)) {}

  torch::Tensor& gradient() { return gradient_; }

  const torch::Tensor& parameters() const { return w_; }

  void zero_grad() { gradient_.zero_(); }

  void step() {
    const torch::NoGradGuard no_gradients;
    ++updates_;
    const double means = 1 - std::pow(beta_1, updates_);
    const double squares = 1 - std::pow(beta_2, updates_);
    mean_.lerp_(gradient_, 1 - beta_1);
    square_.mul_(beta_2).addcmul_(gradient_, gradient_, 1 - beta_2);
    torch::sqrt_out(scale_, square_).add_(epsilon);
    w_.addcdiv_(mean_, scale_, -rate * std::sqrt(squares) / means);
  }

 private:
  static constexpr double rate = 0.001;
  static constexpr double beta_1 = 0.9;
  static constexpr double beta_2 = 0.999;
  static constexpr double epsilon = 1e-7;

  torch::Tensor w_;
  torch::Tensor mean_;
  torch::Tensor square_;
  torch::Tensor scale_;
  torch::Tensor gradient_;
  int updates_ = 0;
};

/// Moves the parameters of a network into one tensor, and their gradients.
flat_adam flattened(network& from) {
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& parameter : from.sequence->parameters()) {
    parts.push_back(parameter.detach().flatten());
  }
  flat_adam made(torch::cat(parts));
  std::int64_t first = 0;
  for (torch::Tensor& parameter : from.sequence->parameters()) {
    const std::int64_t count = parameter.numel();
    const auto part = [&](const torch::Tensor& all) {
      return all.narrow(0, first, count).view(parameter.sizes());
    };
    parameter.set_data(part(made.parameters()));
    parameter.mutable_grad() = part(made.gradient());
    first += count;
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

/// Steps with a torch::optim::Optimizer, of whatever options.
template <typename Optimizer>
class torch_step final : public step_contestant {
 public:
  template <typename MakeOptimizer>
  torch_step(const network_question& question, const MakeOptimizer& make_optimizer)
      : network_(network_of(question)),
        optimizer_(make_optimizer(network_)),
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
  Optimizer optimizer_;
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
  return std::make_unique<torch_step<torch::optim::SGD>>(question, [&](network& of) {
    return torch::optim::SGD(of.sequence->parameters(),
                             torch::optim::SGDOptions(static_cast<double>(question.rate))
                                 .momentum(static_cast<double>(question.momentum)));
  });
}

/// Keras's epsilon stands beside the root before the corrections, torch's behind them: both are so
/// small that it is no matter.
torch::optim::AdamOptions adam_options() {
  return torch::optim::AdamOptions(0.001).betas({0.9, 0.999}).eps(1e-7);
}

std::unique_ptr<step_contestant> make_adam(const adam_question& question) {
  return std::make_unique<torch_step<torch::optim::Adam>>(question.network, [](network& of) {
    return torch::optim::Adam(of.sequence->parameters(), adam_options());
  });
}

std::unique_ptr<step_contestant> make_flat_adam(const adam_question& question) {
  return std::make_unique<torch_step<flat_adam>>(question.network, flattened);
}

/// Sets of parameters that are updated in turn.
template <typename Optimizer>
class torch_update final : public update_contestant {
 public:
  /// `make_optimizer` gets parameters and their gradient.
  template <typename MakeOptimizer>
  torch_update(const update_question& question, const MakeOptimizer& make_optimizer) {
    settle();
    for (int i = 0; i < question.sets; ++i) {
      parameters_.push_back(tensor_of(question.start));
      optimizers_.push_back(make_optimizer(parameters_.back(), tensor_of(question.gradient)));
    }
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      optimizers_[next_ % optimizers_.size()]->step();
      ++next_;
    }
  }

  std::vector<float> parameters() override {
    const float* const first = parameters_[0].data_ptr<float>();
    return {first, first + parameters_[0].numel()};
  }

 private:
  static torch::Tensor tensor_of(const measure::buffer& numbers) {
    return torch::from_blob(const_cast<float*>(numbers.data()),
                            {static_cast<std::int64_t>(numbers.size())})
        .clone();
  }

  std::vector<torch::Tensor> parameters_;
  std::vector<std::unique_ptr<Optimizer>> optimizers_;
  std::size_t next_ = 0;
};

std::unique_ptr<update_contestant> make_update(const update_question& question) {
  using torch::optim::Adam;
  return std::make_unique<torch_update<Adam>>(
      question, [](torch::Tensor& parameter, const torch::Tensor& gradient) {
        parameter.set_requires_grad(true).mutable_grad() = gradient;
        return std::make_unique<Adam>(std::vector<torch::Tensor>{parameter}, adam_options());
      });
}

std::unique_ptr<update_contestant> make_flat_update(const update_question& question) {
  return std::make_unique<torch_update<flat_adam>>(
      question, [](torch::Tensor& parameter, const torch::Tensor& gradient) {
        auto made = std::make_unique<flat_adam>(parameter);
        made->gradient() = gradient;
        return made;
      });
}

std::unique_ptr<predictor_contestant> make_predictor(const network_question& question) {
  return std::make_unique<torch_predictor>(question);
}

const step_entry step_enters("libtorch", make_step);
const adam_entry adam_enters("libtorch", make_adam);
const adam_entry flat_adam_enters("libtorch", make_flat_adam);
const update_entry update_enters("libtorch", make_update);
const update_entry flat_update_enters("libtorch", make_flat_update);
const predictor_entry predictor_enters("libtorch", make_predictor);

}  // namespace
}  // namespace peers
