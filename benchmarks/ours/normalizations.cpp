// SPDX-License-Identifier: MIT
// LayerNormalization by the kernels of this library.
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/layer_normalization.hpp>

#include "peers/normalization.hpp"

namespace ours {
namespace {

using namespace ipu_dsl;
using measure::buffer;
using peers::normalization_question;

constexpr kernels::normalization_form form{.centers = true, .scales = true, .shifts = true};

class layer_normalization final : public peers::normalization_contestant {
 public:
  explicit layer_normalization(const normalization_question& question)
      : question_(question),
        rows_(static_cast<std::int32_t>(question.rows)),
        shape_{rows_, static_cast<std::int32_t>(question.units)},
        y_(measure::zeros(question.rows * question.units)),
        dx_(y_),
        sums_(measure::zeros(2 * question.units)),
        mean_(measure::zeros(layout::row_stride(rows_))),
        inverse_(mean_) {
    forward();
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      if (question_.backward) {
        backward();
      } else {
        forward();
      }
      measure::clobber_memory();
    }
  }

 private:
  void forward() {
    kernels::normalize_rows<form>(question_.x.data(), question_.gamma.data(), question_.beta.data(),
                                  1e-3F, shape_, {0, rows_}, y_.data(), moments());
  }

  void backward() {
    kernels::normalized_rows_gradient<form>(question_.d.data(), question_.x.data(),
                                            question_.gamma.data(), shape_, {0, rows_}, moments(),
                                            dx_.data());
    kernels::normalization_weight_gradient<form>(
        question_.d.data(), question_.x.data(), shape_, rows_, moments(),
        {sums_.data(), sums_.data() + question_.units, false}, {});
  }

  kernels::row_moments moments() { return {mean_.data(), inverse_.data()}; }

  const normalization_question& question_;
  std::int32_t rows_;
  kernels::normalized_rows shape_;
  buffer y_;
  buffer dx_;
  buffer sums_;
  buffer mean_;
  buffer inverse_;
};

/// The kernels take rows of whole vectors.
std::unique_ptr<peers::normalization_contestant> make(const normalization_question& question) {
  return question.units % layout::native.lanes == 0
             ? std::make_unique<layer_normalization>(question)
             : nullptr;
}

const peers::normalization_entry enters(peers::ours, make);

}  // namespace
}  // namespace ours
