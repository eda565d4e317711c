// SPDX-License-Identifier: MIT
// libtorch on one thread trains the models that people know, from the parameters of ours.
#include <cmath>
#include <functional>
#include <limits>
#include <torch/torch.h>
#include <utility>

#include "peers/libtorch.hpp"
#include "peers/model.hpp"

namespace peers {
namespace {

using torch::Tensor;
namespace nn = torch::nn;
namespace functional = torch::nn::functional;

/// Where a parameter of ours lies in torch: a part of a parameter, seen with axes of its own, of
/// which each is one of ours.
struct counterpart {
  Tensor theirs;
  std::vector<std::int64_t> extents;  ///< of ours, split where theirs is
  std::vector<std::int64_t> axes;     ///< of theirs, by number among ours
};

/// A model in torch. Its parts are in the order of ours' parameters.
class torch_model : public nn::Module {
 public:
  /// Scores [labels, classes] of what a question has to say.
  virtual Tensor scores() = 0;

  virtual std::vector<counterpart> parts() const = 0;
};

Tensor wrapped(const measure::buffer& numbers, const std::vector<std::int64_t>& extents) {
  return torch::from_blob(const_cast<float*>(numbers.data()), extents);
}

/// The same extents and the same axes.
counterpart same(const Tensor& theirs) {
  std::vector<std::int64_t> axes(static_cast<std::size_t>(theirs.dim()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i] = static_cast<std::int64_t>(i);
  }
  return {theirs.detach(), theirs.sizes().vec(), axes};
}

/// [units, inputs] for [inputs, units].
counterpart turned(const Tensor& theirs) {
  return {theirs.detach(), {theirs.size(1), theirs.size(0)}, {1, 0}};
}

/// [filters, channels, rows, columns] for [rows, columns, channels, filters].
counterpart turned_kernel(const Tensor& theirs) {
  return {theirs.detach(),
          {theirs.size(2), theirs.size(3), theirs.size(1), theirs.size(0)},
          {3, 2, 0, 1}};
}

void add(std::vector<counterpart>& to, const nn::Linear& layer) {
  to.push_back(turned(layer->weight));
  to.push_back(same(layer->bias));
}

class lenet final : public torch_model {
 public:
  explicit lenet(const model_question& question)
      : bytes_(torch::from_blob(const_cast<std::uint8_t*>(question.bytes.data()),
                                {question.samples, 1, 28, 28}, torch::kByte)) {}

  Tensor scores() override {
    Tensor x = bytes_.to(torch::kFloat).mul_(1.0 / 255);
    x = torch::max_pool2d(torch::relu(c1_->forward(x)), 2);
    x = torch::max_pool2d(torch::relu(c3_->forward(x)), 2);
    x = torch::relu(c5_->forward(x.flatten(1)));
    return scores_->forward(torch::relu(f6_->forward(x)));
  }

  std::vector<counterpart> parts() const override {
    std::vector<counterpart> all{turned_kernel(c1_->weight), same(c1_->bias),
                                 turned_kernel(c3_->weight), same(c3_->bias)};
    // Its inputs are the channels of the first place, then of the second; torch has all places of
    // the first channel first.
    all.push_back({c5_->weight.detach().view({120, 16, 5, 5}), {5, 5, 16, 120}, {3, 2, 0, 1}});
    all.push_back(same(c5_->bias));
    add(all, f6_);
    add(all, scores_);
    return all;
  }

 private:
  Tensor bytes_;
  nn::Conv2d c1_ = register_module("c1", nn::Conv2d(nn::Conv2dOptions(1, 6, 5).padding(2)));
  nn::Conv2d c3_ = register_module("c3", nn::Conv2d(nn::Conv2dOptions(6, 16, 5)));
  nn::Linear c5_ = register_module("c5", nn::Linear(400, 120));
  nn::Linear f6_ = register_module("f6", nn::Linear(120, 84));
  nn::Linear scores_ = register_module("scores", nn::Linear(84, 10));
};

/// Images as torch has them from the start, or with channels last.
enum class image_layout { channels_first, channels_last };

class resnet8 final : public torch_model {
 public:
  resnet8(const model_question& question, image_layout layout)
      : pictures_(wrapped(question.numbers, {question.samples, 32, 32, 3}).permute({0, 3, 1, 2})) {
    if (layout == image_layout::channels_last) {
      to_channels_last();
    } else {
      pictures_ = pictures_.contiguous();
    }
  }

  Tensor scores() override {
    Tensor x = torch::relu(first_.forward(pictures_));
    for (block& each : blocks_) {
      x = each.forward(x);
    }
    return scores_->forward(x.mean({2, 3}));
  }

  std::vector<counterpart> parts() const override {
    std::vector<counterpart> all;
    first_.add_parts(all);
    for (const block& each : blocks_) {
      each.add_parts(all);
    }
    add(all, scores_);
    return all;
  }

 private:
  /// A convolution with a normalisation behind it. Keras pads a picture that is halved behind its
  /// last row and column alone, torch would before its first as well.
  struct convolution {
    nn::Conv2d products;
    nn::BatchNorm2d normalization;
    bool halves_windows;

    convolution(resnet8& owner, const std::string& name, int channels, int filters, int kernel,
                int stride)
        : products(
              owner.register_module(name, nn::Conv2d(nn::Conv2dOptions(channels, filters, kernel)
                                                         .stride(stride)
                                                         .padding(stride == 1 ? kernel / 2 : 0)
                                                         .bias(false)))),
          normalization(owner.register_module(
              name + "_normalization",
              nn::BatchNorm2d(nn::BatchNorm2dOptions(filters).eps(1e-3).momentum(0.1)))),
          halves_windows(stride == 2 && kernel == 3) {}

    Tensor forward(const Tensor& x) {
      return normalization->forward(
          products->forward(halves_windows ? torch::constant_pad_nd(x, {0, 1, 0, 1}) : x));
    }

    void add_parts(std::vector<counterpart>& to) const {
      to.push_back(turned_kernel(products->weight));
      to.push_back(same(normalization->weight));
      to.push_back(same(normalization->bias));
      to.push_back(same(normalization->running_mean));
      to.push_back(same(normalization->running_var));
    }
  };

  struct block {
    std::vector<convolution> past;  ///< one, if it halves the picture
    convolution first;
    convolution second;

    block(resnet8& owner, const std::string& name, int channels, int filters)
        : first(owner, name + "_1", channels, filters, 3, filters / channels),
          second(owner, name + "_2", filters, filters, 3, 1) {
      if (filters != channels) {
        past.emplace_back(owner, name + "_past", channels, filters, 1, 2);
      }
    }

    Tensor forward(const Tensor& x) {
      Tensor y = second.forward(torch::relu(first.forward(x)));
      return torch::relu(y + (past.empty() ? x : past.front().forward(x)));
    }

    void add_parts(std::vector<counterpart>& to) const {
      for (const convolution& each : past) {
        each.add_parts(to);
      }
      first.add_parts(to);
      second.add_parts(to);
    }
  };

  void to_channels_last() {
    for (Tensor& parameter : this->parameters()) {
      if (parameter.dim() == 4) {
        parameter.set_data(parameter.detach().contiguous(torch::MemoryFormat::ChannelsLast));
      }
    }
  }

  Tensor pictures_;
  convolution first_{*this, "conv1", 3, 16, 3, 1};
  std::vector<block> blocks_{
      {*this, "conv2", 16, 16}, {*this, "conv3", 16, 32}, {*this, "conv4", 32, 64}};
  nn::Linear scores_ = register_module("scores", nn::Linear(64, 10));
};

/// torch has two biases; the second stays zero.
class lstm final : public torch_model {
 public:
  explicit lstm(const model_question& question)
      : sequences_(wrapped(question.numbers, {question.samples, 32, 128})) {
    Tensor second = layer_->named_parameters()["bias_hh_l0"];
    second.set_requires_grad(false);
    second.zero_();
  }

  Tensor scores() override {
    const Tensor states = std::get<0>(layer_->forward(sequences_));
    return scores_->forward(states.select(1, states.size(1) - 1));
  }

  std::vector<counterpart> parts() const override {
    const auto named = layer_->named_parameters();
    std::vector<counterpart> all{turned(named["weight_ih_l0"]), turned(named["weight_hh_l0"]),
                                 same(named["bias_ih_l0"])};
    add(all, scores_);
    return all;
  }

 private:
  Tensor sequences_;
  nn::LSTM layer_ = register_module("layer", nn::LSTM(nn::LSTMOptions(128, 128).batch_first(true)));
  nn::Linear scores_ = register_module("scores", nn::Linear(128, 10));
};

class gpt final : public torch_model {
 public:
  explicit gpt(const model_question& question) : texts_(question.samples) {
    const std::vector<std::int64_t> characters(question.characters.begin(),
                                               question.characters.end());
    characters_ = torch::tensor(characters).view({texts_, steps});
    const float hidden = -std::numeric_limits<float>::infinity();
    mask_ = torch::full({1, steps, steps}, hidden).triu(1);
    for (int i = 0; i < 4; ++i) {
      blocks_.emplace_back(*this, "block" + std::to_string(i));
    }
  }

  Tensor scores() override {
    Tensor x = embedding_->forward(characters_) + places_;
    for (block& each : blocks_) {
      x = x + each.attend(each.before->forward(x), mask_);
      x = x + each.leave->forward(torch::gelu(each.enter->forward(each.between->forward(x))));
    }
    return scores_->forward(last_->forward(x)).view({-1, 65});
  }

  std::vector<counterpart> parts() const override {
    std::vector<counterpart> all{same(embedding_->weight), same(places_)};
    for (const block& each : blocks_) {
      each.add_parts(all);
    }
    add_normalization(all, last_);
    add(all, scores_);
    return all;
  }

 private:
  static constexpr std::int64_t steps = 64;
  static constexpr std::int64_t width = 128;
  static constexpr std::int64_t heads = 4;

  static nn::LayerNorm normalization() {
    return nn::LayerNorm(nn::LayerNormOptions({width}).eps(1e-3));
  }

  static void add_normalization(std::vector<counterpart>& to, const nn::LayerNorm& layer) {
    to.push_back(same(layer->weight));
    to.push_back(same(layer->bias));
  }

  /// Queries, keys and values are one product, and the mask is added by that of the scores.
  struct block {
    nn::LayerNorm before;
    nn::Linear projected;
    nn::Linear gathered;
    nn::LayerNorm between;
    nn::Linear enter;
    nn::Linear leave;

    block(gpt& owner, const std::string& name)
        : before(owner.register_module(name + "_before", normalization())),
          projected(owner.register_module(name + "_projected", nn::Linear(width, 3 * width))),
          gathered(owner.register_module(name + "_gathered", nn::Linear(width, width))),
          between(owner.register_module(name + "_between", normalization())),
          enter(owner.register_module(name + "_enter", nn::Linear(width, 4 * width))),
          leave(owner.register_module(name + "_leave", nn::Linear(4 * width, width))) {}

    Tensor attend(const Tensor& x, const Tensor& mask) {
      const std::int64_t texts = x.size(0);
      const auto parted = projected->forward(x).view({texts, steps, 3, heads, width / heads});
      const auto heads_of = [&](std::int64_t which) {
        return parted.select(2, which).transpose(1, 2).reshape(
            {texts * heads, steps, width / heads});
      };
      const double scale = 1 / std::sqrt(static_cast<double>(width / heads));
      const Tensor shares =
          torch::baddbmm(mask, heads_of(0), heads_of(1).transpose(1, 2), 1, scale).softmax(-1);
      const Tensor context = torch::bmm(shares, heads_of(2));
      return gathered->forward(context.view({texts, heads, steps, width / heads})
                                   .transpose(1, 2)
                                   .reshape({texts, steps, width}));
    }

    void add_parts(std::vector<counterpart>& to) const {
      add_normalization(to, before);
      for (std::int64_t which = 0; which < 3; ++which) {
        to.push_back(turned(projected->weight.narrow(0, which * width, width)));
        to.push_back(same(projected->bias.narrow(0, which * width, width)));
      }
      add(to, gathered);
      add_normalization(to, between);
      add(to, enter);
      add(to, leave);
    }
  };

  std::int64_t texts_;
  Tensor characters_;
  Tensor mask_;
  nn::Embedding embedding_ = register_module("characters", nn::Embedding(65, width));
  Tensor places_ = register_parameter("places", torch::zeros({steps, width}));
  std::vector<block> blocks_;
  nn::LayerNorm last_ = register_module("last", normalization());
  nn::Linear scores_ = register_module("scores", nn::Linear(width, 65));
};

/// Steps of a model with one of torch's optimizers.
template <typename Optimizer>
class torch_training final : public model_contestant {
 public:
  template <typename Options>
  torch_training(std::shared_ptr<torch_model> model, const model_question& question,
                 const Options& options)
      : model_(std::move(model)),
        optimizer_(learning_parameters(), options),
        question_(question),
        labels_(torch::tensor(
            std::vector<std::int64_t>(question.labels.begin(), question.labels.end()))) {
    load();
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      // Gradients are moved into place then, and not added to zeros.
      for (Tensor& parameter : optimizer_.param_groups().front().params()) {
        parameter.mutable_grad().reset();
      }
      loss_ = functional::cross_entropy(model_->scores(), labels_);
      loss_.backward();
      optimizer_.step();
    }
  }

  std::vector<measure::buffer> parameters() override {
    std::vector<measure::buffer> now;
    for (const counterpart& part : model_->parts()) {
      Tensor ours = torch::empty(part.extents);
      ours.permute(part.axes).copy_(part.theirs);
      const float* const first = ours.data_ptr<float>();
      now.emplace_back(first, first + ours.numel());
    }
    return now;
  }

  double loss() override { return loss_.item<double>(); }

 private:
  std::vector<Tensor> learning_parameters() const {
    std::vector<Tensor> all;
    for (const Tensor& parameter : model_->parameters()) {
      if (parameter.requires_grad()) {
        all.push_back(parameter);
      }
    }
    return all;
  }

  void load() {
    const torch::NoGradGuard no_gradients;
    const std::vector<counterpart> parts = model_->parts();
    TORCH_CHECK(parts.size() == question_.start.size(), "The model has other parameters.");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Tensor theirs = parts[i].theirs;
      theirs.copy_(wrapped(question_.start[i].values, parts[i].extents).permute(parts[i].axes));
    }
  }

  std::shared_ptr<torch_model> model_;
  Optimizer optimizer_;
  const model_question& question_;
  Tensor labels_;
  Tensor loss_;
};

std::unique_ptr<model_contestant> descending(std::shared_ptr<torch_model> model,
                                             const model_question& question) {
  return std::make_unique<torch_training<torch::optim::SGD>>(
      std::move(model), question,
      torch::optim::SGDOptions(static_cast<double>(model_rate))
          .momentum(static_cast<double>(model_momentum)));
}

std::unique_ptr<model_contestant> make(const model_question& question) {
  settle();
  switch (question.kind) {
    case model_kind::lenet:
      return descending(std::make_shared<lenet>(question), question);
    case model_kind::resnet8:
      return descending(std::make_shared<resnet8>(question, image_layout::channels_first),
                        question);
    case model_kind::lstm:
      return descending(std::make_shared<lstm>(question), question);
    case model_kind::gpt:
      return std::make_unique<torch_training<torch::optim::AdamW>>(
          std::make_shared<gpt>(question), question,
          torch::optim::AdamWOptions(0.001).betas({0.9, 0.999}).eps(1e-7).weight_decay(0.004));
  }
  return nullptr;
}

std::unique_ptr<model_contestant> make_channels_last(const model_question& question) {
  settle();
  return question.kind == model_kind::resnet8
             ? descending(std::make_shared<resnet8>(question, image_layout::channels_last),
                          question)
             : nullptr;
}

const model_entry enters("libtorch", make);
const model_entry channels_last_enters("libtorch", make_channels_last);

}  // namespace
}  // namespace peers
