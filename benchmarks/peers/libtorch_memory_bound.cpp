// SPDX-License-Identifier: MIT
// Layers that move more than they compute, by libtorch on one thread, without autograd.
#include <torch/torch.h>
#include <utility>

#include "peers/libtorch.hpp"
#include "peers/memory_bound.hpp"

namespace peers {
namespace {

using torch::Tensor;

constexpr double epsilon = 1e-3;

/// Images have their channels last, or first as torch has them from the start.
class torch_layer final : public memory_bound_contestant {
 public:
  torch_layer(const memory_bound_question& question, bool channels_last)
      : question_(question), channels_last_(channels_last) {
    settle();
    const torch::NoGradGuard no_gradients;
    x_ = laid_out(question.x);
    d_ = question.d.empty() ? Tensor() : laid_out(question.d);
    gamma_ = vector_of(question.gamma);
    beta_ = vector_of(question.beta);
    normalize();
  }

  void run(int times) override {
    const torch::NoGradGuard no_gradients;
    for (int time = 0; time < times; ++time) {
      compute();
    }
  }

  std::vector<float> result() override {
    const Tensor rows = (is_image() ? written_.permute({0, 2, 3, 1}) : written_).contiguous();
    const float* const first = rows.data_ptr<float>();
    return {first, first + rows.numel()};
  }

  std::span<const float> written() const override {
    return {written_.data_ptr<float>(), static_cast<std::size_t>(written_.numel())};
  }

 private:
  bool is_image() const { return question_.rows > 1; }

  Tensor laid_out(const measure::buffer& numbers) const {
    float* const first = const_cast<float*>(numbers.data());
    if (!is_image()) {
      return torch::from_blob(first, {question_.samples, question_.channels});
    }
    const Tensor images = torch::from_blob(
        first, {question_.samples, question_.rows, question_.columns, question_.channels});
    return images.permute({0, 3, 1, 2})
        .clone(channels_last_ ? torch::MemoryFormat::ChannelsLast
                              : torch::MemoryFormat::Contiguous);
  }

  static Tensor vector_of(const measure::buffer& numbers) {
    return torch::from_blob(const_cast<float*>(numbers.data()),
                            {static_cast<std::int64_t>(numbers.size())});
  }

  /// What the gradients of a normalisation need of the forward pass.
  void normalize() {
    using kind = memory_bound_kind;
    if (question_.kind == kind::layer_normalization ||
        question_.kind == kind::layer_normalization_gradient) {
      std::tie(written_, mean_, inverse_) =
          at::native_layer_norm(x_, {question_.channels}, gamma_, beta_, epsilon);
    } else if (question_.kind == kind::batch_normalization ||
               question_.kind == kind::batch_normalization_gradient) {
      std::tie(written_, mean_, inverse_) =
          at::native_batch_norm(x_, gamma_, beta_, {}, {}, true, 0.1, epsilon);
    }
  }

  void compute() {
    Tensor scale;
    Tensor shift;
    switch (question_.kind) {
      case memory_bound_kind::layer_normalization:
      case memory_bound_kind::batch_normalization:
        normalize();
        break;
      case memory_bound_kind::layer_normalization_gradient:
        std::tie(written_, scale, shift) = at::native_layer_norm_backward(
            d_, x_, {question_.channels}, mean_, inverse_, gamma_, beta_, {true, true, true});
        break;
      case memory_bound_kind::batch_normalization_gradient:
        std::tie(written_, scale, shift) = at::native_batch_norm_backward(
            d_, x_, gamma_, {}, {}, mean_, inverse_, true, epsilon, {true, true, true});
        break;
      case memory_bound_kind::max_pooling:
        written_ = at::max_pool2d(x_, 2);
        break;
      case memory_bound_kind::gelu:
        written_ = at::gelu(x_);
        break;
      case memory_bound_kind::gelu_gradient:
        written_ = at::gelu_backward(d_, x_);
        break;
      case memory_bound_kind::softmax:
        written_ = at::softmax(x_, 1);
        break;
    }
  }

  const memory_bound_question& question_;
  bool channels_last_;
  Tensor x_;
  Tensor d_;
  Tensor gamma_;
  Tensor beta_;
  Tensor mean_;
  Tensor inverse_;
  Tensor written_;
};

std::unique_ptr<memory_bound_contestant> make(const memory_bound_question& question) {
  return std::make_unique<torch_layer>(question, true);
}

std::unique_ptr<memory_bound_contestant> make_channels_first(
    const memory_bound_question& question) {
  return question.rows > 1 ? std::make_unique<torch_layer>(question, false) : nullptr;
}

const memory_bound_entry enters("libtorch", make);
const memory_bound_entry channels_first_enter("libtorch", make_channels_first);

}  // namespace
}  // namespace peers
